//! Refinement and the other questions asked of a process.

pub mod answer;
pub mod check;
pub mod determinism;
mod divergence;
mod explain;
pub mod explicate;
mod meeting;
pub mod normal;
pub mod observe;
pub mod reduce;
pub mod search;
pub mod space;
pub mod store;
pub mod trace;
mod words;

pub use answer::{Answer, Failure, Outcome, Statistics};
