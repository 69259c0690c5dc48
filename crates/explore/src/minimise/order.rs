//! Orders of steps.

use foretrace_event::ThreadId;
use foretrace_event::visible::Operation;

/// A step of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Occurrence {
    /// Whose.
    pub thread: ThreadId,
    /// Its number among the thread's steps, from 1.
    pub index: u32,
    /// What it did in the failing execution.
    pub operation: Operation,
    /// Where in the program; 0 if it was still to come when the execution ended.
    pub place: u64,
}

/// The first step comes before the second.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Constraint {
    /// What comes first.
    pub first: Occurrence,
    /// What comes later.
    pub second: Occurrence,
}

impl Constraint {
    /// The other way round.
    pub(super) fn turned(&self) -> Self {
        Self { first: self.second, second: self.first }
    }
}
