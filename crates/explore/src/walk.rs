//! Random walks: one seed after the other, for what is too large to be searched.

use crate::execution::Execution;
use crate::plan::Plan;
use crate::search::Search;
use foretrace_event::Policy;

/// How the walks choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Walk {
    /// Uniformly at each step.
    Uniform,
    /// With random priorities and this many ordering constraints.
    Pct {
        /// How many.
        depth: u32,
    },
    /// With random priorities of operations.
    Pos,
    /// In proportion to the steps that are left.
    Surw,
}

/// Random walks with seeds from a first one on. It never ends by itself.
#[derive(Clone, Debug)]
pub struct Walks {
    walk: Walk,
    seed: u64,
    length: u32,
    lengths: Vec<u32>,
}

impl Walks {
    /// Walks from this seed on.
    pub fn new(walk: Walk, seed: u64) -> Self {
        Self { walk, seed, length: 1, lengths: Vec::new() }
    }

    fn policy(&self) -> Policy {
        let (seed, length) = (self.seed, self.length);
        match self.walk {
            Walk::Uniform => Policy::Random { seed },
            Walk::Pct { depth } => Policy::Pct { seed, depth, length },
            Walk::Pos => Policy::Pos { seed },
            Walk::Surw => Policy::Surw { seed },
        }
    }
}

impl Search for Walks {
    fn next(&mut self) -> Option<Plan> {
        let policy = self.policy();
        self.seed = self.seed.wrapping_add(1);
        Some(Plan { lengths: self.lengths.clone(), ..Plan::by(policy) })
    }

    /// The longest execution so far is what the next are expected to be.
    fn learn(&mut self, execution: &Execution) {
        self.length = self.length.max(u32::try_from(execution.steps.len()).unwrap_or(u32::MAX));
        let mut lengths = Vec::new();
        for step in &execution.steps {
            let at = step.thread.index();
            lengths.resize(lengths.len().max(at + 1), 0);
            lengths[at] += 1;
        }
        self.lengths.resize(self.lengths.len().max(lengths.len()), 0);
        self.lengths.iter_mut().zip(lengths).for_each(|(longest, length)| *longest = length.max(*longest));
    }
}
