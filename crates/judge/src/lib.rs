//! Is this schedule a legal reordering of the trace that shows the claimed error?
//!
//! Engines are clever; the judge is not. It walks through the schedule once with the state of every object spelled out,
//! and shares no code with them. A witness is **right** if:
//!
//! 1. The steps of each thread are its first events, in their order, with none left out.
//! 2. Each step is legal when it comes: locks exclude, joins come after ends, waits return only from a signal sent
//!    since they began, barriers open when full, semaphores do not go below zero, a pass comes after the initialiser,
//!    an acquire comes after the releases recorded before it, and an operation fails only if it is a try or timed one
//!    that finds its object unavailable.
//! 3. A race's accesses are then the next events of their threads, on one interval; one of them writes, and not both
//!    are atomic. A deadlock's threads are then each blocked at their event, and no thread outside the deadlock could
//!    unblock any of them by anything it has left to do.
//!    A violated property's automaton, run along the schedule, is violated by its last event and not before.
//! 4. A witness that claims to keep orders keeps them: critical sections of a lock, operations of an atomic.
//!
//! The model is the thesis's (4.4), with lost signals and everything else that `foretrace-predict` documents.
//!
//! **Deviations.** Barriers follow POSIX rather than the thesis: a thread may enter again before all have left.
//!
//! **What it misses.** Only a replay shows whether the program takes the same path under the schedule. The judge does
//! not check that plain segments keep their order, only what rung `sections` promises.
//!
//! ```
//! use foretrace_event::{Event, EventId, IntervalId, ThreadId};
//! use foretrace_finding::{Candidate, Race, Rung, Schedule, Witness};
//! use foretrace_trace::{IntervalInfo, PlaceId, ThreadInfo, TraceBuilder};
//! let mut builder = TraceBuilder::new();
//! let (one, two) = (builder.thread(ThreadInfo::default()), builder.thread(ThreadInfo::default()));
//! let x = builder.interval(IntervalInfo::default());
//! builder.push(one, Event::Write(x), PlaceId::UNKNOWN).unwrap();
//! builder.push(two, Event::Write(x), PlaceId::UNKNOWN).unwrap();
//! let trace = builder.finish();
//! let race = Race::new(x, EventId { thread: one, index: 0 }, EventId { thread: two, index: 0 });
//! let witness = Witness { candidate: Candidate::Race(race), rung: Rung::Segments, schedule: Schedule::default() };
//! foretrace_judge::judge(&trace, &witness).unwrap();
//! ```
#![forbid(unsafe_code)]

mod claim;
mod pinned;
mod state;

use foretrace_event::EventId;
use foretrace_finding::{Rung, Witness};
use foretrace_trace::Trace;

use state::State;

/// What is wrong with a witness.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Objection {
    /// A step is not the thread's next event.
    #[error("step {step} is {found:?}, not the thread's next event")]
    OutOfTurn {
        /// Which step.
        step: usize,
        /// What it is.
        found: EventId,
    },
    /// A step is not legal when it comes.
    #[error("step {step}, {event:?}, cannot take place there")]
    Illegal {
        /// Which step.
        step: usize,
        /// What it is.
        event: EventId,
    },
    /// After the schedule, an event of the claim is not the thread's next.
    #[error("{0:?} is not the next event of its thread after the schedule")]
    NotNext(EventId),
    /// The two accesses do not conflict.
    #[error("the two accesses do not conflict")]
    NoConflict,
    /// A thread of the deadlock is not blocked for good.
    #[error("{0:?} is not blocked for good")]
    NotStuck(EventId),
    /// The schedule does not lead to a violation of the property, or not with its last event.
    #[error("the property is not violated by the last event of the schedule")]
    NotViolated,
    /// The deadlock has no threads.
    #[error("the deadlock has no threads")]
    Empty,
    /// An order that the rung promises to keep is not kept.
    #[error("step {step}, {event:?}, comes before something it followed in the recorded run")]
    NotKept {
        /// Which step.
        step: usize,
        /// What it is.
        event: EventId,
    },
}

/// Checks a witness.
///
/// # Errors
/// If it is not right.
pub fn judge(trace: &Trace, witness: &Witness) -> Result<(), Objection> {
    let mut state = State::new(trace);
    for (step, &next) in witness.schedule.steps().iter().enumerate() {
        let event = next.event;
        if !state.is_next(event) {
            return Err(Objection::OutOfTurn { step, found: event });
        }
        if !state.allows(next) {
            return Err(Objection::Illegal { step, event });
        }
        state.perform(next);
    }
    if witness.rung < Rung::Free {
        pinned::check(trace, &witness.schedule)?;
    }
    claim::check(&state, witness)
}
