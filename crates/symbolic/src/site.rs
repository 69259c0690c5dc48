//! What a question is about, wherever it comes up.

use crate::model::Check;
use foretrace_event::symbolic::Why;

/// What is asked about, as different runs know it: by places in the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Site {
    /// A condition: what it is, where, and in which thread.
    Check(Why, u64, usize),
    /// Two accesses of a region, and one of another thread between them.
    Region([u64; 3]),
}

impl Site {
    /// Of a check, or a branch.
    pub fn of(check: &Check) -> Self {
        Self::Check(check.why, check.place, check.event.thread.index())
    }
}
