//! A violated property.

use super::{Failure, Suspect};
use crate::resolver::{Locks, Resolver, index_of};
use crate::steps::{self, Followed, Path};
use foretrace_event::{EventId, ThreadId};
use foretrace_finding::{Key, Schedule, StateGraph, Violation};
use foretrace_report::{Act, Automaton, Broken, Edge, Kind, Operation, Site, Sort, Thing, Thread, What};
use foretrace_run::{SeenEvent, SeenViolation, is_step};
use foretrace_trace::Trace;
use std::collections::BTreeMap;

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
        Followed {
            schedule,
            until: Some(self.step),
            done,
            waits: false,
            failing: 1,
            last: 0,
            told,
            automaton: seen(self),
        }
    }
}

/// What the page shows of an automaton.
fn drawn(graph: &StateGraph, says: &str, with: &[(String, String)]) -> Automaton {
    let values: Vec<String> = with.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let with = if values.is_empty() { String::new() } else { format!(", with {}", values.join(", ")) };
    let edge = |(from, to, on): &(usize, usize, Box<str>)| Edge { from: *from, to: *to, on: on.to_string() };
    Automaton {
        property: format!("{says}{with}"),
        states: graph.states.iter().map(ToString::to_string).collect(),
        bad: vec![graph.states.len() - 1],
        edges: graph.edges.iter().map(edge).collect(),
        initial: 0,
        after: Vec::new(),
    }
}

/// The automaton of a violation that was seen.
fn seen(violation: &SeenViolation) -> Option<Path> {
    let automaton = drawn(violation.graph.as_ref()?, &violation.says, &violation.with);
    let after = violation.path.iter().map(|change| (change.thread, change.step, change.state)).collect();
    Some(Path { automaton, after })
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

    /// The automaton runs along the schedule.
    fn automaton(&self, trace: &Trace, schedule: &Schedule) -> Option<Path> {
        let monitor = &self.monitor;
        let with: Vec<_> = self.broken()?.with;
        let automaton = drawn(monitor.graph.as_ref()?, &monitor.says, &with);
        let mut taken: BTreeMap<ThreadId, u32> = BTreeMap::new();
        let (mut state, mut after) = (0, Vec::new());
        for id in schedule.events() {
            let own = taken.entry(id.thread).or_default();
            let next = monitor.after(state, &Key::new(id.thread, trace.event(id)));
            if next != state {
                after.push((id.thread.0, *own, next as usize));
            }
            *own += u32::from(is_step(trace, id));
            state = next;
        }
        Some(Path { automaton, after })
    }

    fn broken(&self) -> Option<Broken> {
        let Self { monitor, .. } = self;
        let pair = |(name, value): &(Box<str>, Box<str>)| (name.to_string(), value.to_string());
        let with = monitor.binding.iter().map(pair).collect();
        Some(Broken { name: monitor.name.to_string(), says: monitor.says.to_string(), with })
    }
}
