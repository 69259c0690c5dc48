//! The kernel, called directly: libc's wrappers may be interposed, by us or by the program. What a filter of the program's
//! refuses is not asked for ([`sandbox`]).

#[macro_use]
mod arguments;
#[macro_use]
mod macros;

/// Pads the arguments of a system call with zeros.
macro_rules! call {
    ($number:ident $(, $arg:expr)*) => {{
        let mut args = [0u64; 6];
        let given = [$($arg as u64),*];
        args[..given.len()].copy_from_slice(&given);
        // SAFETY: each wrapper below passes valid pointers and lengths.
        unsafe { own_call(libc::$number, args) }
    }};
}

mod ends;
mod mapping;
#[cfg(miri)]
mod miri;
mod process;
mod task;

pub mod bpf;
pub mod decimal;
pub mod elf;
pub mod internal;
pub mod lineage;
pub mod linkmap;
pub mod real;
pub mod sandbox;
pub mod settings;
pub mod tables;

#[cfg(not(miri))]
use core::arch::asm;
use core::sync::atomic::{AtomicU64, Ordering};
pub use ends::{EndKind, end_kind, make_ends, put_end};
pub use mapping::{heap_end, keep_mapped, map_apart, map_file, map_memory, map_memory_at, map_shared};
#[cfg(miri)]
pub use miri::any_call;
pub use process::{abort, die_with_parent, exit, is_there, kill_group, parent, pid, send_to_self, wait_for_child};
pub use task::{Activity, activity, is_alone, other_threads, sleeps_until_woken};

/// A system call's result: a value, or an error number.
pub type Result<T> = core::result::Result<T, i32>;

/// A call of our own.
#[inline]
unsafe fn own_call(number: i64, args: [u64; 6]) -> Result<u64> {
    if sandbox::refuses(number) {
        return Err(libc::EPERM);
    }
    // SAFETY: as the caller says.
    unsafe { any_call(number, args) }
}

/// A call of anybody's.
#[cfg(not(miri))]
#[inline]
pub unsafe fn any_call(number: i64, args: [u64; 6]) -> Result<u64> {
    let ret: i64;
    // SAFETY: the caller passes arguments the kernel may act on; the clobbers are those of the system call ABI.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => ret,
            in("rdi") args[0], in("rsi") args[1], in("rdx") args[2],
            in("r10") args[3], in("r8") args[4], in("r9") args[5],
            lateout("rcx") _, lateout("r11") _,
            options(nostack)
        );
    }
    if (-4095..0).contains(&ret) { Err(-ret as i32) } else { Ok(ret as u64) }
}

/// Unmaps memory.
pub fn unmap(at: usize, size: usize) -> Result<()> {
    call!(SYS_munmap, at, size).map(drop)
}

/// Changes what may be done with pages.
pub fn protect(at: usize, size: usize, protection: i32) -> Result<()> {
    call!(SYS_mprotect, at, size, protection).map(drop)
}

/// Keeps a mapping out of core dumps.
pub fn keep_out_of_dumps(at: *mut u8, size: usize) {
    let _ = call!(SYS_madvise, at, size, libc::MADV_DONTDUMP);
}

/// Makes private memory empty in processes that are forked from now on.
pub fn empty_in_children(at: *mut u8, size: usize) -> Result<()> {
    call!(SYS_madvise, at, size, libc::MADV_WIPEONFORK).map(drop)
}

/// Gives back the memory of a shared mapping, and the file's space; what was there is zero. Where the file system has no
/// holes, the memory alone.
pub fn discard(at: usize, size: usize) {
    if call!(SYS_madvise, at, size, libc::MADV_REMOVE).is_err() {
        let _ = call!(SYS_madvise, at, size, libc::MADV_DONTNEED);
    }
}

/// Opens a file; `path` ends with a zero byte.
pub fn open(path: &[u8], flags: i32, mode: u32) -> Result<i32> {
    debug_assert_eq!(path.last(), Some(&0));
    call!(SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags | libc::O_CLOEXEC, mode).map(|fd| fd as i32)
}

/// Makes a directory; `path` ends with a zero byte.
pub fn mkdir(path: &[u8]) -> Result<()> {
    debug_assert_eq!(path.last(), Some(&0));
    call!(SYS_mkdirat, libc::AT_FDCWD, path.as_ptr(), 0o700).map(drop)
}

/// Closes a file.
pub fn close(fd: i32) {
    let _ = call!(SYS_close, fd);
}

/// Moves a file descriptor out of the way of programs that count theirs.
pub fn move_high(fd: i32) -> i32 {
    for floor in [1000, 200] {
        if let Ok(high) = call!(SYS_fcntl, fd, libc::F_DUPFD_CLOEXEC, floor) {
            close(fd);
            return high as i32;
        }
    }
    fd
}

/// Writes all bytes, as far as it goes. A file that may not become so large is no reason for the program to be killed: the
/// signal that the kernel sends for it waits, and is taken back.
pub fn write(fd: i32, bytes: &[u8]) {
    const SIZE: usize = size_of::<u64>();
    let (too_large, mut before) = (1u64 << (libc::SIGXFSZ - 1), 0u64);
    let blocked = call!(SYS_rt_sigprocmask, libc::SIG_BLOCK, &raw const too_large, &raw mut before, SIZE).is_ok();
    write_all(fd, bytes);
    if blocked && before & too_large == 0 {
        let at_once = [0i64; 2];
        let _ = call!(SYS_rt_sigtimedwait, &raw const too_large, 0, at_once.as_ptr(), SIZE);
        let _ = call!(SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const before, 0, SIZE);
    }
}

fn write_all(fd: i32, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match call!(SYS_write, fd, bytes.as_ptr(), bytes.len()) {
            Ok(written) if written > 0 => bytes = &bytes[written as usize..],
            Err(libc::EINTR) => {}
            _ => return,
        }
    }
}

/// Reads memory of this process that need not be there, and says how many bytes there were.
pub fn peek(address: usize, into: &mut [u8]) -> usize {
    const PAGE: usize = 4096;
    let own = [into.as_mut_ptr() as u64, into.len() as u64];
    // What is asked for may go on in a second page, which need not be there either.
    let first = into.len().min(PAGE - address % PAGE);
    let there = [address as u64, first as u64, (address.wrapping_add(first)) as u64, (into.len() - first) as u64];
    call!(SYS_process_vm_readv, pid(), own.as_ptr(), 1, there.as_ptr(), 2, 0).unwrap_or(0) as usize
}

/// Reads some bytes of a file, and says how many: none at its end, or after an error.
pub fn read(fd: i32, bytes: &mut [u8]) -> usize {
    call!(SYS_read, fd, bytes.as_mut_ptr(), bytes.len()).map_or(0, |bytes| bytes as usize)
}

/// Reads up to that many words of a file, and says how many.
pub fn read_words(fd: i32, words: &mut [u64]) -> usize {
    call!(SYS_read, fd, words.as_mut_ptr(), size_of_val(words)).map_or(0, |bytes| bytes as usize / 8)
}

/// Writes two blocks of bytes at a place of a file. After an error the first of them may be there.
pub fn write_at(fd: i32, parts: [&[u8]; 2], offset: u64) -> Result<()> {
    let mut parts = parts;
    let mut offset = offset;
    while parts.iter().any(|part| !part.is_empty()) {
        let vectors = parts.map(|part| [part.as_ptr() as u64, part.len() as u64]);
        match call!(SYS_pwritev, fd, vectors.as_ptr(), 2, offset, 0) {
            Ok(0) => return Err(libc::ENOSPC),
            Ok(written) => {
                offset += written;
                let first = (written as usize).min(parts[0].len());
                parts = [&parts[0][first..], &parts[1][written as usize - first..]];
            }
            Err(libc::EINTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads a symbolic link, and says how long it is; `path` ends with a zero byte.
pub fn read_link(path: &[u8], target: &mut [u8]) -> usize {
    debug_assert_eq!(path.last(), Some(&0));
    call!(SYS_readlinkat, libc::AT_FDCWD, path.as_ptr(), target.as_mut_ptr(), target.len()).unwrap_or(0) as usize
}

/// Gives a range of the file real space on disk, so that a full disk is an error here and not a bus error later.
pub fn allocate(fd: i32, offset: u64, size: u64) -> Result<()> {
    loop {
        match call!(SYS_fallocate, fd, 0, offset, size) {
            Err(libc::EOPNOTSUPP | libc::ENOSYS) => return truncate(fd, offset + size),
            Err(libc::EINTR) => {}
            result => return result.map(drop),
        }
    }
}

/// Which file a descriptor stands for: its device and its number there.
pub fn identity(fd: i32) -> Result<[u64; 2]> {
    let mut data = core::mem::MaybeUninit::<libc::stat>::uninit();
    call!(SYS_fstat, fd, data.as_mut_ptr())?;
    // SAFETY: the call has filled it.
    let data = unsafe { data.assume_init() };
    Ok([data.st_dev, data.st_ino])
}

/// How large the process may make a file; where that can no longer be known, what it was before.
pub fn file_size_limit() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(u64::MAX);
    let mut limit = [u64::MAX; 2];
    if call!(SYS_prlimit64, 0, libc::RLIMIT_FSIZE, 0, limit.as_mut_ptr()).is_ok() {
        LAST.store(limit[0], Ordering::Relaxed);
    }
    LAST.load(Ordering::Relaxed)
}

/// Sets a file's length.
pub fn truncate(fd: i32, size: u64) -> Result<()> {
    call!(SYS_ftruncate, fd, size).map(drop)
}

/// Nanoseconds since 1970.
pub fn nanoseconds() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let _ = call!(SYS_clock_gettime, libc::CLOCK_REALTIME, &raw mut time);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Waits while the word has this value; may return early.
pub fn futex_wait(word: *const u32, value: u32) {
    let _ = call!(SYS_futex, word, libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, value, 0);
}

/// Waits while the word has this value; may return early. False: not woken for so many nanoseconds, less than a second.
pub fn futex_wait_for(word: *const u32, value: u32, nanoseconds: i64) -> bool {
    let time = [0i64, nanoseconds];
    let flags = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    call!(SYS_futex, word, flags, value, time.as_ptr()) != Err(libc::ETIMEDOUT)
}

/// Milliseconds by a clock that only goes forward.
pub fn milliseconds() -> u64 {
    monotonic() / 1_000_000
}

/// Nanoseconds by a clock that only goes forward; zero where it cannot be read.
pub fn monotonic() -> u64 {
    let mut time = [0u64; 2];
    let _ = call!(SYS_clock_gettime, libc::CLOCK_MONOTONIC, time.as_mut_ptr());
    time[0] * 1_000_000_000 + time[1]
}

/// The current thread.
pub fn tid() -> u32 {
    call!(SYS_gettid).unwrap_or(0) as u32
}

/// Wakes some who wait on the word.
pub fn futex_wake(word: *const u32, count: i32) {
    let _ = call!(SYS_futex, word, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, count);
}

/// A file's length.
pub fn size(fd: i32) -> Result<u64> {
    call!(SYS_lseek, fd, 0, libc::SEEK_END)
}

/// Maps a file from its beginning, to be read.
pub fn map_file_to_read(fd: i32, size: usize) -> Result<*mut u8> {
    call!(SYS_mmap, 0, size, libc::PROT_READ, libc::MAP_PRIVATE, fd, 0).map(|at| at as *mut u8)
}

/// How many threads of this process can run side by side; one if the kernel does not say.
pub fn cores() -> u32 {
    let mut mask = [0u64; 128];
    let size = call!(SYS_sched_getaffinity, 0, size_of_val(&mask), mask.as_mut_ptr());
    if size.is_ok() { mask.iter().map(|word| word.count_ones()).sum() } else { 1 }
}

/// Lets others run.
pub fn yield_now() {
    let _ = call!(SYS_sched_yield);
}

/// Sleeps for about a millisecond.
pub fn sleep_a_millisecond() {
    sleep(1_000_000);
}

/// Sleeps for about so many nanoseconds, which are less than a second.
pub fn sleep(nanoseconds: u32) {
    let time = [0i64, i64::from(nanoseconds)];
    let _ = call!(SYS_nanosleep, time.as_ptr(), 0);
}

/// Waits for a signal.
pub fn pause() {
    let _ = call!(SYS_pause);
}

/// Where reading or writing a file goes on; none if it is no file with a position.
pub fn position(fd: i32) -> Option<u64> {
    call!(SYS_lseek, fd, 0, libc::SEEK_CUR).ok()
}

/// Goes on elsewhere in a file.
pub fn set_position(fd: i32, at: u64) {
    let _ = call!(SYS_lseek, fd, at, libc::SEEK_SET);
}

/// Files that somebody waits for: an array of `pollfd`, which stays where it is meanwhile.
#[derive(Clone, Copy)]
pub struct Files {
    /// Its address.
    pub at: *mut libc::pollfd,
    /// How many there are.
    pub count: usize,
}

impl Files {
    /// Would using one of the files return at once? Waits a while for that, if asked to.
    pub fn are_ready(self, waits: bool) -> bool {
        const PAUSE: i32 = 20;
        let timeout = if waits { PAUSE } else { 0 };
        call!(SYS_poll, self.at, self.count, timeout).is_ok_and(|ready| ready > 0)
    }
}

/// Sets the stack that signal handlers of the current thread run on, and tells the one before.
pub fn handler_stack(new: *const u8, old: *mut u8) -> Result<()> {
    call!(SYS_sigaltstack, new, old).map(drop)
}

/// What kind of file it is (the bits of `S_IFMT`), and its number in its file system.
pub fn file_kind(fd: i32) -> Result<(u32, u64)> {
    let mut stat = core::mem::MaybeUninit::<libc::stat>::zeroed();
    call!(SYS_fstat, fd, stat.as_mut_ptr())?;
    // SAFETY: zero bytes are a valid description of a file, and the kernel has written another.
    let stat = unsafe { stat.assume_init() };
    Ok((stat.st_mode & libc::S_IFMT, stat.st_ino))
}

/// Which end of a connection an address is asked of.
#[derive(Clone, Copy)]
pub enum End {
    /// This one.
    Here,
    /// The other.
    There,
}

/// The address of a socket's end, and its length.
pub fn socket_address(fd: i32, end: End) -> Result<([u8; 128], usize)> {
    let mut address = [0; 128];
    let mut length = 128u32;
    match end {
        End::Here => call!(SYS_getsockname, fd, address.as_mut_ptr(), &raw mut length)?,
        End::There => call!(SYS_getpeername, fd, address.as_mut_ptr(), &raw mut length)?,
    };
    Ok((address, (length as usize).min(128)))
}
