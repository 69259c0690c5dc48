//! Locks on files: `flock`, `lockf`, and those of `fcntl`.
//!
//! What was done before such a lock is given up is visible to who gets it. Which byte ranges exclude each other, and
//! whether a lock belongs to a descriptor or to the whole process, is the kernel's business: all locks of one file are one
//! channel, so the real order may be weaker.

use crate::axes;
use crate::interpose::fd::channel::Channel;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};
use libc::off_t;

/// Descriptors that a file was locked through, a bit each: to close one may unlock it. Those from 65,536 on are not known.
static LOCKED: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];

/// Where the bit of a descriptor is.
fn bit(fd: c_int) -> Option<(&'static AtomicU64, u64)> {
    let fd = usize::try_from(fd).ok()?;
    Some((LOCKED.get(fd / 64)?, 1 << (fd % 64)))
}

fn given_up(fd: c_int, pc: usize) {
    if axes::is_live()
        && let Some(file) = Channel::file(fd)
    {
        file.release(pc);
    }
}

fn got(fd: c_int, result: c_int, pc: usize) -> c_int {
    if result == 0
        && axes::is_live()
        && let Some(file) = Channel::file(fd)
    {
        if let Some((word, bit)) = bit(fd) {
            word.fetch_or(bit, Ordering::Relaxed);
        }
        file.acquire(pc);
    }
    result
}

/// The descriptor is about to be closed, and its locks with it.
pub fn closing(fd: c_int, pc: usize) {
    if let Some((word, bit)) = bit(fd)
        && word.load(Ordering::Relaxed) & bit != 0
    {
        word.fetch_and(!bit, Ordering::Relaxed);
        given_up(fd, pc);
    }
}

/// Is this a command of `fcntl` that locks or unlocks?
pub const fn is_command(command: c_int) -> bool {
    matches!(command, libc::F_SETLK | libc::F_SETLKW | libc::F_OFD_SETLK | libc::F_OFD_SETLKW)
}

/// Does what such a command says, by `call`.
///
/// # Safety
/// `argument` is what the program passes with it.
pub unsafe fn command(fd: c_int, argument: *const c_void, pc: usize, call: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: as above; the kernel refuses what is not there.
    let unlocks =
        unsafe { argument.cast::<libc::flock>().as_ref() }.is_none_or(|lock| lock.l_type as c_int == libc::F_UNLCK);
    if unlocks {
        given_up(fd, pc);
        return call();
    }
    got(fd, call(), pc)
}

/// As [`command`], for `lockf`.
fn section(fd: c_int, what: c_int, pc: usize, call: impl FnOnce() -> c_int) -> c_int {
    match what {
        libc::F_ULOCK => {
            given_up(fd, pc);
            call()
        }
        libc::F_LOCK | libc::F_TLOCK => got(fd, call(), pc),
        _ => call(),
    }
}

interpose! {
    fn flock(fd: c_int, operation: c_int) -> c_int |pc| {
        // A lock that others may share from now on is given up in part.
        if operation & (libc::LOCK_UN | libc::LOCK_SH) != 0 {
            given_up(fd, pc);
        }
        // SAFETY: the program's own arguments.
        let result = unsafe { real(fd, operation) };
        if operation & libc::LOCK_UN != 0 { result } else { got(fd, result, pc) }
    }

    fn lockf(fd: c_int, what: c_int, length: off_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        section(fd, what, pc, || unsafe { real(fd, what, length) })
    }

    fn lockf64(fd: c_int, what: c_int, length: off_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        section(fd, what, pc, || unsafe { real(fd, what, length) })
    }
}
