//! The schedule, as the command line tool wrote it: where its streams are is checked once, before anything relies on it.

use crate::sys;
use crate::sys::settings::Settings;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use foretrace_event::schedule::{
    END_SIZE, HEADER_SIZE, MAGIC, NO_THREAD, PROGRESS_SIZE, THREAD_SIZE, VERSION, streams,
};

/// The main thread's index.
pub const MAIN: u32 = 0;

static FILE: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
static THREADS: AtomicU32 = AtomicU32::new(0);
/// The steps that each thread has taken, [`PROGRESS_SIZE`] apart: the file `progress`.
static TAKEN: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());

fn bytes<const N: usize>(offset: usize) -> [u8; N] {
    // SAFETY: callers stay below the size that `load` has checked; the mapping is never changed or unmapped.
    unsafe { FILE.load(Ordering::Relaxed).add(offset).cast::<[u8; N]>().read() }
}

fn number(offset: usize) -> u32 {
    u32::from_le_bytes(bytes(offset))
}

/// Maps and checks the schedule: where its streams are, and how many objects it knows; none if it cannot be used.
pub fn load(settings: &Settings) -> Option<(Streams, u32)> {
    let Ok(fd) = sys::open(&settings.path(b"schedule"), libc::O_RDONLY | libc::O_NOFOLLOW, 0) else { return None };
    let size = sys::size(fd).unwrap_or(0) as usize;
    let mapped = if size < HEADER_SIZE { Err(0) } else { sys::map_file_to_read(fd, size) };
    sys::close(fd);
    let Ok(file) = mapped else { return None };
    FILE.store(file, Ordering::Relaxed);
    let (threads, objects) = (number(12), number(16));
    if bytes::<8>(0) != MAGIC || number(8) != VERSION || threads == 0 {
        return None;
    }
    let count = streams(threads as usize, objects as usize)?;
    let streams = Streams { first_end: HEADER_SIZE + threads as usize * THREAD_SIZE, count };
    if !streams.are_within(size) {
        return None;
    }
    THREADS.store(threads, Ordering::Relaxed);
    map_progress(settings).then_some((streams, objects))
}

/// Where the streams of a schedule are.
pub struct Streams {
    first_end: usize,
    count: usize,
}

impl Streams {
    /// Does each end after it begins, and the last with the file?
    fn are_within(&self, size: usize) -> bool {
        let Some(start) = self.count.checked_mul(END_SIZE).and_then(|ends| ends.checked_add(self.first_end)) else {
            return false;
        };
        let ascend = || (1..self.count).all(|index| self.end(index - 1) <= self.end(index));
        start <= size && ascend() && self.end(self.count - 1) == (size - start) as u64
    }

    fn end(&self, index: usize) -> u64 {
        u64::from_le_bytes(bytes(self.first_end + index * END_SIZE))
    }

    fn get(&self, index: usize) -> &'static [u8] {
        let begin = if index == 0 { 0 } else { self.end(index - 1) };
        let start = self.first_end + self.count * END_SIZE + begin as usize;
        // SAFETY: the stream is within the file, which stays mapped and is not changed.
        unsafe {
            let file = FILE.load(Ordering::Relaxed).cast_const();
            core::slice::from_raw_parts(file.add(start), (self.end(index) - begin) as usize)
        }
    }

    /// A thread's steps.
    pub fn steps(&self, thread: u32) -> &'static [u8] {
        self.get(thread as usize)
    }

    /// The delay points.
    pub fn delays(&self) -> &'static [u8] {
        self.get(self.count - 1)
    }

    /// Who takes steps after whom: the whole order, then those of the objects.
    pub fn order(&self, number: usize) -> &'static [u8] {
        self.get(threads() as usize + number)
    }
}

fn map_progress(settings: &Settings) -> bool {
    let flags = libc::O_RDWR | settings.new_file();
    let Ok(fd) = sys::open(&settings.path(b"progress"), flags, 0o600) else { return false };
    let size = threads() as usize * PROGRESS_SIZE;
    let mapped = sys::allocate(fd, 0, size as u64).and_then(|()| sys::map_file(fd, size));
    sys::close(fd);
    mapped.is_ok_and(|words| {
        TAKEN.store(words, Ordering::Release);
        true
    })
}

/// How many threads the schedule knows.
pub fn threads() -> u32 {
    THREADS.load(Ordering::Relaxed)
}

/// How many steps a thread of the schedule has taken.
pub fn taken_by(thread: u32) -> &'static AtomicU32 {
    // SAFETY: mapped by `load` before anyone asks, with room for each thread, aligned, and never unmapped.
    unsafe { AtomicU32::from_ptr(TAKEN.load(Ordering::Relaxed).add(thread as usize * PROGRESS_SIZE).cast()) }
}

/// How many steps have been taken.
pub fn taken() -> u32 {
    (0..threads()).map(|thread| taken_by(thread).load(Ordering::Acquire)).fold(0, u32::wrapping_add)
}

/// The index of a thread by its place in the tree of creation.
pub fn child(parent: u32, ordinal: u32) -> Option<u32> {
    let entry = |index: u32| HEADER_SIZE + index as usize * THREAD_SIZE;
    let is_it = |index: &u32| number(entry(*index)) == parent && number(entry(*index) + 4) == ordinal;
    if parent == NO_THREAD { None } else { (1..threads()).find(is_it) }
}
