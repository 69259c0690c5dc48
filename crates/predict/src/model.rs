//! The model over cuts: what may happen next, given the position of each thread.
//!
//! A thread of a trace is a chain of events. Events that order nothing (accesses, failed try and timed operations,
//! fences, custom events) belong to segments; the others are *operations*. A **cut** is a number of performed
//! operations for each thread. A thread at position `p` is somewhere in its segment `p`, and may perform all events of
//! that segment at once. This is `PROGRAM` of the thesis (4.4) without process terms.
//!
//! | operation | may take place when |
//! | --- | --- |
//! | lock | no thread holds it; a reader-writer lock in read mode: no thread holds it for writing |
//! | lock again (recursive, or reading again) | always: it is not an operation |
//! | unlock | always |
//! | lock, unlock of a lock that one thread locks and another unlocks | as for a semaphore with values 0 and 1 |
//! | start, join | after the fork, after the other's end |
//! | wait | its thread had begun to wait (performed the unlock before it) when the signal was sent |
//! | signal, broadcast | always. A thread that has not begun a wait of this instance by then never returns from it |
//! | barrier enter | fewer than `count` have entered this round, and all have left the last (1) |
//! | barrier exit | `count` have entered this round |
//! | semaphore wait | the value is above zero |
//! | once run | in the recorded order of runs, the one before has aborted |
//! | once pass | the initialiser is done |
//! | acquire of a channel | all releases recorded before it are done |
//! | atomic operations, if kept | after all recorded before it on the same variable that are not both loads |
//!
//! (1) In reality a thread may enter again while others have still to leave. No other thread depends on a thread's
//! leaving, and nothing lies between entering and leaving, so letting it leave first reaches all the same cuts that
//! matter. If exactly `count` threads use a barrier, their k-th entries are round k, and exits simply need entries.
//!
//! Locks other than plain mutexes that are unlocked by another thread keep their recorded order.
//!
//! All of this is a function of the cut, with one exception: whether a signal came too early. That is stored beside the
//! cut, as the first wait of each thread that will never return ([`State::limits`]); later waits do not matter. A wait
//! recorded *after* its signal (the thesis's `wait_post`, 4.3.2) checks a predicate and cannot miss it. A wait that checks
//! what its signaller changes under the same lock (`while (!ready) wait`) cannot miss it either: after that signal the
//! program would not have begun to wait, so the thread is astray.
//!
//! **Stuck and astray.** An operation that cannot take place *blocks* its thread, unless the program would then do
//! something that the trace does not show: a try or timed operation fails instead, an unlock of a free mutex is
//! undefined, and at a once control or an atomic this thread would take another thread's turn. Such a thread is
//! *astray*. A **deadlock** is a cut at which nothing can take place, with the largest non-empty set of threads each of
//! which is blocked by something that only threads of the set could change ([`stuck`]). A thread astray is never in the
//! set, and anything it might do counts as help for the threads that wait for it; a finished thread helps none.
//!
//! **Forced failures.** A schedule may force successful try or timed operations to fail ([`Rules::failing`]). The
//! operation is then possible only when it would really fail, and the matching unlock does nothing.

mod compile;
mod counter;
mod held;
mod op;
mod sights;
mod step;
mod stuck;
mod watched;

pub use compile::Rules;
pub use op::{Mode, Need, NeedKind, Op};
pub use step::{State, Status};

use counter::Counter;
pub(crate) use held::HeldId;
use held::HeldSets;
pub(crate) use sights::MOST_ACCESSES;
use sights::Sights;
pub(crate) use watched::{NO_LETTER, Watched};

/// A trace as the search sees it.
#[derive(Clone, Debug)]
pub struct Program {
    chains: Vec<Chain>,
    held: HeldSets,
    pub(crate) counters: Vec<Counter>,
    /// The waits of each losable signal.
    pub(crate) waits: Vec<Vec<WaitAt>>,
    /// Does any signal matter?
    losable: bool,
    /// What reads see, if accesses are operations.
    sights: Sights,
    /// The property whose automaton runs along, if there is one.
    pub(crate) watched: Option<Watched>,
}

/// One thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// The operations.
    pub(crate) ops: Vec<Op>,
    /// The events they are.
    pub(crate) events: Vec<u32>,
    /// The letter of each operation in the watched property's alphabet, or [`NO_LETTER`].
    pub(crate) letters: Vec<u32>,
    /// The locks held at each position; one entry more than operations.
    pub(crate) held: Vec<HeldId>,
    /// Where the needs of each operation begin; one entry more than operations.
    pub(crate) needs_at: Vec<u32>,
    /// The operations that must come before, by operation.
    pub(crate) needs: Vec<Need>,
    /// How many events the thread has.
    pub(crate) len: u32,
}

/// A wait of a losable signal: the thread and the position of the wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WaitAt {
    pub(crate) thread: u32,
    pub(crate) position: u32,
}

impl Chain {
    /// How many operations come before an event: the position at which it can be performed.
    pub(crate) fn position(&self, event: u32) -> u32 {
        self.events.partition_point(|&at| at < event) as u32
    }

    /// What the operation at a position needs.
    pub(crate) fn needs(&self, position: u32) -> &[Need] {
        let at = position as usize;
        &self.needs[self.needs_at[at] as usize..self.needs_at[at + 1] as usize]
    }
}

impl Program {
    /// How many threads.
    pub fn threads(&self) -> usize {
        self.chains.len()
    }

    /// How many operations a thread has.
    pub fn len(&self, thread: usize) -> u32 {
        self.chains[thread].ops.len() as u32
    }

    /// Has no thread any operation?
    pub fn is_empty(&self) -> bool {
        self.chains.iter().all(|chain| chain.ops.is_empty())
    }

    /// The position at which an event of a thread can be performed.
    pub fn position(&self, thread: usize, event: u32) -> u32 {
        self.chains[thread].position(event)
    }

    pub(crate) fn chain(&self, thread: usize) -> &Chain {
        &self.chains[thread]
    }

    /// Can signals be lost in this program?
    pub fn losable(&self) -> bool {
        self.losable
    }
}

impl Program {
    /// The event that the operation at a position is.
    pub(crate) fn event_at(&self, thread: usize, position: u32) -> Option<u32> {
        self.chains[thread].events.get(position as usize).copied()
    }

    /// What a thread holds at a position.
    pub(crate) fn held_at(&self, thread: usize, position: u32) -> HeldId {
        self.chains[thread].held[position as usize]
    }

    /// Are these sets mutually exclusive, because of a common lock that one of them holds exclusively?
    pub(crate) fn exclude(&self, one: HeldId, other: HeldId) -> bool {
        self.held.exclude(one, other)
    }
}
