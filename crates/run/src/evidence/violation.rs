//! A violated property.

use foretrace_event::EventId;
use foretrace_finding::{Candidate, Violation};
use foretrace_trace::Trace;

use super::{Failure, Spot};
use crate::{Modules, SeenEvent, SeenViolation};

impl Failure for SeenViolation {
    fn rule(&self) -> &'static str {
        "property"
    }

    /// What led there may differ; what violates the property is one place of the program.
    fn pcs(&self) -> Vec<u64> {
        vec![self.event.pc]
    }

    fn property(&self) -> Option<&str> {
        Some(&self.property)
    }

    /// The values of the property's variables may differ from run to run, as addresses do; its places do not.
    fn shows(&self, candidate: &Candidate, recorded: (&Trace, &Modules), modules: &Modules) -> bool {
        let Candidate::Violation(violation) = candidate else { return false };
        self.is_about(violation) && place(&self.event, modules) == predicted(violation.event, recorded)
    }

    fn is_of(&self, candidate: &Candidate, recorded: (&Trace, &Modules), modules: &Modules) -> bool {
        let Candidate::Violation(violation) = candidate else { return false };
        let because = self.because.iter().map(|event| place(event, modules));
        self.shows(candidate, recorded, modules)
            && because.eq(violation.because.iter().map(|event| predicted(*event, recorded)))
    }
}

impl SeenViolation {
    fn is_about(&self, violation: &Violation) -> bool {
        (&self.property, &self.says) == (&violation.monitor.name, &violation.monitor.says)
    }
}

fn place(event: &SeenEvent, modules: &Modules) -> (u32, Spot) {
    (event.thread, modules.locate(event.pc))
}

fn predicted(event: EventId, (trace, modules): (&Trace, &Modules)) -> (u32, Spot) {
    (event.thread.0, modules.locate(trace.pc(event)))
}
