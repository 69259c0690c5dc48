//! The must-order: the events that precede others in every reordering, whatever the locks do.
//!
//! Forks precede starts, ends precede joins, signals precede the waits they wake, entries precede exits of a barrier
//! whose threads are always the same, initialisers precede the threads that pass them, and releases into a channel
//! precede acquires from it. The closure of this is the thesis's weak happens-before (5.5.2), extended by barriers.
//! Mutexes and semaphores are not part of it.
//!
//! Some orders are kept because another order would be another path of the program, not because a thread would wait:
//! [`NeedKind::Order`].

use std::collections::BTreeMap;

use foretrace_event::{
    AtomicId, BarrierId, ChannelId, CondInstance, Event, EventId, LockClass, LockId, OnceId, ThreadId,
};
use foretrace_trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::recorded::recorded;
use crate::sources::Sources;

/// An event that must come before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    /// The later event, by its index in its thread.
    pub at: u32,
    /// The earlier one, of another thread.
    pub event: EventId,
    /// The reason.
    pub kind: NeedKind,
}

/// Why an event needs another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NeedKind {
    /// The thread has not been created.
    Created,
    /// It joins the earlier event's thread.
    End(ThreadId),
    /// It waits for the signal.
    Signal(CondInstance),
    /// It waits for the other threads at the barrier.
    Barrier(BarrierId),
    /// It waits for the initialiser.
    Once(OnceId),
    /// It waits for the releases.
    Channel(ChannelId),
    /// The recorded order is kept: another order would be another path of the program.
    Order,
}

/// What must come before what, in every reordering.
#[derive(Clone, Debug, Default)]
pub struct MustOrder {
    /// What events need, by thread, in the order of the events.
    needs: Vec<Vec<Need>>,
    /// Plain mutexes that one thread locks and another unlocks, and whether they are free at first.
    foreign: FxHashMap<LockId, bool>,
    /// Other locks with the same property: their operations keep their order.
    ordered: FxHashSet<LockId>,
    /// Barriers used by exactly as many threads as they wait for.
    regular: FxHashSet<BarrierId>,
    /// Waits that may miss their signal.
    losable: FxHashSet<EventId>,
}

impl MustOrder {
    /// What the events of a thread need, in the order of the events.
    pub fn needs(&self, thread: ThreadId) -> &[Need] {
        &self.needs[thread.index()]
    }

    /// Is this a plain mutex that one thread locks and another unlocks? If so, is it free at first?
    pub fn passed_on(&self, lock: LockId) -> Option<bool> {
        self.foreign.get(&lock).copied()
    }

    /// Do the operations on this lock keep their recorded order?
    pub fn keeps_order(&self, lock: LockId) -> bool {
        self.ordered.contains(&lock)
    }

    /// Do exactly as many threads use this barrier as it waits for?
    pub fn is_regular(&self, barrier: BarrierId) -> bool {
        self.regular.contains(&barrier)
    }

    /// Did this wait begin before its signal was sent, so that it would miss one sent earlier?
    pub fn is_losable(&self, wait: EventId) -> bool {
        self.losable.contains(&wait)
    }

    /// Is there such a wait?
    pub fn has_losable(&self) -> bool {
        !self.losable.is_empty()
    }
}

/// What has been seen of the observed order so far.
#[derive(Default)]
struct Seen {
    signals: FxHashMap<CondInstance, EventId>,
    once_turns: FxHashMap<OnceId, EventId>,
    once_done: FxHashMap<OnceId, EventId>,
    releases: FxHashMap<ChannelId, Sources>,
    atomics: FxHashMap<AtomicId, AtomicSeen>,
    last_use: FxHashMap<LockId, EventId>,
    enters: FxHashMap<BarrierId, FxHashMap<ThreadId, Vec<EventId>>>,
}

#[derive(Default)]
struct AtomicSeen {
    store: Option<EventId>,
    loads: BTreeMap<ThreadId, EventId>,
}

impl MustOrder {
    /// The must-order of a trace. On request, operations on an atomic variable keep their recorded order, unless both
    /// are loads.
    pub fn new(trace: &Trace, keep_atomics: bool) -> Self {
        let mut facts = Self { needs: vec![Vec::new(); trace.threads().len()], ..Self::default() };
        facts.sort_locks(trace);
        if !facts.foreign.is_empty() {
            facts.find_taken(trace);
        }
        facts.sort_barriers(trace);
        let mut seen = Seen::default();
        let ordered = facts.ordered.clone();
        let matters = |event: Event| match event {
            Event::Lock(lock, _) | Event::RdLock(lock, _) | Event::Unlock(lock) => ordered.contains(&lock),
            Event::AtomicLoad(..) | Event::AtomicStore(..) | Event::AtomicRmw(..) => keep_atomics,
            event => !event.is_access(),
        };
        for id in recorded(trace, matters) {
            facts.look(trace, keep_atomics, &mut seen, id);
        }
        facts
    }

    fn need(&mut self, of: EventId, event: EventId, kind: NeedKind) {
        if of.thread != event.thread {
            self.needs[of.thread.index()].push(Need { at: of.index, event, kind });
        }
    }

    fn look(&mut self, trace: &Trace, keep_atomics: bool, seen: &mut Seen, id: EventId) {
        match trace.event(id) {
            Event::Start => {
                if let Some(fork) = trace.fork_of(id.thread) {
                    self.need(id, fork, NeedKind::Created);
                }
            }
            Event::Join(other) => {
                if let Some(last) = trace.len(other).checked_sub(1) {
                    self.need(id, EventId { thread: other, index: last }, NeedKind::End(other));
                }
            }
            Event::Lock(lock, _) | Event::RdLock(lock, _) | Event::Unlock(lock) if self.ordered.contains(&lock) => {
                if let Some(last) = seen.last_use.insert(lock, id) {
                    self.need(id, last, NeedKind::Order);
                }
            }
            Event::BarrierEnter(barrier) if self.regular.contains(&barrier) => {
                seen.enters.entry(barrier).or_default().entry(id.thread).or_default().push(id);
            }
            Event::BarrierExit(barrier) if self.regular.contains(&barrier) => self.left(seen, id, barrier),
            Event::Signal(instance) | Event::Broadcast(instance) => {
                seen.signals.insert(instance, id);
            }
            Event::Wait(instance, ..) => self.waited(trace, seen, id, instance),
            Event::OnceRun(once) | Event::OnceAbort(once) | Event::OnceDone(once) | Event::OncePass(once) => {
                self.once(trace, seen, id, once);
            }
            Event::Release(channel) => seen.releases.entry(channel).or_default().give(id),
            Event::Acquire(channel) => {
                let needed = seen.releases.entry(channel).or_default().take(id);
                needed.into_iter().for_each(|release| self.need(id, release, NeedKind::Channel(channel)));
            }
            event if keep_atomics => self.atomic(seen, id, event),
            _ => {}
        }
    }

    /// Finds the locks that are unlocked by a thread other than the one that locked them.
    fn sort_locks(&mut self, trace: &Trace) {
        // A lock that a thread still holds at its end is not passed on.
        let mut depths = vec![(ThreadId::MAIN, 0u32); trace.locks().len()];
        for thread in trace.threads() {
            for event in trace.events(thread) {
                let (Event::Lock(lock, _) | Event::RdLock(lock, _) | Event::Unlock(lock)) = event else { continue };
                let (owner, depth) = &mut depths[lock.index()];
                if *owner != thread {
                    (*owner, *depth) = (thread, 0);
                }
                match event {
                    Event::Lock(..) | Event::RdLock(..) => *depth += 1,
                    Event::Unlock(_) if *depth > 0 => *depth -= 1,
                    Event::Unlock(lock) if counts(trace.lock(lock).class) => {
                        self.foreign.insert(lock, true);
                    }
                    Event::Unlock(lock) => drop(self.ordered.insert(lock)),
                    _ => {}
                }
            }
        }
    }

    /// A lock that is passed on is free at first, unless its first operation is an unlock.
    fn find_taken(&mut self, trace: &Trace) {
        let foreign = &self.foreign;
        let uses = |event| matches!(event, Event::Lock(lock, _) | Event::Unlock(lock) if foreign.contains_key(&lock));
        let mut used: FxHashSet<LockId> = FxHashSet::default();
        for id in recorded(trace, uses) {
            match trace.event(id) {
                Event::Unlock(lock) if used.insert(lock) => drop(self.foreign.insert(lock, false)),
                Event::Lock(lock, _) => drop(used.insert(lock)),
                _ => {}
            }
        }
    }

    /// Finds the barriers whose threads are always the same.
    fn sort_barriers(&mut self, trace: &Trace) {
        let mut users: FxHashMap<BarrierId, FxHashSet<ThreadId>> = FxHashMap::default();
        for thread in trace.threads() {
            for event in trace.events(thread) {
                if let Event::BarrierEnter(barrier) = event {
                    users.entry(barrier).or_default().insert(thread);
                }
            }
        }
        let regular =
            |(barrier, users): &(BarrierId, FxHashSet<ThreadId>)| users.len() == trace.barrier(*barrier).count as usize;
        self.regular = users.into_iter().filter(regular).map(|(barrier, _)| barrier).collect();
    }

    /// A thread leaves a regular barrier: every thread has entered as often as it has.
    fn left(&mut self, seen: &Seen, id: EventId, barrier: BarrierId) {
        let enters = &seen.enters[&barrier];
        let round = enters[&id.thread].len() - 1;
        let mut others: Vec<_> = enters.values().filter_map(|list| list.get(round).copied()).collect();
        others.sort_unstable();
        others.into_iter().for_each(|enter| self.need(id, enter, NeedKind::Barrier(barrier)));
    }

    fn waited(&mut self, trace: &Trace, seen: &Seen, id: EventId, instance: CondInstance) {
        let Some(&signal) = seen.signals.get(&instance) else { return };
        self.need(id, signal, NeedKind::Signal(instance));
        let unlock = EventId { thread: id.thread, index: id.index - 1 };
        if trace.stamp(unlock) < trace.stamp(signal) {
            self.losable.insert(id);
        }
    }

    fn once(&mut self, trace: &Trace, seen: &mut Seen, id: EventId, once: OnceId) {
        match trace.event(id) {
            Event::OnceRun(_) => {
                if let Some(&turn) = seen.once_turns.get(&once) {
                    self.need(id, turn, NeedKind::Order);
                }
            }
            Event::OnceAbort(_) => {
                seen.once_turns.insert(once, id);
            }
            Event::OnceDone(_) => {
                seen.once_done.insert(once, id);
            }
            _ => {
                if let Some(&done) = seen.once_done.get(&once) {
                    self.need(id, done, NeedKind::Once(once));
                }
            }
        }
    }

    fn atomic(&mut self, seen: &mut Seen, id: EventId, event: Event) {
        let (atomic, stores) = match event {
            Event::AtomicLoad(atomic, ..) => (atomic, false),
            Event::AtomicStore(atomic, ..) | Event::AtomicRmw(atomic, ..) => (atomic, true),
            _ => return,
        };
        let last = seen.atomics.entry(atomic).or_default();
        if let Some(store) = last.store {
            self.need(id, store, NeedKind::Order);
        }
        if stores {
            std::mem::take(&mut last.loads).into_values().for_each(|load| self.need(id, load, NeedKind::Order));
            last.store = Some(id);
        } else {
            last.loads.insert(id.thread, id);
        }
    }
}

/// For a lock of this class, is it enough to know whether it is held?
fn counts(class: LockClass) -> bool {
    matches!(class, LockClass::Mutex | LockClass::ErrorChecking | LockClass::Spin)
}
