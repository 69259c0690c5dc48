//! A violated property.

use super::Suspect;
use crate::steps;
use foretrace_event::EventId;
use foretrace_finding::Violation;
use foretrace_report::{Act, Kind};
use foretrace_trace::Trace;

impl Suspect for Violation {
    fn kind(&self) -> Kind {
        Kind::PROPERTY
    }

    fn acts(&self, trace: &Trace) -> Vec<(EventId, Act)> {
        let act = |id: EventId| (id, Act::Operation(steps::operation(trace, trace.event(id))));
        self.because.iter().copied().chain([self.event]).map(act).collect()
    }
}
