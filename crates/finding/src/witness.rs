//! How a suspected error is reached.

use std::fmt;

use crate::{Candidate, Schedule};

/// How far a witness departs from the recorded run. Replay climbs from the first rung.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rung {
    /// Every two segments with conflicting accesses keep their order, except the candidate's own; atomics keep theirs
    /// too.
    Segments,
    /// Critical sections of a lock keep their order, and every atomic load reads from the same store.
    Sections,
    /// Any order that the synchronisation objects allow.
    Free,
    /// A try or timed operation that succeeded fails instead; only a replay can show what the program does then.
    Optimistic,
}

impl Rung {
    /// From the nearest to the farthest.
    pub const ALL: [Self; 4] = [Self::Segments, Self::Sections, Self::Free, Self::Optimistic];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Segments => "segments",
            Self::Sections => "sections",
            Self::Free => "free",
            Self::Optimistic => "optimistic",
        }
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A candidate with a schedule that reaches it in the model of the trace.
///
/// After a race's schedule, the two accesses are the next events of their threads. After a deadlock's, none of its
/// threads can perform the event it is stuck at. A violation's schedule ends with the event that violates the property.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Witness {
    /// The error that it shows.
    pub candidate: Candidate,
    /// How far it is from the recorded run.
    pub rung: Rung,
    /// The schedule that reaches it.
    pub schedule: Schedule,
}
