//! All events in the order in which they took place.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foretrace_event::{EventId, ThreadId};

use super::Trace;

/// The events of a trace ordered by stamp; the accesses of a segment directly follow the sync event that opens it.
#[derive(Clone, Debug)]
pub struct Observed<'a> {
    trace: &'a Trace,
    /// The next segment of each thread: its stamp, the thread, and where it begins.
    heads: BinaryHeap<Reverse<(u32, ThreadId, u32)>>,
    /// The thread whose segment is being returned.
    current: Option<(ThreadId, u32)>,
}

impl<'a> Observed<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        let mut observed = Self { trace, heads: BinaryHeap::new(), current: None };
        trace.threads().for_each(|thread| observed.queue(thread, 0));
        observed
    }

    fn queue(&mut self, thread: ThreadId, index: u32) {
        if let Some(slot) = self.trace.slots(thread).get(index as usize) {
            self.heads.push(Reverse((slot.stamp, thread, index)));
        }
    }
}

impl Iterator for Observed<'_> {
    type Item = EventId;

    fn next(&mut self) -> Option<EventId> {
        let (thread, index) = match self.current {
            Some(position) => position,
            None => {
                let Reverse((_, thread, index)) = self.heads.pop()?;
                (thread, index)
            }
        };
        let follows = self.trace.slots(thread).get(index as usize + 1).is_some_and(|slot| slot.is_access());
        self.current = follows.then_some((thread, index + 1));
        if !follows {
            self.queue(thread, index + 1);
        }
        Some(EventId { thread, index })
    }
}
