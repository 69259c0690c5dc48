//! Order literals that follow from the order of others.

use crate::lit::{Lit, Truth};
use crate::proof::Step;
use crate::solver::{Reason, Solver};

impl Solver {
    /// Gives values to the order atoms that the last edge has decided, dormant ones too: what a read cannot see follows.
    pub(crate) fn take_implied(&mut self) {
        let mut implied = std::mem::take(&mut self.graph.reach.implied);
        for lit in implied.drain(..) {
            if self.known(lit) == Truth::Open {
                self.follows(lit);
            }
        }
        self.graph.reach.implied = implied;
    }

    /// The literal of an order atom that the order decides already.
    pub(crate) fn decided(&self, var: usize) -> Option<Lit> {
        let (a, b) = self.edges[var]?;
        let reach = &self.graph.reach;
        let lit = Lit::new(var, true);
        if reach.is_before(a, b) { Some(lit) } else { reach.is_before(b, a).then_some(!lit) }
    }

    /// An order literal holds because of a path.
    pub(crate) fn follows(&mut self, lit: Lit) {
        self.statistics.implied += 1;
        self.enqueue(lit, Reason::Order);
        if self.proof.is_some() {
            let lemma = self.path_to(lit).into_iter().chain([lit]).collect();
            self.log(|| Step::Cycle(lemma));
        }
    }

    /// The negated literals of the path that makes an order literal true.
    pub(crate) fn path_to(&mut self, lit: Lit) -> Vec<Lit> {
        let Some((a, b)) = self.edge(lit) else { return Vec::new() };
        let (positions, limit) = (&self.positions, self.positions[lit.var()]);
        let path = self.graph.explain(a, b, |why| positions[why.var()] < limit);
        // It was there when the literal got its value, and its edges are there as long as the literal has it.
        path.expect("a path of earlier edges").into_iter().map(|why| !why).collect()
    }
}
