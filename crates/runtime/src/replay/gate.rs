//! The gate: a thread passes a scheduling point when the schedule's next step is its own.

use super::order::{self, Next};
use super::stuck::{self, Waiting};
use super::{Player, outcome, players, schedule};
use crate::sys;
use core::sync::atomic::{AtomicBool, Ordering, fence};
use foretrace_event::schedule::{NO_OBJECT, Step};
use foretrace_event::wire::Op;

/// Whose turn it is.
#[derive(Clone, Copy)]
enum Turn {
    /// The schedule is over, or does not know the thread.
    Free,
    /// The thread's: this is the step, and its number.
    Mine(u32, Step),
}

/// What a thread is to do that has come to an operation that may fail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// Try it.
    Go,
    /// Try it until it succeeds: that is what the schedule wants.
    Insist,
    /// Say that it failed: that is what the schedule wants.
    Fail,
}

/// A thread whose turn is near looks for it so often before it sleeps: being woken costs more than most steps.
const LOOKS: u32 = 100;

fn await_turn(player: &'static Player) -> Turn {
    if player.index >= schedule::threads() || order::is_over() {
        return Turn::Free;
    }
    match order::next(player.index) {
        Next::Over => Turn::Free,
        Next::Mine(at, step) => Turn::Mine(at, step),
        Next::NotYet => await_later_turn(player),
    }
}

#[cold]
fn await_later_turn(player: &'static Player) -> Turn {
    super::flush(player);
    let mut looks = 0;
    let mut slept = false;
    let turn = loop {
        match order::next(player.index) {
            Next::Over => break Turn::Free,
            Next::Mine(at, step) => break Turn::Mine(at, step),
            Next::NotYet if looks < LOOKS && order::is_soon(player.index) => {
                looks += 1;
                core::hint::spin_loop();
            }
            Next::NotYet => {
                sleep(player);
                (looks, slept) = (0, true);
            }
        }
    };
    if slept {
        player.set_waiting(None);
    }
    turn
}

/// Sleeps until woken, unless it is the thread's turn.
fn sleep(player: &'static Player) {
    stuck::wait_for(player, Waiting::for_turn());
    player.sleeping.store(1, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    let mut watch = stuck::Watch::default();
    while matches!(order::next(player.index), Next::NotYet) && !sys::futex_wait_a_while(player.sleeping.as_ptr(), 1) {
        watch.look();
    }
    player.sleeping.store(0, Ordering::Relaxed);
}

/// Waits for the turn of an operation that is about to be tried and may fail: then it is called `failed`.
pub fn arrive(player: &'static Player, op: Op, failed: Op, object: usize, pc: usize) -> Arrival {
    match await_turn(player) {
        Turn::Mine(_, step) if step.op == failed && failed != op => {
            pass(player, failed, object, pc);
            Arrival::Fail
        }
        Turn::Mine(..) => Arrival::Insist,
        Turn::Free => Arrival::Go,
    }
}

/// Waits for the thread's turn and tells what its step is, without taking it; none if the schedule is over.
pub fn peek(player: &'static Player) -> Option<Op> {
    match await_turn(player) {
        Turn::Mine(_, step) => Some(step.op),
        Turn::Free => None,
    }
}

/// Takes the thread's step, which must be this operation.
pub fn pass(player: &'static Player, op: Op, object: usize, pc: usize) {
    pass_with(player, op, object, pc, || {});
}

/// Takes the thread's step, which must be this operation, and does `then` before anyone else may take the next.
pub fn pass_with(player: &'static Player, op: Op, object: usize, pc: usize, then: impl FnOnce()) {
    let Turn::Mine(at, step) = await_turn(player) else { return then() };
    if !same_op(step.op, op) || !same_object(step.object, object) {
        outcome::diverged(at, player.index, step.op, op, pc);
    }
    then();
    let next = order::take(at, step);
    fence(Ordering::SeqCst);
    if order::is_over() {
        end();
    } else if let Some(next) = next.filter(|next| *next != player.index) {
        schedule::player(next).into_iter().for_each(wake);
    }
}

/// The last step has been taken: everybody runs free. Of several threads that see it, one says so.
#[cold]
fn end() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        outcome::end();
        players().for_each(wake);
    }
}

/// A thread has waited long enough in a loop of its own: if it is its turn, it does not come to its step.
pub fn no_more_waiting(player: &'static Player, op: Op, pc: usize) {
    if let Next::Mine(at, step) = order::next(player.index) {
        outcome::diverged(at, player.index, step.op, op, pc);
    }
}

/// A compare-exchange that fails is a load.
fn same_op(expected: Op, got: Op) -> bool {
    let load = |op| if op == Op::AtomicCasFailed { Op::AtomicLoad } else { op };
    load(expected) == load(got)
}

fn same_object(number: u32, object: usize) -> bool {
    if number == NO_OBJECT {
        return true;
    }
    // Only the thread whose turn it is comes here.
    let Some(known) = schedule::object(number) else { return true };
    match known.load(Ordering::Relaxed) {
        0 => known.store(object, Ordering::Relaxed),
        known => return known == object,
    }
    true
}

/// A thread that sleeps looks again whose turn it is.
fn wake(player: &'static Player) {
    if player.sleeping.load(Ordering::Relaxed) == 1 {
        player.sleeping.store(0, Ordering::Relaxed);
        sys::futex_wake(player.sleeping.as_ptr(), i32::MAX);
    }
}

/// A thread begins: the schedule may know it.
pub fn join_in(player: &'static Player) {
    schedule::set_player(player);
}
