//! Streams whose values may grow without bound, found before anything runs.
//!
//! A stream can only accumulate through a recursion. If a function inside a recursion adds to a set, map,
//! list or string, memory may grow with the length of the input; without one it cannot.
use crate::graph::{Graph, Node, NodeId};
use crate::source::Span;
use crate::value::Builtin;
use std::rc::Rc;

/// A stream that may grow, and the operation that makes it.
#[derive(Clone, Debug)]
pub struct Growth {
    pub stream: Rc<str>,
    pub span: Span,
    pub by: Builtin,
}

pub fn find(graph: &Graph) -> Vec<Growth> {
    let mut found: Vec<Growth> = Vec::new();
    for node in 0..graph.nodes.len() as NodeId {
        let Some(by) = growing(graph, node) else { continue };
        let Some(cycle) = recursion(graph, node) else { continue };
        let mut names: Vec<_> = cycle.iter().filter_map(|node| graph.names[*node as usize].clone()).collect();
        names.sort_by_key(|name| (std::cmp::Reverse(name.span.file), name.span.start));
        let Some(name) = names.first() else { continue };
        if !found.iter().any(|known| known.stream == name.name && known.span == name.span) {
            found.push(Growth { stream: name.name.clone(), span: name.span, by });
        }
    }
    found
}

/// The growing operation in the function of a node, or in one that it calls.
fn growing(graph: &Graph, node: NodeId) -> Option<Builtin> {
    let Node::Lift { func, .. } = &graph.nodes[node as usize] else { return None };
    let mut seen = vec![*func];
    let mut at = 0;
    while at < seen.len() {
        let body = &graph.funcs[seen[at] as usize].body;
        if let Some(op) = body.grows() {
            return Some(op);
        }
        let mut callees = Vec::new();
        body.callees(&mut callees);
        callees.retain(|callee| !seen.contains(callee));
        seen.extend(callees);
        at += 1;
    }
    None
}

/// The nodes on recursions through this one: those it reaches and that reach it.
fn recursion(graph: &Graph, node: NodeId) -> Option<Vec<NodeId>> {
    let above = reachable(graph, node);
    let cycle: Vec<NodeId> = above.iter().copied().filter(|other| reachable(graph, *other).contains(&node)).collect();
    cycle.contains(&node).then_some(cycle)
}

/// What a node needs, directly or not; itself only through a recursion.
fn reachable(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    let mut seen = vec![false; graph.nodes.len()];
    let mut todo = inputs(graph, node);
    let mut out = Vec::new();
    while let Some(next) = todo.pop() {
        if !std::mem::replace(&mut seen[next as usize], true) {
            out.push(next);
            todo.extend(inputs(graph, next));
        }
    }
    out
}

fn inputs(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    let node = &graph.nodes[node as usize];
    node.now().into_iter().chain(node.past()).collect()
}
