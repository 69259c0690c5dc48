//! The dataflow graph of an expanded specification: primitive operators on streams, macros gone.
use crate::code::Func;
use crate::source::Span;
use crate::types::InputDecl;
use crate::value::Value;
use std::fmt;
use std::rc::Rc;

pub type NodeId = u32;

/// How a function on values is applied to streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiftKind {
    /// On options, at every event; no event where the function answers `None`.
    Events,
    /// On the current values, once there is one of each, at every event.
    Signal,
    /// As `Signal`, with no event where the function answers `None`.
    SignalFilter,
}

/// A stream, by its definition.
#[derive(Clone, Debug)]
pub enum Node {
    Input(u32),
    Nil,
    /// One event, at time zero.
    Const(Value),
    Default(NodeId, Value),
    DefaultFrom(NodeId, NodeId),
    Last(NodeId, NodeId),
    Time(NodeId),
    Delay(NodeId, NodeId),
    Merge(Vec<NodeId>),
    Lift {
        kind: LiftKind,
        func: u32,
        args: Vec<NodeId>,
    },
    /// Another name of a stream, put in place of one that was used before it was defined.
    Alias(NodeId),
    /// Used and not yet defined.
    Pending,
}

/// The name and place of the definition a stream came from.
#[derive(Clone, Debug)]
pub struct NodeName {
    pub name: Rc<str>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Output {
    pub name: Rc<str>,
    pub node: NodeId,
    pub raw: bool,
    pub error: bool,
    pub incomplete: bool,
    pub style: Option<Rc<str>>,
}

/// A specification as a graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub names: Vec<Option<NodeName>>,
    pub funcs: Vec<Func>,
    pub inputs: Vec<InputDecl>,
    pub outputs: Vec<Output>,
}

impl Graph {
    pub fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.names.push(None);
        self.nodes.len() as NodeId - 1
    }

    /// The stream behind any number of aliases.
    pub fn resolve(&self, mut node: NodeId) -> NodeId {
        let mut steps = 0;
        while let Node::Alias(target) = self.nodes[node as usize] {
            steps += 1;
            if steps > self.nodes.len() {
                break;
            }
            node = target;
        }
        node
    }
}

impl Node {
    /// The streams whose events at the same time this one needs.
    pub fn now(&self) -> Vec<NodeId> {
        match self {
            Node::Input(_) | Node::Nil | Node::Const(_) | Node::Pending => Vec::new(),
            Node::Default(s, _) | Node::Time(s) | Node::Alias(s) => vec![*s],
            Node::DefaultFrom(s, d) => vec![*s, *d],
            Node::Last(_, trigger) => vec![*trigger],
            // The reset is needed now only to set the delay, but the language forbids recursion through it, unless it is the
            // delays themselves, as in `delayedLast` of 2018.
            Node::Delay(delay, reset) if delay == reset => Vec::new(),
            Node::Delay(_, reset) => vec![*reset],
            Node::Merge(args) | Node::Lift { args, .. } => args.clone(),
        }
    }

    /// The stream of which only the past is needed.
    pub fn past(&self) -> Option<NodeId> {
        match self {
            Node::Last(value, _) => Some(*value),
            Node::Delay(delay, _) => Some(*delay),
            _ => None,
        }
    }

    /// Every stream it mentions.
    pub fn args_mut(&mut self) -> Vec<&mut NodeId> {
        match self {
            Node::Input(_) | Node::Nil | Node::Const(_) | Node::Pending => Vec::new(),
            Node::Default(s, _) | Node::Time(s) | Node::Alias(s) => vec![s],
            Node::DefaultFrom(a, b) | Node::Last(a, b) | Node::Delay(a, b) => vec![a, b],
            Node::Merge(args) | Node::Lift { args, .. } => args.iter_mut().collect(),
        }
    }
}

impl fmt::Display for Graph {
    /// The primitive operators, one a line, in the order they were made.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, node) in self.nodes.iter().enumerate() {
            let text = match node {
                Node::Input(input) => format!("in {}", self.inputs[*input as usize].name),
                Node::Nil => "nil".to_owned(),
                Node::Const(value) => format!("{value}"),
                Node::Default(source, value) => format!("default(${source}, {value})"),
                Node::DefaultFrom(source, other) => format!("defaultFrom(${source}, ${other})"),
                Node::Last(value, trigger) => format!("last(${value}, ${trigger})"),
                Node::Time(source) => format!("time(${source})"),
                Node::Delay(amount, reset) => format!("delay(${amount}, ${reset})"),
                Node::Merge(args) => format!("merge({})", list(args)),
                Node::Lift { kind: LiftKind::Events, func, args } => format!("lift({}, f{func})", list(args)),
                Node::Lift { func, args, .. } => format!("slift({}, f{func})", list(args)),
                Node::Alias(node) => format!("${node}"),
                Node::Pending => continue,
            };
            match &self.names[index] {
                Some(name) => writeln!(f, "${index} = {text} -- {}", name.name)?,
                None => writeln!(f, "${index} = {text}")?,
            }
        }
        for (index, func) in self.funcs.iter().enumerate() {
            writeln!(f, "f{index}({} parameters) = {:?}", func.params, func.body)?;
        }
        self.outputs.iter().try_for_each(|output| writeln!(f, "out ${} as {}", output.node, output.name))
    }
}

fn list(nodes: &[NodeId]) -> String {
    nodes.iter().map(|node| format!("${node}")).collect::<Vec<_>>().join(", ")
}
