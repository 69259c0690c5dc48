//! Runs a program through the orders that matter: which execution to run next, over an [`Executor`] that runs it.
//!
//! An [`Execution`] is a sequence of [`Step`]s, each a visible operation of one thread and the invisible code behind it.
//! A [`Plan`] prescribes a prefix of decisions; the executor goes on by a policy and never schedules a sleeping thread. A
//! [`Search`] proposes plans and learns from executions; [`run`] connects the two,
//! [`run_parallel`] with several executors at once.
//!
//! * [`Optimal`] runs one execution of each equivalence class, none twice.
//! * [`DepthFirst`] runs every interleaving.
//! * [`Bounded`] runs those with few delays or preemptions, [`Walks`] random ones.
//! * [`Climb`] is the usual search: simple schedules, then one of each class, then random ones.
//!
//! A failing schedule is [minimised](minimise()) by running others.
//!
//! **Invariant**: this crate knows no processes, clocks of the program or files.
#![forbid(unsafe_code)]

mod bounded;
mod budget;
mod climb;
mod estimate;
mod execution;
pub mod minimise;
mod naive;
mod optimal;
mod parallel;
mod plan;
pub mod pruning;
mod search;
pub mod tiny;
mod walk;

pub use bounded::{Bounded, Cost};
pub use budget::Budget;
pub use climb::{Climb, Part, Shares};
pub use estimate::{Knuth, Progress};
pub use execution::{Branching, Divergence, End, Execution, Executor, RaceSeen, Side, Step};
pub use foretrace_event::visible::{ObjectId, OpKind, Operation};
pub use foretrace_event::{Policy, Random, ThreadId, ThreadSet};
pub use minimise::{Constraint, Inflection, Minimised, minimise};
pub use naive::DepthFirst;
pub use optimal::{Counts, Optimal, StateError};
pub use parallel::run_parallel;
pub use plan::{Choice, Plan};
pub use pruning::{Property, Pruning, PruningCounts, Summaries};
pub use search::{Finished, Goes, Search, run};
pub use walk::{Walk, Walks};
