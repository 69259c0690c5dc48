//! Runs a program under a schedule, in a process with a time limit.
//!
//! A witness is a claim about the trace: in this order of its events, the error shows. Replay enforces that order in
//! the real program and observes it. A race is *confirmed* only if the vector clocks of the runtime saw two unordered
//! accesses, a deadlock only if threads were really stuck; the [`Evidence`](foretrace_run::Evidence) has their stacks.
//!
//! * [`Program`] is what to run and how; [`Program::replay`] runs it once, with a time limit.
//! * [`Processes`] is the [`Runner`](foretrace_run::Runner) that a search uses: one directory and one process for each
//!   run.
//!
//! The method is that of RaceQuest (thesis 4.6, 4.7 and 5.4; SEPS'15 sections 2.3 and 3).
//!
//! **Deviations.** RaceQuest replays under an external race detector and reads its verdict from the detector's output;
//! here the detector is part of the runtime.
//!
//! **What it misses.** Outcomes that depend on an order of plain accesses that no delay point produces; input that
//! changes from run to run.
//!
//! ```
//! use foretrace_replay::{TimeLimit, run_limited};
//! use std::time::Duration;
//!
//! let ended = run_limited(&mut std::process::Command::new("true"), Duration::from_secs(10)).unwrap();
//! assert!(ended.status.success() && ended.cut_short.is_none());
//! ```
#![deny(unsafe_code)]

mod arenas;
mod client;
mod explore;
mod input;
mod judge;
mod process;
mod processes;
mod program;
mod spawn;
mod standstill;

pub use arenas::share_one_arena;
pub use explore::{ExploreError, FollowedRun, Forked, Malformed, Notes, PlanText, Setup, SharedNotes, WhyForked};
pub use input::{Copied, Input, NoInput};
pub use judge::Judge;
pub use process::{TimeLimit, run_beside, run_limited, run_watched, waited_for_processor};
pub use processes::{BUDGET_SPENT, Processes};
pub use program::{LINGER, Program, ReplayError};
pub use spawn::spawn;
