//! What a run itself violates, in the order in which its events happened.

use foretrace_event::EventId;
use foretrace_finding::StateGraph;
use foretrace_property::{Datum, Template, violations};
use foretrace_trace::Trace;

use super::{Alphabet, MOST_INSTANCES};

/// A violation in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// The event that violates the property.
    pub event: EventId,
    /// The earlier events that brought the property to the state in which this event violates it, in order.
    pub because: Vec<EventId>,
    /// The name of the property.
    pub property: Box<str>,
    /// The property in its author's words.
    pub says: Box<str>,
    /// Its variables and their values.
    pub with: Vec<(Box<str>, Datum)>,
    /// Its automaton, if it has words for it.
    pub graph: Option<StateGraph>,
    /// The state after each event that changed it.
    pub path: Vec<(EventId, usize)>,
}

/// What the run violates: the first violation of each instance, in order. A property with too many instances is left out.
pub fn observed(trace: &Trace, template: &Template) -> Vec<Observed> {
    let alphabet = Alphabet::new(trace, template);
    let seen = trace.observed().filter_map(|id| Some((id, alphabet.letter(id.thread, trace.event(id))?)));
    let (ids, run): (Vec<EventId>, Vec<u32>) = seen.unzip();
    let found = violations(template, alphabet.letters(), &run, MOST_INSTANCES).unwrap_or_default();
    found
        .into_iter()
        .map(|one| Observed {
            event: ids[one.step],
            because: one.because.iter().map(|step| ids[*step]).collect(),
            property: one.property,
            says: one.says,
            with: one.binding,
            graph: Some(super::graph(template)),
            path: one.path.into_iter().map(|(step, state)| (ids[step], state as usize)).collect(),
        })
        .collect()
}
