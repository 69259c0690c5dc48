//! The usual search: simple schedules first, then one of each class, then at random.

use crate::bounded::{Bounded, Cost};
use crate::execution::Execution;
use crate::optimal::{Counts, Optimal};
use crate::plan::Plan;
use crate::search::Search;
use crate::walk::{Walk, Walks};
use std::time::Instant;

/// How much each part of the search may take. What is not limited goes on until nothing is left.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shares {
    /// The most delays of the simple schedules.
    pub delays: u32,
    /// The most executions of simple schedules.
    pub simple: u64,
    /// The most executions that look for one of each class.
    pub complete: Option<u64>,
    /// When to go over to random walks if there are classes left.
    pub until: Option<Instant>,
}

/// Which part of the search is running.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// Schedules with few delays.
    Simple,
    /// One execution of each class.
    Complete,
    /// Random walks.
    Random,
    /// Every class was run.
    Done,
}

/// Simple schedules, then one of each class, then random walks. It ends if all classes were run.
#[derive(Clone, Debug)]
pub struct Climb {
    shares: Shares,
    part: Part,
    in_part: u64,
    simple: Bounded,
    complete: Optimal,
    walks: [Walks; 4],
}

impl Climb {
    /// With random walks from this seed on.
    pub fn new(shares: Shares, seed: u64) -> Self {
        let walks = [Walk::Pos, Walk::Surw, Walk::Pct { depth: 3 }, Walk::Uniform].map(|walk| Walks::new(walk, seed));
        let simple = Bounded::new(Cost::Delays, shares.delays);
        Self { shares, part: Part::Simple, in_part: 0, simple, complete: Optimal::new(), walks }
    }

    /// Goes on with a complete part that has been begun before; the simple schedules were run then.
    pub fn going_on(shares: Shares, seed: u64, complete: Optimal) -> Self {
        let part = if complete.is_begun() { Part::Complete } else { Part::Simple };
        Self { part, complete, ..Self::new(shares, seed) }
    }

    /// What is running.
    pub fn part(&self) -> Part {
        self.part
    }

    /// What the complete part has seen.
    pub fn counts(&self) -> Counts {
        self.complete.counts()
    }

    /// The complete part.
    pub fn complete(&self) -> &Optimal {
        &self.complete
    }

    /// The bound that the simple schedules have reached.
    pub fn delays(&self) -> u32 {
        self.simple.bound()
    }

    fn enter(&mut self, part: Part) {
        (self.part, self.in_part) = (part, 0);
    }

    fn simple(&mut self) -> Option<Plan> {
        if self.in_part >= self.shares.simple { None } else { self.simple.next() }
    }

    fn complete_share_is_spent(&self) -> bool {
        let many = self.shares.complete.is_some_and(|most| self.in_part >= most);
        many || self.shares.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Each walk learns from all executions, so that all know how long an execution is.
    fn walk(&mut self) -> &mut Walks {
        let at = self.in_part as usize % self.walks.len();
        &mut self.walks[at]
    }
}

impl Search for Climb {
    fn next(&mut self) -> Option<Plan> {
        let plan = match self.part {
            Part::Simple => self.simple(),
            Part::Complete if self.complete_share_is_spent() => {
                self.enter(Part::Random);
                return self.next();
            }
            Part::Complete => self.complete.next(),
            Part::Random => self.walk().next(),
            Part::Done => return None,
        };
        match (plan, self.part) {
            (Some(plan), _) => return Some(plan),
            (None, Part::Simple) => self.enter(Part::Complete),
            (None, _) => self.enter(Part::Done),
        }
        self.next()
    }

    fn copy(&self) -> Box<dyn Search + Send> {
        Box::new(self.clone())
    }

    fn learn(&mut self, execution: &Execution) {
        self.in_part += 1;
        match self.part {
            Part::Simple => self.simple.learn(execution),
            Part::Complete => self.complete.learn(execution),
            Part::Random | Part::Done => {}
        }
        if self.part != Part::Complete {
            self.walks.iter_mut().for_each(|walk| walk.learn(execution));
        }
    }
}
