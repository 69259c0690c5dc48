//! Condition variables.
//!
//! A wait is three records, as in the thesis (4.3.2): the mutex's unlock before, the wait (or its failure) and the
//! mutex's lock after. If the thread is cancelled in the wait, the mutex is its own again when clean-up begins, and the
//! records say so. What libraries do to unwind the thread's stack up to there is not recorded: it would stand within
//! the wait.

use crate::axes;
use crate::gate::limit::{self, Limit, SECOND};
use crate::interpose::mutex::{lock_arg, refuses_unlock};
use crate::interpose::undo_if_failed;
use crate::op::{controlled, part};
use crate::run::{self, sync};
use crate::sys::real::Real;
use crate::thread::tls::tls;
use core::ffi::{c_int, c_void};
use foretrace_event::Check;
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
    /// Is the wait in a loop that checks its condition?
    check: Check,
    pc: usize,
}

impl Waiting {
    fn over(&self, op: Op) {
        tls().waiting.set(false);
        let check = if op == Op::Wait { self.check } else { Check::Unknown };
        sync(op, self.cond, self.mutex as u64 | check as u64, self.pc);
        // SAFETY: the mutex is locked by this thread again.
        sync(Op::Lock, self.mutex as usize, unsafe { lock_arg(self.mutex) }, self.pc);
    }
}

unsafe extern "C" fn cancelled(waiting: *mut c_void) {
    // SAFETY: `wait` passes its own record, which outlives the handler.
    unsafe { &*waiting.cast::<Waiting>() }.over(Op::FailedWait);
}

/// Waits by calling `real`, which returns zero when woken and `timeout` when its deadline has passed.
pub unsafe fn wait(
    cond: usize,
    mutex: *mut pthread_mutex_t,
    pc: usize,
    timeout: c_int,
    limit: Limit,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let check = if tls().in_wait_loop.replace(false) { Check::InLoop } else { Check::Unknown };
    if axes::is_replaying() {
        // To be refused is no step.
        // SAFETY: as the caller says.
        if matches!(limit, Limit::Until(deadline) if !deadline.is_valid()) || unsafe { refuses_unlock(mutex) } {
            return real();
        }
        // SAFETY: as the caller says.
        return unsafe { replay_wait(&Waiting { cond, mutex, check, pc }, timeout, limit, real) };
    }
    if !axes::is_recording() {
        return real();
    }
    // SAFETY: the program waits with a mutex that it holds.
    sync(Op::Unlock, mutex as usize, unsafe { lock_arg(mutex) }, pc);
    tls().waiting.set(true);
    let mut waiting = Waiting { cond, mutex, check, pc };
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
        result if result == timeout => waiting.over(Op::FailedWait),
        _ => {
            tls().waiting.set(false);
            sync(Op::Undo, 0, 0, pc);
        }
    }
    result
}

real_function!(fn pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int);
real_function!(fn pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int);

/// A wait in a replay. While the schedule lasts, it says when a thread wakes and how; after that, the kernel does.
unsafe fn replay_wait(waiting: &Waiting, timeout: c_int, limit: Limit, real: impl FnOnce() -> c_int) -> c_int {
    let Waiting { cond, mutex, pc, .. } = *waiting;
    let without_limit = matches!(limit, Limit::Forever);
    // SAFETY: the program waits with a mutex that it holds.
    let arg = unsafe { lock_arg(mutex) };
    part::waits_again(cond, pc);
    run::replay_unlock_to_wait(mutex as usize, arg, cond, pc);
    if part::is_controlled() {
        // SAFETY: as the caller says.
        return unsafe { controlled_wait(waiting, timeout, limit, arg) };
    }
    let scheduled = !part::is_over();
    // SAFETY: as above.
    let woken = if scheduled { unsafe { scheduled_wait(waiting, arg, limit) } } else { None };
    if without_limit && matches!(woken, Some(Woken::Spuriously)) {
        part::wakes_unsignalled(cond, pc);
    }
    let result = match woken {
        Some(Woken::TimedOut) => timeout,
        Some(_) => 0,
        None => {
            // One with a deadline goes on by itself.
            if without_limit {
                part::block(Op::Wait, cond, 0, pc);
            }
            let result = match CLOCK_WAIT.find().filter(|_| without_limit) {
                // SAFETY: as above.
                Some(wait) => unsafe {
                    part::look_for_signal(true);
                    let result = go_on_waiting(waiting, wait);
                    part::look_for_signal(false);
                    result
                },
                None => real(),
            };
            sync(if result == 0 { Op::Wait } else { Op::FailedWait }, cond, mutex as u64, pc);
            result
        }
    };
    sync(Op::Lock, mutex as usize, arg, pc);
    result
}

/// A wait under the controlled gate, which says when it ends and how. The thread has said that it waits.
unsafe fn controlled_wait(waiting: &Waiting, timeout: c_int, limit: Limit, arg: u64) -> c_int {
    let Waiting { cond, mutex, pc, .. } = *waiting;
    // SAFETY: the program waits with a mutex that it holds; it is free again when the wait ends.
    let woken = unsafe {
        pthread_mutex_unlock(mutex);
        let woken = controlled::end_wait(cond, mutex as usize, limit, pc);
        pthread_mutex_lock(mutex);
        woken
    };
    let timed_out = woken == controlled::Woken::Alone && matches!(limit, Limit::Until(_));
    if woken == controlled::Woken::Alone && !timed_out {
        part::wakes_unsignalled(cond, pc);
    }
    let op = if woken == controlled::Woken::Signalled { Op::Wait } else { Op::FailedWait };
    part::quietly(op, cond, mutex as u64, pc);
    part::quietly(Op::Lock, mutex as usize, arg, pc);
    if woken == controlled::Woken::Cancelled {
        controlled::end_cancelled();
    }
    if timed_out { timeout } else { 0 }
}

/// Goes on with a wait that the schedule has not ended. A thread that signals without the mutex may do so when this one has
/// found that nobody did and the kernel does not know of it yet. So this one looks again from time to time: what is still
/// there after a while is for nobody else.
unsafe fn go_on_waiting(waiting: &Waiting, wait: ClockWait) -> c_int {
    let (mut slice, mut was_signalled) = (SHORTEST, false);
    loop {
        // SAFETY: the program waits with a mutex that it holds.
        let result = unsafe { wait(waiting.cond, waiting.mutex, libc::CLOCK_MONOTONIC, &in_a_while(slice)) };
        let is_signalled = result == libc::ETIMEDOUT && part::is_signalled(waiting.cond);
        match (result, is_signalled) {
            (libc::ETIMEDOUT, true) if was_signalled => return 0,
            (libc::ETIMEDOUT, true) => slice = SHORTEST,
            (libc::ETIMEDOUT, false) => slice = (2 * slice).min(LONGEST),
            _ => return result,
        }
        was_signalled = is_signalled;
    }
}

/// Nanoseconds between two looks, at first
const SHORTEST: i64 = 2_000_000;
/// and at last.
const LONGEST: i64 = 64_000_000;

type ClockWait = unsafe extern "C-unwind" fn(usize, *mut pthread_mutex_t, c_int, *const timespec) -> c_int;
#[unsafe(link_section = "ft_reals")]
static CLOCK_WAIT: Real<ClockWait> = Real::new(c"pthread_cond_clockwait", None);

/// In so many nanoseconds, by the clock that only goes forward.
fn in_a_while(nanoseconds: i64) -> timespec {
    let time = limit::now(libc::CLOCK_MONOTONIC);
    let sum = time.tv_nsec + nanoseconds;
    timespec { tv_sec: time.tv_sec + sum / SECOND, tv_nsec: sum % SECOND }
}

/// How a wait ends.
#[derive(Clone, Copy)]
enum Woken {
    /// By a signal.
    Signalled,
    /// Its deadline has passed.
    TimedOut,
    /// By itself: the standard calls that a spurious wake-up, and the result is that of a signal.
    Spuriously,
}

impl Woken {
    /// How a wait ends that the schedule wants to end without a signal. Nothing but its deadline makes it a time-out.
    fn without_signal(limit: Limit) -> Self {
        match limit {
            Limit::Until(deadline) if deadline.wait() => Self::TimedOut,
            _ => Self::Spuriously,
        }
    }
}

/// Waits for the thread's turn with the mutex free, and takes the mutex again. None: the schedule came to its end and
/// nobody has woken the thread.
unsafe fn scheduled_wait(waiting: &Waiting, arg: u64, limit: Limit) -> Option<Woken> {
    let Waiting { cond, mutex, pc, .. } = *waiting;
    // SAFETY: the program waits with a mutex that it holds; it is taken again below.
    unsafe { pthread_mutex_unlock(mutex) };
    let step = part::await_wake();
    let woken = step.map(|op| if op == Op::Wait { Woken::Signalled } else { Woken::without_signal(limit) });
    if let Some(op) = step {
        sync(op, cond, mutex as u64, pc);
    }
    crate::interpose::arrive(Op::Lock, Op::Lock, mutex as usize, arg, Limit::Forever, pc);
    // SAFETY: as above.
    unsafe { pthread_mutex_lock(mutex) };
    if woken.is_none() && part::is_signalled(cond) {
        sync(Op::Wait, cond, mutex as u64, pc);
        return Some(Woken::Signalled);
    }
    woken
}

/// Signals or broadcasts by calling `real`.
pub fn signal(op: Op, cond: usize, pc: usize, real: impl FnOnce() -> c_int) -> c_int {
    if axes::is_replaying() {
        let mut result = 0;
        run::replay_signal(op, cond, pc, || result = real());
        return result;
    }
    sync(op, cond, 0, pc);
    undo_if_failed(pc, real())
}

real_function!(fn pthread_condattr_getclock(attributes: *const pthread_condattr_t, clock: *mut c_int) -> c_int);

/// A condition variable is about to be initialised: replays have to know its clock.
unsafe fn note_clock(cond: usize, attributes: *const pthread_condattr_t) {
    let mut clock = libc::CLOCK_REALTIME;
    // SAFETY: the program's own attributes; the clock is a local.
    if axes::is_on() && !attributes.is_null() && unsafe { pthread_condattr_getclock(attributes, &mut clock) } == 0 {
        limit::set_clock(cond, clock);
    }
}

interpose! {
    fn pthread_cond_init(cond: *mut pthread_cond_t, attributes: *const pthread_condattr_t) -> c_int ["GLIBC_2.3.2"] |pc| {
        sync(Op::CondInit, cond as usize, 0, pc);
        // SAFETY: the program's own arguments.
        unsafe { note_clock(cond as usize, attributes) };
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(cond, attributes) })
    }

    fn pthread_cond_destroy(cond: *mut pthread_cond_t) -> c_int ["GLIBC_2.3.2"] |pc| {
        sync(Op::CondDestroy, cond as usize, 0, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(cond) })
    }

    fn pthread_cond_signal(cond: *mut pthread_cond_t) -> c_int ["GLIBC_2.3.2"] |pc| {
        // SAFETY: the program's own arguments.
        signal(Op::Signal, cond as usize, pc, || unsafe { real(cond) })
    }

    fn pthread_cond_broadcast(cond: *mut pthread_cond_t) -> c_int ["GLIBC_2.3.2"] |pc| {
        // SAFETY: the program's own arguments.
        signal(Op::Broadcast, cond as usize, pc, || unsafe { real(cond) })
    }

    fn pthread_cond_wait(cond: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) -> c_int ["GLIBC_2.3.2"] |pc| {
        // SAFETY: the program's own arguments.
        unsafe { wait(cond as usize, mutex, pc, libc::ETIMEDOUT, Limit::Forever, || real(cond, mutex)) }
    }

    fn pthread_cond_timedwait(
        cond: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, until: *const timespec,
    ) -> c_int ["GLIBC_2.3.2"] |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let limit = Limit::until(limit::clock_of(cond as usize), until);
            wait(cond as usize, mutex, pc, libc::ETIMEDOUT, limit, || real(cond, mutex, until))
        }
    }

    fn pthread_cond_clockwait(
        cond: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, clock: c_int, until: *const timespec,
    ) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let limit = Limit::until(clock, until);
            wait(cond as usize, mutex, pc, libc::ETIMEDOUT, limit, || real(cond, mutex, clock, until))
        }
    }
}
