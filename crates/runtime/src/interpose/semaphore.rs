//! Semaphores, unnamed and named.

use crate::axes;
use crate::gate::limit::Limit;
use crate::gate::turn::Arrival;
use crate::interpose::{arrive, insist, undo_if_failed};
use crate::memory::map::Map;
use crate::memory::spin::Spin;
use crate::run::sync;
use crate::thread::tls::Section;
use core::ffi::{c_char, c_int, c_uint};
use foretrace_event::wire::Op;
use libc::{sem_t, timespec};

/// How often each named semaphore is open: opening one again gives the same address.
static OPEN: Spin<Map> = Spin::new(Map::new());

/// In a forked child.
fn reset_locks() {
    OPEN.reset();
}
at_fork!(reset_locks);

/// Changes how often a semaphore is open, and says how often it is now.
fn count_open(semaphore: *mut sem_t, change: i64) -> u64 {
    let _section = Section::nest();
    match OPEN.lock().entry(semaphore as u64) {
        Some(count) => {
            *count = count.saturating_add_signed(change);
            *count
        }
        None => 1,
    }
}

unsafe fn errno() -> c_int {
    // SAFETY: always valid.
    unsafe { *libc::__errno_location() }
}

/// Waits by calling `real`, and records the outcome.
fn wait(semaphore: *mut sem_t, limit: Limit, pc: usize, real: impl FnMut() -> c_int) -> c_int {
    let arrival = arrive(Op::SemWait, Op::FailedSemWait, semaphore as usize, 0, limit, pc);
    // SAFETY: the call has just failed and set it.
    let busy = |result| result != 0 && matches!(unsafe { errno() }, libc::EAGAIN | libc::ETIMEDOUT);
    let result = match arrival {
        Arrival::TimedOut => {
            // SAFETY: always valid.
            unsafe { *libc::__errno_location() = libc::ETIMEDOUT };
            -1
        }
        arrival => insist(arrival, busy, real),
    };
    let patience = limit.patience() as u64;
    if result == 0 {
        sync(Op::SemWait, semaphore as usize, patience, pc);
    } else if busy(result) {
        sync(Op::FailedSemWait, semaphore as usize, patience, pc);
    }
    result
}

real_function!(fn sem_getvalue(semaphore: *mut sem_t, value: *mut c_int) -> c_int);

/// Can the semaphore count no further?
fn is_full(semaphore: *mut sem_t) -> bool {
    let mut value = 0;
    // SAFETY: the program passes a semaphore; the value is a local.
    unsafe { sem_getvalue(semaphore, &mut value) == 0 && value == c_int::MAX }
}

interpose! {
    // The last two arguments are there only to create; passing them on does no harm.
    fn sem_open(name: *const c_char, flags: c_int, mode: c_uint, value: c_uint) -> *mut sem_t |pc| {
        // SAFETY: the program's own arguments; the value is a local.
        unsafe {
            let semaphore = real(name, flags, mode, value);
            let mut value = 0;
            if semaphore != libc::SEM_FAILED
                && count_open(semaphore, 1) == 1
                && sem_getvalue(semaphore, &mut value) == 0
            {
                sync(Op::SemInit, semaphore as usize, value.max(0) as u64, pc);
            }
            semaphore
        }
    }

    fn sem_init(semaphore: *mut sem_t, shared: c_int, value: c_uint) -> c_int |pc| {
        sync(Op::SemInit, semaphore as usize, u64::from(value), pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(semaphore, shared, value) })
    }

    fn sem_destroy(semaphore: *mut sem_t) -> c_int |pc| {
        sync(Op::SemDestroy, semaphore as usize, 0, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(semaphore) })
    }

    fn sem_close(semaphore: *mut sem_t) -> c_int |pc| {
        if count_open(semaphore, -1) == 0 {
            sync(Op::SemDestroy, semaphore as usize, 0, pc);
        }
        // SAFETY: the program's own arguments.
        unsafe { real(semaphore) }
    }

    fn sem_wait(semaphore: *mut sem_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        wait(semaphore, Limit::Forever, pc, || unsafe { real(semaphore) })
    }

    fn sem_trywait(semaphore: *mut sem_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        wait(semaphore, Limit::Now, pc, || unsafe { real(semaphore) })
    }

    fn sem_timedwait(semaphore: *mut sem_t, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        wait(semaphore, unsafe { Limit::until(libc::CLOCK_REALTIME, until) }, pc, || unsafe { real(semaphore, until) })
    }

    fn sem_clockwait(semaphore: *mut sem_t, clock: c_int, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        wait(semaphore, unsafe { Limit::until(clock, until) }, pc, || unsafe { real(semaphore, clock, until) })
    }

    fn sem_post(semaphore: *mut sem_t) -> c_int |pc| {
        // To fail is no step of a replay.
        if axes::is_replaying() && is_full(semaphore) {
            // SAFETY: the program's own arguments.
            return unsafe { real(semaphore) };
        }
        sync(Op::SemPost, semaphore as usize, 0, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(semaphore) })
    }
}
