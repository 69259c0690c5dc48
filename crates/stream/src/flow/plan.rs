//! The plan: a graph in evaluation order, with everything the engine looks up laid out in tables.
use super::growth::Growth;
use super::ownership::Moves;
use crate::code::Func;
use crate::graph::{Graph, LiftKind, Node, NodeId};
use crate::types::InputDecl;
use crate::value::Value;
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
    Lift(LiftKind, u32, Box<[Arg]>),
    /// A function on options that answers `None` unless all streams of the second list have an event.
    LiftIf(u32, Box<[Arg]>, Box<[u32]>),
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
}

/// A specification, ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub steps: Vec<Step>,
    /// For every stream, the streams to look at when it has an event: words and bits.
    pub wakes: Vec<Box<[(u32, u64)]>>,
    /// Whether the previous value is asked for.
    pub keeps: Vec<bool>,
    /// Streams to look at when time begins.
    pub at_zero: Vec<u32>,
    pub delays: Vec<DelayStep>,
    pub funcs: Rc<[Func]>,
    pub inputs: Vec<InputDecl>,
    /// The node of every input that is used.
    pub input_nodes: Vec<Option<u32>>,
    pub outputs: Vec<PlannedOutput>,
    pub names: Vec<Option<Rc<str>>>,
    pub growth: Vec<Growth>,
}

pub fn lay_out(graph: Graph, moves: &Moves, growth: Vec<Growth>) -> Plan {
    let mut plan = Plan {
        steps: Vec::new(),
        wakes: wakes(&graph),
        keeps: vec![false; graph.nodes.len()],
        at_zero: Vec::new(),
        delays: Vec::new(),
        funcs: graph.funcs.into(),
        input_nodes: vec![None; graph.inputs.len()],
        inputs: graph.inputs,
        outputs: Vec::new(),
        names: graph.names.iter().map(|name| name.as_ref().map(|name| name.name.clone())).collect(),
        growth,
    };
    for output in graph.outputs {
        plan.outputs.push(PlannedOutput { name: output.name, node: output.node, raw: output.raw, error: output.error });
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
            Node::Last(value, trigger) => {
                self.keeps[value as usize] = true;
                Step::Last(arg(0, value), trigger)
            }
            Node::Time(source) => Step::Time(source),
            Node::Delay(amount, reset) => {
                self.delays.push(DelayStep { node: index, amount, reset });
                Step::Delay(self.delays.len() as u32 - 1)
            }
            Node::Merge(nodes) => Step::Merge(args(nodes)),
            Node::Lift { kind: LiftKind::Events, func, args: nodes } => {
                let body = &self.funcs[func as usize].body;
                let needed = |slot: &usize| body.requires(*slot as u32);
                let required: Box<[u32]> = (0..nodes.len()).filter(needed).map(|slot| nodes[slot]).collect();
                match required.is_empty() || nodes.len() == 1 {
                    true => Step::Lift(LiftKind::Events, func, args(nodes)),
                    false => Step::LiftIf(func, args(nodes), required),
                }
            }
            Node::Lift { kind, func, args: nodes } => Step::Lift(kind, func, args(nodes)),
            Node::Alias(_) | Node::Pending => unreachable!("aliases are gone"),
        }
    }
}

fn wakes(graph: &Graph) -> Vec<Box<[(u32, u64)]>> {
    let mut wakes: Vec<Vec<(u32, u64)>> = vec![Vec::new(); graph.nodes.len()];
    for (index, node) in graph.nodes.iter().enumerate() {
        if matches!(node, Node::Delay(..)) {
            continue;
        }
        let (word, bit) = (index as u32 / 64, 1u64 << (index % 64));
        for source in node.now() {
            let entry = &mut wakes[source as usize];
            match entry.iter_mut().find(|(known, _)| *known == word) {
                Some((_, bits)) => *bits |= bit,
                None => entry.push((word, bit)),
            }
        }
    }
    wakes.into_iter().map(Vec::into_boxed_slice).collect()
}
