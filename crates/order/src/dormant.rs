//! Variables that are decided only when a clause needs them. Until then each has the value that it had last, and an order
//! atom the one that the order of the nodes gives it. Most orders of two events matter only if one of them sees the other.

use crate::clauses::KEEP;
use crate::lit::{Lit, Truth};
use crate::solver::{Solver, Watch};

impl Solver {
    /// A new variable that is decided only if some clause does not hold with the value that it prefers.
    pub fn dormant(&mut self) -> Lit {
        let lit = self.derived();
        self.derived[lit.var()] = false;
        self.dormant[lit.var()] = true;
        lit
    }

    /// The value of a literal: of a dormant variable, the one that it is supposed to have.
    pub fn value(&self, lit: Lit) -> Truth {
        match self.known(lit) {
            Truth::Open if self.dormant[lit.var()] => match self.supposed(lit.var()) == lit {
                true => Truth::True,
                false => Truth::False,
            },
            known => known,
        }
    }

    /// The literal of an open variable that is supposed to hold.
    pub(crate) fn supposed(&self, var: usize) -> Lit {
        let positive = match self.edges[var] {
            // What follows the order that there is can never close a cycle.
            Some((a, b)) => self.place(a) < self.place(b),
            None => self.phases[var],
        };
        Lit::new(var, positive)
    }

    /// From now on, decides this variable.
    pub(crate) fn wake(&mut self, var: usize) {
        if std::mem::take(&mut self.dormant[var]) {
            self.woken.push(var);
            if self.values[var].is_none() {
                self.heap.insert(var, &self.activity);
            }
        }
    }

    /// Lets those sleep again that were woken for the last question.
    pub(crate) fn sleep(&mut self) {
        for var in std::mem::take(&mut self.woken) {
            self.dormant[var] = true;
        }
    }

    /// Wakes the variables of clauses that do not hold with the supposed values. Answers with whether there are any.
    pub(crate) fn wake_needed(&mut self) -> bool {
        let mut needed: Vec<usize> = Vec::new();
        let is_dormant = |var: usize| self.values[var].is_none() && self.dormant[var];
        for lit in (0..self.vars()).filter(|var| is_dormant(*var)).map(|var| self.supposed(var)) {
            for watch in &self.watches[lit.index()] {
                let Watch::Binary(other) = *watch else { continue };
                if self.value(other) != Truth::True {
                    needed.extend([lit, other].iter().map(|lit| lit.var()).filter(|var| is_dormant(*var)));
                }
            }
        }
        for id in self.clauses.ids().filter(|id| self.clauses.grade(*id) == KEEP) {
            if !self.clauses.lits(id).any(|lit| self.value(lit) == Truth::True) {
                needed.extend(self.clauses.lits(id).map(Lit::var).filter(|var| is_dormant(*var)));
            }
        }
        needed.iter().for_each(|var| self.wake(*var));
        !needed.is_empty()
    }
}
