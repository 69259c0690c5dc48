//! The schedule, as the command line tool wrote it. It is checked once, whole, before anything relies on it.

use super::{Player, order};
use crate::arena;
use crate::settings::Settings;
use crate::sys;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use foretrace_event::schedule::{HEADER_SIZE, MAGIC, NO_OBJECT, NO_THREAD, STEP_SIZE, Step, THREAD_SIZE, VERSION};

/// The main thread's index.
pub const MAIN: u32 = 0;

static FILE: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
static THREADS: AtomicU32 = AtomicU32::new(0);
static STEPS: AtomicU32 = AtomicU32::new(0);
/// The steps taken so far: the word that `progress` consists of.
static TAKEN: AtomicPtr<u32> = AtomicPtr::new(core::ptr::null_mut());
/// The schedule's threads, once they run.
static PLAYERS: AtomicPtr<AtomicPtr<Player>> = AtomicPtr::new(core::ptr::null_mut());
/// Where the schedule's objects are, by their numbers; found at their first use.
static OBJECTS: AtomicPtr<AtomicUsize> = AtomicPtr::new(core::ptr::null_mut());

fn bytes<const N: usize>(offset: usize) -> [u8; N] {
    // SAFETY: callers stay below the size that `load` has checked; the mapping is never changed or unmapped.
    unsafe { FILE.load(Ordering::Relaxed).add(offset).cast::<[u8; N]>().read() }
}

fn number(offset: usize) -> u32 {
    u32::from_le_bytes(bytes(offset))
}

/// Maps and checks the schedule; false if there is none that can be used.
pub fn load(settings: &Settings) -> bool {
    let Ok(fd) = sys::open(&settings.path(b"schedule"), libc::O_RDONLY | libc::O_NOFOLLOW, 0) else { return false };
    let size = sys::size(fd).unwrap_or(0) as usize;
    let mapped = if size < HEADER_SIZE { Err(0) } else { sys::map_file_to_read(fd, size) };
    sys::close(fd);
    let Ok(file) = mapped else { return false };
    FILE.store(file, Ordering::Relaxed);
    let (threads, steps) = (number(12), number(16));
    let needed = HEADER_SIZE as u64 + u64::from(threads) * THREAD_SIZE as u64 + u64::from(steps) * STEP_SIZE as u64;
    if bytes::<8>(0) != MAGIC || number(8) != VERSION || threads == 0 || needed != size as u64 {
        return false;
    }
    THREADS.store(threads, Ordering::Relaxed);
    STEPS.store(steps, Ordering::Relaxed);
    let Some(count) = count_objects() else { return false };
    let players = arena::allocate(threads as usize * size_of::<AtomicPtr<Player>>());
    let objects = arena::allocate(count * size_of::<AtomicUsize>());
    let (Some(players), Some(objects)) = (players, objects) else { return false };
    PLAYERS.store(players.cast(), Ordering::Relaxed);
    OBJECTS.store(objects.cast(), Ordering::Relaxed);
    map_progress(settings) && (!settings.loose || order::loosen(count))
}

/// How many objects the steps have; none if a step makes no sense. Numbers are those of first uses, so there are no more
/// of them than steps.
fn count_objects() -> Option<usize> {
    let steps = STEPS.load(Ordering::Relaxed);
    let mut count = 0;
    for at in 0..steps {
        let step = decode(at).filter(|step| step.thread < threads())?;
        if step.object != NO_OBJECT {
            count = count.max(step.object.saturating_add(1));
        }
    }
    (count <= steps).then_some(count as usize)
}

fn map_progress(settings: &Settings) -> bool {
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC | libc::O_NOFOLLOW;
    let Ok(fd) = sys::open(&settings.path(b"progress"), flags, 0o600) else { return false };
    let mapped = sys::allocate(fd, 0, 4).and_then(|()| sys::map_file(fd, 4096));
    sys::close(fd);
    mapped.is_ok_and(|word| {
        TAKEN.store(word.cast(), Ordering::Release);
        true
    })
}

fn decode(at: u32) -> Option<Step> {
    let threads = THREADS.load(Ordering::Relaxed) as usize * THREAD_SIZE;
    Step::decode(bytes(HEADER_SIZE + threads + at as usize * STEP_SIZE))
}

/// How many threads the schedule knows.
pub fn threads() -> u32 {
    THREADS.load(Ordering::Relaxed)
}

/// How many steps it has.
pub fn steps() -> u32 {
    STEPS.load(Ordering::Relaxed)
}

/// The steps taken so far.
pub fn taken() -> &'static AtomicU32 {
    // SAFETY: mapped by `load` before anyone asks, aligned, and never unmapped.
    unsafe { AtomicU32::from_ptr(TAKEN.load(Ordering::Acquire)) }
}

/// The step with that number; none after the last.
pub fn step(at: u32) -> Option<Step> {
    if at < STEPS.load(Ordering::Relaxed) { decode(at) } else { None }
}

/// Is one of the next steps this thread's?
pub fn is_soon(thread: u32, at: u32, steps: u32) -> bool {
    (at + 1..=at + steps).map_while(step).any(|step| step.thread == thread)
}

/// The thread with that index, if it runs.
pub fn player(index: u32) -> Option<&'static Player> {
    // SAFETY: indices of steps are below the number of threads, and so is the table's; players are never freed.
    unsafe { (*PLAYERS.load(Ordering::Relaxed).add(index as usize)).load(Ordering::Acquire).as_ref() }
}

/// A thread begins.
pub fn set_player(player: &'static Player) {
    if player.index < threads() {
        // SAFETY: as above.
        unsafe { &*PLAYERS.load(Ordering::Relaxed).add(player.index as usize) }
            .store(core::ptr::from_ref(player).cast_mut(), Ordering::Release);
    }
}

/// Where the object with that number is; zero until its first use.
pub fn object(number: u32) -> Option<&'static AtomicUsize> {
    // SAFETY: `load` has seen all numbers and made room for them.
    unsafe { OBJECTS.load(Ordering::Relaxed).add(number as usize).as_ref() }
}

/// The index of a thread by its place in the tree of creation.
pub fn child(parent: u32, ordinal: u32) -> Option<u32> {
    let entry = |index: u32| HEADER_SIZE + index as usize * THREAD_SIZE;
    let is_it = |index: &u32| number(entry(*index)) == parent && number(entry(*index) + 4) == ordinal;
    if parent == NO_THREAD { None } else { (1..threads()).find(is_it) }
}
