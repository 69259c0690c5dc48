//! Property-driven pruning: where no race and no deadlock can follow, there is nothing to look for.
//!
//! Wang, Yang, Gupta and Gopalakrishnan, *Dynamic model checking with property driven pruning to detect race conditions*
//! (ATVA'08). After a complete execution, the [locksets](locksets) of its accesses, and of those that branches not taken
//! could make, say for each state on its path whether any execution that begins there may race
//! ([`Pruning::boundary`], their Figure 4). If none may, reversals in that state are skipped, and earlier ones are looked for
//! instead (their Figure 7, line 27).
//!
//! What branches not taken may do comes with the execution ([`Note`](crate::Note)s). What is not known makes the answer
//! conservative, and an execution in which a thread does not reach its end prunes nothing.
//!
//! **Deviations.** Sets of locksets are kept apart for locks held alone and shared. A lock that a try took is not counted,
//! because elsewhere the try may fail. For deadlocks (their section 6) the order in which locks are taken must have no cycle,
//! and nothing else may block.
//!
//! A thread is *steady* until it reads what another thread may write in the subspace, or learns in another way how threads were
//! interleaved. Until then it does the same in every execution of the subspace: its branches are decided, and its addresses
//! are those that were observed. Behind that, each access must be to a fixed object, and both sides of each branch count. The
//! paper takes the observed addresses for granted, and counts both sides of every branch.
//!
//! Which side of a branch is taken is also decided if it depends only on memory that nobody else writes in the subspace.
//!
//! A race is between two accesses that nothing orders, as detectors see it. So what threads did before the state counts as well,
//! as long as the execution so far does not order it before what others do next. Without it the search of the paper can
//! miss a race: after `r = y` of one thread there is no race in the subspace, although another thread writes `y` in it
//! behind a branch, and nothing leads back to the state before the read.
//!
//! What a thread does before it creates another cannot race with what that one does, nor what it does after joining it.
//!
//! **What it misses.** It is about races and deadlocks alone: failed assertions and crashes in pruned parts are not found.

mod locksets;
mod orders;
mod past;
mod subspace;
mod window;

use crate::execution::Execution;

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
    pub fn new(property: Property) -> Self {
        Self { property, counts: PruningCounts::default() }
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
        let past = past::Past::new(execution);
        while open < clean {
            let middle = open.midpoint(clean);
            self.counts.checks += 1;
            if subspace::is_clean(execution, middle, &past, self.property) {
                self.counts.clean += 1;
                clean = middle;
            } else {
                open = middle + 1;
            }
        }
        clean
    }
}
