//! The plan: a graph in evaluation order, with everything the engine looks up laid out in tables.
use super::growth::Growth;
use super::ownership::Moves;
use crate::code::{Code, Func};
use crate::graph::{Graph, LiftKind, Node, NodeId, Output};
use crate::types::InputDecl;
use crate::value::{Builtin, Value};
use std::rc::Rc;

/// An argument of a step: which stream, and whether its value is moved out.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    pub node: u32,
    pub take: bool,
}

/// How the event of one stream is computed.
#[derive(Clone, Debug)]
pub enum Step {
    /// Set from outside, or never.
    Source,
    Const(Value),
    Default(Arg, Value),
    DefaultFrom(Arg, Arg),
    Last(Arg, u32),
    Time(u32),
    /// Number of the delay.
    Delay(u32),
    Merge(Box<[Arg]>),
    /// A function on current values.
    Signal(Lift),
    /// The same value at every event of a stream.
    Always(u32, Value),
    /// A function on current values of the form `if a == b then c`, or with `!=`.
    Filter(Box<Filter>),
    /// A function on options.
    Events(Events),
    /// The second stream's events at which the first has one: by far the most frequent function on options.
    On(u32, Arg),
    /// The current value of a stream at the events of another.
    Sample {
        trigger: u32,
        source: u32,
    },
}

/// A function and the streams it is applied to.
#[derive(Clone, Debug)]
pub struct Lift {
    pub func: u32,
    pub args: Box<[Arg]>,
    /// Whether any value is moved out.
    pub takes: bool,
}

/// A function on options that answers `None` unless certain streams have an event.
#[derive(Clone, Debug)]
pub struct Events {
    pub lift: Lift,
    /// These streams.
    pub required: Box<[u32]>,
    /// Arguments that are looked at without a step of their own.
    pub pasts: Option<Pasts>,
}

/// Arguments `last(v, trigger)` of a function on options, all with one trigger, at whose events the function is applied and
/// at no others: it looks at the current values `v` instead, as long as they have no event now.
#[derive(Clone, Debug)]
pub struct Pasts {
    pub trigger: u32,
    pub all: Box<[Past]>,
}

#[derive(Clone, Copy, Debug)]
pub struct Past {
    /// The stream `last(v, trigger)`.
    pub node: u32,
    /// `v`.
    pub value: u32,
    /// Whether the function answers `None` without it.
    pub required: bool,
}

/// A value that is there already.
#[derive(Clone, Debug)]
pub enum Operand {
    Stream(u32),
    Const(Value),
}

/// Passes a value on where two others are equal, or where they are not.
#[derive(Clone, Debug)]
pub struct Filter {
    pub sides: [Operand; 2],
    pub equal: bool,
    pub result: Operand,
    /// For what is not as simple as it seems: a value that failed, or an event in doubt.
    pub lift: Lift,
}

impl Filter {
    fn of(lift: &Lift, body: &Code) -> Option<Filter> {
        let Code::Choose(parts) = body else { return None };
        let [Code::Op2(op @ (Builtin::Eq | Builtin::Neq), sides), result, Code::Const(Value::Absent)] = &**parts else {
            return None;
        };
        let operand = |code: &Code| match code {
            Code::Const(value) if !matches!(value, Value::Absent | Value::Error(_)) => {
                Some(Operand::Const(value.clone()))
            }
            Code::Local { slot, .. } => Some(Operand::Stream(lift.args.get(*slot as usize)?.node)),
            _ => None,
        };
        let sides = [operand(&sides[0])?, operand(&sides[1])?];
        Some(Filter { sides, equal: *op == Builtin::Eq, result: operand(result)?, lift: lift.clone() })
    }
}

/// What an event of a stream entails.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// The streams to look at: a word and its bits, and further ones.
    pub first: (u32, u64),
    pub more: Box<[(u32, u64)]>,
    /// Whether the value before it is asked for.
    pub keeps_previous: bool,
}

/// A delay: its output, where its delays come from, and what resets it.
#[derive(Clone, Copy, Debug)]
pub struct DelayStep {
    pub node: u32,
    pub amount: u32,
    pub reset: u32,
}

#[derive(Clone, Debug)]
pub struct PlannedOutput {
    pub name: Rc<str>,
    pub node: u32,
    pub raw: bool,
    pub error: bool,
    /// An event on it means that not everything can be checked.
    pub incomplete: bool,
    pub style: Option<Rc<str>>,
}

/// A specification, ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub steps: Vec<Step>,
    pub links: Vec<Links>,
    /// For every stream, all that depend on it. An event that may not exist is news to all of them; a certain one only to
    /// those that may have an event because of it.
    pub readers: Vec<Box<[u32]>>,
    /// Streams to look at when time begins.
    pub at_zero: Vec<u32>,
    pub delays: Vec<DelayStep>,
    pub funcs: Rc<[Func]>,
    pub inputs: Vec<InputDecl>,
    /// The node of every input that is used.
    pub input_nodes: Vec<Option<u32>>,
    pub outputs: Vec<PlannedOutput>,
    /// The streams that are outputs, as bits.
    pub shown: Vec<u64>,
    pub names: Vec<Option<Rc<str>>>,
    pub growth: Vec<Growth>,
    /// For every stream, whether it is a `last` that a function looks at without it (see [`Pasts`]).
    pub looked_through: Vec<bool>,
    /// For every input, whether only its current value is asked for, and only at events of other streams.
    pub only_sampled: Vec<bool>,
}

pub fn lay_out(graph: Graph, moves: &Moves, growth: Vec<Growth>) -> Plan {
    let mut plan = Plan {
        steps: Vec::new(),
        links: vec![Links::default(); graph.nodes.len()],
        readers: readers(&graph),
        at_zero: Vec::new(),
        delays: Vec::new(),
        funcs: graph.funcs.into(),
        input_nodes: vec![None; graph.inputs.len()],
        only_sampled: vec![false; graph.inputs.len()],
        looked_through: vec![false; graph.nodes.len()],
        inputs: graph.inputs,
        outputs: Vec::new(),
        shown: vec![0; graph.nodes.len().div_ceil(64)],
        names: graph.names.iter().map(|name| name.as_ref().map(|name| name.name.clone())).collect(),
        growth,
    };
    for output in graph.outputs {
        plan.shown[output.node as usize / 64] |= 1 << (output.node % 64);
        let Output { name, node, raw, error, incomplete, style } = output;
        plan.outputs.push(PlannedOutput { name, node, raw, error, incomplete, style });
    }
    for (index, node) in graph.nodes.into_iter().enumerate() {
        let step = plan.step(index as u32, node, &moves[index]);
        plan.steps.push(step);
    }
    plan
}

impl Plan {
    fn step(&mut self, index: u32, node: Node, moves: &[bool]) -> Step {
        let arg = |position: usize, node: NodeId| Arg { node, take: moves[position] };
        let args = |nodes: Vec<NodeId>| nodes.into_iter().enumerate().map(|(at, node)| arg(at, node)).collect();
        match node {
            Node::Input(input) => {
                self.input_nodes[input as usize] = Some(index);
                Step::Source
            }
            Node::Nil => Step::Source,
            Node::Const(value) => {
                self.at_zero.push(index);
                Step::Const(value)
            }
            Node::Default(source, value) => {
                self.at_zero.push(index);
                Step::Default(arg(0, source), value)
            }
            Node::DefaultFrom(source, other) => Step::DefaultFrom(arg(0, source), arg(1, other)),
            Node::Last(value, trigger) => Step::Last(arg(0, value), trigger),
            Node::Time(source) => Step::Time(source),
            Node::Delay(amount, reset) => {
                self.delays.push(DelayStep { node: index, amount, reset });
                Step::Delay(self.delays.len() as u32 - 1)
            }
            Node::Merge(nodes) => Step::Merge(args(nodes)),
            Node::Lift { kind, func, args: nodes } => self.lift(kind, func, &nodes, moves),
            Node::Alias(_) | Node::Pending => unreachable!("aliases are gone"),
        }
    }

    fn lift(&self, kind: LiftKind, func: u32, nodes: &[NodeId], moves: &[bool]) -> Step {
        // A stream that is an argument twice is read in any order: it must stay where it is.
        let once = |node: NodeId| nodes.iter().filter(|other| **other == node).count() == 1;
        let arg = |(at, node): (usize, &NodeId)| Arg { node: *node, take: moves[at] && once(*node) };
        let args: Box<[Arg]> = nodes.iter().enumerate().map(arg).collect();
        let takes = args.iter().any(|arg| arg.take);
        let body = &self.funcs[func as usize].body;
        if kind != LiftKind::Events {
            if let (Code::Const(value), [source]) = (body, &*args)
                && !matches!(value, Value::Absent | Value::Error(_))
            {
                return Step::Always(source.node, value.clone());
            }
            let lift = Lift { func, args, takes };
            return match Filter::of(&lift, body) {
                Some(filter) => Step::Filter(Box::new(filter)),
                None => Step::Signal(lift),
            };
        }
        if args.len() == 2 && is_on(body) {
            return Step::On(args[0].node, args[1]);
        }
        let needed = |slot: &usize| nodes.len() > 1 && body.requires(*slot as u32);
        let required = (0..nodes.len()).filter(needed).map(|slot| nodes[slot]).collect();
        Step::Events(Events { lift: Lift { func, args, takes }, required, pasts: None })
    }

    /// Fills in which streams an event wakes. A stream that needs several events at once is woken by the last of them in the
    /// order of evaluation only: inputs come first and often, what is computed from them comes late and more rarely.
    pub(super) fn link(&mut self) {
        for step in &self.steps {
            if let Step::Last(value, _) = step {
                self.links[value.node as usize].keeps_previous = true;
            }
        }
        for source in 0..self.steps.len() as u32 {
            let mut words: Vec<(u32, u64)> = Vec::new();
            for reader in &self.readers[source as usize] {
                if !self.wakes(source, *reader) {
                    continue;
                }
                let (word, bit) = (reader / 64, 1u64 << (reader % 64));
                match words.iter_mut().find(|(known, _)| *known == word) {
                    Some((_, bits)) => *bits |= bit,
                    None => words.push((word, bit)),
                }
            }
            let links = &mut self.links[source as usize];
            links.first = words.first().copied().unwrap_or_default();
            links.more = words.into_iter().skip(1).collect();
        }
    }

    /// Whether a certain event of a stream is a reason to look at one of its readers.
    fn wakes(&self, source: u32, reader: u32) -> bool {
        let waker = match &self.steps[reader as usize] {
            Step::On(trigger, value) => Some(*trigger.max(&value.node)),
            Step::Events(Events { pasts: Some(pasts), .. }) => Some(pasts.trigger),
            Step::Events(Events { required, .. }) => required.iter().max().copied(),
            Step::Sample { trigger, .. } => Some(*trigger),
            _ => None,
        };
        !self.looked_through[reader as usize] && waker.is_none_or(|waker| waker == source)
    }
}

/// Whether a function on two options is the second one where there is a first.
fn is_on(body: &Code) -> bool {
    let Code::Choose(parts) = body else { return false };
    matches!(&**parts, [Code::Present(0), Code::Local { slot: 1, .. }, Code::Const(Value::Absent)])
}

/// For every stream, those that need its events at the same time.
fn readers(graph: &Graph) -> Vec<Box<[u32]>> {
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); graph.nodes.len()];
    for (index, node) in graph.nodes.iter().enumerate() {
        if matches!(node, Node::Delay(..)) {
            continue;
        }
        for source in node.now() {
            if readers[source as usize].last() != Some(&(index as u32)) {
                readers[source as usize].push(index as u32);
            }
        }
    }
    readers.into_iter().map(Vec::into_boxed_slice).collect()
}
