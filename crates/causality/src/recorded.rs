//! Chosen events in the recorded order.

use foretrace_event::{Event, EventId};
use foretrace_trace::Trace;

/// The events that satisfy a condition, in the recorded order. Most questions concern few events of a trace.
pub(crate) fn recorded(trace: &Trace, which: impl Fn(Event) -> bool) -> Vec<EventId> {
    let mut chosen: Vec<(u64, EventId)> = Vec::new();
    for thread in trace.threads() {
        let of_thread = trace.events(thread).enumerate().filter(|(_, event)| which(*event));
        let ids = of_thread.map(|(index, _)| EventId { thread, index: index as u32 });
        chosen.extend(ids.map(|id| (trace.stamp(id), id)));
    }
    // A stable sort, because it merges the lists of the threads, which are already sorted.
    chosen.sort();
    chosen.into_iter().map(|(_, id)| id).collect()
}
