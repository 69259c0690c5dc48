//! What threads do between their steps, for a search that prunes: see [`foretrace_event::notes`].
//!
//! Programs that were compiled for it say what their accesses may be to with other values. One thread runs at a time, so what
//! is kept here for each thread needs no lock.

use super::channel::map;
use super::turn::taken;
use crate::sink::lines::{READ, WRITE};
use crate::sys;
use crate::sys::settings::Settings;
use crate::thread::Shared;
use crate::thread::tls::tls;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use foretrace_event::ThreadSet;
use foretrace_event::notes::{FIRST, Hint, MOST_ENTRY, MOST_NOTES, NOTE_WORDS, NoteRecord, Reach, SLOTS, Said, WORDS};
use foretrace_event::visible::{ObjectId, OpKind, Operation};

static NOTES: AtomicPtr<AtomicU64> = AtomicPtr::new(core::ptr::null_mut());

/// The tables of modules: where the list of entries is, and how many there are.
static TABLES: [(AtomicUsize, AtomicUsize); MOST_TABLES] =
    [const { (AtomicUsize::new(0), AtomicUsize::new(0)) }; MOST_TABLES];
static TABLE_COUNT: AtomicUsize = AtomicUsize::new(0);
const MOST_TABLES: usize = 1024;

/// What a thread has said.
struct Saying {
    hint: AtomicU64,
    from: AtomicU64,
    size: AtomicU64,
    /// Counts what ends a stretch in which accesses are noted once.
    stretch: AtomicU64,
    /// The last accesses.
    noted: [AtomicU64; RECENT],
}

const RECENT: usize = 32;
const THREADS: usize = ThreadSet::CAPACITY as usize;

static SAYING: [Saying; THREADS] = [const {
    Saying {
        hint: AtomicU64::new(Hint::Outside as u64),
        from: AtomicU64::new(0),
        size: AtomicU64::new(0),
        stretch: AtomicU64::new(0),
        noted: [const { AtomicU64::new(0) }; RECENT],
    }
}; THREADS];

/// Maps the file, if notes are wanted, and writes the table. All executions come after that: an execution that puts memory
/// back may not open files.
pub fn open(settings: &Settings) {
    if let Some(notes) = map(settings, b"notes", WORDS) {
        NOTES.store(notes, Ordering::Relaxed);
        if let Ok(file) = sys::open(&settings.path(b"branches"), libc::O_RDWR | libc::O_NOFOLLOW, 0) {
            write_tables(file);
            sys::close(file);
        }
    }
}

/// Are notes wanted?
#[inline]
pub fn are_wanted() -> bool {
    !NOTES.load(Ordering::Relaxed).is_null()
}

/// An execution begins. What the main thread has said before counts if it was about this call.
pub fn begin() {
    if !are_wanted() {
        return;
    }
    word(0).store(0, Ordering::Relaxed);
    word(1).store(0, Ordering::Relaxed);
    if !matches!(hint_of(&SAYING[0]), Hint::Call | Hint::CallHere | Hint::CallWithin) {
        SAYING[0].hint.store(Hint::Outside as u64, Ordering::Relaxed);
    }
}

fn write_tables(file: i32) {
    let count = TABLE_COUNT.load(Ordering::Relaxed).min(MOST_TABLES);
    for (list, entries) in &TABLES[..count] {
        let list = list.load(Ordering::Relaxed) as *const *const u64;
        for number in 0..entries.load(Ordering::Relaxed) {
            // SAFETY: the module's constructor has named a list of this length, of entries whose first word is their length.
            let entry = unsafe {
                let entry = *list.add(number);
                core::slice::from_raw_parts(entry, (*entry as usize).clamp(1, MOST_ENTRY))
            };
            sys::write(file, &(entry.as_ptr() as u64).to_le_bytes());
            entry.iter().for_each(|word| sys::write(file, &word.to_le_bytes()));
        }
    }
}

fn word(at: usize) -> &'static AtomicU64 {
    // SAFETY: the mapping has this many words and is never unmapped.
    unsafe { &*NOTES.load(Ordering::Relaxed).add(at) }
}

/// A module names its table.
pub fn add_table(list: usize, entries: usize) {
    let at = TABLE_COUNT.fetch_add(1, Ordering::Relaxed);
    if let Some(table) = TABLES.get(at) {
        table.0.store(list, Ordering::Relaxed);
        table.1.store(entries, Ordering::Relaxed);
    }
}

fn hint_of(saying: &Saying) -> Hint {
    Hint::from_number(saying.hint.load(Ordering::Relaxed))
}

/// The thread that runs, and what it has said; before the first thread is created, that is the main one.
fn current() -> (u16, &'static Saying) {
    let thread = tls().thread.get();
    // SAFETY: the object belongs to this thread, if it is there.
    let index = unsafe { thread.as_ref() }.map_or(0, |thread| thread.index);
    let index = (index as usize).min(THREADS - 1);
    (index as u16, &SAYING[index])
}

fn put(thread: u16, said: Said) {
    let count = word(0).load(Ordering::Relaxed) as usize;
    if count >= MOST_NOTES {
        return word(1).store(1, Ordering::Relaxed);
    }
    let note = NoteRecord { thread, before: taken(), said };
    for (offset, value) in note.words().into_iter().enumerate() {
        word(FIRST + count * NOTE_WORDS + offset).store(value, Ordering::Relaxed);
    }
    word(0).store(count as u64 + 1, Ordering::Relaxed);
}

fn is_on() -> bool {
    are_wanted() && super::is_on()
}

/// The current thread says something about what it does next.
pub fn hint(number: u64, from: u64, size: u64) {
    if !are_wanted() {
        return;
    }
    let (thread, saying) = current();
    let new = Hint::from_number(number);
    if is_on() {
        // A function was called, and it has not said that it is one of ours.
        let unanswered = hint_of(saying) == Hint::Outside && new == Hint::Nothing;
        if unanswered || new == Hint::Unknown {
            put(thread, Said::Unknown);
        }
        if new == Hint::Unsure {
            return put(thread, Said::Unsure);
        }
    }
    saying.hint.store(if new == Hint::Unknown { 0 } else { number }, Ordering::Relaxed);
    saying.from.store(from, Ordering::Relaxed);
    saying.size.store(size, Ordering::Relaxed);
}

/// The current thread is in a function of a module that says what it does.
pub fn here() {
    if are_wanted() {
        current().1.hint.store(Hint::Nothing as u64, Ordering::Relaxed);
    }
}

/// The current thread takes a side of a branch.
pub fn branch(entry: u64, slots: [u64; SLOTS]) {
    if is_on() {
        let (thread, saying) = current();
        saying.stretch.fetch_add(1, Ordering::Relaxed);
        put(thread, Said::Enter { entry, slots });
    }
}

/// The current thread is where sides of branches meet.
pub fn join(place: u64) {
    if is_on() {
        let (thread, saying) = current();
        saying.stretch.fetch_add(1, Ordering::Relaxed);
        put(thread, Said::Join(place));
    }
}

/// What the thread has said about its next access or operation.
fn take_reach(thread: u16, saying: &Saying) -> Reach {
    let hint = hint_of(saying);
    match hint {
        Hint::Here | Hint::Within => saying.hint.store(Hint::Nothing as u64, Ordering::Relaxed),
        Hint::Outside => {
            put(thread, Said::Unknown);
            saying.hint.store(Hint::Call as u64, Ordering::Relaxed);
        }
        _ => {}
    }
    let within = || Reach::Within(saying.from.load(Ordering::Relaxed), saying.size.load(Ordering::Relaxed));
    match hint {
        _ if tls().handlers.get() != 0 => Reach::Anything,
        Hint::Here | Hint::CallHere => Reach::Same,
        Hint::Within | Hint::CallWithin => within(),
        _ => Reach::Anything,
    }
}

/// A thread is about to take a step.
pub fn step(player: &Shared, operation: &Operation) {
    if is_on() {
        let thread = player.index as u16;
        let saying = &SAYING[(player.index as usize).min(THREADS - 1)];
        let hint = saying.hint.load(Ordering::Relaxed);
        let reach = take_reach(thread, saying);
        if matches!(operation.kind, OpKind::PlainRead | OpKind::PlainWrite) {
            // The access itself is noted, too.
            saying.hint.store(hint, Ordering::Relaxed);
        }
        if operation.object != ObjectId::NONE && !matches!(reach, Reach::Same) {
            put(thread, Said::Moves);
        }
    }
}

/// A thread accesses memory.
#[inline]
pub fn access(player: &Shared, address: usize, size: usize, kind: u32) {
    if is_on() {
        access_noted(player, address as u64, size, kind);
    }
}

#[cold]
fn access_noted(player: &Shared, address: u64, size: usize, kind: u32) {
    let saying = &SAYING[(player.index as usize).min(THREADS - 1)];
    let quiet = hint_of(saying) == Hint::Here && saying.size.load(Ordering::Relaxed) == 1;
    let reach = take_reach(player.index as u16, saying);
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    let said = Said::Access { address, size, writes: kind & WRITE != 0, reads: kind & READ != 0, reach, quiet };
    let stretch = saying.stretch.load(Ordering::Relaxed);
    let note = NoteRecord { thread: player.index as u16, before: taken(), said };
    let mixed = note
        .words()
        .into_iter()
        .chain([stretch])
        .fold(1_u64, |mixed, word| (mixed ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
    let known = &saying.noted[mixed as usize % RECENT];
    if known.swap(mixed, Ordering::Relaxed) != mixed {
        put(player.index as u16, said);
    }
}
