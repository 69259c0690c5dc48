//! Vector clocks, and the closure of the must-order.

use foretrace_event::{EventId, ThreadId};
use foretrace_trace::Trace;

use crate::MustOrder;
use crate::times::Times;

/// The number of events of each thread that come before.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    times: Times,
}

impl Clock {
    /// The clock of an event that nothing precedes, for this many threads.
    pub fn new(threads: usize) -> Self {
        Self { times: Times::new(threads) }
    }

    /// How many events of a thread come before.
    pub fn get(&self, thread: usize) -> u32 {
        self.times.get(thread)
    }

    /// Records that at least this many events of a thread come before.
    pub fn raise(&mut self, thread: usize, time: u32) {
        self.times.set(thread, time.max(self.get(thread)));
    }

    /// Joins another clock: everything before the other is now before this.
    pub fn join(&mut self, other: &Self) {
        self.times.join(&other.times);
    }

    /// Intersects with another clock: only what is before both is now before this.
    pub fn meet(&mut self, other: &Self) {
        self.times.meet(&other.times);
    }

    /// Is everything that precedes the other also before this?
    pub fn covers(&self, other: &Self) -> bool {
        self.times.covers(&other.times)
    }
}

/// The closure of the must-order: the weak happens-before of the thesis.
///
/// A thread's clock only changes at events that need something, so only those are kept.
#[derive(Clone, Debug)]
pub struct WeakOrder {
    /// For each thread, the events from which on a clock is valid. The thread's own component is left at zero.
    changes: Vec<Vec<(u32, Clock)>>,
}

impl WeakOrder {
    /// The weak order of a trace.
    pub fn new(trace: &Trace, must: &MustOrder) -> Self {
        let threads = trace.threads().len();
        let mut order = Self { changes: vec![vec![(0, Clock::new(threads))]; threads] };
        let mut needs: Vec<(EventId, EventId)> = Vec::new();
        for thread in trace.threads() {
            needs.extend(must.needs(thread).iter().map(|need| (EventId { thread, index: need.at }, need.event)));
        }
        needs.sort_by_cached_key(|(later, _)| (trace.stamp(*later), *later));
        needs.into_iter().for_each(|(later, earlier)| order.follow(later, earlier));
        order
    }

    /// Makes the earlier event, and everything before it, precede the later one.
    fn follow(&mut self, later: EventId, earlier: EventId) {
        let mut clock = self.clock(earlier).clone();
        clock.raise(earlier.thread.index(), earlier.index + 1);
        clock.times.set(later.thread.index(), 0);
        let changes = &mut self.changes[later.thread.index()];
        let (from, last) = changes.last_mut().expect("every thread has a first clock");
        if last.covers(&clock) {
            return;
        }
        let mut joined = last.clone();
        joined.join(&clock);
        if *from == later.index {
            *last = joined;
        } else {
            changes.push((later.index, joined));
        }
    }

    /// The clock of an event. Its own thread's component is zero: see [`Self::before`].
    pub fn clock(&self, id: EventId) -> &Clock {
        let changes = &self.changes[id.thread.index()];
        let after = changes.partition_point(|(from, _)| *from <= id.index);
        &changes[after - 1].1
    }

    /// How many events of a thread come before an event.
    pub fn time(&self, id: EventId, thread: ThreadId) -> u32 {
        if thread == id.thread { id.index } else { self.clock(id).get(thread.index()) }
    }

    /// Does one event come before another in every reordering?
    pub fn before(&self, one: EventId, other: EventId) -> bool {
        one.index < self.time(other, one.thread)
    }
}
