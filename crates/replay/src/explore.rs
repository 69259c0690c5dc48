//! Executions of a program under the controlled gate: the [`Executor`](foretrace_explore::Executor) of exploration.
//!
//! * [`Forked`] runs a plan in a fork of a program that stands before its first thread, or in a process that puts its memory
//!   back after each execution, if the program allows that.
//! * [`Program::run_plan`](crate::Program::run_plan) runs a plan once, from the beginning of the program, recorded and watched:
//!   that is how a failing plan becomes a finding.
//!
//! What the program writes to the shared files is untrusted: every number is checked, and a malformed file is an error.

mod control;
mod executor;
mod followed;
mod forked;
mod noted;
mod once;
mod server;
mod words;

pub use control::{Malformed, Notes, SharedNotes};
pub use executor::{ExploreError, Forked, Setup};
pub use followed::FollowedRun;
pub use forked::WhyForked;
pub use once::PlanText;
