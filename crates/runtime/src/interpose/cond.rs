//! Condition variables.
//!
//! A wait is three records, as in the thesis (4.3.2): the mutex's unlock before, the wait (or its failure) and the
//! mutex's lock after. If the thread is cancelled in the wait, the mutex is its own again when clean-up begins, and the
//! records say so. What libraries do to unwind the thread's stack up to there is not recorded: it would stand within
//! the wait.

use super::mutex::{lock_arg, refuses_unlock};
use super::undo_if_failed;
use crate::replay;
use crate::state::{self, sync};
use crate::tls::tls;
use core::ffi::{c_int, c_void};
use foretrace_event::Patience;
use foretrace_event::wire::Op;
use libc::{pthread_cond_t, pthread_condattr_t, pthread_mutex_t, timespec};

/// glibc's record of a clean-up handler.
#[repr(C)]
struct CleanUp {
    routine: Option<unsafe extern "C" fn(*mut c_void)>,
    argument: *mut c_void,
    cancel_type: c_int,
    previous: *mut c_void,
}

type Handler = unsafe extern "C" fn(*mut c_void);
real_function!(fn _pthread_cleanup_push(buffer: *mut CleanUp, routine: Handler, argument: *mut c_void));
real_function!(fn _pthread_cleanup_pop(buffer: *mut CleanUp, execute: c_int));

/// A wait under way.
struct Waiting {
    cond: usize,
    mutex: *mut pthread_mutex_t,
    pc: usize,
}

impl Waiting {
    fn over(&self, op: Op) {
        tls().waiting.set(false);
        sync(op, self.cond, self.mutex as u64, self.pc);
        // SAFETY: the mutex is locked by this thread again.
        sync(Op::Lock, self.mutex as usize, unsafe { lock_arg(self.mutex) }, self.pc);
    }
}

unsafe extern "C" fn cancelled(waiting: *mut c_void) {
    // SAFETY: `wait` passes its own record, which outlives the handler.
    unsafe { &*waiting.cast::<Waiting>() }.over(Op::WaitFailed);
}

/// Waits by calling `real`, which returns zero when woken and `timeout` when not, at a time if there is a limit.
pub unsafe fn wait(
    cond: usize,
    mutex: *mut pthread_mutex_t,
    pc: usize,
    timeout: c_int,
    until: Option<&timespec>,
    real: impl FnOnce() -> c_int,
) -> c_int {
    if state::is_replaying() {
        // To be refused is no step.
        // SAFETY: as the caller says.
        if until.is_some_and(|until| !is_time(until)) || unsafe { refuses_unlock(mutex) } {
            return real();
        }
        // SAFETY: as the caller says.
        return unsafe { replay_wait(&Waiting { cond, mutex, pc }, timeout, real) };
    }
    if !state::is_recording() {
        return real();
    }
    // SAFETY: the program waits with a mutex that it holds.
    sync(Op::Unlock, mutex as usize, unsafe { lock_arg(mutex) }, pc);
    tls().waiting.set(true);
    let mut waiting = Waiting { cond, mutex, pc };
    let mut clean_up =
        CleanUp { routine: None, argument: core::ptr::null_mut(), cancel_type: 0, previous: core::ptr::null_mut() };
    // SAFETY: both records live in this frame, which the handler's removal below does not outlive.
    let result = unsafe {
        _pthread_cleanup_push(&mut clean_up, cancelled, (&raw mut waiting).cast());
        let result = real();
        _pthread_cleanup_pop(&mut clean_up, 0);
        result
    };
    match result {
        0 | libc::EOWNERDEAD => waiting.over(Op::Wait),
        result if result == timeout => waiting.over(Op::WaitFailed),
        _ => {
            tls().waiting.set(false);
            sync(Op::Undo, 0, 0, pc);
        }
    }
    result
}

const fn is_time(time: &timespec) -> bool {
    0 <= time.tv_nsec && time.tv_nsec < 1_000_000_000
}

real_function!(fn pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int);
real_function!(fn pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int);

/// A wait in a replay. While the schedule lasts, it says when a thread wakes and how; after that, the kernel does.
unsafe fn replay_wait(waiting: &Waiting, timeout: c_int, real: impl FnOnce() -> c_int) -> c_int {
    let Waiting { cond, mutex, pc } = *waiting;
    // SAFETY: the program waits with a mutex that it holds.
    let arg = unsafe { lock_arg(mutex) };
    replay::begin_wait(cond);
    sync(Op::Unlock, mutex as usize, arg, pc);
    // SAFETY: as above.
    let woken = if replay::is_over() { None } else { unsafe { scheduled_wait(waiting, arg) } };
    let result = match woken {
        Some(Op::Wait) => 0,
        Some(_) => timeout,
        None => {
            replay::block(Op::Wait, cond, 0, pc);
            let result = real();
            sync(if result == 0 { Op::Wait } else { Op::WaitFailed }, cond, mutex as u64, pc);
            result
        }
    };
    sync(Op::Lock, mutex as usize, arg, pc);
    result
}

/// Waits for the thread's turn with the mutex free, and takes the mutex again. None: the schedule came to its end and
/// nobody has woken the thread.
unsafe fn scheduled_wait(waiting: &Waiting, arg: u64) -> Option<Op> {
    let Waiting { cond, mutex, pc } = *waiting;
    // SAFETY: the program waits with a mutex that it holds; it is taken again below.
    unsafe { pthread_mutex_unlock(mutex) };
    let step = replay::await_wake();
    if let Some(op) = step {
        sync(op, cond, mutex as u64, pc);
    }
    super::arrive(Op::Lock, Op::Lock, mutex as usize, arg, Patience::Blocking, pc);
    // SAFETY: as above.
    unsafe { pthread_mutex_lock(mutex) };
    if step.is_none() && replay::is_signalled(cond) {
        sync(Op::Wait, cond, mutex as u64, pc);
        return Some(Op::Wait);
    }
    step
}

interpose! {
    fn pthread_cond_init(cond: *mut pthread_cond_t, attributes: *const pthread_condattr_t) -> c_int ["GLIBC_2.3.2"] |pc| {
        sync(Op::CondInit, cond as usize, 0, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(cond, attributes) })
    }

    fn pthread_cond_destroy(cond: *mut pthread_cond_t) -> c_int ["GLIBC_2.3.2"] |pc| {
        sync(Op::CondDestroy, cond as usize, 0, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(cond) })
    }

    fn pthread_cond_signal(cond: *mut pthread_cond_t) -> c_int ["GLIBC_2.3.2"] |pc| {
        sync(Op::Signal, cond as usize, 0, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(cond) })
    }

    fn pthread_cond_broadcast(cond: *mut pthread_cond_t) -> c_int ["GLIBC_2.3.2"] |pc| {
        sync(Op::Broadcast, cond as usize, 0, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(cond) })
    }

    fn pthread_cond_wait(cond: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) -> c_int ["GLIBC_2.3.2"] |pc| {
        // SAFETY: the program's own arguments.
        unsafe { wait(cond as usize, mutex, pc, libc::ETIMEDOUT, None, || real(cond, mutex)) }
    }

    fn pthread_cond_timedwait(
        cond: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, until: *const timespec,
    ) -> c_int ["GLIBC_2.3.2"] |pc| {
        // SAFETY: the program's own arguments.
        unsafe { wait(cond as usize, mutex, pc, libc::ETIMEDOUT, until.as_ref(), || real(cond, mutex, until)) }
    }

    fn pthread_cond_clockwait(
        cond: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, clock: c_int, until: *const timespec,
    ) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { wait(cond as usize, mutex, pc, libc::ETIMEDOUT, until.as_ref(), || real(cond, mutex, clock, until)) }
    }
}
