//! The state of the solver, clauses and what follows from them.

use crate::clauses::{ClauseId, Clauses, GONE, KEEP};
use crate::graph::{Graph, Node};
use crate::heap::Heap;
use crate::lit::{Lit, Truth};
use crate::proof::Step;
use rustc_hash::FxHashMap;

/// Why a literal holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Decided, assumed, or a fact.
    None,
    /// The first literal of this clause.
    Clause(ClauseId),
    /// The other literal of a clause of two is false.
    Binary(Lit),
    /// A path of edges whose literals came before.
    Order,
}

/// Two literals are watched in each clause.
#[derive(Clone, Copy, Debug)]
pub enum Watch {
    /// The other literal of a clause of two.
    Binary(Lit),
    /// A longer clause, and one of its literals: if that holds, the clause need not be looked at.
    Long(ClauseId, Lit),
}

/// A clause that is false.
pub type Conflict = Vec<Lit>;

/// How much was done.
#[derive(Clone, Copy, Default, Debug)]
pub struct Statistics {
    /// Clauses that turned out false.
    pub conflicts: u64,
    /// Of these, cycles in the order.
    pub cycles: u64,
    /// Orders that followed from others.
    pub implied: u64,
    /// Choices made.
    pub decisions: u64,
    /// Clauses added on demand.
    pub lazy: u64,
    /// Orders looked at as a whole.
    pub checks: u64,
}

/// The solver. Add variables, nodes and clauses at any time; then [`Solver::solve`].
#[derive(Default, Debug)]
pub struct Solver {
    pub(crate) values: Vec<Option<bool>>,
    pub(crate) levels: Vec<u32>,
    /// For each variable with a value, its place in the trail.
    pub(crate) positions: Vec<u32>,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) phases: Vec<bool>,
    /// Variables that follow from others, and are never decided.
    pub(crate) derived: Vec<bool>,
    /// Variables that are not decided as long as their supposed values do, and those that were until they had to be.
    pub(crate) dormant: Vec<bool>,
    pub(crate) woken: Vec<usize>,
    pub(crate) activity: Vec<f64>,
    pub(crate) bump: f64,
    pub(crate) heap: Heap,
    pub(crate) watches: Vec<Vec<Watch>>,
    pub(crate) clauses: Clauses,
    pub(crate) learned: Vec<ClauseId>,
    pub(crate) trail: Vec<Lit>,
    /// Where each decision level begins in the trail, and how many edges there were.
    pub(crate) marks: Vec<(usize, usize)>,
    next: usize,
    next_edge: usize,
    pub(crate) graph: Graph,
    /// The nodes of each order atom.
    atoms: FxHashMap<(Node, Node), Lit>,
    pub(crate) edges: Vec<Option<(Node, Node)>>,
    /// The clauses contradict each other.
    pub(crate) broken: bool,
    pub(crate) seen: Vec<bool>,
    pub(crate) statistics: Statistics,
    pub(crate) proof: Option<Vec<Step>>,
}

impl Solver {
    /// Writes down every clause, so that [`crate::check_proof`] can follow a "no". To be called first.
    pub fn with_proof(mut self) -> Self {
        self.proof = Some(Vec::new());
        self
    }

    /// The steps so far.
    pub fn proof(&self) -> &[Step] {
        self.proof.as_deref().unwrap_or_default()
    }

    /// How much was done.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Number of variables.
    pub fn vars(&self) -> usize {
        self.values.len()
    }

    /// A new variable.
    pub fn var(&mut self) -> Lit {
        let lit = self.derived();
        self.derived[lit.var()] = false;
        self.heap.insert(lit.var(), &self.activity);
        lit
    }

    /// A new variable that clauses determine as soon as those are known that it depends on. It is not decided, and it may
    /// stay open if nothing depends on it: each assignment of the others must leave a value for it.
    pub fn derived(&mut self) -> Lit {
        let var = self.values.len();
        self.values.push(None);
        self.levels.push(0);
        self.positions.push(0);
        self.reasons.push(Reason::None);
        self.phases.push(false);
        self.derived.push(true);
        self.dormant.push(false);
        self.activity.push(0.0);
        self.edges.push(None);
        self.seen.push(false);
        self.watches.push(Vec::new());
        self.watches.push(Vec::new());
        Lit::new(var, true)
    }

    /// Prefers this variable as long as conflicts say nothing else, with this value.
    pub fn prefer(&mut self, lit: Lit, weight: f64) {
        self.activity[lit.var()] += weight;
        self.phases[lit.var()] = lit.positive();
        self.heap.raised(lit.var(), &self.activity);
    }

    /// New nodes that follow each other; answers with the first.
    pub fn chain(&mut self, length: u32) -> Node {
        let first = self.graph.chain(length);
        for node in first + 1..first + length {
            self.log(|| Step::Fixed(node - 1, node));
        }
        first
    }

    /// The order to begin with: all nodes, each chain in its order. Undecided order atoms follow it. Before there are any.
    pub fn arrange(&mut self, order: &[Node]) {
        self.graph.arrange(order);
    }

    /// An order that always holds.
    pub fn fix(&mut self, from: Node, to: Node) {
        self.retreat(0);
        self.log(|| Step::Fixed(from, to));
        if let Some(path) = self.graph.fix(from, to) {
            self.broken = true;
            self.log(|| Step::Cycle(path.into_iter().map(|lit| !lit).collect()));
        }
    }

    /// The order atom of two different nodes.
    pub fn before(&mut self, a: Node, b: Node) -> Lit {
        let key = (a.min(b), a.max(b));
        if let Some(atom) = self.atoms.get(&key) {
            return if a < b { *atom } else { !*atom };
        }
        let atom = self.dormant();
        self.edges[atom.var()] = Some(key);
        self.graph.reach.atom(key.0, key.1, atom);
        self.atoms.insert(key, atom);
        if a < b { atom } else { !atom }
    }

    /// The nodes of an order literal, the earlier one first.
    pub fn edge(&self, lit: Lit) -> Option<(Node, Node)> {
        let (a, b) = self.edges[lit.var()]?;
        Some(if lit.positive() { (a, b) } else { (b, a) })
    }

    /// The place of a node in the order found.
    pub fn place(&self, node: Node) -> u32 {
        self.graph.place(node)
    }

    /// What is known of a literal.
    pub(crate) fn known(&self, lit: Lit) -> Truth {
        match self.values[lit.var()] {
            None => Truth::Open,
            Some(value) if value == lit.positive() => Truth::True,
            Some(_) => Truth::False,
        }
    }

    pub(crate) fn level(&self) -> u32 {
        self.marks.len() as u32
    }

    /// Adds a clause: at least one of these holds.
    pub fn clause(&mut self, lits: &[Lit]) {
        self.log(|| Step::Input(lits.to_vec()));
        let mut lits = lits.to_vec();
        lits.sort_unstable();
        lits.dedup();
        if lits.windows(2).any(|pair| pair[0] == !pair[1]) {
            return;
        }
        self.insert(lits, KEEP);
    }

    pub(crate) fn log(&mut self, step: impl FnOnce() -> Step) {
        if let Some(proof) = &mut self.proof {
            proof.push(step());
        }
    }

    /// Adds a clause at any time: goes back as far as needed for two literals of it not to be false.
    pub(crate) fn insert(&mut self, mut lits: Vec<Lit>, grade: u32) {
        lits.retain(|lit| self.known(*lit) != Truth::False || self.levels[lit.var()] > 0);
        if lits.len() < 2 {
            self.retreat(0);
        }
        if lits.iter().any(|lit| self.known(*lit) == Truth::True && self.levels[lit.var()] == 0) {
            return;
        }
        // Those that are not false come first, then those that became false last.
        let rank = |solver: &Self, lit: Lit| match solver.known(lit) {
            Truth::False => solver.levels[lit.var()],
            _ => u32::MAX,
        };
        lits.sort_by_key(|lit| std::cmp::Reverse(rank(self, *lit)));
        match lits[..] {
            [] => self.broken = true,
            [only] => self.enqueue(only, Reason::None),
            [_, second, ..] => {
                let level = rank(self, second);
                if level != u32::MAX {
                    self.retreat(level.saturating_sub(1));
                }
                self.attach(&lits, grade);
            }
        }
    }

    pub(crate) fn attach(&mut self, lits: &[Lit], grade: u32) -> Reason {
        if let [a, b] = *lits {
            self.watches[(!a).index()].push(Watch::Binary(b));
            self.watches[(!b).index()].push(Watch::Binary(a));
            return Reason::Binary(b);
        }
        let id = self.clauses.add(lits, grade);
        self.watches[(!lits[0]).index()].push(Watch::Long(id, lits[1]));
        self.watches[(!lits[1]).index()].push(Watch::Long(id, lits[0]));
        if grade != KEEP {
            self.learned.push(id);
        }
        Reason::Clause(id)
    }

    pub(crate) fn enqueue(&mut self, lit: Lit, reason: Reason) {
        let var = lit.var();
        self.values[var] = Some(lit.positive());
        self.levels[var] = self.level();
        self.positions[var] = self.trail.len() as u32;
        self.reasons[var] = reason;
        self.trail.push(lit);
    }

    /// Undoes all levels above this one.
    pub(crate) fn retreat(&mut self, level: u32) {
        if self.level() <= level {
            return;
        }
        let (start, edges) = self.marks[level as usize];
        while self.trail.len() > start {
            let Some(lit) = self.trail.pop() else { break };
            self.values[lit.var()] = None;
            self.phases[lit.var()] = lit.positive();
            if !self.derived[lit.var()] && !self.dormant[lit.var()] {
                self.heap.insert(lit.var(), &self.activity);
            }
        }
        self.graph.back(edges);
        self.marks.truncate(level as usize);
        self.next = self.next.min(start);
        self.next_edge = self.next_edge.min(start);
    }

    /// Everything that follows, from clauses and from the order.
    pub(crate) fn propagate(&mut self) -> Option<Conflict> {
        loop {
            while self.next < self.trail.len() {
                let lit = self.trail[self.next];
                self.next += 1;
                if let Some(conflict) = self.visit(lit) {
                    return Some(conflict);
                }
            }
            if self.next_edge == self.trail.len() {
                return None;
            }
            let lit = self.trail[self.next_edge];
            if let Some((from, to)) = self.edge(lit)
                && let Err(path) = self.graph.add(from, to, lit)
            {
                return Some(self.cycle(lit, path));
            }
            self.next_edge += 1;
            self.take_implied();
        }
    }

    fn cycle(&mut self, lit: Lit, mut path: Vec<Lit>) -> Conflict {
        path.push(lit);
        path.iter_mut().for_each(|lit| *lit = !*lit);
        path.sort_unstable();
        path.dedup();
        self.statistics.cycles += 1;
        self.log(|| Step::Cycle(path.clone()));
        path
    }

    /// A literal became true: the clauses that watch its negation.
    fn visit(&mut self, lit: Lit) -> Option<Conflict> {
        let mut watches = std::mem::take(&mut self.watches[lit.index()]);
        let (mut read, mut write) = (0, 0);
        let mut conflict = None;
        while read < watches.len() {
            let watch = watches[read];
            read += 1;
            let keep = match watch {
                Watch::Binary(other) => {
                    match self.known(other) {
                        Truth::False => conflict = Some(vec![!lit, other]),
                        Truth::Open => self.enqueue(other, Reason::Binary(!lit)),
                        Truth::True => {}
                    }
                    Some(watch)
                }
                Watch::Long(_, hint) if self.known(hint) == Truth::True => Some(watch),
                Watch::Long(id, _) => self.long(id, !lit, &mut conflict),
            };
            if let Some(watch) = keep {
                watches[write] = watch;
                write += 1;
            }
            if conflict.is_some() {
                break;
            }
        }
        watches.copy_within(read.., write);
        watches.truncate(write + watches.len() - read);
        debug_assert!(self.watches[lit.index()].is_empty());
        self.watches[lit.index()] = watches;
        conflict
    }

    /// The watched literal `gone` is false: watches another, or the clause forces its other watched literal.
    fn long(&mut self, id: ClauseId, gone: Lit, conflict: &mut Option<Conflict>) -> Option<Watch> {
        if self.clauses.grade(id) == GONE {
            return None;
        }
        if self.clauses.lit(id, 0) == gone {
            self.clauses.swap(id, 0, 1);
        }
        let first = self.clauses.lit(id, 0);
        if self.known(first) == Truth::True {
            return Some(Watch::Long(id, first));
        }
        for place in 2..self.clauses.len(id) {
            let lit = self.clauses.lit(id, place);
            if self.known(lit) != Truth::False {
                self.clauses.swap(id, 1, place);
                self.watches[(!lit).index()].push(Watch::Long(id, first));
                return None;
            }
        }
        match self.known(first) {
            Truth::False => *conflict = Some(self.clauses.lits(id).collect()),
            _ => self.enqueue(first, Reason::Clause(id)),
        }
        Some(Watch::Long(id, first))
    }
}
