//! What is asked with a question, and what comes back.

use super::search::Watcher;
use crate::budget::{Limit, Meter, Progress};
use crate::machine::event::Event;
use crate::syntax::Reduction;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub states: u64,
    pub transitions: u64,
    pub depth: u32,
    /// Bytes of stored states.
    pub bytes: u64,
    pub time: Duration,
}

/// How a question was decided.
#[derive(Clone, Debug)]
pub enum Answer {
    Holds,
    Fails(Failure),
    Unknown(Limit),
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub answer: Answer,
    /// Further behaviours of the same length that show the claim to be false.
    pub more: Vec<Failure>,
    pub statistics: Statistics,
}

/// A behaviour that shows the claim to be false.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The rules of the implementation's root, one a step, silent ones included.
    pub rules: Vec<u32>,
    pub kind: FailureKind,
    /// What the specification allowed before each visible event, and at the end.
    pub allowed: Vec<Vec<Event>>,
    /// Where in the rules the silent loop of a divergence begins.
    pub cycle: Option<usize>,
}

impl Failure {
    /// A failure that its events alone describe.
    pub fn plain(kind: FailureKind) -> Self {
        Failure { rules: Vec::new(), kind, allowed: Vec::new(), cycle: None }
    }

    /// A failure whose behaviour was not reconstructed within the budget.
    pub fn unexplained(limit: &Limit) -> Self {
        Failure::plain(FailureKind::Unexplained(limit.to_string()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The last step's event is not allowed after the trace before it.
    Event(Event),
    /// After the trace the process may offer only these, and the specification demands more.
    Refusal {
        offered: Vec<Event>,
        demanded: Vec<Vec<Event>>,
    },
    Deadlock,
    Divergence,
    /// After the trace the event may be accepted and may be refused.
    Nondeterminism(Event),
    /// The claim is false, but a limit was met before the behaviour that shows it was reconstructed.
    Unexplained(String),
    /// The first event of the wanted trace that cannot happen, by its place.
    NoTrace(usize),
}

/// What goes with a question.
pub struct Options<'a> {
    pub meter: &'a Meter,
    pub watcher: Watcher<'a>,
    pub reduction: Option<Reduction>,
    /// Events that wait for silent steps.
    pub held: Vec<Event>,
}

impl Statistics {
    pub fn of(progress: Progress, time: Duration) -> Self {
        let Progress { states, transitions, depth, bytes } = progress;
        Statistics { states, transitions, depth, bytes, time }
    }
}

impl Options<'_> {
    pub fn statistics(&self, progress: Progress) -> Statistics {
        Statistics::of(progress, self.meter.elapsed())
    }
}
