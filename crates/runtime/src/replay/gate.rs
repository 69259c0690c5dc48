//! The gate: a thread passes a scheduling point when the schedule's next step is its own.

use super::schedule::{self, taken};
use super::stuck::{self, Waiting};
use super::{Player, WORLD, outcome};
use crate::map::Map;
use crate::spin::Spin;
use crate::sys;
use crate::tls::Section;
use core::sync::atomic::Ordering;
use foretrace_event::schedule::{NO_OBJECT, Step};
use foretrace_event::wire::Op;

/// Where the schedule's objects are, by their numbers; found at their first use.
static OBJECTS: Spin<Map> = Spin::new(Map::new());

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
    /// Say that it failed: that is what the schedule wants.
    Fail,
}

fn await_turn(player: &'static Player) -> Turn {
    loop {
        let at = taken().load(Ordering::Acquire);
        let Some(step) = schedule::step(at) else { return Turn::Free };
        if player.index >= schedule::threads() {
            return Turn::Free;
        }
        if step.thread == player.index {
            player.set_waiting(None);
            return Turn::Mine(step);
        }
        let wake = player.wake.load(Ordering::Acquire);
        if taken().load(Ordering::Acquire) == at {
            stuck::wait_for(player, Waiting::for_turn());
            sys::futex_wait(player.wake.as_ptr(), wake);
        }
    }
}

/// Waits for the turn of an operation that is about to be tried and may fail: then it is called `failed`.
pub fn arrive(player: &'static Player, op: Op, failed: Op, object: usize, pc: usize) -> Arrival {
    match await_turn(player) {
        Turn::Mine(step) if step.op == failed && failed != op => {
            pass(player, failed, object, pc);
            Arrival::Fail
        }
        Turn::Mine(_) => Arrival::Insist,
        Turn::Free => Arrival::Go,
    }
}

/// Waits for the thread's turn and tells what its step is, without taking it; none if the schedule is over.
pub fn peek(player: &'static Player) -> Option<Op> {
    match await_turn(player) {
        Turn::Mine(step) => Some(step.op),
        Turn::Free => None,
    }
}

/// Takes the thread's step, which must be this operation.
pub fn pass(player: &'static Player, op: Op, object: usize, pc: usize) {
    pass_with(player, op, object, pc, || {});
}

/// Takes the thread's step, which must be this operation, and does `then` before anyone else may take the next.
pub fn pass_with(player: &'static Player, op: Op, object: usize, pc: usize, then: impl FnOnce()) {
    let Turn::Mine(step) = await_turn(player) else { return then() };
    let at = taken().load(Ordering::Relaxed);
    if !same_op(step.op, op) || !same_object(step.object, object) {
        outcome::diverged(at, player.index, step.op, op, pc);
    }
    then();
    taken().store(at + 1, Ordering::Release);
    match schedule::step(at + 1) {
        Some(next) => wake(|player| player.index == next.thread),
        None => {
            outcome::end();
            wake(|_| true);
        }
    }
}

/// A thread has waited long enough in a loop of its own: if it is its turn, it does not come to its step.
pub fn no_more_waiting(player: &'static Player, op: Op, pc: usize) {
    let at = taken().load(Ordering::Acquire);
    if let Some(step) = schedule::step(at).filter(|step| step.thread == player.index) {
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
    let _section = Section::nest();
    match OBJECTS.lock().entry(u64::from(number) + 1) {
        Some(known) if *known == 0 => {
            *known = object as u64;
            true
        }
        Some(known) => *known == object as u64,
        None => true,
    }
}

fn wake(which: impl Fn(&Player) -> bool) {
    let _section = Section::nest();
    let players = WORLD.lock().players();
    for player in players.filter(|player| which(player)) {
        player.wake.fetch_add(1, Ordering::Release);
        sys::futex_wake(player.wake.as_ptr(), i32::MAX);
    }
}
