//! Atomic operations and attempts to take mutexes in a replay. Those that repeat a round of polling are no steps of a
//! schedule, as they are no events of a recording ([`Rounds`](crate::polling::Rounds)).

use super::order;
use super::{flush, gate, late, note_atomic, player, stuck, sync};
use crate::hooks::atomic::{self, Idle, Operation, Outcome, Word};
use crate::lines::{READ, WRITE, split};
use crate::polling::Poll;
use crate::sys;
use crate::thread::Thread;
use crate::tls::{Section, tls};
use foretrace_event::Order;
use foretrace_event::wire::Op;

/// So often a thread may look for a change while it is its turn to do something else: the change will not come, because
/// everybody else waits for that turn. A loop that sleeps between its looks takes long on a busy machine, so it is asked
/// more often whether they all wait.
const PATIENT_SPINS: u32 = 5000;
const SPINS_BETWEEN: u32 = 32;

/// An atomic operation: waits for its turn, and is watched as an access. One that repeats a round of polling is no step.
pub fn atomic<T: Word>(player: &'static Thread, at: *mut T, pc: usize, operation: &impl Operation<T>) -> Outcome<T> {
    player.note_touched();
    flush(player);
    if let Some(length) = would_poll(player, at, pc, operation) {
        if length > 1 && order::is_next_look(player.index, at as usize) {
            gate::peek(player);
        }
        if let Some(outcome) = poll(player, at, pc, operation) {
            return outcome;
        }
    }
    gate::peek(player);
    let section = Section::nest();
    let (outcome, repeats) = atomic::exclusively(at as usize, |clock| {
        let outcome = operate(player, at as usize, pc, operation);
        let poll = outcome.poll(at as usize, pc);
        let repeats = poll.is_some_and(|poll| player.rounds.get().note(&poll).is_some());
        if !repeats {
            atomic::record(player, clock, at as usize, pc, &outcome);
        }
        (outcome, repeats)
    });
    drop(section);
    if repeats {
        spin(player, outcome.op, pc);
        return outcome;
    }
    gate::pass(player, outcome.op, at as usize, pc);
    player.spins.set(0);
    match outcome.poll(at as usize, pc) {
        Some(poll) if poll.modifies => player.repeats.again(),
        Some(poll) => late::load(player, pc, at as usize, poll.value),
        None => {
            player.rounds.get().end();
            player.repeats.end();
        }
    }
    outcome
}

/// Performs an operation and watches it. The caller has the variable for itself.
fn operate<T: Word>(player: &'static Thread, at: usize, pc: usize, operation: &impl Operation<T>) -> Outcome<T> {
    let outcome = operation.perform();
    let order = Order::from_abi(u32::from(outcome.order));
    note_atomic(player, outcome.op, at, usize::from(T::SIZE), order, pc);
    outcome
}

/// Would the operation repeat a round of polling now? How many operations long the round is, if so.
fn would_poll<T: Word>(player: &Thread, at: *mut T, pc: usize, operation: &impl Operation<T>) -> Option<usize> {
    // SAFETY: the program passes an atomic variable.
    let value = unsafe { T::load(at) };
    let modifies = operation.is_idle(value)? == Idle::Modify;
    player.rounds.get().repeats(&Poll { at: at as usize, value: value.halves(), pc, modifies })
}

/// Performs the operation if it still repeats a round of polling.
fn poll<T: Word>(player: &'static Thread, at: *mut T, pc: usize, operation: &impl Operation<T>) -> Option<Outcome<T>> {
    let section = Section::nest();
    let outcome = atomic::exclusively(at as usize, |_| {
        would_poll(player, at, pc, operation).map(|_| operate(player, at as usize, pc, operation))
    })?;
    drop(section);
    outcome.poll(at as usize, pc).and_then(|poll| player.rounds.get().note(&poll));
    spin(player, outcome.op, pc);
    Some(outcome)
}

/// Would an attempt to take the mutex repeat a round of polling, if it failed? Then it is no step.
pub fn would_repeat(mutex: usize, arg: u64, pc: usize) -> bool {
    let Some(player) = player().filter(|_| tls().sections.get() == 0) else { return false };
    player.note_touched();
    flush(player);
    player.rounds.get().repeats(&Poll::failed_try(mutex, arg, pc)).is_some()
}

/// The attempt has failed, and repeats a round of polling.
pub fn repeat(mutex: usize, arg: u64, pc: usize) {
    if let Some(player) = player() {
        player.rounds.get().note(&Poll::failed_try(mutex, arg, pc));
        spin(player, Op::LockFailed, pc);
    }
}

/// The attempt has failed, and repeats nothing: it is a step.
pub fn failed_try(mutex: usize, arg: u64, pc: usize) {
    let Some(player) = player() else { return };
    let mut rounds = *player.rounds.get();
    sync(Op::LockFailed, mutex, arg, pc);
    rounds.note(&Poll::failed_try(mutex, arg, pc));
    *player.rounds.get() = rounds;
}

/// The thread has repeated an operation that is no step.
fn spin(player: &'static Thread, op: Op, pc: usize) {
    player.repeats.again();
    player.spins.set(player.spins.get() + 1);
    let spins = player.spins.get();
    if spins > PATIENT_SPINS || spins.is_multiple_of(SPINS_BETWEEN) && stuck::do_others_wait(player.shared()) {
        gate::no_more_waiting(player, op, pc);
    }
    sys::yield_now();
}

/// An access belongs to the round of polling that the thread may be in.
#[inline]
pub(super) fn note_exact(player: &'static Thread, address: usize, size: usize, kind: u32) {
    if player.rounds.get().is_open() {
        split(address, size, |at, mask| {
            let bytes = |wanted: u32| if kind & wanted != 0 { mask } else { 0 };
            player.rounds.get().touch(at, bytes(READ), bytes(WRITE));
        });
    }
}
