//! What a conflict teaches: the first unique implication point, and which assumptions are to blame.

use crate::lit::Lit;
use crate::proof::Step;
use crate::solver::{Conflict, Reason, Solver};

impl Solver {
    /// The literals whose falsehood forced this one, which is true.
    fn causes(&mut self, lit: Lit) -> Vec<Lit> {
        match self.reasons[lit.var()] {
            Reason::None => Vec::new(),
            Reason::Binary(other) => vec![other],
            Reason::Order => self.path_to(lit),
            Reason::Clause(id) => self.clauses.lits(id).filter(|other| *other != lit).collect(),
        }
    }

    /// Learns a clause from a conflict of the current level, goes back, and takes the consequence.
    pub(crate) fn learn(&mut self, conflict: Conflict) {
        let top = conflict.iter().map(|lit| self.levels[lit.var()]).max().unwrap_or(0);
        if top == 0 {
            self.broken = true;
            self.log(|| Step::Learned(Vec::new()));
            return;
        }
        self.retreat(top);
        let mut clause = self.first_point(conflict);
        self.shrink(&mut clause);
        self.log(|| Step::Learned(clause.clone()));
        let rest = &mut clause[1..];
        rest.sort_by_key(|lit| std::cmp::Reverse(self.levels[lit.var()]));
        let level = clause.get(1).map_or(0, |lit| self.levels[lit.var()]);
        let mut levels: Vec<u32> = clause.iter().map(|lit| self.levels[lit.var()]).collect();
        levels.sort_unstable();
        levels.dedup();
        self.retreat(level);
        let reason = if clause.len() == 1 { Reason::None } else { self.attach(&clause, levels.len() as u32) };
        self.enqueue(clause[0], reason);
        self.bump /= 0.95;
    }

    /// The clause whose first literal is the only one of the current level.
    fn first_point(&mut self, conflict: Conflict) -> Vec<Lit> {
        let mut clause = vec![conflict[0]];
        let mut marked = Vec::new();
        let (mut open, mut at) = (0, self.trail.len());
        let mut causes = conflict;
        loop {
            for lit in causes {
                let var = lit.var();
                if self.seen[var] || self.levels[var] == 0 {
                    continue;
                }
                self.seen[var] = true;
                marked.push(var);
                self.raise(var);
                if self.levels[var] == self.level() { open += 1 } else { clause.push(lit) }
            }
            let lit = loop {
                at -= 1;
                if self.seen[self.trail[at].var()] {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                clause[0] = !lit;
                break;
            }
            causes = self.causes(lit);
        }
        marked.into_iter().for_each(|var| self.seen[var] = false);
        clause
    }

    /// Leaves out literals that follow from the others in one step.
    fn shrink(&mut self, clause: &mut Vec<Lit>) {
        clause.iter().for_each(|lit| self.seen[lit.var()] = true);
        let all = clause.clone();
        let mut place = 0;
        clause.retain(|lit| {
            place += 1;
            place == 1 || !self.is_implied(*lit)
        });
        all.iter().for_each(|lit| self.seen[lit.var()] = false);
    }

    /// Whether a literal of a clause, all of which are marked, follows from the others.
    fn is_implied(&mut self, lit: Lit) -> bool {
        self.reasons[lit.var()] != Reason::None
            && self.causes(!lit).iter().all(|cause| self.seen[cause.var()] || self.levels[cause.var()] == 0)
    }

    fn raise(&mut self, var: usize) {
        self.wake(var);
        self.activity[var] += self.bump;
        if self.activity[var] > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.bump *= 1e-100;
        }
        self.heap.raised(var, &self.activity);
    }

    /// The assumptions because of which this one, which is false, cannot hold.
    pub(crate) fn blame(&mut self, failed: Lit) -> Vec<Lit> {
        let mut core = vec![failed];
        let mut open = vec![!failed];
        let mut marked = vec![failed.var()];
        self.seen[failed.var()] = true;
        while let Some(lit) = open.pop() {
            if self.reasons[lit.var()] == Reason::None && self.levels[lit.var()] > 0 {
                core.push(lit);
            }
            for cause in self.causes(lit) {
                if !self.seen[cause.var()] && self.levels[cause.var()] > 0 {
                    self.seen[cause.var()] = true;
                    marked.push(cause.var());
                    open.push(!cause);
                }
            }
        }
        marked.into_iter().for_each(|var| self.seen[var] = false);
        core.sort_unstable();
        let clause: Vec<Lit> = core.iter().map(|lit| !*lit).collect();
        self.log(|| Step::Learned(clause));
        core
    }
}
