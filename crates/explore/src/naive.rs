//! The search without reduction: every interleaving, depth first. The oracle of the others.

use crate::execution::{Execution, Step};
use crate::plan::{Choice, Plan};
use crate::search::Search;
use foretrace_event::ThreadSet;

/// Runs every interleaving once.
#[derive(Clone, Debug, Default)]
pub struct DepthFirst {
    stack: Vec<Level>,
    begun: bool,
}

/// A state on the current path.
#[derive(Clone, Debug)]
struct Level {
    choice: Choice,
    alternatives: u32,
    left: ThreadSet,
}

impl Level {
    fn new(step: &Step) -> Self {
        let mut left = step.enabled;
        left.remove(step.thread);
        Self { choice: step.choice(), alternatives: step.alternatives, left }
    }

    /// Goes to the next decision in this state, if there is one. How many alternatives it has is learnt by running it.
    fn advance(&mut self) -> bool {
        if self.choice.alternative + 1 < self.alternatives {
            self.choice.alternative += 1;
            return true;
        }
        let next = self.left.iter().next();
        if let Some(thread) = next {
            self.left.remove(thread);
            self.choice = Choice::of(thread);
            self.alternatives = 1;
        }
        next.is_some()
    }
}

impl Search for DepthFirst {
    fn next(&mut self) -> Option<Plan> {
        if self.begun {
            while !self.stack.last_mut()?.advance() {
                self.stack.pop();
            }
        }
        self.begun = true;
        Some(Plan::new(self.stack.iter().map(|level| level.choice).collect()))
    }

    fn copy(&self) -> Box<dyn Search + Send> {
        Box::new(self.clone())
    }

    fn learn(&mut self, execution: &Execution) {
        let known = self.stack.len();
        if let (Some(level), Some(step)) = (self.stack.last_mut(), execution.steps.get(known.wrapping_sub(1))) {
            level.alternatives = step.alternatives;
        }
        self.stack.extend(execution.steps.iter().skip(known).map(Level::new));
    }
}
