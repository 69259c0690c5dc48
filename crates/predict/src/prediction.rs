//! What a prediction answers.

use crate::budget::Unknown;
use crate::stats::Stats;
use foretrace_event::{EventId, IntervalId};
use foretrace_finding::Witness;

/// A candidate with its nearest witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicted {
    /// The witness.
    pub witness: Witness,
    /// Other intervals that race in the same way, in the same segments.
    pub also: Vec<IntervalId>,
}

/// A question without an answer, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undecided {
    /// Which.
    pub question: Question,
    /// The reason.
    pub why: Unknown,
}

/// What was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// Does this interval race?
    Race(IntervalId),
    /// Can these lock requests wait for each other?
    Cycle(Vec<EventId>),
    /// Are there more cycles of lock requests?
    Cycles,
    /// Can threads get stuck in any other way?
    DeadEnds,
    /// Can the property with this name be violated, with these values of its variables?
    Property(Box<str>, String),
}

/// The complete answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prediction {
    /// Data races, by interval.
    pub races: Vec<Predicted>,
    /// Deadlocks.
    pub deadlocks: Vec<Predicted>,
    /// Violations of the user's own properties.
    pub violations: Vec<Predicted>,
    /// Questions that could not be decided. If empty, there is no other race or deadlock in any reordering of the run.
    pub undecided: Vec<Undecided>,
    /// What the reductions did.
    pub stats: Stats,
}

impl Prediction {
    /// All that was predicted.
    pub fn all(&self) -> impl Iterator<Item = &Predicted> {
        self.races.iter().chain(&self.deadlocks).chain(&self.violations)
    }
}

/// Receives progress. Called from several threads.
pub trait Watch: Sync {
    /// A phase of this many steps begins.
    fn phase(&self, _name: &'static str, _steps: usize) {}
    /// A step is done.
    fn step(&self) {}
    /// A run has shown a failure that no run before it had, of the kind with this rule.
    fn found(&self, _rule: &'static str) {}
}

/// Ignores progress.
impl Watch for () {}
