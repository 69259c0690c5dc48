//! Orders of operations in conflict.

use std::collections::{BTreeMap, BTreeSet};

use foretrace_event::{Event, EventId, ThreadId};
use foretrace_finding::Schedule;
use foretrace_run::is_step;
use foretrace_trace::Trace;

/// One operation comes before another one that is in conflict with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ordered {
    /// What comes first.
    pub first: EventId,
    /// What comes later.
    pub second: EventId,
}

impl Ordered {
    /// The other way round.
    pub(super) fn turned(self) -> Self {
        Self { first: self.second, second: self.first }
    }
}

/// Things that operations are in conflict on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Lock(u32),
    Condition(u32),
    Sem(u32),
    Atomic(u32),
}

/// How an operation uses a thing. Two uses are in conflict, unless both are of a sort that commutes with itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Commutes with its like: reading.
    Shared,
    /// In conflict with everything.
    Own,
    /// Signals and posts commute, and so do the beginnings of waits.
    Gives,
    /// The beginning of a wait on a condition variable.
    Begins,
}

impl Use {
    fn conflicts(self, other: Self) -> bool {
        self == Self::Own || self != other
    }
}

/// What an event does to a thing. A wait on a condition variable begins with the unlock before it.
fn used(trace: &Trace, id: EventId) -> Option<(Thing, Use)> {
    let condition = |instance| Thing::Condition(trace.instance(instance).condition.0);
    Some(match trace.event(id) {
        Event::Lock(lock, _) => (Thing::Lock(lock.0), Use::Own),
        Event::RdLock(lock, _) => (Thing::Lock(lock.0), Use::Shared),
        Event::Unlock(_) => {
            let next = EventId { index: id.index + 1, ..id };
            match (next.index < trace.len(id.thread)).then(|| trace.event(next))? {
                Event::Wait(instance, ..) => (condition(instance), Use::Begins),
                _ => return None,
            }
        }
        Event::Signal(instance) | Event::Broadcast(instance) => (condition(instance), Use::Gives),
        Event::SemWait(sem, _) => (Thing::Sem(sem.0), Use::Own),
        Event::SemPost(sem) => (Thing::Sem(sem.0), Use::Gives),
        Event::AtomicLoad(atomic, ..) => (Thing::Atomic(atomic.0), Use::Shared),
        Event::AtomicStore(atomic, ..) | Event::AtomicRmw(atomic, ..) => (Thing::Atomic(atomic.0), Use::Own),
        _ => return None,
    })
}

/// The orders of a schedule that could be turned round, in the order of their second operations: each operation with the
/// next one of each other thread that it is in conflict with, unless another one of its own thread comes between. What
/// the schedule does not have comes after it, as recorded. Of more than `most`, the last.
pub(super) fn considered(trace: &Trace, schedule: &Schedule, most: usize) -> Vec<Ordered> {
    let mut taken: Vec<u32> = vec![0; trace.threads().len()];
    schedule.steps().iter().for_each(|step| taken[step.event.thread.index()] += 1);
    let rest = trace.observed().filter(|id| id.index >= taken[id.thread.index()]);
    let mut last: BTreeMap<(Thing, ThreadId), Vec<(EventId, Use)>> = BTreeMap::new();
    let mut orders = Vec::new();
    let mut known = BTreeSet::new();
    let of_schedule = schedule.steps().iter().map(|step| (step.event, true));
    for (id, is_in) in of_schedule.chain(rest.map(|id| (id, false))) {
        let Some((thing, how)) = used(trace, id).filter(|_| is_step(trace, id)) else { continue };
        for ((_, thread), uses) in last.range_mut((thing, ThreadId(0))..=(thing, ThreadId(u32::MAX))) {
            if *thread == id.thread {
                continue;
            }
            let nearest = uses.iter().rev().find(|(_, other)| how.conflicts(*other));
            // Those of the same operation and later ones of this thread follow from it.
            if let Some((first, _)) = nearest.filter(|(first, _)| known.insert((*first, id.thread))) {
                orders.push(Ordered { first: *first, second: id });
            }
        }
        if is_in {
            let uses = last.entry((thing, id.thread)).or_default();
            uses.retain(|(_, other)| *other != how);
            uses.push((id, how));
        }
    }
    orders.retain(|order| !is_forced(trace, *order));
    let from = orders.len().saturating_sub(most);
    orders.split_off(from)
}

/// Does the second thread begin after the first operation, or the first end before the second, in every order?
fn is_forced(trace: &Trace, order: Ordered) -> bool {
    let mut thread = order.second.thread;
    while let Some(fork) = trace.fork_of(thread) {
        if fork.thread == order.first.thread {
            return fork.index > order.first.index;
        }
        thread = fork.thread;
    }
    let joins = (0..order.second.index).map(|index| trace.event(EventId { index, ..order.second }));
    joins.into_iter().any(|event| event == Event::Join(order.first.thread))
}
