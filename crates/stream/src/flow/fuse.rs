//! Functions on current values whose only reader is another such function become one.
//!
//! `f(g(x, y), z)` has an event when `x`, `y` or `z` has one and all have had one, whether `g(x, y)` is a stream of
//! its own or not; so a stream that nothing else looks at need not exist. Conditions of `if` are such streams. A function
//! on options of one stream sees the value of each event, so it is one on current values, too.
use crate::code::{Code, Func};
use crate::graph::{Graph, LiftKind, Node, NodeId};

/// Larger functions than this are left alone: their arguments would be copied around for too long.
const MAX_ARGS: usize = 16;
/// Functions are not joined beyond this many parts: each join goes through all of them.
const MAX_SIZE: usize = 400;

/// Fuses as much as there is; the streams that are gone stay behind, unused.
pub fn fuse(mut graph: Graph) -> Graph {
    let mut readers = count_readers(&graph);
    let mut sizes: Vec<usize> = graph.funcs.iter().map(|func| func.body.size()).collect();
    for node in 0..graph.nodes.len() as NodeId {
        while let Some(position) = fusible(&graph, node, &readers, &sizes) {
            fuse_argument(&mut graph, node, position, &mut readers, &mut sizes);
        }
    }
    graph
}

/// How many nodes and outputs look at each node.
fn count_readers(graph: &Graph) -> Vec<u32> {
    let mut readers = vec![0; graph.nodes.len()];
    for node in &graph.nodes {
        node.now().into_iter().chain(node.past()).for_each(|source| readers[source as usize] += 1);
    }
    graph.outputs.iter().for_each(|output| readers[output.node as usize] += 1);
    readers
}

/// The position of an argument that can become part of the node's function.
fn fusible(graph: &Graph, node: NodeId, readers: &[u32], sizes: &[usize]) -> Option<usize> {
    let Node::Lift { kind, args, func } = &graph.nodes[node as usize] else { return None };
    if *kind == LiftKind::Events && args.len() != 1 {
        return None;
    }
    args.iter().position(|arg| match &graph.nodes[*arg as usize] {
        Node::Lift { kind: LiftKind::Signal, args: inner, func: inner_func } => {
            let size = sizes[*func as usize] + sizes[*inner_func as usize];
            readers[*arg as usize] == 1 && args.len() + inner.len() <= MAX_ARGS && size <= MAX_SIZE
        }
        _ => false,
    })
}

fn fuse_argument(graph: &mut Graph, node: NodeId, position: usize, readers: &mut [u32], sizes: &mut Vec<usize>) {
    let Node::Lift { kind, func: outer, args: outer_args } = graph.nodes[node as usize].clone() else { return };
    let inner_node = outer_args[position];
    let Node::Lift { func: inner, args: inner_args, .. } = graph.nodes[inner_node as usize].clone() else { return };
    let (inner, mut outer) = (graph.funcs[inner as usize].clone(), graph.funcs[outer as usize].clone());
    let kind = if kind == LiftKind::Events {
        outer.body.always_present(0);
        LiftKind::SignalFilter
    } else {
        kind
    };
    let mut args: Vec<NodeId> = Vec::new();
    let mut slot_of = |source: NodeId| match args.iter().position(|known| *known == source) {
        Some(slot) => slot as u32,
        None => {
            args.push(source);
            args.len() as u32 - 1
        }
    };
    let inner_params: Vec<u32> = inner_args.iter().map(|arg| slot_of(*arg)).collect();
    let others: Vec<(usize, u32)> =
        (0..outer_args.len()).filter(|at| *at != position).map(|at| (at, slot_of(outer_args[at]))).collect();
    let count = args.len() as u32;
    // Behind the parameters: the locals of the inner function, its result, the locals of the outer function.
    let result = count + inner.locals - inner.params;
    let mut outer_params = vec![result; outer_args.len()];
    others.iter().for_each(|(at, slot)| outer_params[*at] = *slot);
    let inner_body = renamed(inner.body, &inner_params, inner.params, count);
    let outer_body = renamed(outer.body, &outer_params, outer.params, result + 1);
    let mut body = outer_body.with_first(result, inner_body);
    body.mark_last_uses();
    let locals = result + 1 + outer.locals - outer.params;
    sizes.push(body.size());
    graph.funcs.push(Func { params: count, locals, body });
    // Streams that both read are now read once.
    readers[inner_node as usize] = 0;
    for arg in inner_args.iter().chain(&outer_args).filter(|arg| **arg != inner_node) {
        readers[*arg as usize] -= 1;
    }
    args.iter().for_each(|arg| readers[*arg as usize] += 1);
    graph.nodes[inner_node as usize] = Node::Nil;
    graph.nodes[node as usize] = Node::Lift { kind, func: graph.funcs.len() as u32 - 1, args };
}

/// The code with its parameters in other slots, and its other locals from `locals` on.
fn renamed(mut code: Code, params: &[u32], count: u32, locals: u32) -> Code {
    let rename = |slot: &mut u32| {
        *slot = if *slot < count { params[*slot as usize] } else { locals + *slot - count };
    };
    code.each_slot(&rename);
    code
}
