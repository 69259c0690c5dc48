//! Which events happen: each needs the one before it (Φ_PO of the paper), every `assume` on the way, and the sides of
//! branches that it stands in (section 8).

use crate::encode::Parts;
use foretrace_ctp::{Action, Ctp, EventId, ExprId, ThreadId};
use foretrace_order::{Lit, Solver};

/// A side of a branch.
#[derive(Clone, Copy, Debug)]
struct Side {
    parent: usize,
}

/// What must have happened for an event to be next.
#[derive(Clone, Copy, Debug)]
pub enum Before {
    /// Nothing: the first event of a thread.
    Start,
    /// This event.
    Event(EventId),
    /// This branch, with this result of its condition.
    Branch(EventId, ExprId, bool),
    /// The end of one of the sides: the branch, its condition, and the ends of both sides.
    Ends(EventId, ExprId, [EventId; 2]),
}

/// The branches of all threads.
#[derive(Debug)]
pub struct Flow {
    sides: Vec<Side>,
    /// The side of each event; 0 is outside of branches.
    side: Vec<Vec<usize>>,
    before: Vec<Vec<Before>>,
}

struct Open {
    branch: EventId,
    condition: ExprId,
    then: Option<EventId>,
    outside: usize,
}

impl Flow {
    pub fn new(ctp: &Ctp) -> Self {
        let mut flow = Self { sides: vec![Side { parent: 0 }], side: Vec::new(), before: Vec::new() };
        for thread in 0..ctp.threads.len() {
            flow.thread(ctp, thread);
        }
        flow
    }

    fn thread(&mut self, ctp: &Ctp, thread: usize) {
        let (mut open, mut current): (Vec<Open>, usize) = (Vec::new(), 0);
        let (mut sides, mut befores) = (Vec::new(), Vec::new());
        let mut before = Before::Start;
        for (index, event) in ctp.threads[thread].events.iter().enumerate() {
            let id = EventId::new(thread, index);
            let mut next = Before::Event(id);
            match event.action {
                Action::If(condition) => {
                    open.push(Open { branch: id, condition, then: None, outside: current });
                    sides.push(current);
                    current = self.new_side(current);
                    next = Before::Branch(id, condition, true);
                }
                Action::Else => {
                    sides.push(current);
                    let branch = open.last_mut().expect("a checked program");
                    branch.then = Some(id);
                    current = self.new_side(branch.outside);
                    next = Before::Branch(branch.branch, branch.condition, false);
                }
                Action::EndIf => {
                    let branch = open.pop().expect("a checked program");
                    let end = match before {
                        Before::Event(last) => last,
                        _ => branch.branch,
                    };
                    let ends = match branch.then {
                        Some(then) => [then, end],
                        None => [end, branch.branch],
                    };
                    before = Before::Ends(branch.branch, branch.condition, ends);
                    current = branch.outside;
                    sides.push(current);
                }
                _ => sides.push(current),
            }
            befores.push(before);
            before = next;
        }
        self.side.push(sides);
        self.before.push(befores);
    }

    fn new_side(&mut self, parent: usize) -> usize {
        self.sides.push(Side { parent });
        self.sides.len() - 1
    }

    pub fn before(&self, id: EventId) -> Before {
        self.before[id.thread.index()][id.index as usize]
    }

    /// Whether the event happens whenever its thread gets that far.
    pub fn outside(&self, id: EventId) -> bool {
        self.side[id.thread.index()][id.index as usize] == 0
    }

    /// Whether the first event has happened whenever the second, later in the same thread, happens.
    pub fn dominates(&self, a: EventId, b: EventId) -> bool {
        let side = |id: EventId| self.side[id.thread.index()][id.index as usize];
        let (goal, mut at) = (side(a), side(b));
        while at != goal && at != 0 {
            at = self.sides[at].parent;
        }
        at == goal
    }
}

impl Parts {
    /// The literals that hold when an event is next or has happened; for an end of branches, clauses are needed.
    pub fn reached(&mut self, s: &mut Solver, id: EventId) -> Option<Vec<Lit>> {
        Some(match self.flow.before(id) {
            Before::Start => self.starts(id.thread).into_iter().collect(),
            Before::Event(before) => vec![self.x(before)],
            Before::Branch(branch, condition, sign) => {
                let condition = self.condition(s, condition);
                vec![self.x(branch), if sign { condition } else { !condition }]
            }
            Before::Ends(..) => return None,
        })
    }

    /// The fork of a thread.
    fn starts(&self, thread: ThreadId) -> Option<Lit> {
        self.modelled.ctp.forks().get(&thread).map(|fork| self.x(*fork))
    }

    /// Program order and path conditions of all events.
    pub fn paths(&mut self, s: &mut Solver) {
        for id in self.events() {
            let x = self.x(id);
            match self.reached(s, id) {
                Some(lits) => lits.into_iter().for_each(|lit| s.clause(&[!x, lit])),
                None => self.ends(s, id),
            }
            match self.action(id) {
                Action::Assume(c) => {
                    let c = self.condition(s, c);
                    s.clause(&[!x, c]);
                }
                Action::Assert(c) => self.assertion(s, id, c),
                Action::Update { guard: Some(guard), .. } => {
                    let guard = self.condition(s, guard);
                    s.clause(&[!x, guard]);
                }
                _ => {}
            }
        }
        self.pin(s);
    }

    fn ends(&mut self, s: &mut Solver, id: EventId) {
        let Before::Ends(branch, condition, [then, other]) = self.flow.before(id) else { return };
        let condition = self.condition(s, condition);
        let x = self.x(id);
        s.clause(&[!x, self.x(branch)]);
        s.clause(&[!x, !condition, self.x(then)]);
        s.clause(&[!x, condition, self.x(other)]);
    }

    /// An assertion fails, or the run goes on behind it; in whole orders it stops nothing.
    fn assertion(&mut self, s: &mut Solver, id: EventId, c: ExprId) {
        let (x, c) = (self.x(id), self.condition(s, c));
        let fails = s.var();
        self.fails.insert(id, fails);
        s.clause(&[!fails, x]);
        s.clause(&[!fails, !c]);
        if self.whole() {
            return;
        }
        s.clause(&[!x, fails, c]);
        let next = EventId { thread: id.thread, index: id.index + 1 };
        if self.last(id.thread).is_some_and(|last| next <= last) {
            s.clause(&[!fails, !self.x(next)]);
        }
    }

    /// Reads of the constrained model see the recorded values.
    fn pin(&mut self, s: &mut Solver) {
        let mut pinned: Vec<_> = self.modelled.pinned.iter().map(|(read, value)| (*read, *value)).collect();
        pinned.sort_unstable();
        for (read, value) in pinned {
            let x = self.x(self.modelled.ctp.reads[read.index()]);
            let bits = self.read_bits(s, read);
            for (at, bit) in bits.into_iter().enumerate() {
                s.clause(&[!x, if value >> at & 1 == 1 { bit } else { !bit }]);
            }
        }
    }
}
