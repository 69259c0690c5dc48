//! Schedules that are close to the usual one: at most so many delays or preemptions, fewest first.
//!
//! The usual schedule stays with the running thread and goes round when it is blocked ([`Policy::Stay`]). A *delay* passes
//! over the thread that would run (Emmi, Qadeer, Rakamarić, POPL'11); a *preemption* leaves a thread that could go on
//! (Musuvathi and Qadeer, PLDI'07). With no more of either than the bound, all schedules are run, without reduction, for
//! bounds 0, 1, 2 and so on, so that the simplest failing schedule comes first.
//!
//! The search keeps one path and no set of schedules, so schedules with smaller costs are run again on the way: with each
//! bound they are a small part.
//!
//! [`Policy::Stay`]: foretrace_event::Policy::Stay

use crate::execution::{End, Execution, Step};
use crate::plan::{Choice, Plan};
use crate::search::Search;
use foretrace_event::ThreadId;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// How many threads are passed over.
    Delays,
    /// How often a thread that could go on is left.
    Preemptions,
}

/// Runs all schedules within a bound, for each bound in turn.
#[derive(Clone, Debug)]
pub struct Bounded {
    cost: Cost,
    bound: u32,
    last: u32,
    path: Vec<Level>,
    begun: bool,
    /// Whether a schedule was left out because of the bound.
    cut: bool,
}

/// A state on the current path.
#[derive(Clone, Debug)]
struct Level {
    /// What was spent before it.
    before: u32,
    current: Choice,
    /// What the current decision costs.
    price: u32,
    alternatives: u32,
    /// The other decisions, with what they cost; the cheapest last.
    left: Vec<(u32, ThreadId)>,
}

impl Level {
    fn spent(&self) -> u32 {
        self.before + self.price
    }
}

impl Bounded {
    /// From no delays or preemptions up to this many.
    pub fn new(cost: Cost, last: u32) -> Self {
        Self { cost, bound: 0, last, path: Vec::new(), begun: false, cut: false }
    }

    /// The bound of the schedules that are being run.
    pub fn bound(&self) -> u32 {
        self.bound
    }

    /// Were all schedules run, whatever they cost?
    pub fn is_complete(&self) -> bool {
        self.begun && self.path.is_empty() && !self.cut
    }

    fn level(&self, before: u32, previous: Option<ThreadId>, step: &Step) -> Level {
        let usual = step.thread;
        let stays = previous.is_some_and(|previous| step.enabled.contains(previous));
        let (later, earlier): (Vec<ThreadId>, Vec<ThreadId>) =
            step.enabled.iter().filter(|&thread| thread != usual).partition(|&thread| thread > usual);
        let price = |at: usize, thread| match self.cost {
            Cost::Delays => at as u32 + 1,
            Cost::Preemptions => u32::from(stays && Some(thread) != previous),
        };
        let others = later.into_iter().chain(earlier).enumerate();
        let mut left: Vec<(u32, ThreadId)> = others.map(|(at, thread)| (price(at, thread), thread)).collect();
        left.reverse();
        Level { before, current: step.choice(), price: 0, alternatives: step.alternatives, left }
    }

    /// Goes to the next decision of the last state that has one within the bound.
    fn advance(&mut self) -> bool {
        while let Some(level) = self.path.last_mut() {
            if level.current.alternative + 1 < level.alternatives {
                level.current.alternative += 1;
                return true;
            }
            let affordable = level.left.iter().rposition(|(price, _)| level.before + price <= self.bound);
            if let Some(at) = affordable {
                let (price, thread) = level.left.remove(at);
                (level.current, level.price, level.alternatives) = (Choice::of(thread), price, 1);
                return true;
            }
            self.cut |= !level.left.is_empty();
            self.path.pop();
        }
        false
    }
}

impl Search for Bounded {
    fn next(&mut self) -> Option<Plan> {
        if self.begun && !self.advance() {
            if !self.cut || self.bound == self.last {
                return None;
            }
            (self.bound, self.cut) = (self.bound + 1, false);
        }
        self.begun = true;
        Some(Plan::new(self.path.iter().map(|level| level.current).collect()))
    }

    fn copy(&self) -> Box<dyn Search + Send> {
        Box::new(self.clone())
    }

    fn learn(&mut self, execution: &Execution) {
        if matches!(execution.end, End::Diverged { .. }) {
            return;
        }
        let known = self.path.len();
        if let (Some(level), Some(step)) = (self.path.last_mut(), execution.steps.get(known.wrapping_sub(1))) {
            level.alternatives = step.alternatives;
        }
        for (at, step) in execution.steps.iter().enumerate().skip(known) {
            let before = self.path.last().map_or(0, Level::spent);
            let previous = at.checked_sub(1).map(|at| execution.steps[at].thread);
            self.path.push(self.level(before, previous, step));
        }
    }
}
