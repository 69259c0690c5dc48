//! Which object stands for a file that may block.
//!
//! What makes one end of a pipe or of a pair of sockets usable is done at the other end, so both are one object, with a number
//! that is the same in each execution: who made it, and how many that thread had made before. All other sockets stand for each
//! other, because it is not known which belong together.

use crate::sys;
use crate::thread;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Files are objects beyond all addresses.
const FILES: u64 = 1 << 62;
/// Those whose ends are known.
const KNOWN: u64 = 1 << 61;
/// Descriptors from here on are not known one by one.
const MOST: usize = 1024;
const THREADS: usize = 256;

/// All message queues: the kernel's number of each is another in each execution.
pub const MESSAGES: u64 = FILES | 1 << 58;
/// The signals that threads wait for.
pub const SIGNALS: u64 = FILES | 1 << 59;

/// The objects of descriptors; zero: it is not known.
static OBJECTS: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
/// How many objects each thread has made.
static MADE: [AtomicU32; THREADS] = [const { AtomicU32::new(0) }; THREADS];

/// A wait for many files at once has been seen, so all files are one object from now on.
static MANY: AtomicBool = AtomicBool::new(false);

/// Are all files one object?
fn are_one() -> bool {
    MANY.load(Ordering::Relaxed)
}

/// The program waits for many files by a descriptor.
pub fn note_many() {
    MANY.store(true, Ordering::Relaxed);
}

fn set(file: c_int, object: u64) {
    match usize::try_from(file).ok().and_then(|file| OBJECTS.get(file)) {
        Some(slot) => slot.store(object, Ordering::Relaxed),
        None if object != 0 => note_many(),
        None => {}
    }
}

fn known(file: c_int) -> u64 {
    let slot = usize::try_from(file).ok().and_then(|file| OBJECTS.get(file));
    slot.map_or(0, |slot| slot.load(Ordering::Relaxed))
}

/// What a descriptor stands for, if that was made as an end of one thing.
pub fn own(file: c_int) -> Option<u64> {
    Some(known(file)).filter(|object| *object != 0)
}

/// These descriptors are ends of one thing that has just been made.
pub fn made(ends: &[c_int]) {
    let thread = thread::taking_part().map_or(0, |player| player.index as usize) % THREADS;
    let number = MADE[thread].fetch_add(1, Ordering::Relaxed);
    ends.iter().for_each(|end| set(*end, FILES | KNOWN | (thread as u64) << 32 | u64::from(number)));
}

/// One descriptor stands for what another stands for.
pub fn copied(from: c_int, to: c_int) {
    set(to, known(from));
}

/// The descriptor is closed, or stands for something else from now on.
pub fn closed(file: c_int) {
    set(file, 0);
}

/// What stands for a file that may block, if this is one.
pub fn blocking(file: c_int) -> Option<u64> {
    let (kind, number) = sys::file_kind(file).ok()?;
    if !matches!(kind, libc::S_IFSOCK | libc::S_IFIFO | 0) {
        return None;
    }
    Some(match (known(file), kind) {
        _ if are_one() => FILES,
        (0, libc::S_IFIFO) => FILES | number,
        (0, _) => FILES,
        (known, _) => known,
    })
}
