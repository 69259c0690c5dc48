//! Random legal traces.
//!
//! A trace is grown event by event: a random thread proposes a random operation, and the trace builder accepts it if it
//! is legal there. The result could really have happened, and uses every primitive.

mod shape;

use foretrace_event::{
    AtomicId, BarrierId, ChannelId, Event, IntervalId, LoadOrder, LockClass, LockId, OnceId, Order, Patience, SemId,
    StoreOrder, ThreadId,
};
use foretrace_trace::{
    AtomicInfo, BarrierInfo, ConditionId, ConditionInfo, IntervalInfo, LockInfo, PlaceId, PlainInfo, SemInfo,
    ThreadInfo, Trace, TraceBuilder,
};

use crate::Random;
pub use shape::{Kind, Shape};

/// The objects a random trace uses.
struct World {
    builder: TraceBuilder,
    threads: u32,
    /// Created, not yet ended, by thread.
    alive: Vec<bool>,
    joined: Vec<bool>,
    /// What each thread is in the middle of.
    pending: Vec<Option<Pending>>,
    /// Locks held, with repetition, in order.
    held: Vec<Vec<LockId>>,
    once_running: Vec<Option<OnceId>>,
    events: u32,
}

/// What a thread must do next.
#[derive(Clone, Copy)]
enum Pending {
    /// Return from a wait, once it has been signalled.
    Waiting {
        condition: ConditionId,
        lock: LockId,
        signalled: bool,
    },
    Relock(LockId),
    Leave(BarrierId),
}

const MUTEXES: u32 = 2;
const LOCKS: [LockClass; 6] = [
    LockClass::Mutex,
    LockClass::Mutex,
    LockClass::Recursive,
    LockClass::ErrorChecking,
    LockClass::Spin,
    LockClass::RwLock,
];
const RWLOCK: LockId = LockId(5);

/// A random trace.
pub fn trace(random: &mut Random, shape: &Shape) -> Trace {
    let threads = 2 + random.below(shape.threads.max(2) - 1);
    let mut world = World::new(random, threads, shape);
    let mut tries = 0;
    while world.events < shape.events && tries < shape.events * 20 {
        tries += 1;
        world.propose(random, shape);
    }
    world.wind_down(random);
    world.builder.finish()
}

impl World {
    fn new(random: &mut Random, threads: u32, shape: &Shape) -> Self {
        let mut builder = TraceBuilder::new();
        for _ in 0..threads {
            builder.thread(ThreadInfo::default());
        }
        for class in LOCKS {
            builder.lock(LockInfo { class, ..LockInfo::default() });
        }
        builder.condition(ConditionInfo::default());
        builder.barrier(BarrierInfo { count: 2, ..BarrierInfo::default() });
        builder.barrier(BarrierInfo { count: threads, ..BarrierInfo::default() });
        for _ in 0..2 {
            builder.sem(SemInfo { initial: u64::from(random.below(2)), ..SemInfo::default() });
        }
        builder.once(PlainInfo::default());
        builder.channel(PlainInfo::default());
        for _ in 0..shape.intervals {
            builder.interval(IntervalInfo::default());
        }
        builder.atomic(AtomicInfo { intervals: vec![IntervalId(0)], ..AtomicInfo::default() });
        let mut alive = vec![false; threads as usize];
        alive[0] = true;
        let none = vec![false; threads as usize];
        let held = vec![Vec::new(); threads as usize];
        let count = threads as usize;
        Self {
            builder,
            threads,
            alive,
            joined: none,
            pending: vec![None; count],
            held,
            once_running: vec![None; count],
            events: 0,
        }
    }

    fn push(&mut self, thread: ThreadId, event: Event) -> bool {
        let taken = self.builder.push(thread, event, PlaceId::UNKNOWN).is_ok();
        self.events += u32::from(taken);
        taken
    }

    /// A random thread tries a random operation.
    fn propose(&mut self, random: &mut Random, shape: &Shape) {
        let unborn = (1..self.threads).find(|&child| !self.alive[child as usize] && !self.joined[child as usize]);
        if let Some(child) = unborn.filter(|_| random.one_in(3)) {
            let parent = self.pick(random);
            if self.pending[parent.index()].is_none() && self.push(parent, Event::Fork(ThreadId(child))) {
                self.alive[child as usize] = true;
            }
            return;
        }
        let thread = self.pick(random);
        if self.pending[thread.index()].is_some() {
            self.resume(thread);
        } else {
            self.operate(random, shape, thread);
        }
    }

    fn pick(&self, random: &mut Random) -> ThreadId {
        let alive: Vec<u32> = (0..self.threads).filter(|&thread| self.alive[thread as usize]).collect();
        ThreadId(alive[random.below(alive.len() as u32) as usize])
    }

    /// Continues what a thread is in the middle of, if it can.
    fn resume(&mut self, thread: ThreadId) -> bool {
        let Some(pending) = self.pending[thread.index()] else { return false };
        let next = match pending {
            Pending::Waiting { signalled: false, .. } => return false,
            Pending::Waiting { condition, lock, .. } => {
                if self.builder.wait(thread, condition, lock, PlaceId::UNKNOWN).is_err() {
                    return false;
                }
                self.events += 1;
                Some(Pending::Relock(lock))
            }
            Pending::Relock(lock) => {
                if !self.push(thread, Event::Lock(lock, Patience::Blocking)) {
                    return false;
                }
                self.held[thread.index()].push(lock);
                None
            }
            Pending::Leave(barrier) => {
                if !self.push(thread, Event::BarrierExit(barrier)) {
                    return false;
                }
                None
            }
        };
        self.pending[thread.index()] = next;
        true
    }

    fn operate(&mut self, random: &mut Random, shape: &Shape, thread: ThreadId) {
        let total: u32 = shape.weights.iter().map(|(_, weight)| weight).sum();
        let mut ticket = random.below(total);
        let chosen = shape.weights.iter().find(|(_, weight)| {
            let hit = ticket < *weight;
            ticket = ticket.saturating_sub(*weight);
            hit
        });
        match chosen.expect("the ticket is below the total").0 {
            Kind::Mutex => {
                let lock = LockId(random.below(MUTEXES));
                self.lock_or_unlock(random, thread, lock)
            }
            Kind::OtherLocks => {
                let lock = LockId(MUTEXES + random.below(3));
                self.lock_or_unlock(random, thread, lock)
            }
            Kind::RwLock => self.lock_or_unlock(random, thread, RWLOCK),
            Kind::ForeignUnlock => self.unlock_foreign(random, thread),
            Kind::Failed => {
                self.push(thread, failed(random));
            }
            Kind::Condition => self.condition(random, thread),
            Kind::Barrier => self.enter(random, thread),
            Kind::Semaphore => {
                self.push(thread, semaphore(random));
            }
            Kind::Once => self.once(random, thread),
            Kind::Channel => {
                let channel = ChannelId(0);
                self.push(thread, if random.one_in(2) { Event::Release(channel) } else { Event::Acquire(channel) });
            }
            Kind::Atomic => {
                self.push(thread, atomic(random));
            }
            Kind::Access => {
                let interval = IntervalId(random.below(shape.intervals));
                self.push(thread, if random.one_in(2) { Event::Write(interval) } else { Event::Read(interval) });
            }
            Kind::Join => self.join(random, thread),
        }
    }

    fn lock_or_unlock(&mut self, random: &mut Random, thread: ThreadId, lock: LockId) {
        let held = self.held[thread.index()].iter().rposition(|other| *other == lock);
        match held {
            Some(index) if !random.one_in(6) => {
                if self.push(thread, Event::Unlock(lock)) {
                    self.held[thread.index()].remove(index);
                }
            }
            _ => {
                let patience = patience(random);
                let shared = lock == RWLOCK && random.one_in(2);
                let event = if shared { Event::RdLock(lock, patience) } else { Event::Lock(lock, patience) };
                if self.push(thread, event) {
                    self.held[thread.index()].push(lock);
                }
            }
        }
    }

    /// Unlocks a lock that another thread holds once.
    fn unlock_foreign(&mut self, random: &mut Random, thread: ThreadId) {
        let victim = self.pick(random);
        if victim == thread || self.pending[victim.index()].is_some() {
            return;
        }
        let Some(&lock) = self.held[victim.index()].last() else { return };
        let once = self.held[victim.index()].iter().filter(|other| **other == lock).count() == 1;
        let alone = self.held.iter().flatten().filter(|other| **other == lock).count() == 1;
        if once && alone && self.push(thread, Event::Unlock(lock)) {
            self.held[victim.index()].retain(|other| *other != lock);
        }
    }

    fn condition(&mut self, random: &mut Random, thread: ThreadId) {
        let condition = ConditionId(0);
        let lock = LockId(random.below(MUTEXES));
        let at = self.held[thread.index()].iter().position(|other| *other == lock);
        if let Some(index) = at.filter(|_| !random.one_in(4)) {
            if self.push(thread, Event::Unlock(lock)) {
                self.held[thread.index()].remove(index);
                let signalled = random.one_in(8);
                self.pending[thread.index()] = Some(Pending::Waiting { condition, lock, signalled });
            }
            return;
        }
        let all = random.one_in(3);
        let given = if all {
            self.builder.broadcast(thread, condition, PlaceId::UNKNOWN)
        } else {
            self.builder.signal(thread, condition, PlaceId::UNKNOWN)
        };
        if given.is_ok() {
            self.events += 1;
            self.wake(all);
        }
    }

    fn wake(&mut self, all: bool) {
        let waiting =
            |pending: &&mut Option<Pending>| matches!(pending, Some(Pending::Waiting { signalled: false, .. }));
        for pending in self.pending.iter_mut().filter(waiting).take(if all { usize::MAX } else { 1 }) {
            if let Some(Pending::Waiting { signalled, .. }) = pending {
                *signalled = true;
            }
        }
    }

    fn enter(&mut self, random: &mut Random, thread: ThreadId) {
        let barrier = BarrierId(random.below(2));
        if self.push(thread, Event::BarrierEnter(barrier)) {
            self.pending[thread.index()] = Some(Pending::Leave(barrier));
        }
    }

    fn once(&mut self, random: &mut Random, thread: ThreadId) {
        let once = OnceId(0);
        let slot = thread.index();
        if self.once_running[slot].is_some() {
            let event = if random.one_in(4) { Event::OnceAbort(once) } else { Event::OnceDone(once) };
            if self.push(thread, event) {
                self.once_running[slot] = None;
            }
        } else if random.one_in(2) {
            self.push(thread, Event::OncePass(once));
        } else if self.push(thread, Event::OnceRun(once)) {
            self.once_running[slot] = Some(once);
        }
    }

    fn join(&mut self, random: &mut Random, thread: ThreadId) {
        let child = self.pick(random);
        let idle = self.pending[child.index()].is_none();
        if child != thread && child != ThreadId::MAIN && idle && self.push(thread, Event::Join(child)) {
            self.alive[child.index()] = false;
            self.joined[child.index()] = true;
        }
    }

    /// Lets some threads finish what they are in the middle of, release their locks, and end.
    fn wind_down(&mut self, random: &mut Random) {
        for _ in 0..4 * self.threads {
            let thread = self.pick(random);
            if self.pending[thread.index()].is_some() {
                self.resume(thread);
            } else if let Some(lock) = self.held[thread.index()].last().copied() {
                self.push(thread, Event::Unlock(lock));
                self.held[thread.index()].pop();
            }
        }
    }
}

fn patience(random: &mut Random) -> Patience {
    match random.below(10) {
        0 => Patience::Try,
        1 => Patience::Timed,
        _ => Patience::Blocking,
    }
}

fn failed(random: &mut Random) -> Event {
    match random.below(3) {
        0 => Event::FailedLock(LockId(random.below(MUTEXES)), Patience::Try),
        1 => Event::FailedRdLock(RWLOCK, Patience::Timed),
        _ => Event::FailedSemWait(SemId(random.below(2)), Patience::Try),
    }
}

fn semaphore(random: &mut Random) -> Event {
    let sem = SemId(random.below(2));
    if random.one_in(2) { Event::SemPost(sem) } else { Event::SemWait(sem, patience(random)) }
}

fn atomic(random: &mut Random) -> Event {
    let (atomic, value) = (AtomicId(0), u64::from(random.below(2)));
    match random.below(3) {
        0 => Event::AtomicLoad(atomic, LoadOrder::SeqCst, value),
        1 => Event::AtomicStore(atomic, StoreOrder::SeqCst, value),
        _ => Event::AtomicRmw(atomic, Order::SeqCst, value, value + 1),
    }
}
