//! The recording's files. `open` is mapped, and threads take chunks out of it; `events` is appended to when one is full.
//!
//! The mapping covers the largest size `open` may reach; the file grows below it in steps, with real space allocated for
//! each, so that a full disk shows here and never as a bus error in the program.

use crate::memory::spin::Spin;
use crate::sys::settings::{self, Settings};
use crate::sys::{self, lineage, sandbox};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use foretrace_event::layout::{
    CHUNK_HEADER_SIZE, CHUNK_MAGIC, ChunkKind, Flags, HEADER_SIZE, MAGIC, UNIT, VERSION, chunk, header,
};

/// Bytes of records that a thread gathers before it writes them out.
pub const ROOM: usize = (64 << 10) - 64;
/// Memory is given back in steps of this.
const PAGE: usize = 4096;
/// `open` grows by at least this much.
const STEP: u64 = 1 << 20;
/// Address space for `open`: room for some hundred thousand threads at once, or less where a program may have less.
const SPACES: [usize; 4] = [1 << 36, 1 << 32, 1 << 28, 1 << 24];

static BASE: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
static OPEN: AtomicI32 = AtomicI32::new(-1);
static EVENTS: AtomicI32 = AtomicI32::new(-1);
/// What was mapped of `open`.
static SPACE: AtomicU64 = AtomicU64::new(0);
/// Which files ours are: programs close descriptors that they did not open, and get their numbers for files of their own.
static IDENTITIES: [[AtomicU64; 2]; 2] = [const { [const { AtomicU64::new(0) }; 2] }; 2];
/// How far `open` reaches.
static END: AtomicU64 = AtomicU64::new(0);
/// How large `events` may become.
static LIMIT: AtomicU64 = AtomicU64::new(0);
/// Only what is still to be read of `events` counts for the limit.
static RING: AtomicBool = AtomicBool::new(false);
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

/// Creates the files and maps `open`. `Err(EEXIST)`: another process has claimed the directory.
pub fn create(settings: &Settings, recording: settings::Recording) -> sys::Result<()> {
    if STEP > sys::file_size_limit() {
        return Err(libc::EFBIG);
    }
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW;
    let events = sys::move_high(sys::open(&settings.path(b"events"), flags, 0o600)?);
    let open = sys::move_high(sys::open(&settings.path(b"open"), flags, 0o600)?);
    sys::allocate(open, 0, STEP)?;
    let base = map(open)?;
    for (file, fd) in [events, open].into_iter().enumerate() {
        let identity = sys::identity(fd)?;
        (0..2).for_each(|part| IDENTITIES[file][part].store(identity[part], Ordering::Relaxed));
    }
    OPEN.store(open, Ordering::Relaxed);
    EVENTS.store(events, Ordering::Relaxed);
    END.store(STEP, Ordering::Relaxed);
    LIMIT.store(recording.limit, Ordering::Relaxed);
    RING.store(recording.ring, Ordering::Relaxed);
    BASE.store(base, Ordering::Release);
    lineage::settle();
    // SAFETY: the header is mapped and this thread alone knows of it.
    unsafe { field(base, header::MAGIC).copy_from_nonoverlapping(MAGIC.as_ptr(), MAGIC.len()) };
    word(base, header::VERSION).store(VERSION, Ordering::Relaxed);
    counter(header::PID).store(u64::from(sys::pid()), Ordering::Relaxed);
    if recording.clock {
        note_clock();
    }
    counter(header::NEXT).store(HEADER_SIZE as u64, Ordering::Relaxed);
    counter(header::APPEND).store(HEADER_SIZE as u64, Ordering::Relaxed);
    // SAFETY: the header's bytes are mapped.
    let header = unsafe { core::slice::from_raw_parts(base, HEADER_SIZE) };
    sys::write_at(events, [header, &[]], 0)
}

/// Writes down what the clocks show, twice, so that stamps can be told as time.
fn note_clock() {
    let begin = sys::nanoseconds();
    let mut end = begin;
    for (at, after) in [(0, 0), (16, CALIBRATION)] {
        while end < begin + after {
            end = sys::nanoseconds();
        }
        counter(header::CLOCK + at).store(crate::sink::stamp::now(), Ordering::Relaxed);
        counter(header::CLOCK + at + 8).store(end, Ordering::Relaxed);
    }
}

/// How far apart the two looks at the clocks are, in nanoseconds: the error of a look is a small part of it.
const CALIBRATION: u64 = 4_000_000;

/// Maps as much of `open` as there is room for.
fn map(open: i32) -> sys::Result<*mut u8> {
    let mut result = Err(libc::ENOMEM);
    for space in SPACES {
        result = sys::map_file(open, space);
        if let Ok(base) = result {
            sys::keep_out_of_dumps(base, space);
            SPACE.store(space as u64, Ordering::Relaxed);
            break;
        }
    }
    result
}

/// The descriptor of one of our files, opened again if the program has closed it.
fn descriptor(file: usize) -> sys::Result<i32> {
    let (held, name) = [(&EVENTS, &b"events"[..]), (&OPEN, b"open")][file];
    let identity = [0, 1].map(|part| IDENTITIES[file][part].load(Ordering::Relaxed));
    let fd = held.load(Ordering::Relaxed);
    if sys::identity(fd) == Ok(identity) {
        return Ok(fd);
    }
    let again = sys::move_high(crate::axes::own_file(name).ok_or(libc::EBADF)?);
    if sys::identity(again) != Ok(identity) {
        sys::close(again);
        return Err(libc::EBADF);
    }
    held.store(again, Ordering::Relaxed);
    Ok(again)
}

const EVENTS_FILE: usize = 0;
const OPEN_FILE: usize = 1;

/// How often a call is made if another thread of the program closes our descriptor each time before it is used.
const ATTEMPTS: usize = 16;

/// Calls with the descriptor of one of our files, and again if that was closed in between.
fn with_descriptor(file: usize, call: impl Fn(i32) -> sys::Result<()>) -> sys::Result<()> {
    let attempt = || descriptor(file).and_then(&call);
    (1..ATTEMPTS).map(|_| attempt()).find(|result| *result != Err(libc::EBADF)).unwrap_or_else(attempt)
}

/// Is this the process whose recording it is?
pub fn is_of(pid: u32) -> bool {
    counter(header::PID).load(Ordering::Relaxed) == u64::from(pid)
}

/// The next thread's number.
pub fn next_thread() -> u32 {
    counter(header::THREADS).fetch_add(1, Ordering::Relaxed) as u32
}

/// There is a thread of this number.
pub fn add_thread(index: u32) {
    counter(header::THREADS).fetch_max(u64::from(index) + 1, Ordering::Relaxed);
}

/// Sets a flag of the header.
pub fn set_flag(flag: u32) {
    word(BASE.load(Ordering::Relaxed), header::FLAGS).fetch_or(flag, Ordering::Relaxed);
}

/// Notes a window of the program's code, if there is a recording.
pub fn set_window(number: usize, window: u64) {
    if !BASE.load(Ordering::Relaxed).is_null() {
        counter(header::WINDOWS + 8 * number).store(window, Ordering::Relaxed);
    }
}

/// Counts events that could not be written.
pub fn lost(count: u64) {
    counter(header::LOST).fetch_add(count, Ordering::Relaxed);
}

/// A chunk of `open`.
#[derive(Clone, Copy)]
pub struct Chunk {
    at: *mut u8,
    capacity: usize,
}

// SAFETY: a chunk is a part of the mapping, which all threads share; one thread at a time has it.
unsafe impl Send for Chunk {}

impl Chunk {
    /// Takes a chunk with room for `content` bytes; no thread's yet.
    pub fn take(kind: ChunkKind, content: usize) -> Option<Self> {
        let capacity = (CHUNK_HEADER_SIZE + content).next_multiple_of(UNIT);
        let start = counter(header::NEXT).fetch_add(capacity as u64, Ordering::Relaxed);
        if !reach(start + capacity as u64) {
            return None;
        }
        let chunk = Self { at: field(BASE.load(Ordering::Relaxed), start as usize), capacity };
        chunk.begin(kind);
        Some(chunk)
    }

    /// Writes what makes it a chunk.
    fn begin(self, kind: ChunkKind) {
        self.set(chunk::KIND, kind as u32);
        self.set(chunk::CAPACITY, self.capacity as u32);
        word(self.at, chunk::MAGIC).store(CHUNK_MAGIC, Ordering::Release);
    }

    fn set(self, offset: usize, value: u32) {
        word(self.at, offset).store(value, Ordering::Release);
    }

    /// Gives the chunk, emptied, to a thread.
    pub fn hand_to(self, thread: u32) {
        self.set(chunk::USED, 0);
        self.set(chunk::THREAD, thread);
        self.set(chunk::SEQUENCE, 0);
    }

    /// Where its content begins.
    pub fn content(self) -> *mut u8 {
        field(self.at, CHUNK_HEADER_SIZE)
    }

    /// How many bytes of content it has room for.
    pub const fn room(self) -> usize {
        self.capacity - CHUNK_HEADER_SIZE
    }

    /// Gives back the memory of an empty chunk that will not be used again. Its header stays.
    pub fn discard(self) {
        let start = self.content().addr().next_multiple_of(PAGE);
        let end = (self.at.addr() + self.capacity) & !(PAGE - 1);
        if start < end {
            sys::discard(start, end - start);
        }
    }

    /// Makes the first `used` bytes of content visible to readers.
    #[inline]
    pub fn publish(self, used: usize) {
        self.set(chunk::USED, used as u32);
    }

    /// Where chunks can no longer be appended to `events`: leaves its first `used` bytes where they are, and makes the rest
    /// the thread's next chunk, or takes another if that is small.
    pub fn keep(self, used: usize) -> Option<Self> {
        const SMALL: usize = 8 << 10;
        if appends() {
            return None;
        }
        let size = (CHUNK_HEADER_SIZE + used).next_multiple_of(UNIT);
        let splits = self.capacity - size >= SMALL;
        let next = if splits {
            let rest = Self { at: field(self.at, size), capacity: self.capacity - size };
            rest.begin(ChunkKind::Records);
            rest
        } else {
            Self::take(ChunkKind::Records, ROOM)?
        };
        next.hand_to(word(self.at, chunk::THREAD).load(Ordering::Relaxed));
        next.set(chunk::SEQUENCE, word(self.at, chunk::SEQUENCE).load(Ordering::Relaxed) + 1);
        if splits {
            // Readers find what follows only now.
            self.set(chunk::CAPACITY, size as u32);
        }
        Some(next)
    }

    /// Appends its first `used` bytes to `events` and empties it; false if they could not be written.
    pub fn spill(self, used: usize) -> bool {
        let size = (CHUNK_HEADER_SIZE + used).next_multiple_of(UNIT);
        let written = reserve(size as u64).is_some_and(|offset| self.append(used, size, offset));
        self.set(chunk::USED, 0);
        self.set(chunk::SEQUENCE, word(self.at, chunk::SEQUENCE).load(Ordering::Relaxed) + 1);
        written
    }

    fn append(self, used: usize, size: usize, offset: u64) -> bool {
        // SAFETY: the chunk's header and its content lie in the mapping, and this thread alone writes them.
        let (header, content) = unsafe {
            let header: [u8; CHUNK_HEADER_SIZE] = self.at.cast::<[u8; CHUNK_HEADER_SIZE]>().read();
            (header, core::slice::from_raw_parts(self.content(), used))
        };
        let write = |events| {
            // Beyond the program's own limit a write would send it a signal.
            if offset + size as u64 > sys::file_size_limit() {
                return Err(libc::EFBIG);
            }
            sys::write_at(events, [&sized(header, size, used), content], offset).inspect_err(|_| {
                // The disk may have been full in the middle: a chunk that says so is better than one that ends in zeros.
                let _ = sys::write_at(events, [&sized(header, size, 0), &[]], offset);
            })
        };
        let result = with_descriptor(EVENTS_FILE, write);
        if result.is_err() {
            set_flag(Flags::NO_SPACE);
        }
        result.is_ok()
    }
}

/// Room at the end of `events`. What does not fit into a ring leaves no hole there: later, smaller or not, others may fit.
/// In a recording with a limit nothing comes behind what did not fit, so that no thread goes on without the others.
fn reserve(size: u64) -> Option<u64> {
    let (end, limit) = (counter(header::APPEND), LIMIT.load(Ordering::Relaxed));
    if RING.load(Ordering::Relaxed) {
        let fits = |end: u64| {
            let read = counter(header::READ).load(Ordering::Relaxed);
            (end + size <= limit.saturating_add(read)).then_some(end + size)
        };
        return end.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok();
    }
    let offset = end.fetch_add(size, Ordering::Relaxed);
    if offset + size > limit {
        set_flag(Flags::LIMIT);
        return None;
    }
    Some(offset)
}

/// A chunk's header with another capacity and use.
fn sized(mut header: [u8; CHUNK_HEADER_SIZE], capacity: usize, used: usize) -> [u8; CHUNK_HEADER_SIZE] {
    header[chunk::CAPACITY..chunk::CAPACITY + 4].copy_from_slice(&(capacity as u32).to_le_bytes());
    header[chunk::USED..chunk::USED + 4].copy_from_slice(&(used as u32).to_le_bytes());
    header
}

/// Extends `open` to this size at least.
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
    let extended = extend((size - end).max(STEP).next_multiple_of(STEP));
    if !extended {
        set_flag(Flags::NO_SPACE);
    }
    extended
}

/// Makes `open` so much longer. The caller holds the lock on that.
fn extend(step: u64) -> bool {
    let end = END.load(Ordering::Acquire);
    let room = SPACE.load(Ordering::Relaxed).min(sys::file_size_limit());
    let allocated = end + step <= room && with_descriptor(OPEN_FILE, |open| sys::allocate(open, end, step)).is_ok();
    if allocated {
        END.store(end + step, Ordering::Release);
    }
    allocated
}

/// The part of a program's address space that `open` may be mapped into: one of so many parts.
const SHARE: u64 = 16;

/// The program is about to have only this much address space: unmaps what `open` does not need of it.
pub fn give_back_space(limit: u64) {
    let _growing = GROWING.lock();
    let (base, space, end) = (BASE.load(Ordering::Relaxed), SPACE.load(Ordering::Relaxed), END.load(Ordering::Relaxed));
    let fitting = SPACES.into_iter().map(|space| space as u64).find(|space| *space <= limit / SHARE);
    let kept = fitting.unwrap_or(0).max(end);
    if kept < space && sys::unmap(field(base, kept as usize).addr(), (space - kept) as usize).is_ok() {
        SPACE.store(kept, Ordering::Relaxed);
    }
}

/// How much room is taken for what can no longer be appended to `events`: the first of these that there is.
const KEPT: [u64; 4] = [64 << 20, 16 << 20, 4 << 20, STEP];

/// Takes room in `open`, which the program is about to become unable to ask for.
pub fn keep_room() {
    let _growing = GROWING.lock();
    let limit = LIMIT.load(Ordering::Relaxed).max(STEP);
    let _ = KEPT.into_iter().filter(|size| *size <= limit).any(extend);
}

/// Can chunks be appended to `events`? If not, they stay in `open`. A ring's cannot stay.
fn appends() -> bool {
    let refused = [libc::SYS_pwritev, libc::SYS_fstat].into_iter().any(sandbox::refuses);
    !refused || RING.load(Ordering::Relaxed)
}

/// The program ends in an orderly way. Other threads may still be writing: the command line tool folds `open` into
/// `events` when the process is gone.
pub fn close() {
    set_flag(Flags::CLOSED);
}

/// In a forked child: the files are the parent's.
pub fn abandon() {
    sys::close(OPEN.swap(-1, Ordering::Relaxed));
    sys::close(EVENTS.swap(-1, Ordering::Relaxed));
    GROWING.reset();
}
