//! Descriptors come, are copied, and go.

use crate::axes;
use crate::interpose::fd::channel::{self, Channel};
use crate::interpose::fd::lock;
use crate::interpose::fd::path::{changing, seen};
use crate::op::access::{fills, writes};
use crate::op::in_gate::files;
use crate::op::text::reads_text;
use core::ffi::{c_char, c_int, c_uint, c_void};

/// A new descriptor of its own channel.
fn created(fd: c_int) -> c_int {
    if fd >= 0 {
        channel::set(fd, Some(Channel::fresh()));
        files::made(&[fd]);
    }
    fd
}

/// A new descriptor of a file: what it is shows when it is used.
pub fn opened(fd: c_int) -> c_int {
    if fd >= 0 {
        channel::take(fd);
        channel::forget(fd);
    }
    fd
}

/// Two new descriptors with one channel.
unsafe fn paired(result: c_int, ends: *const c_int, pc: usize) -> c_int {
    if result == 0 && axes::is_on() {
        // SAFETY: the call has filled in both.
        let (one, other) = unsafe { (*ends, *ends.add(1)) };
        // The kernel's number of a pipe is another in each execution.
        let pipe = Channel::pipe(one).filter(|_| !axes::is_explored());
        let shared = pipe.unwrap_or_else(Channel::fresh);
        channel::set(one, Some(shared));
        channel::set(other, Some(shared));
        files::made(&[one, other]);
        writes(pc, ends, 2 * size_of::<c_int>());
    }
    result
}

/// The descriptor is about to be closed: readers at the other end see that, if there is one.
pub fn closing(fd: c_int, pc: usize) {
    channel::close(fd, pc);
    lock::closing(fd, pc);
    channel::forget(fd);
    channel::give_back(fd);
}

/// A copy has been made, perhaps.
fn copied(from: c_int, to: c_int) -> c_int {
    if to >= 0 && from != to {
        channel::copy(from, to);
    }
    to
}

/// Functions that make a channel, given by their names and arguments.
macro_rules! creations {
    ($(fn $name:ident($($arg:ident: $ty:ty),*);)*) => {
        interpose! {$(
            fn $name($($arg: $ty),*) -> c_int {
                // SAFETY: the program's own arguments.
                created(unsafe { real($($arg),*) })
            }
        )*}
    };
}

creations! {
    fn eventfd(initial: c_uint, flags: c_int);
    fn epoll_create(size: c_int);
    fn epoll_create1(flags: c_int);
    fn timerfd_create(clock: c_int, flags: c_int);
}

/// A new descriptor through which changes of files are reported.
fn reports(fd: c_int) -> c_int {
    if fd >= 0 {
        channel::set(fd, Some(Channel::changes()));
    }
    fd
}

/// Functions that open a file by its path, and whether they may create it; the mode is passed on whether the program gave
/// one or not.
macro_rules! openings {
    ($(fn $name:ident($([$before:ident: $ty:ty])? path $(, $after:ident: $kind:ty)*) if $creates:expr;)*) => {
        interpose! {$(
            fn $name($($before: $ty,)? path: *const c_char $(, $after: $kind)*) -> c_int |pc| {
                // SAFETY: the program's own arguments.
                unsafe {
                    match $creates {
                        true => changing(path, pc),
                        false => reads_text(pc, path),
                    }
                    let fd = opened(real($($before,)? path $(, $after)*));
                    seen(path, pc);
                    fd
                }
            }
        )*}
    };
}

openings! {
    fn open(path, flags: c_int, mode: c_uint) if flags & libc::O_CREAT != 0;
    fn open64(path, flags: c_int, mode: c_uint) if flags & libc::O_CREAT != 0;
    fn openat([at: c_int] path, flags: c_int, mode: c_uint) if flags & libc::O_CREAT != 0;
    fn openat64([at: c_int] path, flags: c_int, mode: c_uint) if flags & libc::O_CREAT != 0;
    fn creat(path, mode: c_uint) if true;
    fn creat64(path, mode: c_uint) if true;
    fn __open_2(path, flags: c_int) if flags & libc::O_CREAT != 0;
    fn __open64_2(path, flags: c_int) if flags & libc::O_CREAT != 0;
}

interpose! {
    fn inotify_init() -> c_int {
        // SAFETY: takes nothing.
        reports(unsafe { real() })
    }

    fn inotify_init1(flags: c_int) -> c_int {
        // SAFETY: the program's own arguments.
        reports(unsafe { real(flags) })
    }

    fn pipe(ends: *mut c_int) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { paired(real(ends), ends, pc) }
    }

    fn pipe2(ends: *mut c_int, flags: c_int) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { paired(real(ends, flags), ends, pc) }
    }

    fn socketpair(domain: c_int, kind: c_int, protocol: c_int, ends: *mut c_int) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { paired(real(domain, kind, protocol, ends), ends, pc) }
    }

    fn timerfd_settime(fd: c_int, flags: c_int, new: *const libc::itimerspec, old: *mut libc::itimerspec) -> c_int |pc| {
        channel::release(fd, pc);
        // SAFETY: the program's own arguments.
        let result = unsafe { real(fd, flags, new, old) };
        if result == 0 {
            fills(pc, old);
        }
        result
    }

    fn dup(fd: c_int) -> c_int {
        // SAFETY: the program's own arguments.
        copied(fd, unsafe { real(fd) })
    }

    fn dup2(fd: c_int, to: c_int) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            if fd != to {
                channel::release(to, pc);
                lock::closing(to, pc);
                channel::give_back(to);
            }
            copied(fd, real(fd, to))
        }
    }

    fn dup3(fd: c_int, to: c_int, flags: c_int) -> c_int |pc| {
        channel::release(to, pc);
        lock::closing(to, pc);
        channel::give_back(to);
        // SAFETY: the program's own arguments.
        copied(fd, unsafe { real(fd, to, flags) })
    }

    fn fcntl(fd: c_int, command: c_int, argument: *mut c_void) -> c_int |pc| {
        // SAFETY: the program's own arguments; one it did not pass is not looked at.
        unsafe { controlled(fd, command, argument, pc, || real(fd, command, argument)) }
    }

    fn fcntl64(fd: c_int, command: c_int, argument: *mut c_void) -> c_int |pc| {
        // SAFETY: as above.
        unsafe { controlled(fd, command, argument, pc, || real(fd, command, argument)) }
    }

    fn close(fd: c_int) -> c_int |pc| {
        closing(fd, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(fd) }
    }

    fn __close(fd: c_int) -> c_int |pc| {
        closing(fd, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(fd) }
    }

    fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
        channel::forget_range(first, last);
        // SAFETY: the program's own arguments.
        unsafe { real(first, last, flags) }
    }

    fn closefrom(first: c_int) {
        channel::forget_range(first.max(0) as c_uint, c_uint::MAX);
        // SAFETY: the program's own arguments.
        unsafe { real(first) }
    }
}

/// Does what a command of `fcntl` says, by `call`.
///
/// # Safety
/// `argument` is what the program passes with it.
unsafe fn controlled(
    fd: c_int,
    command: c_int,
    argument: *const c_void,
    pc: usize,
    call: impl FnOnce() -> c_int,
) -> c_int {
    match command {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => copied(fd, call()),
        // SAFETY: as above.
        command if lock::is_command(command) => unsafe { lock::command(fd, argument, pc, call) },
        _ => call(),
    }
}
