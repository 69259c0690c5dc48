//! The threads that are stuck at a cut, and what each waits for.

use foretrace_event::{EventId, ThreadId};
use foretrace_finding::{Deadlock, Stuck, WaitsFor};

use super::op::{CounterOf, NeedKind, Op};
use super::step::met;
use super::{Program, State, Status};

impl Program {
    /// The deadlock of a state at which nothing can take place: the largest set of blocked threads that only each other
    /// could help. None if a thread can move, or if no thread is stuck.
    pub fn deadlock(&self, state: &State) -> Option<Deadlock> {
        let wait_set = self.wait_set(state)?;
        let all = (0..self.threads()).filter(|&thread| wait_set.stuck[thread]);
        self.named(state, &wait_set, all)
    }

    /// The smallest part of that deadlock that is itself a deadlock.
    pub fn core(&self, state: &State) -> Option<Deadlock> {
        let wait_set = self.wait_set(state)?;
        let stuck = (0..self.threads()).filter(|&thread| wait_set.stuck[thread]);
        let cores = stuck.map(|thread| self.closed(state, &wait_set, thread));
        cores
            .filter_map(|core| self.named(state, &wait_set, core.into_iter()))
            .min_by_key(|deadlock| deadlock.stuck().len())
    }

    /// Are the threads of a deadlock stuck at their events, whatever all others do?
    pub(crate) fn shows(&self, state: &State, deadlock: &Deadlock) -> bool {
        let named = |thread: usize| deadlock.events().any(|id| id.thread.index() == thread);
        let wait_set = self.sort(state, &|thread| named(thread) || self.is_unborn(state, thread));
        deadlock.events().all(|id| {
            let thread = id.thread.index();
            wait_set.stuck[thread] && self.event_at(thread, state.cut[thread]) == Some(id.index)
        })
    }

    /// Has the thread not been created?
    fn is_unborn(&self, state: &State, thread: usize) -> bool {
        let at = state.cut[thread];
        let is_op = (at as usize) < self.chains[thread].ops.len();
        is_op && self.chains[thread].needs(at).iter().any(|need| need.kind == NeedKind::Created && !met(state, need))
    }

    /// The stuck threads, if no thread can move and at least one is stuck.
    fn wait_set(&self, state: &State) -> Option<WaitSet> {
        let moves = (0..self.threads()).any(|thread| self.status(state, thread) == Status::Ready);
        (!moves).then(|| self.sort(state, &|_| true)).filter(|wait_set| wait_set.stuck.contains(&true))
    }

    /// Which of the threads in question are stuck whatever the others do, and which have finished.
    fn sort(&self, state: &State, in_question: &dyn Fn(usize) -> bool) -> WaitSet {
        let statuses: Vec<_> = (0..self.threads()).map(|thread| self.status(state, thread)).collect();
        let blocked = |thread: usize| statuses[thread] == Status::Blocked && in_question(thread);
        let stuck = (0..self.threads()).map(blocked).collect();
        let idle = statuses.iter().map(|status| *status == Status::Done).collect();
        let mut wait_set = WaitSet { stuck, idle };
        let helped = |wait_set: &WaitSet| {
            (0..self.threads()).find(|&t| wait_set.stuck[t] && self.why(state, t, wait_set).is_none())
        };
        while let Some(thread) = helped(&wait_set) {
            wait_set.stuck[thread] = false;
        }
        wait_set
    }

    fn named(&self, state: &State, wait_set: &WaitSet, threads: impl Iterator<Item = usize>) -> Option<Deadlock> {
        let at = |thread| EventId {
            thread: ThreadId::from_index(thread),
            index: self.chains[thread].events[state.cut[thread] as usize],
        };
        let why = |thread| self.why(state, thread, wait_set).flatten();
        let list: Vec<_> =
            threads.filter_map(|thread| Some(Stuck { at: at(thread), waits_for: why(thread)? })).collect();
        (!list.is_empty()).then(|| Deadlock::new(list))
    }

    /// A stuck thread, and all the threads that keep it stuck.
    fn closed(&self, state: &State, wait_set: &WaitSet, thread: usize) -> Vec<usize> {
        let mut members = vec![thread];
        let mut next = 0;
        while let Some(&member) = members.get(next) {
            next += 1;
            for other in self.depends(state, wait_set, member) {
                if !members.contains(&other) {
                    members.push(other);
                }
            }
        }
        members
    }

    /// The stuck threads that keep a stuck thread blocked.
    fn depends(&self, state: &State, wait_set: &WaitSet, thread: usize) -> Vec<usize> {
        let needs = self.chains[thread].needs(state.cut[thread]).iter();
        let unmet = needs.filter(|need| !met(state, need)).map(|need| need.thread as usize);
        if let Some(other) = unmet.into_iter().find(|&other| wait_set.inert(other)) {
            return vec![other].into_iter().filter(|&other| wait_set.stuck[other]).collect();
        }
        match self.chains[thread].ops[state.cut[thread] as usize] {
            Op::Acquire { lock, mode, .. } => (0..self.threads())
                .find(|&other| other != thread && wait_set.inert(other) && self.keeps_out(state, other, lock, mode))
                .into_iter()
                .filter(|&other| wait_set.stuck[other])
                .collect(),
            Op::Down { counter, .. } | Op::Exit { counter, .. } => {
                let tracks = self.counters[counter as usize].tracks.iter();
                let left = tracks.filter(|track| track.ups_left(&state.cut)).map(|track| track.thread as usize);
                left.filter(|&other| other != thread && wait_set.stuck[other]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Why a blocked thread stays blocked if the stuck and idle threads do nothing; none if another thread could help
    /// it. The inner option is empty for a thread that has not been created, which is not reported.
    fn why(&self, state: &State, thread: usize, wait_set: &WaitSet) -> Option<Option<WaitsFor>> {
        let at = state.cut[thread];
        for need in self.chains[thread].needs(at).iter().filter(|need| !met(state, need)) {
            if wait_set.inert(need.thread as usize) {
                return Some(waits_for(need.kind));
            }
        }
        self.blocked_by(state, thread, &|other| wait_set.inert(other)).map(Some)
    }

    /// The object that keeps a thread blocked, whatever the threads that are not inert do.
    fn blocked_by(&self, state: &State, thread: usize, inert: &dyn Fn(usize) -> bool) -> Option<WaitsFor> {
        let op = self.chains[thread].ops[state.cut[thread] as usize];
        if self.possible(state, thread, op) {
            return None;
        }
        match op {
            Op::Acquire { lock, mode, .. } => (0..self.threads())
                .find(|&other| other != thread && inert(other) && self.keeps_out(state, other, lock, mode))
                .map(|holder| WaitsFor::Lock(lock, ThreadId::from_index(holder))),
            Op::Wait { instance, .. } => Some(WaitsFor::LostSignal(instance)),
            Op::Down { counter, .. } => (self.help(state, counter, inert) == 0).then(|| self.counted(counter)),
            Op::Exit { counter, count } => {
                let missing = if count == 0 { i64::MAX } else { self.to_come(state, counter, count) };
                ((self.help(state, counter, inert) as i64) < missing).then(|| self.counted(counter))
            }
            _ => None,
        }
    }

    /// How many threads that are not inert could still increment a counter. A thread inside a barrier enters it again
    /// only after it has left.
    fn help(&self, state: &State, counter: u32, inert: &dyn Fn(usize) -> bool) -> usize {
        let tracks = self.counters[counter as usize].tracks.iter();
        let may_come = |thread: usize| {
            !inert(thread)
                && !matches!(self.next(state, thread), Some(Op::Exit { counter: other, .. }) if other == counter)
        };
        tracks.filter(|track| may_come(track.thread as usize) && track.ups_left(&state.cut)).count()
    }

    fn counted(&self, counter: u32) -> WaitsFor {
        match self.counters[counter as usize].of {
            CounterOf::Sem(sem) => WaitsFor::Post(sem),
            CounterOf::Lock(lock) => WaitsFor::Release(lock),
            CounterOf::BarrierEnters(barrier) => WaitsFor::Barrier(barrier),
        }
    }
}

/// The stuck threads and the finished ones.
struct WaitSet {
    stuck: Vec<bool>,
    idle: Vec<bool>,
}

impl WaitSet {
    /// Will this thread do nothing more?
    fn inert(&self, thread: usize) -> bool {
        self.stuck[thread] || self.idle[thread]
    }
}

fn waits_for(kind: NeedKind) -> Option<WaitsFor> {
    match kind {
        NeedKind::Created | NeedKind::Order => None,
        NeedKind::End(thread) => Some(WaitsFor::End(thread)),
        NeedKind::Signal(instance) => Some(WaitsFor::Signal(instance)),
        NeedKind::Barrier(barrier) => Some(WaitsFor::Barrier(barrier)),
        NeedKind::Once(once) => Some(WaitsFor::Once(once)),
        NeedKind::Channel(channel) => Some(WaitsFor::Channel(channel)),
    }
}
