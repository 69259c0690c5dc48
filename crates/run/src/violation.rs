//! A property of the user's own that the events of a run violated.

use foretrace_finding::StateGraph;

/// A violation that was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenViolation {
    /// The name of the property.
    pub property: Box<str>,
    /// The property in its author's words.
    pub says: Box<str>,
    /// Its variables and their values in this run, as they are shown.
    pub with: Vec<(String, String)>,
    /// The event that violated it.
    pub event: SeenEvent,
    /// The earlier events that brought the property to the state in which this event violates it, in order.
    pub because: Vec<SeenEvent>,
    /// The last events of the user's own before it, whether this property saw them or not, in order.
    pub before: Vec<SeenEvent>,
    /// How many steps all threads had taken before.
    pub step: u32,
    /// Its automaton, if it has words for it.
    pub graph: Option<StateGraph>,
    /// The state after each event that changed it.
    pub path: Vec<SeenChange>,
}

/// An event after which a property was in another state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenChange {
    /// The thread, by its number in the schedule.
    pub thread: u32,
    /// How many steps its thread had taken before.
    pub step: u32,
    /// The state after it.
    pub state: usize,
}

impl SeenViolation {
    /// The event that violated the property, and the last one that brought the property there.
    pub fn ends(&self) -> impl Iterator<Item = &SeenEvent> {
        std::iter::once(&self.event).chain(self.because.last())
    }
}

/// An event that a property saw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenEvent {
    /// The thread, by its number in the schedule.
    pub thread: u32,
    /// How many steps its thread had taken before.
    pub step: u32,
    /// Where it was emitted.
    pub pc: u64,
    /// Its name.
    pub name: String,
    /// Its values, as they are shown.
    pub values: Vec<String>,
}
