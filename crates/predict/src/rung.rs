//! How much of the recorded order a schedule keeps.

use foretrace_event::{Event, EventId, LockId};
use foretrace_finding::{Rung, Schedule};
use rustc_hash::FxHashMap;

use crate::analysis::Analysis;

/// The nearest rung whose promise a schedule keeps, ignoring orders that involve the candidate's own events.
pub(crate) fn nearest(analysis: &Analysis<'_>, schedule: &Schedule, own: &[EventId]) -> Rung {
    if !keeps_sections(analysis, schedule) {
        Rung::Free
    } else if !keeps_accesses(analysis, schedule, own) {
        Rung::Sections
    } else {
        Rung::Segments
    }
}

/// Are each lock's acquisitions, and the operations of each atomic, in the recorded order? Acquisitions are taken from
/// the events themselves: a section that another thread ends is not a section of its thread, but still has a position.
fn keeps_sections(analysis: &Analysis<'_>, schedule: &Schedule) -> bool {
    let mut latest: FxHashMap<LockId, (u64, u64)> = FxHashMap::default();
    for id in schedule.events() {
        let (lock, excludes) = match analysis.trace.event(id) {
            Event::Lock(lock, _) => (lock, true),
            Event::RdLock(lock, _) => (lock, false),
            _ => continue,
        };
        let stamp = analysis.trace.stamp(id);
        let (alone, shared) = latest.entry(lock).or_default();
        if stamp < *alone || (excludes && stamp < *shared) {
            return false;
        }
        let last = if excludes { alone } else { shared };
        *last = stamp.max(*last);
    }
    keeps_needs(analysis, schedule, &[], &|event| !event.is_access())
}

/// Do conflicting accesses of different segments come in the recorded order?
fn keeps_accesses(analysis: &Analysis<'_>, schedule: &Schedule, own: &[EventId]) -> bool {
    keeps_needs(analysis, schedule, own, &|event| event.is_access())
}

/// Are the needs of accesses, or of atomic operations, met when they take place?
fn keeps_needs(analysis: &Analysis<'_>, schedule: &Schedule, own: &[EventId], which: &dyn Fn(Event) -> bool) -> bool {
    let order = analysis.segments();
    let mut done = vec![0; analysis.trace.threads().len()];
    let mut next = vec![0; done.len()];
    for id in schedule.events() {
        let thread = id.thread.index();
        let event = analysis.trace.event(id);
        let needs = &order.needs(thread)[next[thread]..];
        let passed = needs.partition_point(|need| need.at <= id.index);
        let asked = which(event) && (event.is_access() || is_atomic(event));
        for need in needs[..passed].iter().filter(|need| need.at == id.index && asked) {
            let late = done[need.event.thread.index()] <= need.event.index;
            if late && !own.contains(&need.event) && !own.contains(&id) {
                return false;
            }
        }
        next[thread] += passed;
        done[thread] = id.index + 1;
    }
    true
}

fn is_atomic(event: Event) -> bool {
    matches!(event, Event::AtomicLoad(..) | Event::AtomicStore(..) | Event::AtomicRmw(..))
}
