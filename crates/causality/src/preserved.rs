//! The parts of the recorded order that make operations possible, beyond the must-order and the sections of locks.
//!
//! * A semaphore wait keeps all posts before it: fewer waits with the same posts never go below zero. If so many threads
//!   post that this would take too much memory, waits keep their order as well.
//! * A barrier whose threads vary keeps the order of arrivals, and an exit needs the arrivals of its round.
//! * A signal keeps the beginnings of the waits that it woke, so that it is not lost.
//! * A mutex that is passed on keeps the order of its operations.

use foretrace_event::{BarrierId, CondInstance, Event, EventId, LockId, SemId, ThreadId};
use foretrace_trace::Trace;
use rustc_hash::FxHashMap;

use crate::recorded::recorded;
use crate::sources::Sources;
use crate::{MustOrder, Need, NeedKind};

/// These orders.
#[derive(Clone, Debug, Default)]
pub struct Preserved {
    pub(crate) needs: Vec<Vec<Need>>,
}

/// The number of posts that a wait needs by itself; beyond it, the wait comes after the one before.
const MOST_POSTS: usize = 64;

#[derive(Default)]
struct Seen {
    posts: FxHashMap<SemId, Sources>,
    arrivals: FxHashMap<BarrierId, Vec<EventId>>,
    inside: FxHashMap<(BarrierId, ThreadId), usize>,
    last_use: FxHashMap<LockId, EventId>,
}

impl Preserved {
    /// Of a trace.
    pub fn new(trace: &Trace, must: &MustOrder) -> Self {
        let mut preserved = Self { needs: vec![Vec::new(); trace.threads().len()] };
        let beginnings = beginnings(trace, must);
        let mut seen = Seen::default();
        let matters = |event: Event| match event {
            Event::Lock(lock, _) | Event::RdLock(lock, _) | Event::Unlock(lock) => must.passed_on(lock).is_some(),
            event => !event.is_access(),
        };
        for id in recorded(trace, matters) {
            preserved.look(trace, must, &beginnings, &mut seen, id);
        }
        preserved
    }

    fn need(&mut self, of: EventId, event: EventId) {
        if of.thread != event.thread {
            self.needs[of.thread.index()].push(Need { at: of.index, event, kind: NeedKind::Order });
        }
    }

    fn look(&mut self, trace: &Trace, must: &MustOrder, waits: &Beginnings, seen: &mut Seen, id: EventId) {
        match trace.event(id) {
            Event::SemPost(sem) => seen.posts.entry(sem).or_default().give(id),
            Event::SemWait(sem, _) => {
                let needed = seen.posts.entry(sem).or_default().take_in_turn(id, MOST_POSTS);
                needed.into_iter().for_each(|event| self.need(id, event));
            }
            Event::BarrierEnter(barrier) if !must.is_regular(barrier) => {
                let arrivals = seen.arrivals.entry(barrier).or_default();
                if let Some(&last) = arrivals.last() {
                    self.need(id, last);
                }
                seen.inside.insert((barrier, id.thread), arrivals.len());
                arrivals.push(id);
            }
            Event::BarrierExit(barrier) if !must.is_regular(barrier) => {
                let count = trace.barrier(barrier).count.max(1) as usize;
                let round = seen.inside[&(barrier, id.thread)] / count;
                if let Some(&last) = seen.arrivals[&barrier].get(round * count + count - 1) {
                    self.need(id, last);
                }
            }
            Event::Signal(instance) | Event::Broadcast(instance) => {
                waits.get(&instance).into_iter().flatten().for_each(|&unlock| self.need(id, unlock));
            }
            Event::Lock(lock, _) | Event::RdLock(lock, _) | Event::Unlock(lock) if must.passed_on(lock).is_some() => {
                if let Some(last) = seen.last_use.insert(lock, id) {
                    self.need(id, last);
                }
            }
            _ => {}
        }
    }
}

/// The events that begin the waits of each instance that could miss their signal.
type Beginnings = FxHashMap<CondInstance, Vec<EventId>>;

fn beginnings(trace: &Trace, must: &MustOrder) -> Beginnings {
    let mut beginnings = Beginnings::default();
    if !must.has_losable() {
        return beginnings;
    }
    for id in recorded(trace, |event| matches!(event, Event::Wait(..))) {
        if let Event::Wait(instance, ..) = trace.event(id)
            && must.is_losable(id)
        {
            beginnings.entry(instance).or_default().push(EventId { thread: id.thread, index: id.index - 1 });
        }
    }
    beginnings
}
