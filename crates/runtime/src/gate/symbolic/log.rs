//! The file of records.

use crate::sys;
use crate::sys::settings::Settings;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use foretrace_event::symbolic::{MAGIC, MOST_RECORDS, RECORD_WORDS, Record, flags};

static RECORDS: AtomicPtr<AtomicU64> = AtomicPtr::new(core::ptr::null_mut());
static COUNT: AtomicU64 = AtomicU64::new(1);

/// Maps the file; false if the tool has not made it.
pub fn open(settings: &Settings) -> bool {
    let size = 8 * RECORD_WORDS * MOST_RECORDS;
    let Ok(fd) = sys::open(&settings.path(b"symbolic"), libc::O_RDWR | libc::O_NOFOLLOW, 0) else { return false };
    let is_whole = sys::size(fd).is_ok_and(|length| length >= size as u64);
    let mapped = is_whole.then(|| sys::map_file(fd, size).ok()).flatten();
    sys::close(fd);
    let Some(mapped) = mapped else { return false };
    RECORDS.store(mapped.cast(), Ordering::Relaxed);
    word(0).store(MAGIC, Ordering::Relaxed);
    word(1).store(1, Ordering::Relaxed);
    true
}

fn word(index: usize) -> &'static AtomicU64 {
    debug_assert!(index < RECORD_WORDS * MOST_RECORDS);
    // SAFETY: the mapping has this many words and is never unmapped.
    unsafe { &*RECORDS.load(Ordering::Relaxed).add(index) }
}

/// Notes something in the header.
pub fn flag(flag: u64) {
    word(2).fetch_or(flag, Ordering::Relaxed);
}

/// Writes a record, and returns its number; 0 if there is no room, after which nothing is followed.
pub fn put(record: Record) -> u32 {
    let number = COUNT.load(Ordering::Relaxed);
    if number >= MOST_RECORDS as u64 || !super::is_on() {
        flag(flags::FULL);
        super::stop();
        return 0;
    }
    let first = number as usize * RECORD_WORDS;
    record.words().iter().enumerate().for_each(|(at, value)| word(first + at).store(*value, Ordering::Relaxed));
    COUNT.store(number + 1, Ordering::Relaxed);
    word(1).store(number + 1, Ordering::Relaxed);
    number as u32
}

/// The words of a record that was written.
pub fn words(number: u32) -> [u64; RECORD_WORDS] {
    let first = (number as usize).min(MOST_RECORDS - 1) * RECORD_WORDS;
    core::array::from_fn(|at| word(first + at).load(Ordering::Relaxed))
}
