//! The operational semantics: what a term can do, and what it is afterwards.
//!
//! Termination is an event that parallel processes do together; the environment can refuse it like any other.

use super::{Eval, Evaluator};
use crate::machine::event::{Event, EventSet, TAU, TICK};
use crate::machine::lts::Lts;
use crate::machine::rules::images;
use crate::machine::term::{SetId, Term, TermId};
use crate::native::NativeEvent;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

pub type Steps = Rc<[(Event, TermId)]>;

impl Evaluator {
    /// The steps of a term, computed once.
    pub fn steps(&mut self, id: TermId) -> Eval<Steps> {
        if let Some(steps) = self.steps.get(&id) {
            return Ok(steps.clone());
        }
        self.tick()?;
        let mut steps = self.compute_steps(id)?;
        steps.sort();
        steps.dedup();
        let steps: Steps = steps.into();
        self.steps.insert(id, steps.clone());
        Ok(steps)
    }

    /// Explores everything a term can become, one state a term.
    pub fn explicate_term(&mut self, root: TermId) -> Eval<Lts> {
        let mut number: FxHashMap<TermId, u32> = FxHashMap::default();
        number.insert(root, 0);
        let mut order = vec![root];
        let mut rows: Vec<Vec<(Event, u32)>> = Vec::new();
        let mut edges = 0u64;
        while rows.len() < order.len() {
            let steps = self.steps(order[rows.len()])?;
            let mut row = Vec::with_capacity(steps.len());
            for &(e, t) in steps.iter() {
                let fresh = order.len() as u32;
                let id = *number.entry(t).or_insert(fresh);
                if id == fresh {
                    order.push(t);
                }
                row.push((e, id));
            }
            edges += row.len() as u64;
            rows.push(row);
            if rows.len().is_multiple_of(64) {
                self.meter.check(rows.len() as u64, (rows.len() as u64) * 300 + edges * 24)?;
            }
        }
        Ok(Lts::from_rows(0, rows))
    }

    fn compute_steps(&mut self, id: TermId) -> Eval<Vec<(Event, TermId)>> {
        let term = self.terms.get(id);
        match &*term {
            Term::Stop | Term::Omega => Ok(Vec::new()),
            Term::Skip => Ok(vec![(TICK, self.omega())]),
            Term::Div => Ok(vec![(TAU, id)]),
            Term::Prefix(offers) => offers.iter().map(|&(e, next)| Ok((e, self.now(next)?))).collect(),
            Term::Internal(parts) => parts.iter().map(|&next| Ok((TAU, self.now(next)?))).collect(),
            Term::External(parts) => self.external_steps(parts),
            Term::Sequential(p, q) => {
                let steps = self.steps(*p)?;
                steps
                    .iter()
                    .map(|&(e, p)| match e {
                        TICK => Ok((TAU, self.now(*q)?)),
                        e => Ok((e, self.terms.add(Term::Sequential(p, *q)))),
                    })
                    .collect()
            }
            Term::Interrupt(p, q) => self.interrupt_steps(*p, *q),
            Term::Sliding(p, q) => {
                let mut out = vec![(TAU, self.now(*q)?)];
                for &(e, p) in self.steps(*p)?.iter() {
                    out.push((e, if e == TAU { self.terms.add(Term::Sliding(p, *q)) } else { p }));
                }
                Ok(out)
            }
            Term::Exception(p, set, q) => {
                let (steps, set_of) = (self.steps(*p)?, self.terms.set(*set).clone());
                steps
                    .iter()
                    .map(|&(e, p)| match e {
                        TICK => Ok((e, p)),
                        e if set_of.contains(e) => Ok((e, self.now(*q)?)),
                        e => Ok((e, self.terms.add(Term::Exception(p, *set, *q)))),
                    })
                    .collect()
            }
            Term::Parallel(p, set, q) => self.parallel_steps(*p, *set, *q),
            Term::Alphabetised(parts) => self.alphabetised_steps(parts),
            Term::Hide(p, set) => {
                let (steps, hidden) = (self.steps(*p)?, self.terms.set(*set).clone());
                let shown = |e| if hidden.contains(e) { TAU } else { e };
                Ok(steps.iter().map(|&(e, p)| (shown(e), self.wrap(e, Term::Hide(p, *set)))).collect())
            }
            Term::Rename(p, relation) => self.rename_steps(*p, relation),
            Term::SyncExternal(p, set, q) => self.sync_external_steps(*p, *set, *q),
            Term::SyncInterrupt(p, set, q) => self.sync_interrupt_steps(*p, *set, *q),
            Term::Chaos(set) => {
                let mut out = vec![(TAU, self.terms.add(Term::Stop))];
                out.extend(self.terms.set(*set).events.iter().map(|&e| (e, id)));
                Ok(out)
            }
            Term::Run(set) => Ok(self.terms.set(*set).events.iter().map(|&e| (e, id)).collect()),
            Term::Compress(_, p) => Ok(self.steps(*p)?.to_vec()),
            Term::Chase(p) => self.chase_steps(*p, Term::Chase),
            Term::Determined(p) => {
                let mut steps = self.chase_steps(*p, Term::Determined)?;
                steps.dedup_by_key(|(e, _)| *e);
                Ok(steps)
            }
            Term::Prioritise(p, order) => {
                let steps = order.among(&self.steps(*p)?);
                Ok(steps.into_iter().map(|(e, p)| (e, self.wrap(e, Term::Prioritise(p, order.clone())))).collect())
            }
            Term::Machine(number, state) => {
                let machine = self.machines[*number as usize].clone();
                let term = |&(e, to): &(Event, u32)| (e, self.terms.add(Term::Machine(*number, to)));
                Ok(machine.row(*state).iter().map(term).collect())
            }
            Term::Native(native, state) => self.native_steps(*native, state),
        }
    }

    fn omega(&mut self) -> TermId {
        self.terms.add(Term::Omega)
    }

    /// The term after an event; after termination it is [`Term::Omega`].
    fn wrap(&mut self, event: Event, term: Term) -> TermId {
        if event == TICK { self.omega() } else { self.terms.add(term) }
    }

    fn external_steps(&mut self, parts: &[TermId]) -> Eval<Vec<(Event, TermId)>> {
        let mut out = Vec::new();
        for (i, &part) in parts.iter().enumerate() {
            for &(e, next) in self.steps(part)?.iter() {
                if e != TAU {
                    out.push((e, next));
                    continue;
                }
                let mut parts = parts.to_vec();
                parts[i] = next;
                out.push((TAU, self.terms.add(Term::External(parts))));
            }
        }
        Ok(out)
    }

    fn interrupt_steps(&mut self, p: TermId, q: TermId) -> Eval<Vec<(Event, TermId)>> {
        let mut out = Vec::new();
        for &(e, p) in self.steps(p)?.iter() {
            out.push((e, self.wrap(e, Term::Interrupt(p, q))));
        }
        for &(e, q) in self.steps(q)?.iter() {
            out.push((e, if e == TAU { self.terms.add(Term::Interrupt(p, q)) } else { q }));
        }
        Ok(out)
    }

    fn parallel_steps(&mut self, p: TermId, set: SetId, q: TermId) -> Eval<Vec<(Event, TermId)>> {
        let (left, right) = (self.steps(p)?, self.steps(q)?);
        let shared = self.terms.set(set).clone();
        let together = |e| e == TICK || shared.contains(e);
        let mut out = Vec::new();
        for &(e, p2) in left.iter() {
            if !together(e) {
                out.push((e, self.terms.add(Term::Parallel(p2, set, q))));
                continue;
            }
            for &(_, q2) in right.iter().filter(|(f, _)| *f == e) {
                out.push((e, self.wrap(e, Term::Parallel(p2, set, q2))));
            }
        }
        for &(e, q2) in right.iter().filter(|(e, _)| !together(*e)) {
            out.push((e, self.terms.add(Term::Parallel(p, set, q2))));
        }
        Ok(out)
    }

    fn alphabetised_steps(&mut self, parts: &[(SetId, TermId)]) -> Eval<Vec<(Event, TermId)>> {
        let mut all = Vec::new();
        for &(_, part) in parts {
            all.push(self.steps(part)?);
        }
        let sets: Vec<Rc<EventSet>> = parts.iter().map(|(s, _)| self.terms.set(*s).clone()).collect();
        let mut events: Vec<Event> = all.iter().flat_map(|s| s.iter().map(|(e, _)| *e)).collect();
        events.sort();
        events.dedup();
        let mut out = Vec::new();
        for e in events {
            if e == TAU {
                for (i, steps) in all.iter().enumerate() {
                    for &(_, next) in steps.iter().filter(|(e, _)| *e == TAU) {
                        let mut parts = parts.to_vec();
                        parts[i].1 = next;
                        out.push((TAU, self.terms.add(Term::Alphabetised(parts))));
                    }
                }
                continue;
            }
            let takes_part: Vec<bool> = sets.iter().map(|s| e == TICK || s.contains(e)).collect();
            if !takes_part.contains(&true) {
                continue;
            }
            let mut combined = vec![parts.to_vec()];
            for (i, steps) in all.iter().enumerate().filter(|(i, _)| takes_part[*i]) {
                let targets: Vec<TermId> = steps.iter().filter(|(f, _)| *f == e).map(|(_, t)| *t).collect();
                let with = |row: &Vec<(SetId, TermId)>, t: TermId| {
                    let mut row = row.clone();
                    row[i].1 = t;
                    row
                };
                combined = combined.iter().flat_map(|row| targets.iter().map(move |&t| with(row, t))).collect();
            }
            for row in combined {
                out.push((e, self.wrap(e, Term::Alphabetised(row))));
            }
        }
        Ok(out)
    }

    fn rename_steps(&mut self, p: TermId, relation: &Rc<Vec<(Event, Event)>>) -> Eval<Vec<(Event, TermId)>> {
        let mut out = Vec::new();
        for &(e, p) in self.steps(p)?.iter() {
            let next = self.wrap(e, Term::Rename(p, relation.clone()));
            out.extend(images(relation, e).map(|image| (image, next)));
        }
        Ok(out)
    }

    fn sync_external_steps(&mut self, p: TermId, set: SetId, q: TermId) -> Eval<Vec<(Event, TermId)>> {
        let (left, right, shared) = (self.steps(p)?, self.steps(q)?, self.terms.set(set).clone());
        let mut out = Vec::new();
        for &(e, p2) in left.iter() {
            if shared.contains(e) {
                for &(_, q2) in right.iter().filter(|(f, _)| *f == e) {
                    out.push((e, self.terms.add(Term::SyncExternal(p2, set, q2))));
                }
            } else {
                out.push((e, if e == TAU { self.terms.add(Term::SyncExternal(p2, set, q)) } else { p2 }));
            }
        }
        for &(e, q2) in right.iter().filter(|(e, _)| !shared.contains(*e)) {
            out.push((e, if e == TAU { self.terms.add(Term::SyncExternal(p, set, q2)) } else { q2 }));
        }
        Ok(out)
    }

    fn sync_interrupt_steps(&mut self, p: TermId, set: SetId, q: TermId) -> Eval<Vec<(Event, TermId)>> {
        let (left, right, shared) = (self.steps(p)?, self.steps(q)?, self.terms.set(set).clone());
        let mut out = Vec::new();
        for &(e, p2) in left.iter() {
            if shared.contains(e) {
                for &(_, q2) in right.iter().filter(|(f, _)| *f == e) {
                    out.push((e, self.terms.add(Term::SyncInterrupt(p2, set, q2))));
                }
            } else {
                out.push((e, self.wrap(e, Term::SyncInterrupt(p2, set, q))));
            }
        }
        for &(e, q2) in right.iter().filter(|(e, _)| !shared.contains(*e)) {
            out.push((e, if e == TAU { self.terms.add(Term::SyncInterrupt(p, set, q2)) } else { q2 }));
        }
        Ok(out)
    }

    /// Follows silent steps until there are none, and answers the steps from there; a cycle of silent steps is a livelock.
    fn chase_steps(&mut self, mut p: TermId, again: fn(TermId) -> Term) -> Eval<Vec<(Event, TermId)>> {
        let mut seen = FxHashSet::default();
        loop {
            let steps = self.steps(p)?;
            let Some(&(TAU, next)) = steps.first() else {
                return Ok(steps.iter().map(|&(e, p)| (e, self.wrap(e, again(p)))).collect());
            };
            if !seen.insert(p) {
                return Ok(vec![(TAU, self.terms.add(Term::Div))]);
            }
            p = next;
        }
    }

    fn native_steps(&mut self, native: u32, state: &[u64]) -> Eval<Vec<(Event, TermId)>> {
        let events = self.native_events(native)?;
        let process = self.natives[native as usize].clone();
        let mut found = Vec::new();
        process.successors(state, &mut |event, next| found.push((event, next.to_vec())));
        let number = |event| match event {
            NativeEvent::Silent => TAU,
            NativeEvent::Terminate => TICK,
            NativeEvent::Visible(i) => events[i as usize],
        };
        Ok(found.into_iter().map(|(e, s)| (number(e), self.wrap(number(e), Term::Native(native, s.into())))).collect())
    }

    /// The events of a native process's alphabet, in its order.
    pub fn native_events(&mut self, native: u32) -> Eval<Vec<Event>> {
        let names = self.natives[native as usize].alphabet();
        names.iter().map(|name| self.event_named(name)).collect()
    }
}
