//! Events as numbers. The two that scripts cannot name come first.

use crate::value::Value;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Event(pub u32);

/// The silent step.
pub const TAU: Event = Event(0);
/// Successful termination.
pub const TICK: Event = Event(1);

/// The events met so far, with their names.
#[derive(Default, Debug, Clone)]
pub struct Events {
    names: Vec<String>,
    by_value: FxHashMap<Value, Event>,
    values: Vec<Option<Value>>,
}

impl Events {
    pub fn new() -> Self {
        Events { names: vec!["τ".into(), "✓".into()], by_value: FxHashMap::default(), values: vec![None, None] }
    }

    pub fn find(&self, value: &Value) -> Option<Event> {
        self.by_value.get(value).copied()
    }

    pub fn add(&mut self, value: Value, name: String) -> Event {
        let event = Event(self.names.len() as u32);
        self.names.push(name);
        self.by_value.insert(value.clone(), event);
        self.values.push(Some(value));
        event
    }

    /// An event no script can write, for the inside of linked parallel.
    pub fn add_internal(&mut self, name: String) -> Event {
        self.names.push(name);
        self.values.push(None);
        Event(self.names.len() as u32 - 1)
    }

    pub fn name(&self, event: Event) -> &str {
        &self.names[event.0 as usize]
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn value(&self, event: Event) -> Option<&Value> {
        self.values[event.0 as usize].as_ref()
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        false
    }
}

/// A set of events, or all events but a set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EventSet {
    pub events: Vec<Event>,
    pub complement: bool,
}

impl EventSet {
    pub fn new(mut events: Vec<Event>) -> Self {
        events.sort();
        events.dedup();
        EventSet { events, complement: false }
    }

    pub fn empty() -> Self {
        Self::new(Vec::new())
    }

    /// Never true of the two events scripts cannot name.
    pub fn contains(&self, event: Event) -> bool {
        event > TICK && (self.events.binary_search(&event).is_ok() != self.complement)
    }
}
