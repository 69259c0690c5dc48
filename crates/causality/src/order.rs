//! The relations that an ideal is closed under.

use std::collections::BTreeMap;
use std::sync::Arc;

use foretrace_event::{AtomicId, Event, EventId, IntervalId, Kind, ThreadId};
use foretrace_trace::Trace;
use rustc_hash::FxHashMap;

use crate::recorded::recorded;
use crate::{MustOrder, Need, NeedKind, Preserved, Sections};

/// How much of the recorded order is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Keep {
    /// Only the must-order: this closure is contained in every reordering that contains the events in question.
    Must,
    /// Critical sections of a lock, conflicting plain accesses in different segments, and the store that an atomic load
    /// reads. Updates of an atomic may come in any order, as those of a counter may.
    Updates,
    /// Critical sections of a lock, operations of an atomic, and the orders that make other operations possible.
    Sections,
    /// Everything in [`Self::Sections`], and the order of conflicting plain accesses in different segments.
    Segments,
}

/// The relations that an ideal is closed under.
#[derive(Clone, Debug)]
pub struct Order<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) keep: Keep,
    /// What events need, by thread, sorted by event.
    pub(crate) needs: Vec<Vec<Need>>,
    pub(crate) sections: Arc<Sections>,
}

impl<'a> Order<'a> {
    /// The order of a trace.
    pub fn new(trace: &'a Trace, keep: Keep) -> Self {
        let sections = Sections::new(trace, &MustOrder::new(trace, false));
        Self::sharing(trace, keep, Arc::new(sections))
    }

    /// The order of a trace whose sections are already known.
    pub fn sharing(trace: &'a Trace, keep: Keep, sections: Arc<Sections>) -> Self {
        let must = MustOrder::new(trace, keep > Keep::Updates);
        let mut needs: Vec<Vec<Need>> = trace.threads().map(|thread| must.needs(thread).to_vec()).collect();
        if keep > Keep::Must {
            add(&mut needs, Preserved::new(trace, &must).needs);
        }
        if keep == Keep::Updates {
            add(&mut needs, loads(trace));
        }
        if matches!(keep, Keep::Updates | Keep::Segments) {
            add(&mut needs, conflicts(trace));
        }
        needs.iter_mut().for_each(|needs| needs.sort_by_key(|need| need.at));
        Self { trace, keep, needs, sections }
    }

    /// The trace's sections.
    pub fn sections(&self) -> &Sections {
        &self.sections
    }

    /// What a thread's events need, sorted by event.
    pub fn needs(&self, thread: usize) -> &[Need] {
        &self.needs[thread]
    }
}

fn add(needs: &mut [Vec<Need>], more: Vec<Vec<Need>>) {
    needs.iter_mut().zip(more).for_each(|(needs, more)| needs.extend(more));
}

/// The last accesses of an interval so far: by each thread a write, and a read since the last write.
#[derive(Default)]
struct Touched {
    /// The last write in a segment that has ended. It needs what came before it and is not among the others.
    ended: Option<Access>,
    writes: BTreeMap<ThreadId, Access>,
    reads: BTreeMap<ThreadId, Access>,
}

#[derive(Clone, Copy)]
struct Access {
    id: EventId,
    /// Its stamp, and that of the end of its segment.
    stamp: u64,
    end: u64,
}

impl Touched {
    /// Forgets what a write in an ended segment already needs: whatever comes from now on needs that write.
    fn forget_covered(&mut self, now: u64) {
        let ended = self.writes.values().filter(|write| write.end <= now).max_by_key(|write| write.stamp);
        if let Some(&last) = ended.filter(|write| self.ended.is_none_or(|ended| ended.stamp < write.stamp)) {
            self.ended = Some(last);
            self.writes.retain(|_, write| write.end > last.stamp && write.id != last.id);
            self.reads.retain(|_, read| read.end > last.stamp);
        }
    }
}

/// Each access needs the conflicting accesses before it whose segment ended before its own began.
fn conflicts(trace: &Trace) -> Vec<Vec<Need>> {
    let mut needs = vec![Vec::new(); trace.threads().len()];
    let mut touched: FxHashMap<IntervalId, Touched> = FxHashMap::default();
    let ends = segment_ends(trace);
    for id in recorded(trace, Event::is_access) {
        let (interval, writes) = match trace.event(id) {
            Event::Read(interval) => (interval, false),
            Event::Write(interval) => (interval, true),
            _ => continue,
        };
        let stamp = trace.stamp(id);
        let last = touched.entry(interval).or_default();
        if writes {
            last.forget_covered(stamp);
        }
        let reads = writes.then_some(&last.reads).into_iter().flat_map(BTreeMap::values);
        let earlier = last.ended.iter().chain(last.writes.values()).chain(reads);
        for access in earlier.filter(|access| access.id.thread != id.thread) {
            if access.end <= stamp {
                needs[id.thread.index()].push(Need { at: id.index, event: access.id, kind: NeedKind::Order });
            }
        }
        let list = if writes { &mut last.writes } else { &mut last.reads };
        list.insert(id.thread, Access { id, stamp, end: ends[id.thread.index()][id.index as usize] });
    }
    needs
}

/// The last operations on an atomic: a change, and the loads since.
#[derive(Default)]
struct Loaded {
    change: Option<EventId>,
    loads: Vec<EventId>,
}

/// Each load of an atomic needs the change before it, each change needs the loads before it, and each store needs the
/// change before it.
fn loads(trace: &Trace) -> Vec<Vec<Need>> {
    let mut needs = vec![Vec::new(); trace.threads().len()];
    let mut atomics: FxHashMap<AtomicId, Loaded> = FxHashMap::default();
    for id in recorded(trace, |event| !event.is_access()) {
        let (atomic, loads, updates) = match trace.event(id) {
            Event::AtomicLoad(atomic, ..) => (atomic, true, false),
            Event::AtomicStore(atomic, ..) => (atomic, false, false),
            Event::AtomicRmw(atomic, ..) => (atomic, false, true),
            _ => continue,
        };
        let last = atomics.entry(atomic).or_default();
        let change = last.change.filter(|_| !updates);
        let before = last.loads.iter().filter(|_| !loads).copied().chain(change);
        for event in before.filter(|event| event.thread != id.thread) {
            needs[id.thread.index()].push(Need { at: id.index, event, kind: NeedKind::Order });
        }
        if loads {
            last.loads.push(id);
        } else {
            *last = Loaded { change: Some(id), loads: Vec::new() };
        }
    }
    needs
}

/// For each event the stamp of the sync event after it in its thread.
fn segment_ends(trace: &Trace) -> Vec<Vec<u64>> {
    let of = |thread| {
        let mut end = u64::MAX;
        let mut ends: Vec<u64> = Vec::with_capacity(trace.len(thread) as usize);
        for index in (0..trace.len(thread)).rev() {
            ends.push(end);
            let id = EventId { thread, index };
            end = if matches!(trace.kind(id), Kind::Read | Kind::Write) { end } else { trace.stamp(id) };
        }
        ends.reverse();
        ends
    };
    trace.threads().map(of).collect()
}
