//! The gate: a thread passes a scheduling point when the schedule's next step is its own.
//!
//! Signals come when they come, so what their handlers do is no step of a schedule: it passes at any time.

use crate::gate::backoff::Backoff;
use crate::gate::order::{self, Next};
use crate::gate::{answer, stuck};
use crate::sys;
use crate::thread::signals::left_by_jump;
use crate::thread::tls::{Section, tls};
use crate::thread::waiting::Waiting;
use crate::thread::{Shared, Thread, threads};
use core::sync::atomic::{Ordering, fence};
use foretrace_event::schedule::Step;
use foretrace_event::wire::Op;

/// Whose turn it is.
#[derive(Clone, Copy)]
enum Turn {
    /// The schedule is over, or does not know the thread.
    Free,
    /// The thread's: this is the step.
    Mine(Step),
}

/// What a thread is to do that has come to an operation that may fail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// Try it.
    Go,
    /// Try it until it succeeds: that is what the schedule wants.
    Insist,
    /// Try it once: the schedule wants it to fail.
    Fail,
    /// Its deadline has passed, as the controlled gate says: do not try it.
    TimedOut,
}

#[inline]
fn await_turn(player: &'static Thread) -> Turn {
    if order::is_over() || is_in_handler() {
        return Turn::Free;
    }
    match order::next(player.index) {
        Next::Over => Turn::Free,
        Next::Mine(step) => Turn::Mine(step),
        Next::NotYet => await_later_turn(player),
    }
}

/// Does the thread run one of the program's signal handlers?
#[inline]
fn is_in_handler() -> bool {
    let handlers = || tls().handlers.get();
    handlers() != 0 && {
        left_by_jump();
        handlers() != 0
    }
}

#[cold]
fn await_later_turn(player: &'static Thread) -> Turn {
    let mut backoff = Backoff::default();
    let mut slept = false;
    let turn = loop {
        match order::next(player.index) {
            Next::Over => break Turn::Free,
            Next::Mine(step) => break Turn::Mine(step),
            Next::NotYet if backoff.again() => {}
            Next::NotYet => {
                sleep(player);
                (backoff, slept) = (Backoff::default(), true);
            }
        }
    };
    if slept {
        player.set_waiting(None);
    }
    turn
}

/// Sleeps until woken, unless it is the thread's turn.
fn sleep(player: &'static Thread) {
    stuck::wait_for(player, Waiting::Turn);
    player.sleeping.store(1, Ordering::Relaxed);
    order::set_asleep(player.index, true);
    fence(Ordering::SeqCst);
    let mut watch = stuck::Watch::default();
    while matches!(order::next(player.index), Next::NotYet)
        && !sys::futex_wait_for(player.sleeping.as_ptr(), 1, watch.pause())
    {
        watch.look();
    }
    order::set_asleep(player.index, false);
    player.sleeping.store(0, Ordering::Relaxed);
}

/// A thread that sleeps looks again whose turn it is.
fn wake(player: &'static Shared) {
    if player.sleeping.load(Ordering::Relaxed) == 1 {
        player.sleeping.store(0, Ordering::Relaxed);
        sys::futex_wake(player.sleeping.as_ptr(), i32::MAX);
    }
}

/// Waits for the turn of an operation that is about to be tried and may fail: then it is called `failed`.
pub fn arrive(player: &'static Thread, op: Op, failed: Op) -> Arrival {
    match await_turn(player) {
        Turn::Mine(step) if step.op == failed && failed != op => Arrival::Fail,
        Turn::Mine(..) => Arrival::Insist,
        Turn::Free => Arrival::Go,
    }
}

/// Waits for the thread's turn and tells what its step is, without taking it; none if the schedule is over.
pub fn peek(player: &'static Thread) -> Option<Op> {
    match await_turn(player) {
        Turn::Mine(step) => Some(step.op),
        Turn::Free => None,
    }
}

/// Takes the thread's step, which must be this operation.
pub fn pass(player: &'static Thread, op: Op, object: usize, pc: usize) {
    pass_with(player, op, object, pc, || {});
}

/// Takes the thread's step, which must be this operation, and does `then` before anyone else may take the next.
pub fn pass_with(player: &'static Thread, op: Op, object: usize, pc: usize, then: impl FnOnce()) {
    let Some((step, _section)) = begin_step(player) else { return then() };
    if !same_op(step.op, op) || !order::is_object(step.object, object) {
        answer::diverged(player.index, step.op, op, pc);
    }
    then();
    let taken = order::take(player.index, step);
    if let Some(heir) = taken.heir {
        order::player(heir).into_iter().for_each(wake);
    }
    if taken.over {
        answer::end();
        threads().for_each(wake);
    }
}

/// Waits for the thread's turn. The section keeps the step from signal handlers; none if the schedule is over.
fn begin_step(player: &'static Thread) -> Option<(Step, Section)> {
    while let Turn::Mine(_) = await_turn(player) {
        let section = Section::nest();
        if let Next::Mine(step) = order::next(player.index) {
            return Some((step, section));
        }
    }
    None
}

/// A thread has waited long enough in a loop of its own: if it is its turn, it does not come to its step.
pub fn no_more_waiting(player: &'static Thread, op: Op, pc: usize) {
    if let Next::Mine(step) = order::next(player.index)
        && !is_in_handler()
    {
        answer::diverged(player.index, step.op, op, pc);
    }
}

/// A compare-exchange that fails is a load.
fn same_op(expected: Op, got: Op) -> bool {
    let load = |op| if op == Op::AtomicCasFailed { Op::AtomicLoad } else { op };
    load(expected) == load(got)
}
