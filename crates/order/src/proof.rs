//! Proofs of "no", and a checker that shares nothing with the search.
//!
//! A proof is a list of steps: clauses of the formula, fixed edges, clauses that exclude a cycle, and learned clauses. A
//! learned clause must follow from the clauses before it by unit propagation when its literals are assumed false (reverse
//! unit propagation, as in DRUP). The formula together with assumptions has no solution if the last step is a clause of
//! negated assumptions.

use crate::graph::Node;
use crate::lit::Lit;
use rustc_hash::{FxHashMap, FxHashSet};

/// One step of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A clause of the formula.
    Input(Vec<Lit>),
    /// An order that always holds.
    Fixed(Node, Node),
    /// The edges of these literals' negations and fixed edges form a cycle.
    Cycle(Vec<Lit>),
    /// Follows from the clauses before.
    Learned(Vec<Lit>),
}

/// Why a proof is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofError {
    /// The step with this number does not follow.
    Step(usize),
    /// All steps are right, but none of them excludes the assumptions.
    Open,
}

/// Checks every step; `edge` tells which order a literal stands for, and `assumptions` are what the proof must exclude.
pub fn check_proof(
    steps: &[Step],
    edge: &dyn Fn(Lit) -> Option<(Node, Node)>,
    assumptions: &[Lit],
) -> Result<(), ProofError> {
    let (mut clauses, mut fixed) = (Vec::<&[Lit]>::new(), FxHashMap::<Node, Vec<Node>>::default());
    let mut reached = false;
    for (number, step) in steps.iter().enumerate() {
        let right = match step {
            Step::Input(_) => true,
            Step::Fixed(from, to) => {
                fixed.entry(*from).or_default().push(*to);
                true
            }
            Step::Cycle(clause) => cycle(&fixed, clause.iter().filter_map(|lit| edge(!*lit))),
            Step::Learned(clause) => follows(&clauses, clause),
        };
        if !right {
            return Err(ProofError::Step(number));
        }
        if let Step::Input(clause) | Step::Cycle(clause) | Step::Learned(clause) = step {
            reached |= clause.iter().all(|lit| assumptions.contains(&!*lit));
            clauses.push(clause);
        }
    }
    if reached || follows(&clauses, &assumptions.iter().map(|lit| !*lit).collect::<Vec<_>>()) {
        return Ok(());
    }
    Err(ProofError::Open)
}

/// Whether there is a cycle: nodes without an edge into them are taken away until none is left.
fn cycle(fixed: &FxHashMap<Node, Vec<Node>>, edges: impl Iterator<Item = (Node, Node)>) -> bool {
    let mut all: FxHashSet<(Node, Node)> = edges.collect();
    all.extend(fixed.iter().flat_map(|(from, to)| to.iter().map(|to| (*from, *to))));
    let mut degree: FxHashMap<Node, usize> = FxHashMap::default();
    let mut out: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
    for (from, to) in &all {
        *degree.entry(*to).or_default() += 1;
        degree.entry(*from).or_default();
        out.entry(*from).or_default().push(*to);
    }
    let mut free: Vec<Node> = degree.iter().filter(|(_, degree)| **degree == 0).map(|(node, _)| *node).collect();
    let mut taken = 0;
    while let Some(node) = free.pop() {
        taken += 1;
        for to in out.get(&node).into_iter().flatten() {
            let Some(left) = degree.get_mut(to) else { continue };
            *left -= 1;
            if *left == 0 {
                free.push(*to);
            }
        }
    }
    taken < degree.len()
}

/// Whether assuming the negation of the clause leads to a contradiction by unit propagation.
fn follows(clauses: &[&[Lit]], clause: &[Lit]) -> bool {
    let mut holds: FxHashSet<Lit> = clause.iter().map(|lit| !*lit).collect();
    if holds.iter().any(|lit| holds.contains(&!*lit)) {
        return true;
    }
    loop {
        let mut changed = false;
        for clause in clauses {
            if clause.iter().any(|lit| holds.contains(lit)) {
                continue;
            }
            let mut open = clause.iter().filter(|lit| !holds.contains(&!**lit));
            let Some(first) = open.next() else { return true };
            // A clause may name a literal twice.
            if open.all(|lit| lit == first) {
                changed |= holds.insert(*first);
            }
        }
        if !changed {
            return false;
        }
    }
}
