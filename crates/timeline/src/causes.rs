//! Which event of another thread an event waited for.

use foretrace_event::{AtomicId, BarrierId, ChannelId, CondInstance, Event, EventId, LockId, OnceId, SemId, ThreadId};
use foretrace_trace::Trace;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The state of a run as far as causes depend on it. Ask about every event, in the observed order.
pub struct Causes<'a> {
    trace: &'a Trace,
    ends: FxHashMap<ThreadId, EventId>,
    unlocks: FxHashMap<LockId, EventId>,
    signals: FxHashMap<CondInstance, EventId>,
    arrivals: FxHashMap<BarrierId, EventId>,
    sems: FxHashMap<SemId, Posts>,
    onces: FxHashMap<OnceId, EventId>,
    releases: FxHashMap<ChannelId, EventId>,
    stores: FxHashMap<AtomicId, EventId>,
}

/// What a semaphore has available: its initial value, then the posts in their order.
struct Posts {
    initial: u64,
    posts: VecDeque<EventId>,
}

impl<'a> Causes<'a> {
    /// The state before the first event.
    pub fn new(trace: &'a Trace) -> Self {
        Self {
            trace,
            ends: FxHashMap::default(),
            unlocks: FxHashMap::default(),
            signals: FxHashMap::default(),
            arrivals: FxHashMap::default(),
            sems: FxHashMap::default(),
            onces: FxHashMap::default(),
            releases: FxHashMap::default(),
            stores: FxHashMap::default(),
        }
    }

    /// What caused the next event of the run, if that was an event of another thread.
    pub fn of(&mut self, id: EventId) -> Option<EventId> {
        let cause = self.step(id);
        cause.filter(|cause| cause.thread != id.thread)
    }

    fn step(&mut self, id: EventId) -> Option<EventId> {
        match self.trace.event(id) {
            Event::Start => self.trace.fork_of(id.thread),
            Event::Join(child) => self.ends.get(&child).copied(),
            Event::Lock(lock, _) | Event::RdLock(lock, _) => self.unlocks.get(&lock).copied(),
            Event::Wait(instance, ..) => self.signals.get(&instance).copied(),
            Event::BarrierExit(barrier) => self.arrivals.get(&barrier).copied(),
            Event::SemWait(sem, _) => self.posts(sem).take(),
            Event::OncePass(once) => self.onces.get(&once).copied(),
            Event::Acquire(channel) => self.releases.get(&channel).copied(),
            Event::AtomicLoad(atomic, ..) => self.stores.get(&atomic).copied(),
            Event::AtomicRmw(atomic, ..) => self.stores.insert(atomic, id),
            event => {
                self.note(event, id);
                None
            }
        }
    }

    /// Remembers what later events may have waited for.
    fn note(&mut self, event: Event, id: EventId) {
        match event {
            Event::End => drop(self.ends.insert(id.thread, id)),
            Event::Unlock(lock) => drop(self.unlocks.insert(lock, id)),
            Event::Signal(instance) | Event::Broadcast(instance) => drop(self.signals.insert(instance, id)),
            Event::BarrierEnter(barrier) => drop(self.arrivals.insert(barrier, id)),
            Event::SemPost(sem) => self.posts(sem).posts.push_back(id),
            Event::OnceDone(once) => drop(self.onces.insert(once, id)),
            Event::Release(channel) => drop(self.releases.insert(channel, id)),
            Event::AtomicStore(atomic, ..) => drop(self.stores.insert(atomic, id)),
            _ => {}
        }
    }

    fn posts(&mut self, sem: SemId) -> &mut Posts {
        let initial = self.trace.sem(sem).initial;
        self.sems.entry(sem).or_insert_with(|| Posts { initial, posts: VecDeque::new() })
    }
}

impl Posts {
    fn take(&mut self) -> Option<EventId> {
        match self.initial.checked_sub(1) {
            Some(left) => {
                self.initial = left;
                None
            }
            None => self.posts.pop_front(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Causes;
    use foretrace_trace::text;

    /// The causes of a trace, as `cause -> event` by position in the thread.
    fn causes(source: &str) -> Vec<String> {
        let trace = text::parse(source).expect("a good trace");
        let mut causes = Causes::new(&trace);
        let pairs = trace.observed().filter_map(|id| Some((causes.of(id)?, id)));
        let shown = pairs.map(|(from, to)| format!("{:?} -> {:?}", trace.kind(from), trace.kind(to)));
        shown.collect()
    }

    #[test]
    fn forks_and_joins() {
        assert_eq!(causes("main fork t\nt end\nmain join t"), ["Fork -> Start", "End -> Join"]);
    }

    #[test]
    fn a_lock_is_handed_over_once() {
        let trace = "main fork t\nmain lock m\nmain unlock m\nmain lock m\nmain unlock m\nt lock m\nt unlock m";
        assert_eq!(causes(trace), ["Fork -> Start", "Unlock -> Lock"]);
    }

    #[test]
    fn the_initial_value_of_a_semaphore_comes_first() {
        let trace = "sem s = 1\nmain fork t\nmain sem_post s\nt sem_wait s\nt sem_wait s";
        assert_eq!(causes(trace), ["Fork -> Start", "SemPost -> SemWait"]);
    }
}
