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
//! A failing schedule is [minimised](minimise()) by running others. [`regions`] says which regions of an execution that are meant
//! to be atomic were not.
//!
//! **Definitions.** Two operations are *dependent* if their order matters ([`Operation::conflicts_with`]). Executions that differ
//! only in the order of independent neighbours are *equivalent*: they end in the same state and show the same races.
//!
//! **Papers.** Optimal reduction: Abdulla, Aronis, Jonsson, Sagonas, JACM'17 ([`Optimal`]). Pruning: Wang, Yang, Gupta,
//! Gopalakrishnan, ATVA'08 ([`pruning`]). Delays: Emmi, Qadeer, Rakamarić, POPL'11; preemptions: Musuvathi, Qadeer,
//! PLDI'07 ([`Bounded`]). Random walks: PCT, POS and SURW ([`Policy`]). Each module says where it deviates.
//!
//! **What it misses.** Memory is sequentially consistent. Which thread of a barrier is the serial one is not explored. Bounded
//! searches are not reduced. An operation of kind [`OpKind::Other`] that may block can make a plan diverge; such plans are
//! counted, and a search with one is not complete.
//!
//! **Invariant**: this crate knows no processes, clocks of the program or files.
//!
//! ```
//! use foretrace_explore::tiny::{Machine, classics};
//! use foretrace_explore::{Budget, End, Finished, Goes, Optimal, run};
//!
//! // Two philosophers, each of whom takes the left fork first.
//! let program = classics::philosophers(2);
//! let (mut search, mut deadlocks) = (Optimal::new(), 0);
//! let finished = run(&mut search, &mut Machine::new(&program), &mut Budget::unlimited(), |_, execution| {
//!     deadlocks += u32::from(execution.end == End::Deadlock);
//!     Goes::On
//! });
//! assert_eq!(finished, Ok(Finished::Exhausted));
//! assert_eq!((search.counts().classes, deadlocks), (3, 1));
//! ```
#![forbid(unsafe_code)]

mod bounded;
mod budget;
mod climb;
mod clocks;
mod estimate;
mod execution;
pub mod minimise;
mod naive;
mod optimal;
mod parallel;
mod plan;
pub mod pruning;
pub mod regions;
mod search;
mod summary;
pub mod tiny;
mod walk;

pub use bounded::{Bounded, Cost};
pub use budget::Budget;
pub use climb::{Climb, Part, Shares};
pub use estimate::{Knuth, Progress};
pub use execution::{Divergence, End, Execution, Executor, Note, RaceSeen, Reach, Step, What};
pub use foretrace_event::visible::{ObjectId, OpKind, Operation};
pub use foretrace_event::{Policy, Random, ThreadId, ThreadSet};
pub use minimise::{Constraint, Inflection, Minimised, minimise};
pub use naive::DepthFirst;
pub use optimal::{Counts, Optimal, StateError};
pub use parallel::run_parallel;
pub use plan::{Choice, Plan};
pub use pruning::{Property, Pruning, PruningCounts};
pub use search::{Finished, Goes, Search, run};
pub use summary::{LockUpdate, MayAccess, Summary};
pub use walk::{Walk, Walks};
