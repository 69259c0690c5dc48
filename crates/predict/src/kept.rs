//! How much of the recorded order a schedule keeps.

use foretrace_causality::SectionMode;
use foretrace_event::EventId;
use foretrace_finding::{Rung, Schedule};
use rustc_hash::FxHashMap;

use crate::analysis::Analysis;

/// The nearest rung whose promise a schedule keeps, leaving out what concerns the candidate's own events.
pub(crate) fn kept(analysis: &Analysis<'_>, schedule: &Schedule, own: &[EventId]) -> Rung {
    if !keeps_sections(analysis, schedule) {
        Rung::Free
    } else if !keeps_accesses(analysis, schedule, own) {
        Rung::Sections
    } else {
        Rung::Segments
    }
}

/// Do the critical sections of each lock, and the operations of each atomic, come in the recorded order?
fn keeps_sections(analysis: &Analysis<'_>, schedule: &Schedule) -> bool {
    let sections = analysis.sections().sections();
    let mut next = vec![0; analysis.trace.threads().len()];
    let mut latest: FxHashMap<_, (u64, u64)> = FxHashMap::default();
    for id in schedule.events() {
        let thread = id.thread.index();
        let Some(section) = sections.of(thread).get(next[thread]).filter(|section| section.acquire == id.index) else {
            continue;
        };
        next[thread] += 1;
        let (alone, shared) = latest.entry(section.lock).or_default();
        if section.stamp < *alone || (section.mode == SectionMode::Write && section.stamp < *shared) {
            return false;
        }
        let last = if section.mode == SectionMode::Write { alone } else { shared };
        *last = section.stamp.max(*last);
    }
    keeps_needs(analysis, schedule, &[], &|event| !event.is_access())
}

/// Do conflicting accesses of different segments come in the recorded order?
fn keeps_accesses(analysis: &Analysis<'_>, schedule: &Schedule, own: &[EventId]) -> bool {
    keeps_needs(analysis, schedule, own, &|event| event.is_access())
}

/// Are the needs of accesses, or of atomic operations, met when they come?
fn keeps_needs(
    analysis: &Analysis<'_>,
    schedule: &Schedule,
    own: &[EventId],
    which: &dyn Fn(foretrace_event::Event) -> bool,
) -> bool {
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

fn is_atomic(event: foretrace_event::Event) -> bool {
    use foretrace_event::Event;
    matches!(event, Event::AtomicLoad(..) | Event::AtomicStore(..) | Event::AtomicRmw(..))
}
