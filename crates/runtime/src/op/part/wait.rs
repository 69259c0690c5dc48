//! Waits: what a thread says that it waits for, and waits on condition variables.

use super::{flush, take_part};
use crate::gate::{answer, stuck, turn};
use crate::op::controlled;
use crate::thread;
use crate::thread::stack::{self, Place};
use crate::thread::tls::{Section, tls};
use crate::thread::waiting::Waiting;
use core::sync::atomic::Ordering;
use foretrace_event::wire::Op;

/// The thread waits for something that it has passed the gate for.
pub fn block(op: Op, object: usize, arg: u64, pc: usize) {
    if let Some(player) = thread::taking_part() {
        flush(player);
        stuck::wait_for(player, Waiting::new(op, object, arg, pc));
    }
}

/// What the thread waits for when a signal handler is about to run.
pub fn waits_for() -> Option<Waiting> {
    thread::taking_part()?.own_waiting()
}

/// The handler has returned: whatever it did, the thread still waits for what it waited for.
pub fn wait_on(waiting: Option<Waiting>) {
    if let Some((player, waiting)) = thread::taking_part().zip(waiting) {
        stuck::wait_for(player, waiting);
    }
}

/// A signal or broadcast, which `real` gives. Nobody takes another step before it is given: else it would wake those who begin to
/// wait after it.
pub fn signal(op: Op, cond: usize, pc: usize, real: impl FnOnce()) {
    let Some(player) = thread::taking_part().filter(|_| tls().sections.get() == 0) else { return real() };
    flush(player);
    controlled::before_signal(player, op, cond, pc);
    turn::pass_with(player, op, cond, pc, || {
        take_part(player, op, cond, 0, pc);
        real();
    });
}

/// The thread gives its lock back to wait on a condition variable. Both are one step: a signal that is given before reaches
/// it no more than one that is given before the thread comes.
pub fn unlock_to_wait(lock: usize, arg: u64, cond: usize, pc: usize) {
    let Some(player) = thread::taking_part().filter(|_| tls().sections.get() == 0) else { return };
    flush(player);
    controlled::begin_wait(player, cond, lock, pc);
    turn::pass_with(player, Op::Unlock, lock, pc, || {
        let _section = Section::nest();
        stuck::begin_wait(cond);
        take_part(player, Op::Unlock, lock, arg, pc);
    });
}

/// Waits as long as the schedule wants, and says how the wait ends; none if the schedule ends first.
pub fn await_wake() -> Option<Op> {
    let step = turn::peek(thread::taking_part()?)?;
    Some(if step == Op::FailedWait { step } else { Op::Wait })
}

/// A wait without a deadline ends without a signal.
pub fn wakes_unsignalled(cond: usize, pc: usize) {
    if let Some(player) = thread::taking_part() {
        let _section = Section::nest();
        player.unsignalled.set((cond, pc));
        answer::unsignalled(player.index, pc, stack::capture(player, Place::of_call(pc)));
    }
}

/// A thread is about to wait. One that was woken without a signal from the same wait has looked at its condition, and waits on.
pub fn waits_again(cond: usize, pc: usize) {
    if let Some(player) = thread::taking_part()
        && player.unsignalled.replace((0, 0)) == (cond, pc)
    {
        answer::again(player.index);
    }
}

/// The thread begins or ceases to wait on a condition variable in short slices: to the kernel that is a wait with a limit.
pub fn look_for_signal(looks: bool) {
    if let Some(player) = thread::taking_part() {
        player.looks_for_signal.store(looks, Ordering::Relaxed);
    }
}

/// May one of those who wait on the condition variable go on?
pub fn is_signalled(cond: usize) -> bool {
    let _section = Section::nest();
    stuck::is_signalled(cond)
}
