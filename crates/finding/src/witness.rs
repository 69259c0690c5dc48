//! How a suspected error is reached, and what a replay of it showed.

use std::fmt;

use foretrace_event::EventId;

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
/// threads can perform the event it is stuck at.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Witness {
    /// The error that it shows.
    pub candidate: Candidate,
    /// How far it is from the recorded run.
    pub rung: Rung,
    /// The schedule that reaches it.
    pub schedule: Schedule,
}

/// Why a schedule could not be followed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Divergence {
    /// The event the schedule was at.
    pub expected: EventId,
    /// What happened instead, in words.
    pub came: String,
}

/// What replay saw.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// The error took place.
    Confirmed,
    /// The program diverged from the schedule.
    Diverged(Divergence),
    /// The schedule ran to its end and the error did not show.
    NotSeen,
    /// The accesses took place in an order that no recorded operation enforces, but both threads use a library that
    /// synchronises invisibly.
    Possible {
        /// The library's file.
        library: String,
    },
    /// Not replayed, and why.
    Unknown {
        /// The reason, in words.
        why: String,
    },
}

/// A witness with the result of its replay.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Finding {
    /// The witness.
    pub witness: Witness,
    /// The result of its replay.
    pub verdict: Verdict,
}
