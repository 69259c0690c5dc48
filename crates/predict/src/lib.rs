//! Predicts data races and deadlocks from one trace.
//!
//! **What it decides.** For each group of intervals: is there a reordering of the run in which two conflicting accesses
//! are next at once? For the whole run: is there a reordering in which threads are stuck? "Yes" comes with a schedule
//! that the judge accepts; "no" covers every reordering that the model allows; questions that a budget or a window left
//! open are counted.
//!
//! **Definitions.** [`model`] defines what may happen next at a cut, and what a deadlock is. A *race* is two accesses
//! of different threads to one interval, at least one a write and not both atomic, that are next at the same reachable
//! cut.
//!
//! **How.** Cheap steps come first, complete ones last:
//!
//! 1. Reductions ([`Reductions`]): the accesses of a segment count as one; intervals touched in the same segments are
//!    one check; pairs that the must-order orders, or that share a lock, are not candidates.
//! 2. Ideals (`foretrace-causality`): a sweep over all pairs of two classes of accesses, or over all events of a cycle
//!    of lock requests, in time proportional to the trace. It finds every error that keeps critical sections in order.
//!    The closure of the must-order refutes many of the remaining candidates.
//! 3. [`search`] over cuts, directed at the candidate, with partial-order reduction and a [`Budget`].
//!
//! Each found candidate has a ladder of [witnesses](Predictor::witnesses), nearest to the recorded run first.
//!
//! **Papers.** The thesis, chapters 4 and 5; RaceQuest (SEPS'15), sections 2 and 3; the closures of POPL'21 and PLDI'23
//! (see `foretrace-causality`); deciding whether given events can be next at once is SeqCheck's question (Cai and others,
//! FSE 2021) for a set instead of a sequence; stubborn sets are Valmari's.
//!
//! **Deviations.** Signals can be lost, barriers are POSIX's, try and timed operations may fail, and atomics keep their
//! order on the first rungs. A deadlock is a set of threads, not a state: a thread that waits for a stuck one by
//! joining it is not part of the reported core.
//!
//! **What it misses.** Paths that the run did not take. A signal wakes the waiter it woke in the recording, and a
//! signal that woke none wakes none in any order. Locks with owners that other threads release, and turns at a once
//! control, keep their order.
//!
//! ```
//! use foretrace_predict::{Options, predict};
//! let trace = foretrace_trace::text::parse(
//!     "t0 fork t1
//!      t0 write x
//!      t0 lock m
//!      t0 unlock m
//!      t1 lock m
//!      t1 unlock m
//!      t1 write x",
//! ).unwrap();
//! let prediction = predict(&trace, &Options::default(), &());
//! assert_eq!(prediction.races.len(), 1);
//! assert_eq!(prediction.races[0].witness.schedule.to_string(), "t0:1 t1:3");
//! assert!(prediction.undecided.is_empty());
//! ```
#![forbid(unsafe_code)]

mod accesses;
mod analysis;
pub mod budget;
pub mod csp;
pub mod cuts;
mod deadlocks;
mod ladder;
pub mod model;
mod optimistic;
mod options;
mod predict;
mod prediction;
pub mod property;
mod races;
mod rung;
mod schedule;
pub mod search;
mod spread;
mod stats;
pub mod stream;
mod window;

pub use budget::{Budget, Unknown};
pub use options::{Detail, Options, Reductions};
pub use predict::{Predictor, predict};
pub use prediction::{Predicted, Prediction, Question, Undecided, Watch};
pub use spread::spread;
pub use stats::Stats;
