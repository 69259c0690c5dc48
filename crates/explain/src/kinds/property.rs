//! A violated property.

use super::{Failure, Suspect};
use crate::resolver::{Locks, Resolver, index_of};
use crate::steps::{self, Followed};
use foretrace_event::EventId;
use foretrace_finding::{Schedule, Violation};
use foretrace_report::{Act, Broken, Kind, Operation, Site, Sort, Thing, Thread, What};
use foretrace_run::{SeenEvent, SeenViolation};
use foretrace_trace::Trace;

impl Failure for SeenViolation {
    fn threads(&self) -> Vec<u32> {
        self.ends().map(|event| event.thread).collect()
    }

    fn sites(&self, resolver: &Resolver<'_>, threads: &[Thread], _: &Locks) -> Vec<Site> {
        let site = |event: &SeenEvent| Site {
            thread: index_of(threads, event.thread),
            does: act(event),
            stack: resolver.sources.stack(&[event.pc], resolver.symbols, resolver.modules),
            locks: Vec::new(),
        };
        self.ends().map(site).collect()
    }

    fn broken(&self) -> Option<Broken> {
        Some(Broken { name: self.property.to_string(), says: self.says.to_string(), with: self.with.clone() })
    }

    /// The events before the last are steps, and are told as such.
    fn followed<'a>(&self, schedule: &'a Schedule, _: &[Site]) -> Followed<'a> {
        let done = self.ends().map(|event| Some(event.step)).collect();
        let told = |event: &SeenEvent| (event.thread, event.step, act(event));
        let told = self.before.iter().chain(&self.because).map(told).collect();
        Followed { schedule, until: Some(self.step), done, waits: false, failing: 1, last: 0, told }
    }
}

fn act(event: &SeenEvent) -> Act {
    let operation = Operation::on(What::Custom, Thing::new(Sort::Event, Some(&event.name)));
    Act::Operation(Operation { values: event.values.clone(), ..operation })
}

impl Suspect for Violation {
    fn kind(&self) -> Kind {
        Kind::PROPERTY
    }

    /// What violates the property comes first.
    fn acts(&self, trace: &Trace) -> Vec<(EventId, Act)> {
        let act = |id: EventId| (id, Act::Operation(steps::operation(trace, trace.event(id))));
        [self.event].into_iter().chain(self.because.iter().copied()).map(act).collect()
    }

    fn broken(&self) -> Option<Broken> {
        let Self { monitor, .. } = self;
        let pair = |(name, value): &(Box<str>, Box<str>)| (name.to_string(), value.to_string());
        let with = monitor.binding.iter().map(pair).collect();
        Some(Broken { name: monitor.name.to_string(), says: monitor.says.to_string(), with })
    }
}
