//! What an order needs to fail.

use super::Frame;
use serde::Serialize;

/// What an order needs to fail, found out by running others.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Needs {
    /// It fails whenever these orders hold. Empty: in every order that was tried.
    pub orders: Vec<Order>,
    /// How often a thread has to be left that could go on.
    pub preemptions: u32,
    /// Whether every order with fewer of them was run and did not fail.
    pub fewest: bool,
    /// What happens last before nothing prevents it any more.
    pub certain_after: Option<Moment>,
    /// Whether every order after that was run, and failed; otherwise none was found that does not.
    pub proved: bool,
}

/// One operation comes before another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Order {
    /// What comes first.
    pub first: Moment,
    /// What comes later.
    pub second: Moment,
}

/// An operation of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Moment {
    /// The thread's name.
    pub thread: String,
    /// What it does: `lock`.
    pub operation: String,
    /// Where, if it is known.
    pub place: Option<Frame>,
}
