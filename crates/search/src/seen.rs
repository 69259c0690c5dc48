//! Which properties of the user's own a run has violated, as the recording of that run says.

use std::collections::HashMap;

use foretrace_event::{Event, EventId, Value};
use foretrace_predict::Options;
use foretrace_predict::property::{Datum, Observed, observed};
use foretrace_run::{SeenChange, SeenEvent, SeenViolation, is_step};
use foretrace_trace::Trace;

/// So many events of the user's own are kept of what came before a violation.
const BEFORE: usize = 16;

/// Runs the automata of the properties along a recorded run.
pub fn violations(trace: &Trace, options: &Options) -> Vec<SeenViolation> {
    let found: Vec<Observed> = options.properties.iter().flat_map(|template| observed(trace, template)).collect();
    told(trace, found)
}

/// Violations that were found in a recorded run, as values that do not need its trace.
pub fn told(trace: &Trace, found: Vec<Observed>) -> Vec<SeenViolation> {
    if found.is_empty() {
        return Vec::new();
    }
    let steps = Steps::of(trace);
    found.into_iter().map(|one| seen(trace, &steps, one)).collect()
}

/// How many steps had been taken before each event: by its thread, and by all.
struct Steps(HashMap<EventId, (u32, u32)>);

impl Steps {
    fn of(trace: &Trace) -> Self {
        let mut own = vec![0; trace.threads().len()];
        let mut all = 0;
        let mut before = HashMap::new();
        for id in trace.observed() {
            let own = &mut own[id.thread.index()];
            before.insert(id, (*own, all));
            let step = u32::from(is_step(trace, id));
            (*own, all) = (*own + step, all + step);
        }
        Self(before)
    }

    fn before(&self, id: EventId) -> (u32, u32) {
        self.0.get(&id).copied().unwrap_or_default()
    }
}

fn seen(trace: &Trace, steps: &Steps, one: Observed) -> SeenViolation {
    let event = |id: EventId| SeenEvent {
        thread: trace.thread(id.thread).recorded,
        step: steps.before(id).0,
        pc: trace.pc(id),
        name: name(trace, id),
        values: values(trace, id),
    };
    let change = |id: EventId, state: usize| {
        let event = event(id);
        SeenChange { thread: event.thread, step: event.step, state }
    };
    SeenViolation {
        event: event(one.event),
        because: one.because.iter().copied().map(event).collect(),
        before: customs_before(trace, one.event).into_iter().map(event).collect(),
        step: steps.before(one.event).1,
        property: one.property,
        says: one.says,
        graph: one.graph,
        path: one.path.iter().map(|(id, state)| change(*id, *state)).collect(),
        with: one.with.into_iter().map(|(name, value)| (name.into(), value.to_string())).collect(),
    }
}

/// The last events of the user's own before this one.
fn customs_before(trace: &Trace, event: EventId) -> Vec<EventId> {
    let is_custom = |id: &EventId| matches!(trace.event(*id), Event::Custom(..));
    let all: Vec<EventId> = trace.observed().take_while(|id| *id != event).filter(is_custom).collect();
    all[all.len().saturating_sub(BEFORE)..].to_vec()
}

fn name(trace: &Trace, id: EventId) -> String {
    match trace.event(id) {
        Event::Custom(custom, _) => trace.name(custom),
        other => other.kind().name().to_owned(),
    }
}

fn values(trace: &Trace, id: EventId) -> Vec<String> {
    let Event::Custom(_, values) = trace.event(id) else { return Vec::new() };
    let word = |value: &Value| match *value {
        Value::Number(number) => Datum::Number(number).to_string(),
        Value::Text(text) => format!("{:?}", trace.value_text(text)),
    };
    trace.values(values).iter().map(word).collect()
}
