//! Polling by a thread that takes part: an operation that repeats a round of polling is no step of a schedule, as it is no
//! event of a recording ([`Rounds`](crate::thread::polling::Rounds)).

use crate::gate::{controlled as one_by_one, stuck, turn};
use crate::op::{controlled, part};
use crate::sys;
use crate::thread::polling::Poll;
use crate::thread::tls::tls;
use crate::thread::{self, Thread};
use foretrace_event::wire::Op;

/// Looks for a change that a thread may make while its turn is at another step: the change will not come, because
/// everybody else waits for that turn. A loop that sleeps between its looks takes long on a busy machine, so it is asked
/// more often whether they all wait.
const PATIENT_SPINS: u32 = 5000;
const SPINS_BETWEEN: u32 = 32;

/// The thread has repeated an operation that is no step.
pub fn spin(player: &'static Thread, op: Op, pc: usize) {
    player.repeats.again();
    player.spins.set(player.spins.get() + 1);
    let spins = player.spins.get();
    if spins > PATIENT_SPINS || spins.is_multiple_of(SPINS_BETWEEN) && stuck::do_others_wait(player.shared()) {
        turn::no_more_waiting(player, op, pc);
    }
    sys::yield_now();
}

/// Would an attempt to take the mutex repeat a round of polling, if it failed? Then it is no step. The controlled gate lets the
/// thread wait for a change first; the attempt is a step then.
pub fn would_repeat(mutex: usize, arg: u64, pc: usize) -> bool {
    let Some(player) = thread::taking_part().filter(|_| tls().sections.get() == 0) else { return false };
    player.note_touched();
    part::flush(player);
    let round = player.rounds.get().repeats(&Poll::failed_try(mutex, arg, pc));
    if one_by_one::is_on() {
        round.into_iter().for_each(|round| controlled::await_change(player, round, mutex, 1, pc));
        return false;
    }
    round.is_some()
}

/// The attempt has failed, and repeats a round of polling.
pub fn repeat(mutex: usize, arg: u64, pc: usize) {
    if let Some(player) = thread::taking_part() {
        player.rounds.get().note(&Poll::failed_try(mutex, arg, pc));
        spin(player, Op::FailedLock, pc);
    }
}

/// The attempt has failed, and repeats nothing: it is a step.
pub fn failed_try(mutex: usize, arg: u64, pc: usize) {
    let Some(player) = thread::taking_part() else { return };
    let mut rounds = *player.rounds.get();
    part::sync(Op::FailedLock, mutex, arg, pc);
    rounds.note(&Poll::failed_try(mutex, arg, pc));
    *player.rounds.get() = rounds;
}
