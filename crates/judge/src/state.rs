//! Walks through a schedule: the state of every object after the steps so far.

use foretrace_event::{Event, EventId, LockClass, LockId, OnceId, Patience, ThreadId};
use foretrace_finding::Step;
use foretrace_trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

/// The state after the steps so far.
pub(crate) struct State<'a> {
    pub(crate) trace: &'a Trace,
    next: Vec<u32>,
    locks: Vec<Lock>,
    /// For each thread and lock, which of its nested holds are real, innermost last.
    holds: FxHashMap<(ThreadId, LockId), Vec<bool>>,
    sems: Vec<i64>,
    barriers: Vec<Barrier>,
    /// Signals sent.
    given: FxHashSet<u32>,
    /// Waits that missed their signal, because it was sent before they began.
    missed: FxHashSet<EventId>,
    /// Waits by instance.
    waits: FxHashMap<u32, Vec<EventId>>,
    /// Events that must keep their recorded order, by object.
    lists: FxHashMap<List, InOrder>,
}

/// A lock.
#[derive(Clone, Default)]
struct Lock {
    writer: Option<ThreadId>,
    readers: FxHashMap<ThreadId, u32>,
    /// Unlocked by a thread other than the one that locked it.
    passed_on: bool,
    /// If so, and if it is a plain mutex: is it held?
    taken: bool,
}

#[derive(Clone, Default)]
struct Barrier {
    arrived: u64,
    inside: FxHashMap<ThreadId, u64>,
}

/// Events whose recorded order matters to others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum List {
    Uses(LockId),
    Releases(u32),
    Aborts(OnceId),
    Dones(OnceId),
}

/// These events by stamp, and how many of the first have taken place.
#[derive(Clone, Default)]
struct InOrder {
    stamps: Vec<u64>,
    done: Vec<bool>,
    prefix: usize,
}

impl InOrder {
    /// Have all events recorded before this stamp taken place?
    fn done_before(&self, stamp: u64) -> bool {
        self.prefix >= self.stamps.partition_point(|&other| other < stamp)
    }

    fn perform(&mut self, stamp: u64) {
        let index = self.stamps.partition_point(|&other| other < stamp);
        self.done[index] = true;
        while self.done.get(self.prefix) == Some(&true) {
            self.prefix += 1;
        }
    }
}

impl<'a> State<'a> {
    pub(crate) fn new(trace: &'a Trace) -> Self {
        let mut state = Self {
            trace,
            next: vec![0; trace.threads().len()],
            locks: vec![Lock::default(); trace.locks().len()],
            holds: FxHashMap::default(),
            sems: trace.sems().map(|(_, info)| info.initial as i64).collect(),
            barriers: vec![Barrier::default(); trace.barriers().len()],
            given: FxHashSet::default(),
            missed: FxHashSet::default(),
            waits: FxHashMap::default(),
            lists: FxHashMap::default(),
        };
        state.read_trace();
        state
    }

    /// Collects the waits of each instance, the locks that are passed on, and the orders that must be kept.
    fn read_trace(&mut self) {
        let mut depths: FxHashMap<(ThreadId, LockId), u32> = FxHashMap::default();
        let mut used: FxHashSet<LockId> = FxHashSet::default();
        for id in self.trace.observed() {
            match self.trace.event(id) {
                Event::Lock(lock, _) | Event::RdLock(lock, _) => {
                    used.insert(lock);
                    *depths.entry((id.thread, lock)).or_default() += 1;
                }
                Event::Unlock(lock) => {
                    let first = used.insert(lock);
                    let state = &mut self.locks[lock.index()];
                    match depths.entry((id.thread, lock)).or_default() {
                        0 => state.passed_on = true,
                        depth => *depth -= 1,
                    }
                    state.taken |= first;
                }
                Event::Wait(instance, ..) => self.waits.entry(instance.0).or_default().push(id),
                _ => {}
            }
            if let Some(list) = list_of(self.trace.event(id)) {
                let order = self.lists.entry(list).or_default();
                order.stamps.push(self.trace.stamp(id));
                order.done.push(false);
            }
        }
    }

    pub(crate) fn next(&self, thread: ThreadId) -> Option<EventId> {
        let index = self.next[thread.index()];
        (index < self.trace.len(thread)).then_some(EventId { thread, index })
    }

    pub(crate) fn is_next(&self, id: EventId) -> bool {
        id.thread.index() < self.next.len() && self.next(id.thread) == Some(id)
    }

    pub(crate) fn is_done(&self, id: EventId) -> bool {
        id.index < self.next[id.thread.index()]
    }

    fn is_counted(&self, lock: LockId) -> bool {
        let plain =
            matches!(self.trace.lock(lock).class, LockClass::Mutex | LockClass::ErrorChecking | LockClass::Spin);
        plain && self.locks[lock.index()].passed_on
    }

    fn is_in_turn(&self, lock: LockId) -> bool {
        self.locks[lock.index()].passed_on && !self.is_counted(lock)
    }

    fn comes_in_order(&self, list: List, id: EventId) -> bool {
        self.lists.get(&list).is_none_or(|order| order.done_before(self.trace.stamp(id)))
    }

    /// Is a lock unavailable to this thread?
    pub(crate) fn unavailable(&self, thread: ThreadId, lock: LockId, alone: bool) -> bool {
        if self.is_counted(lock) {
            return self.locks[lock.index()].taken;
        }
        self.owners(thread, lock, alone).next().is_some()
    }

    /// The other threads that keep this one from a lock.
    pub(crate) fn owners(&self, thread: ThreadId, lock: LockId, alone: bool) -> impl Iterator<Item = ThreadId> + '_ {
        let state = &self.locks[lock.index()];
        let readers = state.readers.keys().copied().filter(move |_| alone);
        state.writer.into_iter().chain(readers).filter(move |owner| *owner != thread)
    }

    /// Could this event have happened here, as recorded?
    pub(crate) fn possible(&self, id: EventId) -> bool {
        match self.trace.event(id) {
            Event::Start => self.trace.fork_of(id.thread).is_none_or(|fork| self.is_done(fork)),
            Event::Join(other) => self.next(other).is_none(),
            Event::Lock(lock, _) | Event::RdLock(lock, _) | Event::Unlock(lock) if self.is_in_turn(lock) => {
                self.comes_in_order(List::Uses(lock), id)
            }
            Event::Lock(lock, _) => !self.unavailable(id.thread, lock, true),
            Event::RdLock(lock, _) => !self.unavailable(id.thread, lock, false),
            Event::Unlock(lock) => !self.is_counted(lock) || self.locks[lock.index()].taken,
            Event::Wait(instance, ..) => {
                let signalled = self.trace.instance(instance).waits == 0 || self.given.contains(&instance.0);
                signalled && !self.missed.contains(&id)
            }
            Event::BarrierExit(barrier) => self.missing(id.thread, barrier.index()) == 0,
            Event::SemWait(sem, _) => self.sems[sem.index()] > 0,
            Event::OnceRun(once) => self.comes_in_order(List::Aborts(once), id),
            Event::OncePass(once) => self.comes_in_order(List::Dones(once), id),
            Event::Acquire(channel) => self.comes_in_order(List::Releases(channel.0), id),
            _ => true,
        }
    }

    /// How many threads a barrier still waits for before this thread, which has entered it, may leave.
    pub(crate) fn missing(&self, thread: ThreadId, barrier: usize) -> u64 {
        let state = &self.barriers[barrier];
        let count = u64::from(self.trace.barrier(foretrace_event::BarrierId::from_index(barrier)).count);
        match count {
            0 => u64::MAX,
            _ => ((state.inside[&thread] / count + 1) * count).saturating_sub(state.arrived),
        }
    }

    pub(crate) fn is_inside(&self, thread: ThreadId, barrier: usize) -> bool {
        self.barriers[barrier].inside.contains_key(&thread)
    }

    pub(crate) fn has_missed(&self, wait: EventId) -> bool {
        self.missed.contains(&wait)
    }

    /// May this step be taken?
    pub(crate) fn allows(&self, step: Step) -> bool {
        if !step.fails {
            return self.possible(step.event);
        }
        match self.trace.event(step.event) {
            Event::Lock(_, patience) | Event::RdLock(_, patience) | Event::SemWait(_, patience) => {
                patience != Patience::Blocking && !self.possible(step.event)
            }
            _ => false,
        }
    }

    /// Takes a step that is allowed.
    pub(crate) fn perform(&mut self, step: Step) {
        let id = step.event;
        self.next[id.thread.index()] += 1;
        let event = self.trace.event(id);
        if let Some(order) = list_of(event).and_then(|list| self.lists.get_mut(&list)) {
            order.perform(self.trace.stamp(id));
        }
        match event {
            Event::Lock(lock, _) => self.take(id.thread, lock, true, step.fails),
            Event::RdLock(lock, _) => self.take(id.thread, lock, false, step.fails),
            Event::Unlock(lock) => self.give_back(id.thread, lock),
            Event::Signal(instance) | Event::Broadcast(instance) => self.signal(id, instance.0),
            Event::BarrierEnter(barrier) => {
                let state = &mut self.barriers[barrier.index()];
                state.inside.insert(id.thread, state.arrived);
                state.arrived += 1;
            }
            Event::BarrierExit(barrier) => drop(self.barriers[barrier.index()].inside.remove(&id.thread)),
            Event::SemWait(sem, _) if !step.fails => self.sems[sem.index()] -= 1,
            Event::SemPost(sem) => self.sems[sem.index()] += 1,
            _ => {}
        }
    }

    fn take(&mut self, thread: ThreadId, lock: LockId, alone: bool, fails: bool) {
        let counted = self.is_counted(lock);
        let state = &mut self.locks[lock.index()];
        if counted {
            state.taken |= !fails;
            return;
        }
        let mine = state.writer == Some(thread) || state.readers.contains_key(&thread);
        let real = mine || !fails;
        self.holds.entry((thread, lock)).or_default().push(real);
        if real && !mine && alone {
            state.writer = Some(thread);
        } else if real && !mine {
            state.readers.insert(thread, 1);
        }
    }

    fn give_back(&mut self, thread: ThreadId, lock: LockId) {
        let counted = self.is_counted(lock);
        let state = &mut self.locks[lock.index()];
        if counted {
            state.taken = false;
            return;
        }
        let Some(holds) = self.holds.get_mut(&(thread, lock)) else { return };
        holds.pop();
        if !holds.contains(&true) {
            state.readers.remove(&thread);
            state.writer = state.writer.filter(|writer| *writer != thread);
        }
    }

    fn signal(&mut self, signal: EventId, instance: u32) {
        self.given.insert(instance);
        for &wait in self.waits.get(&instance).into_iter().flatten() {
            let unlock = EventId { thread: wait.thread, index: wait.index - 1 };
            let began_before = self.trace.stamp(unlock) < self.trace.stamp(signal);
            if began_before && !self.is_done(unlock) {
                self.missed.insert(wait);
            }
        }
    }
}

fn list_of(event: Event) -> Option<List> {
    match event {
        Event::Lock(lock, _) | Event::RdLock(lock, _) | Event::Unlock(lock) => Some(List::Uses(lock)),
        Event::Release(channel) => Some(List::Releases(channel.0)),
        Event::OnceAbort(once) => Some(List::Aborts(once)),
        Event::OnceDone(once) => Some(List::Dones(once)),
        _ => None,
    }
}
