//! A property that an order of the recorded events violates.

use std::sync::Arc;

use foretrace_event::{ArgsId, Event, EventId, Kind, Object, ThreadId};

/// What a property sees of an event: equal ones are one letter of its alphabet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// The thread.
    pub thread: ThreadId,
    /// The kind of the event.
    pub kind: Kind,
    /// What it acts on; for a custom event, its name.
    pub object: Option<Object>,
    /// The values of a custom event.
    pub values: ArgsId,
}

impl Key {
    /// Of an event of a thread.
    pub fn new(thread: ThreadId, event: Event) -> Self {
        let values = if let Event::Custom(_, values) = event { values } else { ArgsId::default() };
        Self { thread, kind: event.kind(), object: event.object(), values }
    }
}

/// A property with values for its variables, as an automaton over the events of one trace. State 0 is the initial one, the
/// last one means that the property is violated; events without a letter change nothing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Monitor {
    /// The name of the property.
    pub name: Box<str>,
    /// The property in its author's words.
    pub says: Box<str>,
    /// Its variables and their values, as they are shown.
    pub binding: Vec<(Box<str>, Box<str>)>,
    /// The names of the states, without the violated one.
    pub states: Vec<Box<str>>,
    /// The events that it sees, sorted, each with its letter.
    pub letters: Vec<(Key, u32)>,
    /// The state after each letter, by state.
    pub next: Vec<Vec<u32>>,
    /// The automaton for people; none if the property has no words for it.
    pub graph: Option<StateGraph>,
}

/// The automaton of a property in its author's words.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateGraph {
    /// The names of the states, the initial one first and the violated one last.
    pub states: Vec<Box<str>>,
    /// From a state to a state, on these events.
    pub edges: Vec<(usize, usize, Box<str>)>,
}

impl Monitor {
    /// The state that means a violation.
    pub fn violated(&self) -> u32 {
        self.next.len() as u32 - 1
    }

    /// The state after an event.
    pub fn after(&self, state: u32, event: &Key) -> u32 {
        let letter = self.letters.binary_search_by(|(key, _)| key.cmp(event));
        letter.map_or(state, |at| self.next[state as usize][self.letters[at].1 as usize])
    }

    /// `x = 3, @t = 1`, in the author's names; empty if there are no variables.
    pub fn values(&self) -> String {
        let pair = |(name, value): &(Box<str>, Box<str>)| format!("{name} = {value}");
        self.binding.iter().map(pair).collect::<Vec<_>>().join(", ")
    }
}

/// An event that violates a property.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Violation {
    /// The property.
    pub monitor: Arc<Monitor>,
    /// The event: the last one of the schedule.
    pub event: EventId,
    /// The earlier events that brought the property to the state in which this event violates it, in order.
    pub because: Vec<EventId>,
}
