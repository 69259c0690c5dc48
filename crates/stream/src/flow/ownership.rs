//! Who may take a value away instead of copying it.
//!
//! A value that is moved to its last reader has one owner, so a set or map in it is updated in place. Two
//! kinds of moves are safe:
//!
//! * A reader takes the event of a stream when nothing looks at it later: no reader behind it in the order
//!   of evaluation, no output, no `last`, and no function that would need it as the current value when
//!   another stream has an event.
//! * `last(v, t)` takes the previous value of `v` when it is the only `last` of `v`, or comes behind all others
//!   in the order of evaluation, and `v` is certain to have a new event whenever `last(v, t)` has one, as in `def v = default(f(last(v, t), t), c)`.
//!
//! Both rest on one relation, computed as a fixpoint: `a` implies `b` if `b` has an event whenever `a` has.
use crate::code::Code;
use crate::graph::{Graph, LiftKind, Node, NodeId};
use crate::value::{Builtin, Value};

/// For every node and every argument of it, whether the argument's value is moved.
pub type Moves = Vec<Vec<bool>>;

/// In larger graphs, which only generated specifications have, values are copied instead: the relation is quadratic.
const MAX_NODES: usize = 4096;

pub fn moves(graph: &Graph) -> Moves {
    if graph.nodes.len() > MAX_NODES {
        return graph.nodes.iter().map(|node| vec![false; arguments(node).len()]).collect();
    }
    let implies = Implications::of(graph);
    let readers = readers(graph);
    let mut moves: Moves = graph.nodes.iter().map(|node| vec![false; arguments(node).len()]).collect();
    for (source, readers) in readers.iter().enumerate() {
        let source = source as NodeId;
        if graph.outputs.iter().any(|output| output.node == source) {
            continue;
        }
        if is_transient(graph, source, readers, &implies)
            && let Some((reader, arg)) = readers.iter().max()
        {
            // The same node may read it twice; then the second copy is the last one.
            moves[*reader as usize][*arg] = true;
        }
    }
    for (node, kind) in graph.nodes.iter().enumerate() {
        if let Node::Last(value, _) = kind
            && is_last_of(graph, node as NodeId, *value)
            && implies.holds(node as NodeId, *value)
        {
            moves[node][0] = true;
        }
    }
    moves
}

/// The arguments whose values a node reads, in the order it reads them.
pub fn arguments(node: &Node) -> Vec<NodeId> {
    match node {
        Node::Default(s, _) => vec![*s],
        Node::DefaultFrom(s, d) => vec![*s, *d],
        Node::Last(v, _) => vec![*v],
        Node::Merge(args) | Node::Lift { args, .. } => args.clone(),
        _ => Vec::new(),
    }
}

/// For every node, who reads its events: the node and the position among its arguments.
fn readers(graph: &Graph) -> Vec<Vec<(NodeId, usize)>> {
    let mut readers = vec![Vec::new(); graph.nodes.len()];
    for (reader, node) in graph.nodes.iter().enumerate() {
        for (arg, source) in arguments(node).into_iter().enumerate() {
            readers[source as usize].push((reader as NodeId, arg));
        }
    }
    readers
}

/// Whether no one asks for the past of a stream behind this node.
fn is_last_of(graph: &Graph, node: NodeId, value: NodeId) -> bool {
    let mut asking = graph.nodes.iter().enumerate().filter(|(_, other)| other.past() == Some(value));
    asking.all(|(other, kind)| other as NodeId <= node && matches!(kind, Node::Last(..)))
}

/// Whether the value of an event is of no use after its readers have seen it.
fn is_transient(graph: &Graph, source: NodeId, readers: &[(NodeId, usize)], implies: &Implications) -> bool {
    let delays = graph.nodes.iter().any(|node| matches!(node, Node::Delay(d, _) if *d == source));
    // Whether `defaultFrom` has begun is seen from its value, which must stay.
    let stays = matches!(graph.nodes[source as usize], Node::DefaultFrom(..));
    !delays
        && !stays
        && readers.iter().all(|(reader, _)| match &graph.nodes[*reader as usize] {
            Node::Last(..) => false,
            Node::Lift { kind: LiftKind::Signal | LiftKind::SignalFilter, args, .. } => {
                // Needed as a current value unless every other argument brings an event of this one along. Once
                // `last(v, t)` has had an event, each event of `t` brings one.
                let brings = |other: NodeId| match graph.nodes[source as usize] {
                    Node::Last(_, trigger) => implies.holds(other, trigger),
                    _ => false,
                };
                args.iter().all(|other| implies.holds(*other, source) || brings(*other))
            }
            _ => true,
        })
}

/// The relation "whenever `a` has an event, `b` has one", as a set of bits for each `a`.
struct Implications {
    rows: Vec<Vec<u64>>,
}

impl Implications {
    fn of(graph: &Graph) -> Implications {
        let words = graph.nodes.len().div_ceil(64);
        let rows = (0..graph.nodes.len()).map(|node| bit(node, words)).collect();
        let mut implications = Implications { rows };
        let initial: Vec<bool> = initialised(graph);
        while implications.grow(graph, &initial) {}
        implications
    }

    fn holds(&self, a: NodeId, b: NodeId) -> bool {
        self.rows[a as usize][b as usize / 64] >> (b % 64) & 1 == 1
    }

    /// Adds `a` implies everything that `b` implies; says whether that was news.
    fn include(&mut self, a: NodeId, b: NodeId) -> bool {
        let row = self.rows[b as usize].clone();
        let mut news = false;
        for (word, other) in self.rows[a as usize].iter_mut().zip(row) {
            news |= *word | other != *word;
            *word |= other;
        }
        news
    }

    fn grow(&mut self, graph: &Graph, initial: &[bool]) -> bool {
        let mut news = false;
        for (node, kind) in graph.nodes.iter().enumerate() {
            let node = node as NodeId;
            match kind {
                Node::Time(s) => news |= self.include(node, *s) | self.include(*s, node),
                Node::Default(s, _) | Node::DefaultFrom(s, _) => news |= self.include(*s, node),
                Node::Last(_, trigger) => news |= self.include(node, *trigger),
                Node::Merge(args) => {
                    for arg in args {
                        news |= self.include(*arg, node);
                    }
                }
                Node::Lift { kind, args, func } => {
                    let body = &graph.funcs[*func as usize].body;
                    news |= self.grow_lift(node, *kind, args, initial, body);
                }
                _ => {}
            }
        }
        news
    }

    fn grow_lift(&mut self, node: NodeId, kind: LiftKind, args: &[NodeId], initial: &[bool], body: &Code) -> bool {
        let mut news = false;
        for arg in args {
            // An event of a lifted stream comes with an event of this argument if every argument brings one.
            if args.iter().all(|other| self.holds(*other, *arg)) {
                news |= self.include(node, *arg);
            }
            // Conversely, an event of this argument makes one if all values it needs are there and the
            // function cannot answer `None`.
            let ready = |other: &NodeId| initial[*other as usize] || self.holds(*arg, *other);
            let fires = match kind {
                LiftKind::Signal => args.iter().all(ready),
                LiftKind::SignalFilter => args.iter().all(ready) && always(body, &[]),
                LiftKind::Events => {
                    let present: Vec<bool> = args.iter().map(|other| self.holds(*arg, *other)).collect();
                    always(body, &present)
                }
            };
            if fires {
                news |= self.include(*arg, node);
            }
        }
        news
    }
}

/// Whether unboxed code surely has a value, if the parameters marked do.
fn always(code: &Code, present: &[bool]) -> bool {
    match code {
        Code::Const(value) => !value.is_absent(),
        Code::Choose(parts) => match truth(&parts[0], present) {
            Some(true) => always(&parts[1], present),
            Some(false) => always(&parts[2], present),
            None => always(&parts[1], present) && always(&parts[2], present),
        },
        Code::Let(_, parts) => always(&parts[1], present),
        Code::Local { slot, .. } if (*slot as usize) < present.len() => present[*slot as usize],
        Code::Unbox(_) => false,
        _ => true,
    }
}

/// What a condition is, if that follows from which parameters are present.
fn truth(code: &Code, present: &[bool]) -> Option<bool> {
    match code {
        Code::Const(Value::Bool(value)) => Some(*value),
        Code::Present(slot) => present[*slot as usize].then_some(true),
        Code::Op1(Builtin::Not, inner) => truth(inner, present).map(|value| !value),
        Code::And(parts) => match (truth(&parts[0], present), truth(&parts[1], present)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Code::Or(parts) => match (truth(&parts[0], present), truth(&parts[1], present)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Streams that surely have an event at time zero, and so a current value ever after.
fn initialised(graph: &Graph) -> Vec<bool> {
    let mut out = vec![false; graph.nodes.len()];
    for (node, kind) in graph.nodes.iter().enumerate() {
        out[node] = match kind {
            Node::Const(_) | Node::Default(..) => true,
            Node::Time(s) => out[*s as usize],
            Node::Merge(args) => args.iter().any(|arg| out[*arg as usize]),
            Node::Lift { kind: LiftKind::Signal, args, .. } => args.iter().all(|arg| out[*arg as usize]),
            _ => false,
        };
    }
    out
}

fn bit(index: usize, words: usize) -> Vec<u64> {
    let mut row = vec![0; words];
    row[index / 64] |= 1 << (index % 64);
    row
}
