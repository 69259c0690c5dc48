//! Limits that a program sets itself.
//!
//! The recording's `open` is mapped into far more address space than it takes. A program that limits its address space
//! would find it used up, so the unused part is given back first.

use crate::axes;
use crate::sink::recording;
use core::ffi::c_int;
use libc::{RLIMIT_AS, pid_t, rlimit, rlimit64};

type Resource = libc::__rlimit_resource_t;

/// A limit of this process is about to become this.
unsafe fn prepare(process: pid_t, which: Resource, limit: *const rlimit) {
    if process == 0 && which == RLIMIT_AS && !limit.is_null() && axes::is_recording() {
        // SAFETY: the program passes a limit, or null.
        recording::give_back_space(unsafe { (*limit).rlim_cur });
    }
}

interpose! {
    fn setrlimit(which: Resource, limit: *const rlimit) -> c_int |_pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            prepare(0, which, limit);
            real(which, limit)
        }
    }

    fn setrlimit64(which: Resource, limit: *const rlimit64) -> c_int |_pc| {
        // SAFETY: the program's own arguments; the two types are one on this machine.
        unsafe {
            prepare(0, which, limit.cast());
            real(which, limit)
        }
    }

    fn prlimit(process: pid_t, which: Resource, limit: *const rlimit, old: *mut rlimit) -> c_int |_pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            prepare(process, which, limit);
            real(process, which, limit, old)
        }
    }

    fn prlimit64(process: pid_t, which: Resource, limit: *const rlimit64, old: *mut rlimit64) -> c_int |_pc| {
        // SAFETY: the program's own arguments; the two types are one on this machine.
        unsafe {
            prepare(process, which, limit.cast());
            real(process, which, limit, old)
        }
    }
}
