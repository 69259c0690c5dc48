//! Message queues: POSIX ones, by name, and System V ones, by number.

use crate::interpose::fd::channel::{self, Channel, release};
use crate::interpose::fd::io::received;
use crate::interpose::sleep::left;
use crate::op::access::{fills, reads};
use crate::op::in_gate::files;
use crate::op::in_gate::waits::{Attempt, Time, before_queue, no_message, until_done};
use crate::op::text::{reads_text, strlen};
use core::ffi::{c_char, c_int, c_long, c_uint, c_void};
use core::slice::from_raw_parts;
use libc::timespec;

unsafe fn opened(name: *const c_char, fd: c_int) -> c_int {
    if fd >= 0 {
        // SAFETY: the program passes a string.
        let name = unsafe { from_raw_parts(name.cast(), strlen(name)) };
        channel::set(fd, Some(Channel::named_queue(name)));
    }
    fd
}

fn taken(fd: c_int, buffer: *const c_char, priority: *const c_uint, count: isize, pc: usize) -> isize {
    if count >= 0 {
        received(fd, buffer, count, pc);
        fills(pc, priority);
    } else {
        no_message();
    }
    count
}

/// How long a call waits for a queue: not at all if the program has said so when it opened it.
fn patience(fd: c_int, time: Time) -> Time {
    // SAFETY: it only asks.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    if flags >= 0 && flags & libc::O_NONBLOCK != 0 { Some(0) } else { time }
}

/// What came of a call that was told not to wait, whether or not the program told it so.
fn done_unless<R: Copy + PartialOrd + From<i8>>(waits: c_int, flags: c_int, result: R) -> Attempt<R> {
    // SAFETY: each thread has a place for it.
    let error = unsafe { *libc::__errno_location() };
    let would_wait = result < R::from(0) && error == waits && flags & libc::IPC_NOWAIT == 0;
    if would_wait { Attempt::NotYet } else { Attempt::Done(result) }
}

interpose! {
    fn mq_open(name: *const c_char, flags: c_int, mode: c_uint, attributes: *mut c_void) -> c_int |pc| {
        // SAFETY: the program's own arguments; those it did not pass are not looked at.
        unsafe {
            reads_text(pc, name);
            opened(name, real(name, flags, mode, attributes))
        }
    }

    fn mq_close(fd: c_int) -> c_int {
        channel::forget(fd);
        // SAFETY: the program's own arguments.
        unsafe { real(fd) }
    }

    fn mq_send(fd: c_int, message: *const c_char, size: usize, priority: c_uint) -> c_int |pc| {
        reads(pc, message, size);
        before_queue(fd, libc::POLLOUT, patience(fd, None), pc);
        release(fd, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(fd, message, size, priority) }
    }

    fn mq_timedsend(
        fd: c_int, message: *const c_char, size: usize, priority: c_uint, until: *const timespec,
    ) -> c_int |pc| {
        reads(pc, message, size);
        // SAFETY: the program's own arguments.
        let time = patience(fd, Some(unsafe { left(libc::CLOCK_REALTIME, until) }));
        if before_queue(fd, libc::POLLOUT, time, pc) {
            release(fd, pc);
        }
        // SAFETY: the program's own arguments.
        unsafe { real(fd, message, size, priority, until) }
    }

    fn mq_receive(fd: c_int, buffer: *mut c_char, size: usize, priority: *mut c_uint) -> isize |pc| {
        before_queue(fd, libc::POLLIN, patience(fd, None), pc);
        // SAFETY: the program's own arguments.
        taken(fd, buffer, priority, unsafe { real(fd, buffer, size, priority) }, pc)
    }

    fn mq_timedreceive(
        fd: c_int, buffer: *mut c_char, size: usize, priority: *mut c_uint, until: *const timespec,
    ) -> isize |pc| {
        // SAFETY: the program's own arguments.
        let time = patience(fd, Some(unsafe { left(libc::CLOCK_REALTIME, until) }));
        before_queue(fd, libc::POLLIN, time, pc);
        // SAFETY: the program's own arguments.
        taken(fd, buffer, priority, unsafe { real(fd, buffer, size, priority, until) }, pc)
    }

    fn msgsnd(queue: c_int, message: *const c_void, size: usize, flags: c_int) -> c_int |pc| {
        reads(pc, message, size_of::<c_long>() + size);
        // SAFETY: the program's own arguments.
        let sent = until_done(files::MESSAGES, None, pc, || unsafe {
            done_unless(libc::EAGAIN, flags, real(queue, message, size, flags | libc::IPC_NOWAIT))
        });
        Channel::queue(queue as u64).release(pc);
        // SAFETY: the program's own arguments.
        sent.unwrap_or_else(|| unsafe { real(queue, message, size, flags) })
    }

    fn msgrcv(queue: c_int, message: *mut c_void, size: usize, kind: c_long, flags: c_int) -> isize |pc| {
        // SAFETY: the program's own arguments.
        let taken = until_done(files::MESSAGES, None, pc, || unsafe {
            done_unless(libc::ENOMSG, flags, real(queue, message, size, kind, flags | libc::IPC_NOWAIT))
        });
        // SAFETY: the program's own arguments.
        let count = taken.unwrap_or_else(|| unsafe { real(queue, message, size, kind, flags) });
        if count >= 0 {
            Channel::queue(queue as u64).acquire(pc);
            crate::op::access::writes(pc, message, size_of::<c_long>() + count as usize);
        }
        count
    }
}
