//! Property-driven pruning: where no race and no deadlock can follow, there is nothing to look for.
//!
//! Wang, Yang, Gupta and Gopalakrishnan, *Dynamic model checking with property driven pruning to detect race conditions*
//! (ATVA'08). After a complete execution, the [locksets](locksets) of its accesses, and of those that branches not taken
//! could make, say for each state on its path whether any execution that begins there may race
//! ([`Pruning::boundary`], their Figure 4). If none may, reversals in that state are skipped, and earlier ones are looked for
//! instead (their Figure 7, line 27).
//!
//! What branches not taken may do comes from outside ([`Summaries`]). What is not known makes the answer conservative: an
//! empty table prunes only what has no branches, and an execution in which a thread does not reach its end prunes nothing.
//!
//! **Deviations.** Sets of locksets are kept apart for locks held alone and shared. A lock that a try took is not counted,
//! because elsewhere the try may fail. For deadlocks (their section 6) the order in which locks are taken must have no cycle,
//! and nothing else may block.
//!
//! **What it misses.** It is about races and deadlocks alone: failed assertions and crashes in pruned parts are not found.

mod locksets;
mod subspace;

use crate::execution::{Execution, Side};
use foretrace_event::visible::ObjectId;
use std::collections::{BTreeMap, BTreeSet};

/// An access that the other side of a branch may make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MayAccess {
    /// Where in memory: an aligned word of eight bytes.
    pub object: ObjectId,
    /// Whether it writes.
    pub writes: bool,
    /// The locks that are taken before it, in that side: no more than really are.
    pub acquired: Vec<ObjectId>,
    /// Those that are given back before it: no fewer than really are.
    pub released: Vec<ObjectId>,
}

/// How a path through the other side changes the locks that are held.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LockUpdate {
    /// Taken: no more than really are.
    pub acquired: Vec<ObjectId>,
    /// Given back: no fewer than really are.
    pub released: Vec<ObjectId>,
}

/// What one side of a branch may do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Its accesses.
    pub accesses: Vec<MayAccess>,
    /// Each path's effect on the locks that are held. Locks taken on the way are listed even if they are given back.
    pub paths: Vec<LockUpdate>,
}

/// What is known about the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summaries {
    /// What each side of each branch may do. A side that is missing may do anything.
    pub sides: BTreeMap<Side, Summary>,
    /// The places whose operation uses the same object each time. Any other may use any object.
    pub fixed: BTreeSet<u64>,
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property {
    /// Data races.
    Races,
    /// Data races and deadlocks.
    RacesAndDeadlocks,
}

/// Prunes a search.
#[derive(Clone, Debug)]
pub struct Pruning {
    property: Property,
    summaries: Summaries,
    counts: PruningCounts,
}

/// What pruning has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PruningCounts {
    /// States that were checked.
    pub checks: u64,
    /// States below which nothing can be found.
    pub clean: u64,
    /// Reversals that were skipped.
    pub skipped: u64,
}

impl Pruning {
    /// For a property.
    pub fn new(property: Property, summaries: Summaries) -> Self {
        Self { property, summaries, counts: PruningCounts::default() }
    }

    /// What was done so far.
    pub fn counts(&self) -> PruningCounts {
        self.counts
    }

    /// Counts a reversal that was skipped.
    pub(crate) fn skip(&mut self) {
        self.counts.skipped += 1;
    }

    /// From which state of an execution on nothing can be found, found by halving: below a later state there is less.
    pub(crate) fn boundary(&mut self, execution: &Execution) -> usize {
        let (mut open, mut clean) = (0, execution.steps.len());
        if !execution.pending.is_empty() {
            return clean;
        }
        while open < clean {
            let middle = open.midpoint(clean);
            self.counts.checks += 1;
            if subspace::is_clean(execution, middle, self.property, &self.summaries) {
                self.counts.clean += 1;
                clean = middle;
            } else {
                open = middle + 1;
            }
        }
        clean
    }
}
