//! Process terms, each stored once: equal terms have equal numbers, so a term is a state.

use super::event::{Event, EventSet};
use crate::syntax::{Expr, ExprId};
pub use crate::value::TermId;
use crate::value::{Env, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DelayedId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SetId(pub u32);

/// A process that is known, or one that will be when it is first needed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Next {
    Now(TermId),
    Later(DelayedId),
}

/// What a compression does to an explicit machine. All keep the meaning of the process in the models named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compression {
    Explicate,
    Strong,
    Weak,
    Delay,
    Diamond,
    Normal,
    TauLoops,
}

/// Priority between events: the rank of each named event, and the rank of those not named. Lower is more urgent;
/// τ and ✓ have rank 0. Events without a rank are never held back.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Priorities {
    /// Pairs (event, the events it is held back by).
    pub below: Vec<(Event, Vec<Event>)>,
}

impl Priorities {
    /// The steps that no more urgent step holds back.
    pub fn among<T: Copy>(&self, steps: &[(Event, T)]) -> Vec<(Event, T)> {
        let enabled = |e: &Event| steps.iter().any(|(f, _)| f == e);
        let held = |e: Event| self.below.iter().any(|(low, over)| *low == e && over.iter().any(enabled));
        steps.iter().filter(|(e, _)| !held(*e)).copied().collect()
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    Stop,
    Skip,
    /// After successful termination.
    Omega,
    Div,
    Prefix(Vec<(Event, Next)>),
    External(Vec<TermId>),
    Internal(Vec<Next>),
    Sequential(TermId, Next),
    Interrupt(TermId, TermId),
    Sliding(TermId, Next),
    Exception(TermId, SetId, Next),
    Parallel(TermId, SetId, TermId),
    /// Each side's alphabet; they meet on what is in both.
    Alphabetised(Vec<(SetId, TermId)>),
    Hide(TermId, SetId),
    Rename(TermId, Rc<Vec<(Event, Event)>>),
    SyncExternal(TermId, SetId, TermId),
    SyncInterrupt(TermId, SetId, TermId),
    Chaos(SetId),
    Run(SetId),
    Compress(Compression, TermId),
    Chase(TermId),
    /// Chased, and one step an event.
    Determined(TermId),
    Prioritise(TermId, Rc<Priorities>),
    /// A state of a machine that was written out when the term was evaluated, by the machine's number.
    Machine(u32, u32),
    /// A component implemented outside the language, by its number.
    Native(u32, Rc<[u64]>),
}

enum Delayed {
    Waiting(Expr, Env),
    Running,
    Done(TermId),
}

#[derive(Default)]
pub struct Terms {
    terms: Vec<Rc<Term>>,
    index: FxHashMap<Rc<Term>, TermId>,
    sets: Vec<Rc<EventSet>>,
    set_index: FxHashMap<Rc<EventSet>, SetId>,
    delayed: Vec<Delayed>,
    delayed_index: FxHashMap<(ExprId, Vec<Value>), DelayedId>,
}

/// Where a delayed process stands.
pub enum Pending {
    Evaluate(Expr, Env),
    /// It is being evaluated: it needs itself before it has done anything.
    Unguarded,
    Ready(TermId),
}

impl Terms {
    pub fn add(&mut self, term: Term) -> TermId {
        if let Some(&id) = self.index.get(&term) {
            return id;
        }
        let id = TermId(self.terms.len() as u32);
        let term = Rc::new(term);
        self.terms.push(term.clone());
        self.index.insert(term, id);
        id
    }

    pub fn get(&self, id: TermId) -> Rc<Term> {
        self.terms[id.0 as usize].clone()
    }

    pub fn len(&self) -> usize {
        self.terms.len()
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn add_set(&mut self, set: EventSet) -> SetId {
        if let Some(&id) = self.set_index.get(&set) {
            return id;
        }
        let id = SetId(self.sets.len() as u32);
        let set = Rc::new(set);
        self.sets.push(set.clone());
        self.set_index.insert(set, id);
        id
    }

    pub fn set(&self, id: SetId) -> &Rc<EventSet> {
        &self.sets[id.0 as usize]
    }

    /// A process to be evaluated later; `key` holds the values of the variables it uses.
    pub fn delay(&mut self, expr: &Expr, key: Vec<Value>, env: &Env) -> DelayedId {
        let next = DelayedId(self.delayed.len() as u32);
        let id = *self.delayed_index.entry((expr.id, key)).or_insert(next);
        if id == next {
            self.delayed.push(Delayed::Waiting(expr.clone(), env.clone()));
        }
        id
    }

    pub fn pending(&mut self, id: DelayedId) -> Pending {
        let slot = &mut self.delayed[id.0 as usize];
        match std::mem::replace(slot, Delayed::Running) {
            Delayed::Waiting(expr, env) => Pending::Evaluate(expr, env),
            Delayed::Running => Pending::Unguarded,
            Delayed::Done(term) => {
                *slot = Delayed::Done(term);
                Pending::Ready(term)
            }
        }
    }

    /// Puts a delayed process back after its evaluation failed.
    pub fn abandon(&mut self, id: DelayedId, expr: Expr, env: Env) {
        self.delayed[id.0 as usize] = Delayed::Waiting(expr, env);
    }

    pub fn settle(&mut self, id: DelayedId, term: TermId) {
        self.delayed[id.0 as usize] = Delayed::Done(term);
    }
}
