//! The recording's file: one shared mapping of it, out of which threads take chunks.
//!
//! The mapping covers the largest size a recording may reach; the file grows below it in steps, with real space
//! allocated for each, so that a full disk shows here and never as a bus error in the program.

use crate::settings::{MOST, Settings};
use crate::spin::Spin;
use crate::sys;
use core::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use foretrace_event::layout::{
    CHUNK_HEADER_SIZE, CHUNK_MAGIC, ChunkKind, Flags, HEADER_SIZE, MAGIC, UNIT, VERSION, chunk, header,
};

/// The file grows by at least this much, and by an eighth of what it has.
const STEP: u64 = 4 << 20;

static BASE: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
static FD: AtomicI32 = AtomicI32::new(-1);
/// How far the file reaches.
static END: AtomicU64 = AtomicU64::new(0);
static LIMIT: AtomicU64 = AtomicU64::new(0);
static GROWING: Spin<()> = Spin::new(());

fn field(base: *mut u8, offset: usize) -> *mut u8 {
    // SAFETY: header offsets and chunk offsets below `END` lie inside the mapping.
    unsafe { base.add(offset) }
}

fn word(base: *mut u8, offset: usize) -> &'static AtomicU32 {
    // SAFETY: the field is four aligned bytes of the mapping, which is never unmapped.
    unsafe { AtomicU32::from_ptr(field(base, offset).cast()) }
}

fn counter(offset: usize) -> &'static AtomicU64 {
    // SAFETY: the field is eight aligned bytes of the header, which is mapped before any counter is used.
    unsafe { AtomicU64::from_ptr(field(BASE.load(Ordering::Relaxed), offset).cast()) }
}

/// Creates the file and maps it. `Err(EEXIST)`: another process has claimed the directory.
pub fn create(settings: &Settings) -> sys::Result<()> {
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW;
    let fd = sys::move_high(sys::open(&settings.path(b"events"), flags, 0o600)?);
    sys::allocate(fd, 0, STEP)?;
    let base = sys::map_file(fd, MOST as usize)?;
    sys::keep_out_of_dumps(base, MOST as usize);
    FD.store(fd, Ordering::Relaxed);
    END.store(STEP, Ordering::Relaxed);
    LIMIT.store(settings.limit, Ordering::Relaxed);
    BASE.store(base, Ordering::Release);
    // SAFETY: the header is mapped and this thread alone knows of it.
    unsafe { field(base, header::MAGIC).copy_from_nonoverlapping(MAGIC.as_ptr(), MAGIC.len()) };
    word(base, header::VERSION).store(VERSION, Ordering::Relaxed);
    counter(header::PID).store(u64::from(sys::pid()), Ordering::Relaxed);
    counter(header::STAMP).store(1, Ordering::Relaxed);
    counter(header::NEXT).store(HEADER_SIZE as u64, Ordering::Relaxed);
    Ok(())
}

/// The next stamp.
#[inline]
pub fn stamp() -> u64 {
    counter(header::STAMP).fetch_add(1, Ordering::AcqRel)
}

/// The next thread's number.
pub fn next_thread() -> u32 {
    counter(header::THREADS).fetch_add(1, Ordering::Relaxed) as u32
}

/// Sets a flag of the header.
pub fn set_flag(flag: u32) {
    word(BASE.load(Ordering::Relaxed), header::FLAGS).fetch_or(flag, Ordering::Relaxed);
}

/// Counts events that could not be written.
pub fn lost(count: u64) {
    counter(header::LOST).fetch_add(count, Ordering::Relaxed);
}

/// A chunk in the mapping.
#[derive(Clone, Copy)]
pub struct Chunk {
    at: *mut u8,
    capacity: usize,
}

impl Chunk {
    /// Takes a chunk of at least this capacity for a thread.
    pub fn take(kind: ChunkKind, thread: u32, sequence: u32, capacity: usize) -> Option<Self> {
        let capacity = capacity.next_multiple_of(UNIT);
        let start = counter(header::NEXT).fetch_add(capacity as u64, Ordering::Relaxed);
        if !reach(start + capacity as u64) {
            // Other threads see that nothing follows.
            return None;
        }
        let chunk = Self { at: field(BASE.load(Ordering::Relaxed), start as usize), capacity };
        chunk.set(chunk::KIND, kind as u32);
        chunk.set(chunk::THREAD, thread);
        chunk.set(chunk::SEQUENCE, sequence);
        chunk.set(chunk::CAPACITY, capacity as u32);
        word(chunk.at, chunk::MAGIC).store(CHUNK_MAGIC, Ordering::Release);
        Some(chunk)
    }

    fn set(self, offset: usize, value: u32) {
        word(self.at, offset).store(value, Ordering::Relaxed);
    }

    /// Gives the chunk to another thread.
    pub fn hand_to(self, thread: u32, sequence: u32) {
        self.set(chunk::THREAD, thread);
        self.set(chunk::SEQUENCE, sequence);
    }

    /// Where its content begins.
    pub fn content(self) -> *mut u8 {
        field(self.at, CHUNK_HEADER_SIZE)
    }

    /// How many bytes of content it has room for.
    pub const fn room(self) -> usize {
        self.capacity - CHUNK_HEADER_SIZE
    }

    /// Makes the first `used` bytes of content visible to readers.
    #[inline]
    pub fn publish(self, used: usize) {
        word(self.at, chunk::USED).store(used as u32, Ordering::Release);
    }

    /// The chunk is full: its pages need not stay in memory.
    pub fn finish(self) {
        let page = 4096;
        let (from, to) = ((self.at as usize).next_multiple_of(page), (self.at as usize + self.capacity) & !(page - 1));
        if from < to {
            sys::release_pages(from as *mut u8, to - from);
        }
    }
}

/// Extends the file to this size at least.
fn reach(size: u64) -> bool {
    size <= END.load(Ordering::Acquire) || grow(size)
}

#[cold]
fn grow(size: u64) -> bool {
    let _growing = GROWING.lock();
    let end = END.load(Ordering::Acquire);
    if size <= end {
        return true;
    }
    if size > LIMIT.load(Ordering::Relaxed) {
        set_flag(Flags::LIMIT);
        return false;
    }
    let step = (size - end).max(STEP).max(end / 8).next_multiple_of(STEP);
    if sys::allocate(FD.load(Ordering::Relaxed), end, step).is_err() {
        set_flag(Flags::NO_SPACE);
        return false;
    }
    END.store(end + step, Ordering::Release);
    true
}

/// The program ends in an orderly way. Other threads may still be writing: the command line tool cuts the file to what
/// was used when the process is gone.
pub fn close() {
    set_flag(Flags::CLOSED);
}

/// In a forked child: the file is the parent's.
pub fn abandon() {
    sys::close(FD.swap(-1, Ordering::Relaxed));
    GROWING.reset();
}
