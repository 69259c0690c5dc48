//! `GCond`: as `interpose/cond.rs`, with a `GMutex`.

use crate::gate::limit::{self, Limit};
use crate::interpose::arrive;
use crate::interpose::glib::{Boolean, Pointer};
use crate::op::part;
use crate::run::{self, sync};
use crate::thread::tls::tls;
use crate::{axes, sys};
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};

real_function!(fn g_mutex_lock(mutex: Pointer));
real_function!(fn g_mutex_unlock(mutex: Pointer));
real_function!(fn g_cond_wait_until(cond: Pointer, mutex: Pointer, until: i64) -> Boolean);
real_function!(fn g_get_monotonic_time() -> i64);

const MUTEX: u64 = LockArg::blocking(LockClass::Mutex).encode();

/// A wait under way.
struct Waiting {
    cond: Pointer,
    mutex: Pointer,
    pc: usize,
}

impl Waiting {
    /// The wait is over, and the mutex is the thread's again.
    fn over(&self, op: Op) {
        sync(op, self.cond as usize, self.mutex as u64, self.pc);
        sync(Op::Lock, self.mutex as usize, MUTEX, self.pc);
    }

    /// Waits by calling `real`, which says whether it was woken; in microseconds if there is a limit.
    unsafe fn wait(&self, until: Option<i64>, real: impl FnOnce() -> Boolean) -> Boolean {
        if !axes::is_replaying() && !axes::is_recording() {
            return real();
        }
        if axes::is_replaying() {
            part::waits_again(self.cond as usize, self.pc);
            run::replay_unlock_to_wait(self.mutex as usize, MUTEX, self.cond as usize, self.pc);
        } else {
            sync(Op::Unlock, self.mutex as usize, MUTEX, self.pc);
        }
        // SAFETY: as the caller says.
        match unsafe { self.scheduled() } {
            Some(Op::Wait) => self.woken(),
            // SAFETY: as above.
            Some(_) => unsafe { self.failed(until) },
            None => {
                // SAFETY: as above.
                let woken = unsafe { self.unscheduled(until, real) };
                self.over(if woken == 0 { Op::FailedWait } else { Op::Wait });
                woken
            }
        }
    }

    fn woken(&self) -> Boolean {
        sync(Op::Lock, self.mutex as usize, MUTEX, self.pc);
        1
    }

    /// The schedule wants the wait to fail: it is woken by nobody, or its time passes.
    unsafe fn failed(&self, until: Option<i64>) -> Boolean {
        /// Microseconds that a replay waits for a limit at most.
        const PATIENCE: i64 = 2_000_000;
        sync(Op::Lock, self.mutex as usize, MUTEX, self.pc);
        let Some(until) = until else {
            part::wakes_unsignalled(self.cond as usize, self.pc);
            return 1;
        };
        // SAFETY: takes no argument.
        let left = || until.saturating_sub(unsafe { g_get_monotonic_time() });
        if left() > PATIENCE {
            return 1;
        }
        limit::awaiting(|| {
            while left() > 0 {
                sys::sleep_a_millisecond();
            }
        });
        0
    }

    /// Waits for the thread's turn in a schedule with the mutex free, and takes the mutex again. None: there is no schedule,
    /// or it came to its end and nobody has woken the thread.
    unsafe fn scheduled(&self) -> Option<Op> {
        if !axes::is_replaying() || part::is_over() {
            return None;
        }
        let (cond, mutex) = (self.cond as usize, self.mutex as usize);
        // SAFETY: the program waits with a mutex that it holds; it is taken again below.
        unsafe { g_mutex_unlock(self.mutex) };
        let step = part::await_wake();
        if let Some(op) = step {
            sync(op, cond, mutex as u64, self.pc);
        }
        arrive(Op::Lock, Op::Lock, mutex, MUTEX, Limit::Forever, self.pc);
        // SAFETY: as above.
        unsafe { g_mutex_lock(self.mutex) };
        if step.is_none() && part::is_signalled(cond) {
            sync(Op::Wait, cond, mutex as u64, self.pc);
            return Some(Op::Wait);
        }
        step
    }

    /// Waits for GLib to wake the thread. In a replay it looks from time to time whether someone signalled while the thread
    /// was not known to wait.
    unsafe fn unscheduled(&self, until: Option<i64>, real: impl FnOnce() -> Boolean) -> Boolean {
        if !axes::is_replaying() {
            tls().waiting.set(true);
            let woken = real();
            tls().waiting.set(false);
            return woken;
        }
        /// Microseconds between two looks.
        const SLICE: i64 = 4_000;
        // One with a deadline goes on by itself.
        if until.is_none() {
            part::block(Op::Wait, self.cond as usize, 0, self.pc);
        }
        loop {
            // SAFETY: the program waits with a mutex that it holds.
            let (end, woken) = unsafe {
                let end = (g_get_monotonic_time() + SLICE).min(until.unwrap_or(i64::MAX));
                (end, g_cond_wait_until(self.cond, self.mutex, end))
            };
            if woken != 0 || part::is_signalled(self.cond as usize) {
                return 1;
            }
            if Some(end) == until {
                return 0;
            }
        }
    }
}

/// Signals or broadcasts by calling `real`.
fn signal(op: Op, cond: usize, pc: usize, real: impl FnOnce()) {
    if axes::is_replaying() {
        return run::replay_signal(op, cond, pc, real);
    }
    sync(op, cond, 0, pc);
    real();
}

interpose! {
    fn g_cond_init(cond: Pointer) |pc| {
        sync(Op::CondInit, cond as usize, 0, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(cond) };
    }

    fn g_cond_clear(cond: Pointer) |pc| {
        sync(Op::CondDestroy, cond as usize, 0, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(cond) };
    }

    fn g_cond_signal(cond: Pointer) |pc| {
        // SAFETY: the program's own arguments.
        signal(Op::Signal, cond as usize, pc, || unsafe { real(cond) });
    }

    fn g_cond_broadcast(cond: Pointer) |pc| {
        // SAFETY: the program's own arguments.
        signal(Op::Broadcast, cond as usize, pc, || unsafe { real(cond) });
    }

    fn g_cond_wait(cond: Pointer, mutex: Pointer) |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            Waiting { cond, mutex, pc }.wait(None, || {
                real(cond, mutex);
                1
            });
        }
    }

    fn g_cond_wait_until(cond: Pointer, mutex: Pointer, until: i64) -> Boolean |pc| {
        // SAFETY: the program's own arguments.
        unsafe { Waiting { cond, mutex, pc }.wait(Some(until), || real(cond, mutex, until)) }
    }
}
