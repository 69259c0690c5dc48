//! Refinement and the other questions asked of a process.

pub mod answer;
pub mod check;
pub mod determinism;
mod divergence;
mod explain;
pub mod explicate;
mod group;
mod meeting;
pub mod observe;
pub mod reduce;
pub mod search;
pub mod space;
pub mod spill;
pub mod store;
pub mod trace;
pub mod watchdog;
mod words;

pub use answer::{Answer, Failure, Outcome, Statistics};
