//! Yields and sleeps. Under the controlled gate they are steps that take no time: others may run there.

use crate::op::in_gate;
use core::ffi::{c_int, c_uint};
use libc::timespec;

interpose! {
    fn sched_yield() -> c_int |pc| {
        // SAFETY: takes nothing.
        if in_gate::yield_now(pc) { 0 } else { unsafe { real() } }
    }

    fn usleep(microseconds: c_uint) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        if in_gate::yield_now(pc) { 0 } else { unsafe { real(microseconds) } }
    }

    fn sleep(seconds: c_uint) -> c_uint |pc| {
        // SAFETY: the program's own arguments.
        if in_gate::yield_now(pc) { 0 } else { unsafe { real(seconds) } }
    }

    fn thrd_yield() |pc| {
        if !in_gate::yield_now(pc) {
            // SAFETY: takes nothing.
            unsafe { real() };
        }
    }

    fn thrd_sleep(time: *const timespec, left: *mut timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        if in_gate::yield_now(pc) { 0 } else { unsafe { real(time, left) } }
    }

    fn clock_nanosleep(clock: c_int, flags: c_int, time: *const timespec, left: *mut timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        if in_gate::yield_now(pc) { 0 } else { unsafe { real(clock, flags, time, left) } }
    }
}
