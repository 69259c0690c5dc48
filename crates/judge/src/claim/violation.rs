//! Does the schedule violate the property with its last event, and not before?

use foretrace_finding::{Key, Schedule, Violation};
use foretrace_trace::Trace;

use crate::Objection;

pub(super) fn check(trace: &Trace, schedule: &Schedule, violation: &Violation) -> Result<(), Objection> {
    let monitor = &violation.monitor;
    let mut state = 0;
    let mut violated_by = None;
    for (step, id) in schedule.events().enumerate() {
        state = monitor.after(state, &Key::new(id.thread, trace.event(id)));
        if state == monitor.violated() {
            violated_by = Some((step, id));
            break;
        }
    }
    let last = schedule.steps().len().checked_sub(1).map(|step| (step, violation.event));
    if violated_by.is_some() && violated_by == last { Ok(()) } else { Err(Objection::NotViolated) }
}
