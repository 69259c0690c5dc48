//! How much there is: Knuth's estimator.
//!
//! A random path down a tree that sees b₁, b₂, … branches estimates b₁·b₂·… leaves; the mean over many paths is right (Knuth,
//! Estimating the efficiency of backtrack programs, 1975). [`Knuth`] does that for interleavings, from uniform walks.
//! A depth-first search is no random path, but the same weights say which part of the tree is behind it
//! ([`Optimal::progress`](crate::Optimal::progress)).

use crate::execution::Execution;

/// The mean of what uniform random walks estimate.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Knuth {
    sum: f64,
    many: u64,
}

impl Knuth {
    /// Adds an execution of [`Policy::Random`](foretrace_event::Policy::Random).
    pub fn add(&mut self, execution: &Execution) {
        let branches = execution.steps.iter().map(|step| f64::from(step.enabled.len()) * f64::from(step.alternatives));
        self.sum += branches.product::<f64>();
        self.many += 1;
    }

    /// How many interleavings there are, about; none without an execution.
    pub fn interleavings(&self) -> Option<f64> {
        (self.many > 0).then(|| self.sum / self.many as f64)
    }
}

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Executions that reached an end, one for each class.
    pub classes: u64,
    /// The steps of the longest.
    pub depth: u64,
    /// Which part of the tree is behind it, from 0 to 1.
    pub part: f64,
}

impl Progress {
    /// How many classes there are, about.
    pub fn estimate(&self) -> Option<f64> {
        (self.part > 0.0).then(|| self.classes as f64 / self.part)
    }
}
