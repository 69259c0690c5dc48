//! Waiting for descriptors: a thread that learns that data is there knows that it was put there.

use crate::interpose::fd::channel::{acquire, release};
use crate::op::access::{counts, fills, reads, writes};
use crate::op::in_gate::{files, waits};
use crate::sys::Files;
use core::ffi::c_int;
use libc::{epoll_event, fd_set, nfds_t, pollfd, sigset_t, timespec, timeval};

/// Descriptors have been waited for; those that have data are acquired from.
unsafe fn polled(fds: *const pollfd, count: nfds_t, ready: c_int, pc: usize) -> c_int {
    const DATA: i16 = libc::POLLIN | libc::POLLPRI | libc::POLLHUP | libc::POLLRDHUP;
    if ready > 0 {
        for index in 0..count as usize {
            // SAFETY: the program passes that many.
            let fd = unsafe { &*fds.add(index) };
            if fd.revents & DATA != 0 {
                acquire(fd.fd, pc);
            }
        }
    }
    if ready >= 0 && counts(pc) {
        for index in 0..count as usize {
            // SAFETY: as above.
            let fd = unsafe { fds.add(index) };
            reads(pc, fd, 6);
            // SAFETY: as above.
            fills(pc, unsafe { &raw const (*fd).revents });
        }
    }
    ready
}

/// As [`polled`], for the sets of `select`.
unsafe fn selected(count: c_int, sets: [*const fd_set; 3], ready: c_int, pc: usize) -> c_int {
    if ready > 0 && !sets[0].is_null() {
        for fd in 0..count.max(0) {
            // SAFETY: the program passes a set of that many bits.
            let word = unsafe { *sets[0].cast::<u64>().add(fd as usize / 64) };
            if word >> (fd % 64) & 1 != 0 {
                acquire(fd, pc);
            }
        }
    }
    if ready >= 0 {
        for set in sets {
            writes(pc, set, (count.max(0) as usize).div_ceil(64) * 8);
        }
    }
    ready
}

/// Events have been waited for.
fn evented(fd: c_int, events: *const epoll_event, count: c_int, pc: usize) -> c_int {
    if count > 0 {
        acquire(fd, pc);
        writes(pc, events, count as usize * size_of::<epoll_event>());
    }
    count
}

/// A time that is no time.
static AT_ONCE: timespec = timespec { tv_sec: 0, tv_nsec: 0 };

interpose! {
    fn poll(fds: *mut pollfd, count: nfds_t, timeout: c_int) -> c_int |pc| {
        let files = Files { at: fds, count: count as usize };
        let timeout = if waits::wait(files, waits::milliseconds(timeout), pc) { 0 } else { timeout };
        // SAFETY: the program's own arguments.
        unsafe { polled(fds, count, real(fds, count, timeout), pc) }
    }

    fn __poll_chk(fds: *mut pollfd, count: nfds_t, timeout: c_int, room: usize) -> c_int |pc| {
        let files = Files { at: fds, count: count as usize };
        let timeout = if waits::wait(files, waits::milliseconds(timeout), pc) { 0 } else { timeout };
        // SAFETY: the program's own arguments.
        unsafe { polled(fds, count, real(fds, count, timeout, room), pc) }
    }

    fn ppoll(fds: *mut pollfd, count: nfds_t, timeout: *const timespec, mask: *const sigset_t) -> c_int |pc| {
        let files = Files { at: fds, count: count as usize };
        // SAFETY: the program's own arguments.
        unsafe {
            let timeout = if waits::wait(files, waits::time(timeout), pc) { &raw const AT_ONCE } else { timeout };
            polled(fds, count, real(fds, count, timeout, mask), pc)
        }
    }

    fn select(
        count: c_int, read: *mut fd_set, write: *mut fd_set, other: *mut fd_set, timeout: *mut timeval,
    ) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let mut at_once = timeval { tv_sec: 0, tv_usec: 0 };
            let waited = waits::wait_for_sets(count, [read, write], waits::time_of_select(timeout), pc);
            let timeout = if waited { &raw mut at_once } else { timeout };
            selected(count, [read, write, other], real(count, read, write, other, timeout), pc)
        }
    }

    fn pselect(
        count: c_int, read: *mut fd_set, write: *mut fd_set, other: *mut fd_set, timeout: *const timespec,
        mask: *const sigset_t,
    ) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let waited = waits::wait_for_sets(count, [read, write], waits::time(timeout), pc);
            let timeout = if waited { &raw const AT_ONCE } else { timeout };
            selected(count, [read, write, other], real(count, read, write, other, timeout, mask), pc)
        }
    }

    fn epoll_ctl(fd: c_int, what: c_int, other: c_int, event: *mut epoll_event) -> c_int |pc| {
        files::note_many();
        reads(pc, event, size_of::<epoll_event>());
        release(fd, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(fd, what, other, event) }
    }

    fn epoll_wait(fd: c_int, events: *mut epoll_event, most: c_int, timeout: c_int) -> c_int |pc| {
        let timeout = if waits::wait_by(fd, waits::milliseconds(timeout), pc) { 0 } else { timeout };
        // SAFETY: the program's own arguments.
        evented(fd, events, unsafe { real(fd, events, most, timeout) }, pc)
    }

    fn epoll_pwait(
        fd: c_int, events: *mut epoll_event, most: c_int, timeout: c_int, mask: *const sigset_t,
    ) -> c_int |pc| {
        let timeout = if waits::wait_by(fd, waits::milliseconds(timeout), pc) { 0 } else { timeout };
        // SAFETY: the program's own arguments.
        evented(fd, events, unsafe { real(fd, events, most, timeout, mask) }, pc)
    }

    fn epoll_pwait2(
        fd: c_int, events: *mut epoll_event, most: c_int, timeout: *const timespec, mask: *const sigset_t,
    ) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let waited = waits::wait_by(fd, unsafe { waits::time(timeout) }, pc);
        let timeout = if waited { &raw const AT_ONCE } else { timeout };
        // SAFETY: as above.
        evented(fd, events, unsafe { real(fd, events, most, timeout, mask) }, pc)
    }
}
