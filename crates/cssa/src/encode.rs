//! The parts of the formula that all others share: a node and a literal for each event, and the order of two events.

mod bound;
pub mod flow;
mod memory;
mod sections;
mod sums;
mod sync;
mod values;

use crate::model::{Extent, Modelled, Options, Refused};
use bound::Bound;
use flow::Flow;
use foretrace_ctp::must::Must;
use foretrace_ctp::{Action, EventId, ExprId, ReadId, ThreadId};
use foretrace_order::bits::{Bits, Circuits};
use foretrace_order::{Lazy, Lit, Node, Solver, Truth};
use memory::Memory;
pub use memory::pairs;
use rustc_hash::FxHashMap;
use sections::Sections;
use sums::Counters;

/// The formula of a program, without the solver that holds its clauses.
pub struct Parts {
    pub modelled: Modelled,
    pub options: Options,
    pub must: Must,
    pub circuits: Circuits,
    /// The node of each thread's first event.
    first: Vec<Node>,
    /// For each event, its place in the recorded order.
    recorded: Vec<Vec<u32>>,
    /// For each event, the literal that says that it happens.
    pub happens: Vec<Vec<Lit>>,
    /// For each assertion, the literal that says that it fails.
    pub fails: FxHashMap<EventId, Lit>,
    pub flow: Flow,
    pub bits: FxHashMap<ExprId, Bits>,
    /// Reads whose value matters, and which have no writers to see yet.
    pub wanted: Vec<ReadId>,
    pub memory: Memory,
    pub sections: Sections,
    pub counters: Counters,
    pub bound: Option<Bound>,
    /// Whether the question at hand limits the number of switches.
    pub bounded: bool,
}

impl Parts {
    /// The formula of a program.
    pub fn new(modelled: Modelled, options: Options, s: &mut Solver) -> Result<Self, Refused> {
        let ctp = &modelled.ctp;
        // Checked programs have such an order.
        let must = Must::new(ctp).expect("a checked program");
        let first = ctp.threads.iter().map(|thread| s.chain(thread.events.len() as u32)).collect();
        let happens = ctp.threads.iter().map(|thread| thread.events.iter().map(|_| s.var()).collect()).collect();
        let (flow, memory, sections) = (Flow::new(ctp), Memory::new(ctp), Sections::new(ctp)?);
        let counters = Counters::new(ctp, &flow);
        let mut recorded: Vec<Vec<u32>> = ctp.threads.iter().map(|thread| vec![0; thread.events.len()]).collect();
        for (place, id) in (0..).zip(&ctp.order) {
            recorded[id.thread.index()][id.index as usize] = place;
        }
        let mut parts = Self {
            circuits: Circuits::new(s),
            must,
            first,
            recorded,
            happens,
            fails: FxHashMap::default(),
            flow,
            bits: FxHashMap::default(),
            wanted: Vec::new(),
            memory,
            sections,
            counters,
            bound: None,
            bounded: false,
            options,
            modelled,
        };
        // Most of a recorded order can stay as it was.
        let nodes: Vec<Node> = parts.modelled.ctp.order.iter().map(|id| parts.node(*id)).collect();
        s.arrange(&nodes);
        parts.edges(s);
        if options.switches > 0 {
            parts.limit(s);
        }
        parts.paths(s);
        parts.synchronisation(s)?;
        parts.reads(s);
        Ok(parts)
    }

    pub fn action(&self, id: EventId) -> Action {
        self.modelled.ctp.event(id).action
    }

    pub fn events(&self) -> Vec<EventId> {
        self.modelled.ctp.events().map(|(id, _)| id).collect()
    }

    pub fn node(&self, id: EventId) -> Node {
        self.first[id.thread.index()] + id.index
    }

    /// The place of an event in the recorded order.
    pub fn recorded(&self, id: EventId) -> u32 {
        self.recorded[id.thread.index()][id.index as usize]
    }

    pub fn x(&self, id: EventId) -> Lit {
        self.happens[id.thread.index()][id.index as usize]
    }

    pub fn last(&self, thread: ThreadId) -> Option<EventId> {
        let events = self.modelled.ctp.threads[thread.index()].events.len();
        (events > 0).then(|| EventId::new(thread.index(), events - 1))
    }

    pub fn whole(&self) -> bool {
        self.options.extent == Extent::Whole
    }

    /// That the first event comes before the second.
    pub fn before(&mut self, s: &mut Solver, a: EventId, b: EventId) -> Lit {
        if self.must.before(a, b) {
            return self.circuits.yes;
        }
        if self.must.before(b, a) {
            return !self.circuits.yes;
        }
        let known = s.vars();
        let atom = s.before(self.node(a), self.node(b));
        if s.vars() > known {
            self.keep_in_slots(s, atom, a, b);
        }
        atom
    }

    /// Forks and joins as fixed edges.
    fn edges(&mut self, s: &mut Solver) {
        for id in self.events() {
            match self.action(id) {
                Action::Fork(child) if self.last(child).is_some() => {
                    s.fix(self.node(id), self.first[child.index()]);
                }
                Action::Join(child) => {
                    let last = self.last(child);
                    last.into_iter().for_each(|last| s.fix(self.node(last), self.node(id)));
                }
                _ => {}
            }
        }
    }

    /// Where an event stands in the order found.
    pub fn key(&self, s: &Solver, id: EventId) -> (u32, u32) {
        match &self.bound {
            Some(bound) if self.bounded => (bound.slot(s, id), id.index),
            _ => (0, s.place(self.node(id))),
        }
    }

    /// Whether an event happens in the order found.
    pub fn chosen(&self, s: &Solver, id: EventId) -> bool {
        s.value(self.x(id)) == Truth::True
    }
}

impl Lazy for Parts {
    fn check(&mut self, s: &mut Solver) -> Vec<Vec<Lit>> {
        let mut clauses = self.stale_reads(s);
        clauses.extend(self.overlaps(s));
        clauses
    }
}
