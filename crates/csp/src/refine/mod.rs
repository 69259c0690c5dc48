//! Refinement and the other questions asked of a process.

pub mod check;
pub mod explicate;
mod meeting;
pub mod normal;
pub mod observe;
pub mod reduce;
pub mod search;
pub mod space;
pub mod store;

pub use check::{Answer, Failure, Outcome, Statistics};
