//! What an order needs to fail.

use super::Frame;
use serde::{Deserialize, Serialize};

/// What an order needs to fail, found out by running others.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
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
    /// Accesses that have to be delayed until no other thread can go on, because the failure depends on the value there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delayed: Vec<Delayed>,
    /// The runs that have shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_by: Option<Experiments>,
}

/// An access whose value the failure depends on: the one that it reads, or leaves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Delayed {
    /// Where it is.
    pub place: Frame,
    /// How many times it is made before it is delayed.
    pub after: u32,
}

/// Runs that show which orders matter.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Experiments {
    /// Orders of steps that could have gone the other way.
    pub considered: usize,
    /// How many runs were made.
    pub runs: usize,
    /// Schedules in which the orders hold and the rest is as different as possible: each failed.
    pub with: Vec<String>,
    /// For each order, a schedule in which it alone is turned round: it did not fail.
    pub turned: Vec<String>,
}

/// One operation comes before another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Order {
    /// What comes first.
    pub first: Moment,
    /// What comes later.
    pub second: Moment,
    /// In the recorded run, the second came first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub turned_in_recorded: bool,
}

/// An operation of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Moment {
    /// The thread's name.
    pub thread: String,
    /// What it does: `lock`.
    pub operation: String,
    /// What it does it to, if that has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Where, if it is known.
    pub place: Option<Frame>,
}
