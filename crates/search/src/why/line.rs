//! Events in a line: an order of the events of a trace that keeps given rules and is possible as far as can be known without
//! a run.

use std::collections::{BTreeMap, BTreeSet};

use foretrace_event::{Event, EventId, Random};
use foretrace_finding::Schedule;
use foretrace_trace::Trace;

use super::order::Ordered;

/// Which event is preferred where several can come next: the lowest.
pub(super) struct Rank(Vec<Vec<u64>>);

impl Rank {
    /// As in a schedule, then as recorded.
    pub(super) fn of(trace: &Trace, schedule: &Schedule) -> Self {
        let mut rank = Self::recorded(trace);
        let events = trace.observed().count() as u64;
        rank.0.iter_mut().flatten().for_each(|rank| *rank += events);
        for (place, step) in schedule.steps().iter().enumerate() {
            rank.0[step.event.thread.index()][step.event.index as usize] = place as u64;
        }
        rank
    }

    /// As recorded.
    pub(super) fn recorded(trace: &Trace) -> Self {
        let mut rank: Vec<Vec<u64>> = trace.threads().map(|thread| vec![0; trace.len(thread) as usize]).collect();
        for (place, id) in trace.observed().enumerate() {
            rank[id.thread.index()][id.index as usize] = place as u64;
        }
        Self(rank)
    }

    /// Threads go on for a few events each, in any order.
    pub(super) fn random(trace: &Trace, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut rank: Vec<Vec<u64>> = trace.threads().map(|thread| vec![0; trace.len(thread) as usize]).collect();
        for events in &mut rank {
            let mut at = 0;
            for event in events {
                at += random.below(16);
                *event = at;
            }
        }
        Self(rank)
    }

    fn get(&self, id: EventId) -> u64 {
        self.0[id.thread.index()][id.index as usize]
    }
}

/// What is put in a line.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) trace: &'a Trace,
    /// Operations that are to fail: they may come at any time, and nothing comes of them.
    pub(super) fails: &'a BTreeSet<EventId>,
}

/// Events in a line, as many as can come.
pub(super) struct Line {
    steps: Vec<EventId>,
    place: BTreeMap<EventId, usize>,
}

impl Line {
    /// An event for which there is a rule comes after what the rule says is
    /// first.
    pub(super) fn new(on: Ground<'_>, rules: &[Ordered], rank: &Rank) -> Self {
        let (trace, mut world) = (on.trace, World::new(on));
        let mut steps = Vec::new();
        loop {
            let next = trace.threads().filter_map(|thread| {
                let id = EventId { thread, index: world.next[thread.index()] };
                (id.index < trace.len(thread) && world.allows(rules, id)).then_some(id)
            });
            let Some(id) = next.min_by_key(|id| (rank.get(*id), id.thread)) else { break };
            world.take(id);
            steps.push(id);
        }
        let place = steps.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        Self { steps, place }
    }

    /// The events.
    pub(super) fn steps(&self) -> &[EventId] {
        &self.steps
    }

    /// Does a rule hold, though its second event may not come?
    pub(super) fn is_kept(&self, rule: Ordered) -> bool {
        match (self.place.get(&rule.first), self.place.get(&rule.second)) {
            (Some(first), Some(second)) => first < second,
            (_, None) => true,
            (None, Some(_)) => false,
        }
    }

    /// Does the first event of a rule come, and not after the second?
    pub(super) fn is_so(&self, rule: Ordered) -> bool {
        self.place.contains_key(&rule.first) && self.is_kept(rule)
    }
}

/// What has been done so far.
struct World<'a> {
    trace: &'a Trace,
    fails: &'a BTreeSet<EventId>,
    /// The next event of each thread.
    next: Vec<u32>,
    /// Which locks are held: by one thread, or by so many readers.
    locks: BTreeMap<u32, (bool, u32)>,
    sems: BTreeMap<u32, u64>,
    /// When which use of a condition variable was signalled, and when each thread began to wait.
    signalled: BTreeMap<u32, usize>,
    waiting: Vec<usize>,
    entered: BTreeMap<u32, u32>,
    initialised: Vec<u32>,
    sent: Vec<u32>,
    time: usize,
}

impl<'a> World<'a> {
    fn new(on: Ground<'a>) -> Self {
        let Ground { trace, fails } = on;
        let threads = trace.threads().len();
        let sems = trace.sems().map(|(id, info)| (id.0, info.initial)).collect();
        Self {
            trace,
            fails,
            next: vec![0; threads],
            locks: BTreeMap::new(),
            sems,
            signalled: BTreeMap::new(),
            waiting: vec![0; threads],
            entered: BTreeMap::new(),
            initialised: Vec::new(),
            sent: Vec::new(),
            time: 0,
        }
    }

    fn is_done(&self, id: EventId) -> bool {
        id.index < self.next[id.thread.index()]
    }

    /// May it come now?
    fn allows(&self, rules: &[Ordered], id: EventId) -> bool {
        let is_free = rules.iter().all(|rule| rule.second != id || self.is_done(rule.first));
        let is_begun = id.index > 0 || self.trace.fork_of(id.thread).is_none_or(|fork| self.is_done(fork));
        is_free && is_begun && (self.fails.contains(&id) || self.is_possible(id))
    }

    fn is_possible(&self, id: EventId) -> bool {
        let held = |lock: u32| self.locks.get(&lock).copied().unwrap_or_default();
        match self.trace.event(id) {
            Event::Lock(lock, _) => held(lock.0) == (false, 0),
            Event::RdLock(lock, _) => !held(lock.0).0,
            Event::Join(child) => self.next[child.index()] >= self.trace.len(child),
            Event::SemWait(sem, _) => self.sems.get(&sem.0).is_some_and(|value| *value > 0),
            Event::Wait(instance, ..) => {
                self.signalled.get(&instance.0).is_some_and(|time| *time >= self.waiting[id.thread.index()])
            }
            Event::BarrierExit(barrier) => {
                let count = self.trace.barrier(barrier).count.max(1);
                let entered = self.entered.get(&barrier.0).copied().unwrap_or(0);
                // All of the round that the thread came with have come.
                let round = entered.div_ceil(count);
                entered == round * count || entered > count
            }
            Event::OncePass(once) => self.initialised.contains(&once.0),
            Event::Acquire(channel) => self.sent.contains(&channel.0) || !self.is_ever_sent(channel.0, id),
            _ => true,
        }
    }

    /// Was something sent on the channel before, in the recorded run?
    fn is_ever_sent(&self, channel: u32, before: EventId) -> bool {
        let mut earlier = self.trace.observed().take_while(|id| *id != before);
        earlier.any(|id| matches!(self.trace.event(id), Event::Release(to) if to.0 == channel))
    }

    fn take(&mut self, id: EventId) {
        self.time += 1;
        self.next[id.thread.index()] += 1;
        if self.fails.contains(&id) {
            return;
        }
        match self.trace.event(id) {
            Event::Lock(lock, _) => self.locks.entry(lock.0).or_default().0 = true,
            Event::RdLock(lock, _) => self.locks.entry(lock.0).or_default().1 += 1,
            Event::Unlock(lock) => {
                let held = self.locks.entry(lock.0).or_default();
                *held = if held.0 { (false, held.1) } else { (false, held.1.saturating_sub(1)) };
                self.waiting[id.thread.index()] = self.time;
            }
            Event::SemPost(sem) => *self.sems.entry(sem.0).or_default() += 1,
            Event::SemWait(sem, _) => {
                let value = self.sems.entry(sem.0).or_default();
                *value = value.saturating_sub(1);
            }
            Event::Signal(instance) | Event::Broadcast(instance) => {
                self.signalled.insert(instance.0, self.time);
            }
            Event::BarrierEnter(barrier) => *self.entered.entry(barrier.0).or_default() += 1,
            Event::OnceDone(once) => self.initialised.push(once.0),
            Event::Release(channel) => self.sent.push(channel.0),
            _ => {}
        }
    }
}
