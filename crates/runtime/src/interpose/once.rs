//! Things done once: `pthread_once`, `call_once`, and the guards of C++ statics.

use crate::hooks::atomic::note_store;
use crate::state::sync;
use crate::sys;
use crate::tls::{Once, tls};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};
use foretrace_event::Patience;
use foretrace_event::wire::Op;

pub type Routine = unsafe extern "C-unwind" fn();

/// Runs the initialiser of the innermost `once` of this thread.
unsafe extern "C-unwind" fn run() {
    let once = tls().once.get();
    tls().once.set(Once { ran: true, ..once });
    sync(Op::OnceRun, once.control, 0, once.pc);
    if let Some(routine) = once.routine {
        // SAFETY: the program asked for this call.
        unsafe { routine() };
    }
    // An initialiser that throws does not come here: the next `OnceRun` says so.
    sync(Op::OnceDone, once.control, 0, once.pc);
}

/// Calls `real` with an initialiser that records, and records what it did.
unsafe fn once(control: usize, routine: Routine, pc: usize, real: impl FnOnce(Routine) -> c_int) -> c_int {
    super::arrive(Op::OncePass, Op::OncePass, control, 0, Patience::Blocking, pc);
    let outer = tls().once.replace(Once { control, routine: Some(routine), pc, ran: false });
    let result = real(run);
    let ran = tls().once.replace(outer).ran;
    if result == 0 && !ran {
        sync(Op::OncePass, control, 0, pc);
    }
    result
}

interpose! {
    fn pthread_once(control: *mut libc::c_int, routine: Routine) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { once(control as usize, routine, pc, |run| real(control, run)) }
    }

    fn call_once(control: *mut libc::c_int, routine: Routine) |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            once(control as usize, routine, pc, |run| {
                real(control, run);
                0
            });
        }
    }

    fn __cxa_guard_acquire(guard: *mut AtomicU32) -> c_int |pc| {
        super::arrive(Op::OncePass, Op::OncePass, guard as usize, 0, Patience::Blocking, pc);
        // SAFETY: the compiler passes a guard.
        let mine = unsafe {
            match REAL.find() {
                Some(real) => real(guard),
                None => acquire(&*guard),
            }
        };
        sync(if mine == 0 { Op::OncePass } else { Op::OnceRun }, guard as usize, 0, pc);
        mine
    }

    fn __cxa_guard_release(guard: *mut AtomicU32) |pc| {
        sync(Op::OnceDone, guard as usize, 0, pc);
        // Code that finds the static initialised reads the guard's first byte and calls no one.
        note_store(guard as usize, 1, 1, pc);
        // SAFETY: the compiler passes a guard.
        unsafe {
            match REAL.find() {
                Some(real) => real(guard),
                None => settle(&*guard, DONE),
            }
        }
    }

    fn __cxa_guard_abort(guard: *mut AtomicU32) |pc| {
        sync(Op::OnceAbort, guard as usize, 0, pc);
        // SAFETY: the compiler passes a guard.
        unsafe {
            match REAL.find() {
                Some(real) => real(guard),
                None => settle(&*guard, 0),
            }
        }
    }
}

// Guards of a program whose C++ library is linked in: there is no other definition then than ours.

const DONE: u32 = 1;
const PENDING: u32 = 0x100;

fn acquire(guard: &AtomicU32) -> c_int {
    loop {
        match guard.compare_exchange(0, PENDING, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => return 1,
            Err(state) if state & DONE != 0 => return 0,
            Err(state) => sys::futex_wait(guard.as_ptr(), state),
        }
    }
}

fn settle(guard: &AtomicU32, state: u32) {
    guard.store(state, Ordering::Release);
    sys::futex_wake(guard.as_ptr(), i32::MAX);
}
