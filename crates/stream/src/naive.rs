//! The definitions of the operators, evaluated as they are written: the oracle of the engine.
//!
//! A stream is a function from times to events. `at` asks for the event of a stream at a time, `before` for
//! the latest one strictly before; every operator is one equation over these two. Nothing is updated: an answer
//! is computed from the inputs whenever it is asked for, and only remembered.
mod machine;

use crate::engine::Time;
use crate::graph::{Graph, LiftKind, Node, NodeId};
use crate::value::{Value, int};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a stream has at a time.
#[derive(Clone, Debug, PartialEq)]
enum Event {
    Nothing,
    Value(Value),
    /// It is unknown whether there is an event.
    Doubt,
}

/// The events of every input.
pub type Inputs = Vec<BTreeMap<Time, Value>>;

/// An event of an output: when, which, and what.
pub type OutputEvent = (Time, usize, Value);

/// All events of all outputs up to the last time of the inputs.
pub fn evaluate(graph: &Graph, inputs: &Inputs) -> Vec<OutputEvent> {
    let mut times: BTreeSet<Time> = inputs.iter().flat_map(|events| events.keys().copied()).collect();
    let end = times.last().copied().unwrap_or(0);
    times.insert(0);
    let mut naive = Naive { graph, inputs, times, known: HashMap::new() };
    let mut out = Vec::new();
    let mut next = Some(0);
    while let Some(time) = next {
        for (index, output) in graph.outputs.iter().enumerate() {
            match naive.at(output.node, time) {
                Event::Nothing => {}
                Event::Value(value) => out.push((time, index, value)),
                Event::Doubt => out.push((time, index, doubt())),
            }
        }
        naive.find_ends(time, end);
        next = naive.times.range(time + 1..).next().copied();
    }
    out
}

fn doubt() -> Value {
    Value::error("unknown").into_unknown()
}

struct Naive<'g> {
    graph: &'g Graph,
    inputs: &'g Inputs,
    /// Every time at which anything may happen, as far as known.
    times: BTreeSet<Time>,
    known: HashMap<(NodeId, Time), Event>,
}

impl Naive<'_> {
    fn at(&mut self, node: NodeId, time: Time) -> Event {
        let node = self.graph.resolve(node);
        if let Some(event) = self.known.get(&(node, time)) {
            return event.clone();
        }
        let event = self.define(node, time);
        self.known.insert((node, time), event.clone());
        event
    }

    /// The state of a stream after its events strictly before a time.
    fn before(&mut self, node: NodeId, time: Time) -> Event {
        let earlier: Vec<Time> = self.times.range(..time).copied().collect();
        earlier.into_iter().fold(Event::Nothing, |state, time| after(state, self.at(node, time)))
    }

    /// The state of a stream after its events up to a time.
    fn current(&mut self, node: NodeId, time: Time) -> Event {
        after(self.before(node, time), self.at(node, time))
    }

    fn define(&mut self, node: NodeId, time: Time) -> Event {
        let graph = self.graph;
        match &graph.nodes[node as usize] {
            Node::Input(input) => match self.inputs[*input as usize].get(&time) {
                Some(value) => Event::Value(value.clone()),
                None => Event::Nothing,
            },
            Node::Nil | Node::Pending => Event::Nothing,
            Node::Const(value) if time == 0 => Event::Value(value.clone()),
            Node::Const(_) => Event::Nothing,
            Node::Default(source, value) => match self.at(*source, time) {
                Event::Nothing if time == 0 => Event::Value(value.clone()),
                Event::Doubt if time == 0 => Event::Value(Value::error("unknown")),
                event => event,
            },
            Node::DefaultFrom(source, other) => match self.at(*source, time) {
                Event::Nothing if self.before(node, time) == Event::Nothing => self.at(*other, time),
                event => event,
            },
            Node::Last(value, trigger) => match (self.at(*trigger, time), self.before(*value, time)) {
                (Event::Nothing, _) | (_, Event::Nothing) => Event::Nothing,
                (Event::Doubt, _) | (_, Event::Doubt) => Event::Doubt,
                (Event::Value(_), value) => value,
            },
            Node::Time(source) => match self.at(*source, time) {
                Event::Value(_) => Event::Value(int::from_time(time)),
                event => event,
            },
            Node::Delay(amount, reset) => self.delay(node, *amount, *reset, time),
            Node::Merge(args) => self.merge(args, time),
            Node::Lift { kind: LiftKind::Events, func, args } => self.lift(*func, args, time),
            Node::Lift { func, args, .. } => self.signal(*func, args, time),
            Node::Alias(_) => unreachable!("aliases are resolved"),
        }
    }

    /// The latest reset or end before now decides: the delay set there, if any, ends now or does not.
    fn delay(&mut self, node: NodeId, amount: NodeId, reset: NodeId, time: Time) -> Event {
        let earlier: Vec<Time> = self.times.range(..time).rev().copied().collect();
        for start in earlier {
            if self.at(reset, start) == Event::Nothing && self.at(node, start) == Event::Nothing {
                continue;
            }
            let ends = match self.at(amount, start) {
                Event::Value(value) => int::to_time(&value).is_some_and(|amount| start + amount == time),
                _ => false,
            };
            return if ends { Event::Value(Value::Unit) } else { Event::Nothing };
        }
        Event::Nothing
    }

    fn merge(&mut self, args: &[NodeId], time: Time) -> Event {
        let mut doubtful = false;
        for arg in args {
            match self.at(*arg, time) {
                Event::Nothing => {}
                Event::Doubt => doubtful = true,
                Event::Value(_) if doubtful => return Event::Value(Value::error("unknown")),
                event => return event,
            }
        }
        if doubtful { Event::Doubt } else { Event::Nothing }
    }

    fn lift(&mut self, func: u32, args: &[NodeId], time: Time) -> Event {
        let events: Vec<Event> = args.iter().map(|arg| self.at(*arg, time)).collect();
        if events.contains(&Event::Doubt) {
            return Event::Doubt;
        }
        if events.iter().all(|event| *event == Event::Nothing) {
            return Event::Nothing;
        }
        self.apply(func, events)
    }

    fn signal(&mut self, func: u32, args: &[NodeId], time: Time) -> Event {
        let now: Vec<Event> = args.iter().map(|arg| self.at(*arg, time)).collect();
        let current: Vec<Event> = args.iter().map(|arg| self.current(*arg, time)).collect();
        if now.iter().all(|event| *event == Event::Nothing) || current.contains(&Event::Nothing) {
            return Event::Nothing;
        }
        if current.contains(&Event::Doubt) || !now.iter().any(|event| matches!(event, Event::Value(_))) {
            return Event::Doubt;
        }
        self.apply(func, current)
    }

    fn apply(&mut self, func: u32, args: Vec<Event>) -> Event {
        let args = args.into_iter().map(|event| match event {
            Event::Value(value) => value,
            _ => Value::Absent,
        });
        match machine::run(&self.graph.funcs, func, args) {
            Value::Absent => Event::Nothing,
            value if value.is_unknown() => Event::Doubt,
            value => Event::Value(value),
        }
    }

    /// Delays set now make new times at which something may happen.
    fn find_ends(&mut self, time: Time, end: Time) {
        for (node, kind) in self.graph.nodes.iter().enumerate() {
            let Node::Delay(amount, reset) = kind else { continue };
            let set = self.at(*reset, time) != Event::Nothing || self.at(node as NodeId, time) != Event::Nothing;
            if let (true, Event::Value(value)) = (set, self.at(*amount, time))
                && let Some(amount) = int::to_time(&value)
                && time + amount <= end
            {
                self.times.insert(time + amount);
            }
        }
    }
}

/// A stream that had an event for certain has a current value; if the last one is in doubt, that is unknown.
fn after(state: Event, event: Event) -> Event {
    match (state, event) {
        (state, Event::Nothing) => state,
        (Event::Value(_), Event::Doubt) => Event::Value(Value::error("unknown")),
        (_, event) => event,
    }
}
