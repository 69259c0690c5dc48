//! One state of the program, with every object spelled out, and the rules that change it.

use std::collections::{BTreeMap, BTreeSet};

use foretrace_event::{
    AtomicId, BarrierId, CondInstance, Event, EventId, LockClass, LockId, OnceId, Patience, ThreadId,
};
use foretrace_trace::Trace;

use super::Oracle;

/// Positions and objects.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    positions: Vec<u32>,
    /// The holders of each lock, with mode and count.
    holders: BTreeMap<LockId, BTreeMap<ThreadId, (bool, u32)>>,
    /// Mutexes that are unlocked by other threads: held or not.
    taken: BTreeMap<LockId, bool>,
    /// Locks that were taken by operations that are forced to fail.
    pretended: BTreeMap<(ThreadId, LockId), Vec<bool>>,
    values: Vec<i64>,
    /// For each barrier: arrivals so far, and the round of each thread inside.
    arrivals: Vec<(u32, BTreeMap<ThreadId, u32>)>,
    given: BTreeSet<CondInstance>,
    missed: BTreeSet<EventId>,
}

/// Can a thread perform its next event?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Yes.
    Can,
    /// No; it waits.
    Blocked,
    /// No; it would take another path.
    Astray,
}

impl World {
    /// The beginning.
    pub fn new(trace: &Trace) -> Self {
        Self {
            positions: vec![0; trace.threads().len()],
            holders: BTreeMap::new(),
            taken: BTreeMap::new(),
            pretended: BTreeMap::new(),
            values: trace.sems().map(|(_, info)| info.initial as i64).collect(),
            arrivals: vec![(0, BTreeMap::new()); trace.barriers().len()],
            given: BTreeSet::new(),
            missed: BTreeSet::new(),
        }
    }

    pub(super) fn position(&self, thread: ThreadId) -> u32 {
        self.positions[thread.index()]
    }

    fn done(&self, id: EventId) -> bool {
        id.index < self.position(id.thread)
    }

    /// Threads other than `thread` whose hold on the lock excludes it.
    fn in_the_way(&self, thread: ThreadId, lock: LockId, alone: bool) -> Vec<ThreadId> {
        let holders = self.holders.get(&lock).into_iter().flatten();
        holders
            .filter(|(holder, (writes, _))| **holder != thread && (alone || *writes))
            .map(|(holder, _)| *holder)
            .collect()
    }
}

impl Oracle<'_> {
    fn all(&self) -> impl Iterator<Item = (EventId, Event)> + '_ {
        let of = |thread| {
            self.trace
                .events(thread)
                .enumerate()
                .map(move |(index, event)| (EventId { thread, index: index as u32 }, event))
        };
        self.trace.threads().flat_map(of)
    }

    /// Have all events recorded before this one that satisfy the predicate taken place?
    fn earlier_done(&self, world: &World, id: EventId, which: impl Fn(Event) -> bool) -> bool {
        let before = |other: &EventId| self.trace.stamp(*other) < self.trace.stamp(id);
        self.all().filter(|(other, event)| before(other) && which(*event)).all(|(other, _)| world.done(other))
    }

    /// Is the lock unlocked by a thread that did not lock it?
    fn is_foreign(&self, lock: LockId) -> bool {
        let mut depth: BTreeMap<ThreadId, u32> = BTreeMap::new();
        self.all().any(|(id, event)| match event {
            Event::Lock(other, _) | Event::RdLock(other, _) if other == lock => {
                *depth.entry(id.thread).or_default() += 1;
                false
            }
            Event::Unlock(other) if other == lock => match depth.entry(id.thread).or_default() {
                0 => true,
                deep => {
                    *deep -= 1;
                    false
                }
            },
            _ => false,
        })
    }

    fn is_plain(&self, lock: LockId) -> bool {
        matches!(self.trace.lock(lock).class, LockClass::Mutex | LockClass::ErrorChecking | LockClass::Spin)
    }

    fn is_taken(&self, world: &World, lock: LockId) -> bool {
        let mut uses: Vec<_> =
            self.all().filter(|(_, e)| matches!(e, Event::Lock(l, _) | Event::Unlock(l) if *l == lock)).collect();
        uses.sort_by_key(|(id, _)| self.trace.stamp(*id));
        let held_before = matches!(uses.first(), Some((_, Event::Unlock(_))));
        world.taken.get(&lock).copied().unwrap_or(held_before)
    }

    /// The signal that wakes this wait, if the wait had begun when the signal was sent in the recorded run.
    fn losable(&self, wait: EventId, instance: CondInstance) -> bool {
        let signal = self.all().find(|(_, e)| matches!(e, Event::Signal(c) | Event::Broadcast(c) if *c == instance));
        let unlock = EventId { thread: wait.thread, index: wait.index - 1 };
        signal.is_some_and(|(signal, _)| self.trace.stamp(unlock) < self.trace.stamp(signal))
    }

    /// What a thread's next event may do; none at the thread's end.
    pub fn answer(&self, world: &World, thread: ThreadId) -> Option<Answer> {
        let id = self.next(world, thread)?;
        let wait_if = |blocked| if blocked { Answer::Blocked } else { Answer::Can };
        Some(match self.trace.event(id) {
            Event::Start => wait_if(self.trace.fork_of(thread).is_some_and(|fork| !world.done(fork))),
            Event::Join(other) => wait_if(self.next(world, other).is_some()),
            Event::Lock(lock, patience) => self.may_take(world, id, lock, true, patience),
            Event::RdLock(lock, patience) => self.may_take(world, id, lock, false, patience),
            Event::Unlock(lock) => self.may_give_back(world, id, lock),
            Event::Wait(instance, ..) => {
                let recorded =
                    self.all().any(|(_, e)| matches!(e, Event::Signal(c) | Event::Broadcast(c) if c == instance));
                wait_if(world.missed.contains(&id) || (recorded && !world.given.contains(&instance)))
            }
            Event::BarrierExit(barrier) => wait_if(self.missing(world, barrier, thread) > 0),
            Event::SemWait(sem, patience) => {
                let zero = world.values[sem.index()] <= 0;
                self.try_or_wait(id, zero, patience)
            }
            Event::OnceRun(once) => self.may_run(world, id, once),
            Event::OncePass(once) => wait_if(!self.earlier_done(world, id, |e| e == Event::OnceDone(once))),
            Event::Acquire(channel) => wait_if(!self.earlier_done(world, id, |e| e == Event::Release(channel))),
            Event::AtomicLoad(atomic, ..) => self.may_touch(world, id, atomic, false),
            Event::AtomicStore(atomic, ..) | Event::AtomicRmw(atomic, ..) => self.may_touch(world, id, atomic, true),
            _ => Answer::Can,
        })
    }

    /// An operation that waits, gives up, or is forced to give up.
    fn try_or_wait(&self, id: EventId, unavailable: bool, patience: Patience) -> Answer {
        if self.failing.contains(&id) {
            return if unavailable { Answer::Can } else { Answer::Astray };
        }
        match (unavailable, patience) {
            (false, _) => Answer::Can,
            (true, Patience::Blocking) => Answer::Blocked,
            (true, _) => Answer::Astray,
        }
    }

    fn may_take(&self, world: &World, id: EventId, lock: LockId, alone: bool, patience: Patience) -> Answer {
        if self.is_foreign(lock) {
            if self.is_plain(lock) {
                return self.try_or_wait(id, self.is_taken(world, lock), patience);
            }
            return self.in_recorded_order(world, id, lock);
        }
        let mine = world.holders.get(&lock).is_some_and(|holders| holders.contains_key(&id.thread));
        if mine {
            return Answer::Can;
        }
        self.try_or_wait(id, !world.in_the_way(id.thread, lock, alone).is_empty(), patience)
    }

    fn in_recorded_order(&self, world: &World, id: EventId, lock: LockId) -> Answer {
        let uses = |e| matches!(e, Event::Lock(l, _) | Event::RdLock(l, _) | Event::Unlock(l) if l == lock);
        if self.earlier_done(world, id, uses) { Answer::Can } else { Answer::Astray }
    }

    fn may_give_back(&self, world: &World, id: EventId, lock: LockId) -> Answer {
        match (self.is_foreign(lock), self.is_plain(lock)) {
            (true, true) if !self.is_taken(world, lock) => Answer::Astray,
            (true, false) => self.in_recorded_order(world, id, lock),
            _ => Answer::Can,
        }
    }

    fn may_run(&self, world: &World, id: EventId, once: OnceId) -> Answer {
        if self.earlier_done(world, id, |e| e == Event::OnceAbort(once)) { Answer::Can } else { Answer::Astray }
    }

    fn may_touch(&self, world: &World, id: EventId, atomic: AtomicId, stores: bool) -> Answer {
        let ordered = |e| match e {
            Event::AtomicLoad(other, ..) => other == atomic && stores,
            Event::AtomicStore(other, ..) | Event::AtomicRmw(other, ..) => other == atomic,
            _ => false,
        };
        if !self.keep_atomics || self.earlier_done(world, id, ordered) { Answer::Can } else { Answer::Astray }
    }

    /// How many threads must still arrive before this thread, which is inside, may leave.
    fn missing(&self, world: &World, barrier: BarrierId, thread: ThreadId) -> u32 {
        let count = self.trace.barrier(barrier).count;
        let (arrived, inside) = &world.arrivals[barrier.index()];
        if count == 0 { u32::MAX } else { ((inside[&thread] + 1) * count).saturating_sub(*arrived) }
    }

    /// The state after a thread's next event.
    pub(super) fn after(&self, world: &World, thread: ThreadId) -> World {
        let mut world = world.clone();
        let id = self.next(&world, thread).expect("only threads with a next event are stepped");
        world.positions[thread.index()] += 1;
        match self.trace.event(id) {
            Event::Lock(lock, _) => self.take(&mut world, id, lock, true),
            Event::RdLock(lock, _) => self.take(&mut world, id, lock, false),
            Event::Unlock(lock) => self.give_back(&mut world, id, lock),
            Event::Signal(instance) | Event::Broadcast(instance) => {
                world.given.insert(instance);
                for (wait, event) in self.all() {
                    let ours = matches!(event, Event::Wait(other, ..) if other == instance);
                    if ours && world.position(wait.thread) < wait.index && self.losable(wait, instance) {
                        world.missed.insert(wait);
                    }
                }
            }
            Event::BarrierEnter(barrier) => {
                let count = self.trace.barrier(barrier).count.max(1);
                let (arrived, inside) = &mut world.arrivals[barrier.index()];
                inside.insert(thread, *arrived / count);
                *arrived += 1;
            }
            Event::BarrierExit(barrier) => drop(world.arrivals[barrier.index()].1.remove(&thread)),
            Event::SemWait(sem, _) if !self.failing.contains(&id) => world.values[sem.index()] -= 1,
            Event::SemPost(sem) => world.values[sem.index()] += 1,
            _ => {}
        }
        world
    }

    fn take(&self, world: &mut World, id: EventId, lock: LockId, alone: bool) {
        let fails = self.failing.contains(&id);
        if self.is_foreign(lock) {
            if self.is_plain(lock) && !fails {
                world.taken.insert(lock, true);
            }
            return;
        }
        let mine = world.holders.get(&lock).is_some_and(|holders| holders.contains_key(&id.thread));
        let really = mine || !fails;
        world.pretended.entry((id.thread, lock)).or_default().push(really);
        if really {
            let hold = world.holders.entry(lock).or_default().entry(id.thread).or_insert((alone, 0));
            hold.1 += 1;
        }
    }

    fn give_back(&self, world: &mut World, id: EventId, lock: LockId) {
        if self.is_foreign(lock) {
            if self.is_plain(lock) {
                world.taken.insert(lock, false);
            }
            return;
        }
        let really = world.pretended.get_mut(&(id.thread, lock)).and_then(Vec::pop).unwrap_or(false);
        if really {
            let holders = world.holders.get_mut(&lock).expect("somebody holds it");
            let hold = holders.get_mut(&id.thread).expect("its holder gives it back");
            hold.1 -= 1;
            if hold.1 == 0 {
                holders.remove(&id.thread);
            }
        }
    }

    /// Could the free threads, whatever they do, ever unblock this one?
    pub(super) fn helped(&self, world: &World, thread: ThreadId, free: &BTreeSet<ThreadId>) -> bool {
        let id = self.next(world, thread).expect("a blocked thread has a next event");
        let will = |t: &ThreadId, which: &dyn Fn(Event) -> bool| {
            self.trace.events(*t).skip(world.position(*t) as usize).any(which)
        };
        let unmet = |which: &dyn Fn(Event) -> bool| -> Vec<ThreadId> {
            let before = |other: EventId| self.trace.stamp(other) < self.trace.stamp(id);
            self.all().filter(|(o, e)| before(*o) && which(*e) && !world.done(*o)).map(|(o, _)| o.thread).collect()
        };
        match self.trace.event(id) {
            Event::Start => self.trace.fork_of(thread).is_some_and(|fork| free.contains(&fork.thread)),
            Event::Join(other) => free.contains(&other),
            Event::Lock(lock, _) | Event::RdLock(lock, _) if self.is_foreign(lock) => {
                free.iter().any(|t| will(t, &|e| e == Event::Unlock(lock)))
            }
            Event::Lock(lock, _) => world.in_the_way(thread, lock, true).iter().all(|holder| free.contains(holder)),
            Event::RdLock(lock, _) => world.in_the_way(thread, lock, false).iter().all(|holder| free.contains(holder)),
            Event::Wait(..) if world.missed.contains(&id) => false,
            Event::Wait(instance, ..) => {
                let gives = |e| matches!(e, Event::Signal(c) | Event::Broadcast(c) if c == instance);
                free.iter().any(|t| will(t, &gives))
            }
            Event::BarrierExit(barrier) => {
                let outside = |t: &&ThreadId| !world.arrivals[barrier.index()].1.contains_key(t);
                let coming = free.iter().filter(outside).filter(|t| will(t, &|e| e == Event::BarrierEnter(barrier)));
                coming.count() as u64 >= u64::from(self.missing(world, barrier, thread))
            }
            Event::SemWait(sem, _) => free.iter().any(|t| will(t, &|e| e == Event::SemPost(sem))),
            Event::OncePass(once) => unmet(&|e| e == Event::OnceDone(once)).iter().all(|t| free.contains(t)),
            Event::Acquire(channel) => unmet(&|e| e == Event::Release(channel)).iter().all(|t| free.contains(t)),
            _ => true,
        }
    }
}
