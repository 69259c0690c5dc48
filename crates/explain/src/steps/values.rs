//! Which values of atomic variables are the recorded ones, in another order of the same operations.

use foretrace_event::{AtomicId, Event, EventId, ThreadId};
use foretrace_finding::Step;
use foretrace_trace::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// The operations that read and write what they did in the recorded run. A thread that has read something else may go on to
/// write something else.
pub(crate) fn known(trace: &Trace, steps: &[Step]) -> BTreeSet<EventId> {
    let mut values: BTreeMap<AtomicId, Option<u64>> = BTreeMap::new();
    let mut strayed: BTreeSet<ThreadId> = BTreeSet::new();
    let mut known = BTreeSet::new();
    for step in steps {
        let (id, thread) = (step.event, step.event.thread);
        let value = |atomic: AtomicId| values.get(&atomic).copied().unwrap_or(trace.atomic(atomic).initial);
        let (same, change) = match trace.event(id) {
            Event::AtomicLoad(atomic, _, read) => (value(atomic) == Some(read), None),
            Event::AtomicStore(atomic, _, new) => (!strayed.contains(&thread), Some((atomic, new))),
            Event::AtomicRmw(atomic, _, old, new) => {
                (value(atomic) == Some(old) && !strayed.contains(&thread), Some((atomic, new)))
            }
            _ => continue,
        };
        if same {
            known.insert(id)
        } else {
            strayed.insert(thread)
        };
        if let Some((atomic, new)) = change {
            values.insert(atomic, same.then_some(new));
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::known;
    use foretrace_finding::ScheduleText;

    #[test]
    fn what_another_order_reads_is_not_told_as_recorded() {
        let trace = foretrace_trace::text::parse(include_str!("references.trace")).unwrap();
        let count = |schedule: &str| {
            let schedule = schedule.parse::<ScheduleText>().unwrap().of(|thread| trace.len(thread)).unwrap();
            known(&trace, schedule.steps()).len()
        };
        assert_eq!(count("t0:3 t1:3 t2:3"), 2, "as recorded");
        assert_eq!(count("t0:3 t2:3 t1:3"), 0, "the other way round");
    }
}
