//! Semaphores, condition variables, barriers and joins: what must have happened for an event to be possible. Each takes
//! of a semaphore matches one post, or one of the tokens at the beginning; each return from a wait matches one signal or
//! a broadcast between its beginning and its end.

use crate::encode::Parts;
use crate::model::Refused;
use foretrace_ctp::{Action, EventId, ObjectId, ObjectKind};
use foretrace_order::{Lit, Solver};
use rustc_hash::FxHashMap;

impl Parts {
    /// Everything that is not a lock.
    pub fn synchronisation(&mut self, s: &mut Solver) -> Result<(), Refused> {
        for id in self.sections.impossible.clone() {
            s.clause(&[!self.x(id)]);
        }
        for id in self.events() {
            if let Action::Join(child) = self.action(id) {
                let x = self.x(id);
                let fork = self.modelled.ctp.forks().get(&child).copied();
                let needed = self.last(child).into_iter().chain(fork);
                needed.for_each(|event| s.clause(&[!x, self.x(event)]));
            }
        }
        for object in (0..self.modelled.ctp.objects.len() as u32).map(ObjectId) {
            match self.modelled.ctp.object(object).kind {
                ObjectKind::Semaphore(count) => self.semaphore(s, object, count),
                ObjectKind::Condition => self.condition_variable(s, object),
                ObjectKind::Barrier(count) => self.barrier(s, object, count)?,
                ObjectKind::Lock { .. } => {}
            }
        }
        Ok(())
    }

    fn with(&self, wanted: impl Fn(Action) -> bool) -> Vec<EventId> {
        self.events().into_iter().filter(|id| wanted(self.action(*id))).collect()
    }

    fn semaphore(&mut self, s: &mut Solver, sem: ObjectId, tokens: u32) {
        let waits = self.with(|action| action == Action::SemWait(sem));
        if tokens as usize >= waits.len() {
            return;
        }
        let posts = self.with(|action| action == Action::SemPost(sem));
        let sources: Vec<Option<EventId>> = (0..tokens).map(|_| None).chain(posts.into_iter().map(Some)).collect();
        let mut taken = vec![Vec::new(); sources.len()];
        for wait in waits {
            let mut clause = vec![!self.x(wait)];
            for (source, taken) in sources.iter().zip(&mut taken) {
                let matched = s.var();
                clause.push(matched);
                taken.push(matched);
                if let Some(post) = source {
                    let earlier = self.before(s, *post, wait);
                    s.clause(&[!matched, self.x(*post)]);
                    s.clause(&[!matched, earlier]);
                }
            }
            s.clause(&clause);
        }
        taken.iter().for_each(|lits| at_most_one(s, lits));
    }

    fn condition_variable(&mut self, s: &mut Solver, condition: ObjectId) {
        let returns = self.with(|action| matches!(action, Action::Woken { condition: c, .. } if c == condition));
        let wakers = self.with(|action| matches!(action, Action::Signal(c) | Action::Broadcast(c) if c == condition));
        let mut taken: FxHashMap<EventId, Vec<Lit>> = FxHashMap::default();
        for end in returns {
            let begin = EventId { thread: end.thread, index: end.index - 1 };
            let mut clause = vec![!self.x(end)];
            for waker in wakers.iter().filter(|waker| waker.thread != end.thread) {
                let matched = s.var();
                clause.push(matched);
                let (after, before) = (self.before(s, begin, *waker), self.before(s, *waker, end));
                [self.x(*waker), after, before].into_iter().for_each(|lit| s.clause(&[!matched, lit]));
                if matches!(self.action(*waker), Action::Signal(_)) {
                    taken.entry(*waker).or_default().push(matched);
                }
            }
            s.clause(&clause);
        }
        for waker in wakers {
            at_most_one(s, taken.get(&waker).map_or(&[], |lits| lits));
        }
    }

    fn barrier(&mut self, s: &mut Solver, barrier: ObjectId, count: u32) -> Result<(), Refused> {
        let mut rounds: Vec<Vec<EventId>> = Vec::new();
        let mut exits: Vec<(EventId, usize)> = Vec::new();
        let mut arrived: FxHashMap<u32, usize> = FxHashMap::default();
        for id in self.events() {
            let own = arrived.entry(id.thread.0).or_default();
            match self.modelled.ctp.event(id).action {
                Action::BarrierEnter(b) if b == barrier => {
                    if rounds.len() == *own {
                        rounds.push(Vec::new());
                    }
                    rounds[*own].push(id);
                    *own += 1;
                }
                Action::BarrierExit(b) if b == barrier => exits.push((id, *own)),
                _ => {}
            }
        }
        if rounds.iter().any(|round| round.len() > count as usize) {
            return Err(Refused::Barrier(self.modelled.ctp.object(barrier).name.clone()));
        }
        for (exit, round) in exits {
            self.leaves(s, exit, round.checked_sub(1).map_or(&[], |round| &rounds[round]), count);
        }
        Ok(())
    }

    fn leaves(&mut self, s: &mut Solver, exit: EventId, round: &[EventId], count: u32) {
        let x = self.x(exit);
        // Before the first arrival, the machine counts every thread as there.
        if round.is_empty() {
            if (self.modelled.ctp.threads.len() as u32) < count {
                s.clause(&[!x]);
            }
            return;
        }
        if round.len() < count as usize {
            s.clause(&[!x]);
            return;
        }
        for enter in round {
            s.clause(&[!x, self.x(*enter)]);
            let order = if enter.thread == exit.thread { self.circuits.yes } else { self.before(s, *enter, exit) };
            s.clause(&[!x, order]);
        }
    }
}

fn at_most_one(s: &mut Solver, lits: &[Lit]) {
    for (place, a) in lits.iter().enumerate() {
        lits[place + 1..].iter().for_each(|b| s.clause(&[!*a, !*b]));
    }
}
