//! Things done once: `pthread_once`, `call_once`, and the guards of C++ statics.

use crate::gate::limit::Limit;
use crate::op::atomic::store_by;
use crate::run::sync;
use crate::sys;
use crate::thread::tls::tls;
use core::arch::global_asm;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};
use foretrace_event::wire::Op;

pub type Routine = unsafe extern "C-unwind" fn();

/// A call of `pthread_once` under way, in the frame of the function that makes it.
pub struct Call {
    control: usize,
    routine: Routine,
    pc: usize,
    /// The initialiser was run.
    ran: bool,
    /// The call whose initialiser makes this one.
    outer: *mut Self,
}

/// Runs the initialiser of the innermost call of this thread.
unsafe extern "C-unwind" fn run() {
    // SAFETY: the calling frame's, and no one else's while the initialiser runs.
    let Call { control, routine, pc, .. } = *unsafe {
        let call = &mut *tls().once.get().cast::<Call>();
        call.ran = true;
        call
    };
    sync(Op::OnceRun, control, 0, pc);
    // SAFETY: the program asked for this call.
    unsafe { ft_run_initialiser(routine) };
    sync(Op::OnceDone, control, 0, pc);
}

unsafe extern "C-unwind" {
    fn ft_run_initialiser(routine: Routine);
}

// Calls its argument. Its frame is not left in silence if that throws, ends its thread or is cancelled: the function
// that unwinding asks about the frame notes it.
global_asm!(
    ".text",
    ".hidden ft_run_initialiser",
    ".globl ft_run_initialiser",
    ".type ft_run_initialiser, @function",
    "ft_run_initialiser:",
    ".cfi_startproc",
    ".cfi_personality 0x1b, {aborted}",
    "sub rsp, 8",
    ".cfi_adjust_cfa_offset 8",
    "call rdi",
    "add rsp, 8",
    ".cfi_adjust_cfa_offset -8",
    "ret",
    ".cfi_endproc",
    ".size ft_run_initialiser, . - ft_run_initialiser",
    aborted = sym aborted,
);

/// Unwinding passes the frame of an initialiser: first to search, then for good.
unsafe extern "C" fn aborted(_version: c_int, actions: c_int, _class: u64, _what: usize, _context: usize) -> c_int {
    const FOR_GOOD: c_int = 2;
    const CONTINUE: c_int = 8;
    // SAFETY: the frame of the call lies below the one that is being left.
    let call = unsafe { tls().once.get().cast::<Call>().as_ref() };
    if actions & FOR_GOOD != 0
        && let Some(call) = call
    {
        sync(Op::OnceAbort, call.control, 0, call.pc);
        tls().once.set(call.outer.cast());
    }
    CONTINUE
}

/// Calls `real` with an initialiser that records, and records what it did.
unsafe fn once(control: usize, routine: Routine, pc: usize, real: impl FnOnce(Routine) -> c_int) -> c_int {
    crate::interpose::arrive(Op::OncePass, Op::OncePass, control, 0, Limit::Forever, pc);
    let mut call = Call { control, routine, pc, ran: false, outer: tls().once.get().cast() };
    tls().once.set((&raw mut call).cast());
    let result = real(run);
    tls().once.set(call.outer.cast());
    if result == 0 && !call.ran {
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
        crate::interpose::arrive(Op::OncePass, Op::OncePass, guard as usize, 0, Limit::Forever, pc);
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
        // SAFETY: the compiler passes a guard.
        store_by(guard as usize, 1, 1, pc, || unsafe {
            match REAL.find() {
                Some(real) => real(guard),
                None => settle(&*guard, DONE),
            }
        });
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
