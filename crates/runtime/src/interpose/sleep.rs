//! Yields, sleeps and clocks. Under the controlled gate, sleeps are steps that take no time: others may run there, and the
//! clocks show that the time has passed.

use crate::gate::limit::{SECOND, as_shown};
use crate::op::access::writes;
use crate::op::in_gate;
use core::ffi::{c_int, c_uint, c_void};
use libc::{time_t, timespec, timeval};

/// Until when an absolute sleep lasts, from now on.
pub unsafe fn left(clock: c_int, until: *const timespec) -> i64 {
    // SAFETY: the program passes a time, or null.
    let Some(until) = (unsafe { until.as_ref() }) else { return 0 };
    let now = crate::gate::limit::now(clock);
    (until.tv_sec - now.tv_sec).saturating_mul(SECOND).saturating_add(until.tv_nsec - now.tv_nsec)
}

interpose! {
    fn sched_yield() -> c_int |pc| {
        // SAFETY: takes nothing.
        if in_gate::yield_now(0, pc) { 0 } else { unsafe { real() } }
    }

    fn usleep(microseconds: c_uint) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        if in_gate::yield_now(1000 * i64::from(microseconds), pc) { 0 } else { unsafe { real(microseconds) } }
    }

    fn sleep(seconds: c_uint) -> c_uint |pc| {
        // SAFETY: the program's own arguments.
        if in_gate::yield_now(SECOND * i64::from(seconds), pc) { 0 } else { unsafe { real(seconds) } }
    }

    fn thrd_yield() |pc| {
        if !in_gate::yield_now(0, pc) {
            // SAFETY: takes nothing.
            unsafe { real() };
        }
    }

    fn thrd_sleep(time: *const timespec, left: *mut timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { if in_gate::sleep(time, pc) { 0 } else { real(time, left) } }
    }

    fn clock_nanosleep(clock: c_int, flags: c_int, time: *const timespec, remaining: *mut timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let decided = match flags & libc::TIMER_ABSTIME {
                0 => in_gate::sleep(time, pc),
                _ => in_gate::yield_now(left(clock, time), pc),
            };
            if decided { 0 } else { real(clock, flags, time, remaining) }
        }
    }

    fn clock_gettime(clock: c_int, time: *mut timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments; the kernel has written the time if there was no error.
        unsafe {
            let result = real(clock, time);
            if result == 0 {
                time.write(as_shown(clock, time.read()));
                writes(pc, time, size_of::<timespec>());
            }
            result
        }
    }

    fn gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int |pc| {
        // SAFETY: as above.
        unsafe {
            let result = real(time, zone);
            if result == 0 && !time.is_null() {
                let timeval { tv_sec, tv_usec } = time.read();
                let shown = as_shown(libc::CLOCK_REALTIME, timespec { tv_sec, tv_nsec: 1000 * tv_usec });
                time.write(timeval { tv_sec: shown.tv_sec, tv_usec: shown.tv_nsec / 1000 });
                writes(pc, time, size_of::<timeval>());
            }
            result
        }
    }

    fn time(at: *mut time_t) -> time_t |pc| {
        // SAFETY: the program passes a place for the time, or null.
        unsafe {
            let now = real(core::ptr::null_mut());
            let shown = as_shown(libc::CLOCK_REALTIME, timespec { tv_sec: now, tv_nsec: 0 }).tv_sec;
            if !at.is_null() {
                at.write(shown);
                writes(pc, at, size_of::<time_t>());
            }
            shown
        }
    }
}
