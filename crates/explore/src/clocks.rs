//! Happens-before of an execution, and the races it shows: the vector clocks of textbooks.

use crate::execution::RaceSeen;
use foretrace_event::ThreadId;
use foretrace_event::visible::{ObjectId, OpKind, Operation};
use std::collections::BTreeMap;

/// Of each thread, up to when what it did comes before.
pub type Clock = Vec<u32>;

/// The clocks of an execution.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    threads: Vec<Clock>,
    objects: BTreeMap<(u8, u64), Clock>,
    accesses: BTreeMap<u64, Vec<Access>>,
    /// The races so far.
    pub races: Vec<RaceSeen>,
}

#[derive(Clone, Debug)]
struct Access {
    thread: ThreadId,
    time: u32,
    place: u64,
    writes: bool,
}

/// Names of objects that are no addresses: one number for each use of a clock.
const THREAD: u8 = 0;
const OBJECT: u8 = 1;
const READERS: u8 = 2;
const BARRIER: u8 = 3;

fn join(into: &mut Clock, from: &Clock) {
    into.resize(into.len().max(from.len()), 0);
    into.iter_mut().zip(from).for_each(|(a, b)| *a = (*a).max(*b));
}

/// Arrivals of a later generation do not order who leaves this one.
fn generation(operation: &Operation) -> (u8, u64) {
    (BARRIER, operation.object.0 << 32 | operation.argument >> 32)
}

impl Clocks {
    /// With so many threads.
    pub fn new(threads: usize) -> Self {
        let first = |at| (0..threads).map(|other| u32::from(other == at)).collect();
        Self { threads: (0..threads).map(first).collect(), ..Self::default() }
    }

    /// What a thread knows.
    pub fn of(&self, thread: ThreadId) -> Clock {
        self.threads.get(thread.index()).cloned().unwrap_or_default()
    }

    fn acquire(&mut self, thread: ThreadId, name: (u8, u64)) {
        if let Some(clock) = self.objects.get(&name) {
            join(&mut self.threads[thread.index()], clock);
        }
    }

    fn release(&mut self, thread: ThreadId, name: (u8, u64)) {
        let clock = &self.threads[thread.index()];
        join(self.objects.entry(name).or_default(), clock);
        self.threads[thread.index()][thread.index()] += 1;
    }

    /// A thread was woken by another.
    pub fn wakes(&mut self, waker: ThreadId, woken: ThreadId) {
        let clock = self.threads[waker.index()].clone();
        join(&mut self.threads[woken.index()], &clock);
        self.threads[waker.index()][waker.index()] += 1;
    }

    /// A synchronisation operation or an atomic happened.
    pub fn synchronise(&mut self, thread: ThreadId, operation: &Operation) {
        use OpKind as K;
        let (object, other) = ((OBJECT, operation.object.0), (OBJECT, operation.other.0));
        let readers = (READERS, operation.object.0);
        match operation.kind {
            K::Lock | K::TryLock => {
                self.acquire(thread, object);
                self.acquire(thread, readers);
            }
            K::ReadLock | K::TryReadLock | K::SemWait | K::SemTryWait | K::OncePass | K::Load | K::UpdateFailed => {
                self.acquire(thread, object);
            }
            K::Unlock | K::SemPost | K::OnceEnd => self.release(thread, object),
            K::BarrierArrive => self.release(thread, generation(operation)),
            K::BarrierLeave => self.acquire(thread, generation(operation)),
            K::ReadUnlock => self.release(thread, readers),
            K::Wait => self.release(thread, other),
            K::Rewake | K::LeftWait => self.acquire(thread, other),
            K::Create | K::End => self.release(thread, (THREAD, operation.argument)),
            K::Start => self.acquire(thread, (THREAD, u64::from(thread.0))),
            K::Join | K::TryJoin => self.acquire(thread, (THREAD, operation.argument)),
            K::Store => {
                self.objects.remove(&object);
                self.release(thread, object);
            }
            K::Update => {
                self.acquire(thread, object);
                self.release(thread, object);
            }
            _ => {}
        }
    }

    /// A plain access happened.
    pub fn access(&mut self, thread: ThreadId, object: ObjectId, place: u64, writes: bool) {
        let clock = &self.threads[thread.index()];
        let earlier = self.accesses.entry(object.0).or_default();
        for access in earlier.iter().filter(|access| access.thread != thread && (writes || access.writes)) {
            if clock[access.thread.index()] < access.time {
                let (first, first_place) = (access.thread, access.place);
                self.races.push(RaceSeen { object, size: 1, first, first_place, second: thread, second_place: place });
            }
        }
        earlier.push(Access { thread, time: clock[thread.index()], place, writes });
    }
}
