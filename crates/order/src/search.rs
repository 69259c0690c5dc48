//! The search: decide, propagate, learn, and look at the whole once everything is decided.

use crate::clauses::GONE;
use crate::lit::{Lit, Truth};
use crate::solver::{Reason, Solver};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The answer to a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is an assignment: [`Solver::value`] and [`Solver::place`] tell it until the next change.
    Yes,
    /// There is none. These assumptions suffice for that.
    No(Vec<Lit>),
    /// The budget was used up.
    Unknown,
}

/// When to give up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget<'a> {
    /// After this many conflicts.
    pub conflicts: Option<u64>,
    /// At this time.
    pub until: Option<Instant>,
    /// When somebody sets this.
    pub stop: Option<&'a AtomicBool>,
}

impl Budget<'_> {
    /// Whether the time is over or somebody wants an end.
    pub fn is_used_up(&self) -> bool {
        let stopped = self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        stopped || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// Clauses that are added only when an assignment violates them.
pub trait Lazy {
    /// Looks at a consistent assignment of all variables; answers with clauses of the formula that it violates. May add
    /// variables. No clauses mean that the assignment satisfies the formula.
    fn check(&mut self, solver: &mut Solver) -> Vec<Vec<Lit>>;
}

/// No further clauses.
pub struct Nothing;

impl Lazy for Nothing {
    fn check(&mut self, _: &mut Solver) -> Vec<Vec<Lit>> {
        Vec::new()
    }
}

/// Conflicts before the search begins anew, times the Luby sequence.
const RESTART: u64 = 128;

impl Solver {
    /// Whether all clauses and assumptions can hold together.
    pub fn solve(&mut self, assumptions: &[Lit], lazy: &mut dyn Lazy, budget: &Budget) -> Answer {
        self.retreat(0);
        self.sleep();
        self.graph.prepare();
        if self.bump == 0.0 {
            self.bump = 1.0;
        }
        let first = self.statistics.conflicts;
        let (mut round, mut since) = (1, 0);
        loop {
            if self.broken {
                return Answer::No(Vec::new());
            }
            if let Some(conflict) = self.propagate() {
                self.statistics.conflicts += 1;
                since += 1;
                self.learn(conflict);
                if self.spent(first, budget) {
                    return Answer::Unknown;
                }
                continue;
            }
            if since >= RESTART * luby(round) {
                (round, since) = (round + 1, 0);
                // What follows from the assumptions stays.
                self.retreat(assumptions.len() as u32);
                self.reduce();
                continue;
            }
            match self.choose(assumptions) {
                Choice::Taken => {}
                Choice::Failed(lit) => return Answer::No(self.blame(lit)),
                Choice::Complete if self.complete(lazy) => return Answer::Yes,
                Choice::Complete if self.spent(first, budget) => return Answer::Unknown,
                Choice::Complete => {}
            }
        }
    }

    fn spent(&self, first: u64, budget: &Budget) -> bool {
        let conflicts = self.statistics.conflicts - first;
        budget.conflicts.is_some_and(|most| conflicts >= most) || budget.is_used_up()
    }

    /// Whether the assignment satisfies everything; otherwise adds what it violates.
    fn complete(&mut self, lazy: &mut dyn Lazy) -> bool {
        if self.wake_needed() {
            return false;
        }
        self.statistics.checks += 1;
        let clauses = lazy.check(self);
        let done = clauses.is_empty();
        for clause in clauses {
            self.statistics.lazy += 1;
            self.clause(&clause);
        }
        done
    }

    fn choose(&mut self, assumptions: &[Lit]) -> Choice {
        while let Some(assumed) = assumptions.get(self.level() as usize) {
            match self.known(*assumed) {
                Truth::True => self.marks.push((self.trail.len(), self.graph.mark())),
                Truth::False => return Choice::Failed(*assumed),
                Truth::Open => return self.decide(*assumed),
            }
        }
        while let Some(var) = self.heap.pop(&self.activity) {
            if self.values[var].is_none() && !self.dormant[var] {
                if let Some(lit) = self.decided(var) {
                    self.follows(lit);
                    return Choice::Taken;
                }
                return self.decide(self.supposed(var));
            }
        }
        Choice::Complete
    }

    fn decide(&mut self, lit: Lit) -> Choice {
        self.statistics.decisions += 1;
        self.marks.push((self.trail.len(), self.graph.mark()));
        self.enqueue(lit, Reason::None);
        Choice::Taken
    }

    /// Forgets the worse half of the learned clauses once there are many, except those that are reasons.
    fn reduce(&mut self) {
        let most = 4000 + self.statistics.conflicts as usize / 8;
        if self.learned.len() < most {
            return;
        }
        let mut learned = std::mem::take(&mut self.learned);
        learned.sort_by_key(|id| self.clauses.grade(*id));
        let half = learned.len() / 2;
        let fixed = |reason: &Reason, id| matches!(reason, Reason::Clause(other) if *other == id);
        for id in learned.drain(half..) {
            let first = self.clauses.lit(id, 0);
            let needed = self.known(first) == Truth::True && fixed(&self.reasons[first.var()], id);
            if needed || self.clauses.grade(id) <= 2 || self.clauses.grade(id) == GONE {
                self.learned.push(id);
            } else {
                self.clauses.forget(id);
            }
        }
        self.learned.extend(learned);
    }
}

enum Choice {
    Taken,
    Failed(Lit),
    Complete,
}

/// 1, 1, 2, 1, 1, 2, 4, …
fn luby(round: u64) -> u64 {
    let mut size = 1;
    while size < round + 1 {
        size = 2 * size + 1;
    }
    let mut at = round;
    while size - 1 != at {
        size = (size - 1) / 2;
        at %= size;
    }
    size.div_ceil(2).max(1)
}
