//! Whoever runs the program, and what comes of it.

use std::error::Error;
use std::time::Duration;

use crate::{Death, Ended, Modules, Outcome, SeenRegion, SeenViolation};

/// Runs a program under a plan and answers what happened.
///
/// A search proposes plans and knows nothing of processes. The plan of `check` is a
/// [`Schedule`](foretrace_finding::Schedule); an exploration that proposes prefixes of choices, or a policy with a seed, implements
/// the same trait for its own type of plan. Called from several threads.
pub trait Runner<Plan: ?Sized>: Sync {
    /// Why the program could not be run at all.
    type Error: Error + Send + Sync + 'static;

    /// Runs the program once.
    ///
    /// # Errors
    /// If the program could not be run, or the answer could not be read. A program that fails is no error.
    fn run(&self, plan: &Plan, precision: Precision) -> Result<Run, Self::Error>;

    /// Why no more runs may begin, if so: the time is spent, or somebody has asked to stop.
    fn spent(&self) -> Option<&'static str>;

    /// How long runs may still begin; none if there is no limit.
    fn time_left(&self) -> Option<Duration> {
        None
    }
}

/// How accesses are watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// One by one, with their stacks.
    Each,
    /// By segments, and with the schedule's order enforced where threads meet: many times faster, and of a race it knows
    /// little more than that there is one.
    Segments,
}

/// What happened in one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// What the runtime wrote.
    pub outcome: Outcome,
    /// How many steps were taken.
    pub progress: u32,
    /// Where files were mapped.
    pub modules: Modules,
    /// How the process ended.
    pub ended: Ended,
    /// The program died.
    pub death: Option<Death>,
    /// Properties of the user's own that its events violated, if anybody looked.
    pub violations: Vec<SeenViolation>,
    /// Regions that were meant to be atomic and were not, if anybody looked.
    pub regions: Vec<SeenRegion>,
}

impl Run {
    /// Of a run that was watched by segments: would it show nothing more if each access were watched, and the
    /// schedule's order kept in all? Segments are examined when they end, so those are missing in which a program dies
    /// or is killed.
    pub fn is_conclusive(&self) -> bool {
        let outcome = &self.outcome;
        let followed = outcome.ended || !outcome.deadlock.is_empty();
        let examined = !outcome.unchecked && self.ended.status.code().is_some() && self.ended.cut_short.is_none();
        outcome.races.is_empty() && followed && examined
    }
}
