//! The files that the gate shares with the tool: see [`foretrace_event::channel`].

use crate::sys;
use crate::sys::settings::Settings;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use foretrace_event::channel::{
    CONTROL_WORDS, Header, LENGTHS, MAGIC, MOST_RACES, MOST_STEPS, MOST_VISIBLE, PENDING, PENDING_WORDS, PREFIX,
    RACE_WORDS, RACES, RaceRecord, SLEEP, STEP_WORDS, STEPS, StepRecord, THREADS_WORDS, VISIBLE, pending_from,
    pending_words,
};
use foretrace_event::visible::Operation;
use foretrace_event::{Policy, ThreadId, ThreadSet};

static CONTROL: AtomicPtr<AtomicU64> = AtomicPtr::new(core::ptr::null_mut());
static THREADS: AtomicPtr<AtomicU64> = AtomicPtr::new(core::ptr::null_mut());

/// Maps both files; false if they are not there.
pub fn open(settings: &Settings) -> bool {
    let control = map(settings, b"control", CONTROL_WORDS);
    let threads = map(settings, b"numbers", THREADS_WORDS);
    let (Some(control), Some(threads)) = (control, threads) else { return false };
    CONTROL.store(control, Ordering::Relaxed);
    THREADS.store(threads, Ordering::Relaxed);
    get(Header::Magic) == MAGIC
}

/// Maps a file of so many words.
pub fn map(settings: &Settings, name: &[u8], words: usize) -> Option<*mut AtomicU64> {
    let fd = sys::open(&settings.path(name), libc::O_RDWR | libc::O_NOFOLLOW, 0).ok()?;
    let is_whole = sys::size(fd).is_ok_and(|size| size >= 8 * words as u64);
    let mapped = is_whole.then(|| sys::map_file(fd, 8 * words).ok()).flatten();
    sys::close(fd);
    mapped.map(<*mut u8>::cast)
}

fn word(index: usize) -> &'static AtomicU64 {
    debug_assert!(index < CONTROL_WORDS);
    // SAFETY: the mapping has this many words and is never unmapped.
    unsafe { &*CONTROL.load(Ordering::Relaxed).add(index) }
}

/// A word of the header.
pub fn get(header: Header) -> u64 {
    word(header as usize).load(Ordering::Relaxed)
}

/// Sets a word of the header.
pub fn set(header: Header, value: u64) {
    word(header as usize).store(value, Ordering::Relaxed);
}

/// Adds flags to a word of the header.
pub fn add(header: Header, flags: u64) {
    word(header as usize).fetch_or(flags, Ordering::Relaxed);
}

/// Forgets what has happened: the plan is run again.
pub fn forget() {
    use Header::{Argument, End, Notes, Pending, Races, Steps};
    [Argument, End, Notes, Pending, Races, Steps].into_iter().for_each(|header| set(header, 0));
}

/// The policy of the plan.
pub fn policy() -> Policy {
    Policy::from_words([Header::Policy, Header::Seed, Header::First, Header::Second].map(get))
}

/// How many choices the plan prescribes.
pub fn prefix() -> usize {
    (get(Header::Prefix) as usize).min(MOST_STEPS)
}

/// One of them: a thread and an alternative.
pub fn choice(index: usize) -> (ThreadId, u32) {
    let word = word(PREFIX + index).load(Ordering::Relaxed);
    (ThreadId(word as u32), (word >> 32) as u32)
}

fn read<const N: usize>(at: usize) -> [u64; N] {
    core::array::from_fn(|offset| word(at + offset).load(Ordering::Relaxed))
}

fn write(at: usize, words: &[u64]) {
    words.iter().enumerate().for_each(|(offset, value)| word(at + offset).store(*value, Ordering::Relaxed));
}

/// The threads that sleep after the prefix.
pub fn sleepers() -> impl Iterator<Item = (ThreadId, Operation)> {
    let count = (get(Header::Sleep) as usize).min(ThreadSet::CAPACITY as usize);
    (0..count).filter_map(|index| pending_from(&read::<PENDING_WORDS>(SLEEP + index * PENDING_WORDS)))
}

/// How many steps each thread is expected to take.
pub fn lengths() -> [u32; ThreadSet::CAPACITY as usize] {
    let count = get(Header::Lengths) as usize;
    core::array::from_fn(
        |thread| {
            if thread < count { word(LENGTHS + thread).load(Ordering::Relaxed) as u32 } else { 0 }
        },
    )
}

/// The visible ranges of plain memory: an address and a number of bytes.
pub fn visible() -> impl Iterator<Item = [u64; 2]> {
    let count = (get(Header::Visible) as usize).min(MOST_VISIBLE);
    (0..count).map(|index| read(VISIBLE + 2 * index))
}

/// Writes a step, which is there from now on.
pub fn put_step(index: usize, step: &StepRecord) {
    write(STEPS + index * STEP_WORDS, &step.words());
    set(Header::Steps, index as u64 + 1);
}

/// Writes a thread that has not ended.
pub fn put_pending(thread: ThreadId, operation: &Operation) {
    let count = get(Header::Pending) as usize;
    if count < ThreadSet::CAPACITY as usize {
        write(PENDING + count * PENDING_WORDS, &pending_words(thread, operation));
        set(Header::Pending, count as u64 + 1);
    }
}

/// Writes a race.
pub fn put_race(race: &RaceRecord) {
    let count = get(Header::Races) as usize;
    if count < MOST_RACES {
        write(RACES + count * RACE_WORDS, &race.words());
        set(Header::Races, count as u64 + 1);
    }
}

/// The number of the thread that this one creates after so many others; none if there are too many.
pub fn number_of(creator: ThreadId, before: u32) -> Option<ThreadId> {
    let path = u64::from(creator.0) | (u64::from(before) + 1) << 32;
    let table = THREADS.load(Ordering::Relaxed);
    (1..ThreadSet::CAPACITY).map(ThreadId).find(|thread| {
        // SAFETY: the table has an entry for each of them and is never unmapped.
        let entry = unsafe { &*table.add(thread.index() - 1) };
        match entry.compare_exchange(0, path, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => true,
            Err(known) => known == path,
        }
    })
}
