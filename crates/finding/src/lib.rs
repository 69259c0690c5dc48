//! The vocabulary of predictions: what an analysis suspects, and how to reach it.
//!
//! A [`Candidate`] is a suspected error. A [`Schedule`] is an order of events to enforce. A [`Witness`] is a candidate
//! with a schedule that reaches it in the model of the trace. All of them are data without behaviour: engines write them,
//! the judge checks them, replay runs them, and none of these needs to know the others.
//!
//! A schedule has a short textual form that a person can paste back: `t0:3 t1:7 t0:2` is three events of `t0`, then
//! seven of `t1`, then two of `t0`; `!` after a count makes the last of them fail. `delay:prog+0x1234` after the runs is
//! a delay point, where a thread lets all others go first ([`DelayPoint`]).
//!
//! **Deviations.** The thesis's counterexamples (4.5, 5.4) contain memory accesses and drop them before replay. Here a
//! schedule counts all events of a thread, accesses included, and the replay enforces those that it can.
//!
//! **What it misses.** A schedule orders whole events; it cannot say that one write shows in two halves.
//!
//! ```
//! use foretrace_finding::ScheduleText;
//! let text: ScheduleText = "t0:2 t1:1 t0:1!".parse().unwrap();
//! let schedule = text.of(|_thread| 3).unwrap();
//! assert_eq!(schedule.steps().len(), 4);
//! assert!(schedule.steps()[3].fails);
//! assert_eq!(schedule.switches(), 2);
//! assert_eq!(schedule.to_string(), "t0:2 t1:1 t0:1!");
//! ```
#![forbid(unsafe_code)]

mod candidate;
mod schedule;
mod violation;
mod witness;

pub use candidate::{Candidate, Deadlock, Race, Stuck, WaitsFor};
pub use schedule::{DelayPoint, Schedule, ScheduleText, ScheduleTextError, Step};
pub use violation::{Key, Monitor, StateGraph, Violation};
pub use witness::{Rung, Witness};
