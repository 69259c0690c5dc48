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
    for cycle in recursions(graph) {
        let Some(by) = cycle.iter().find_map(|node| growing(graph, *node)) else { continue };
        let mut names: Vec<_> = cycle.iter().filter_map(|node| graph.names[*node as usize].clone()).collect();
        names.sort_by_key(|name| (std::cmp::Reverse(name.span.file), name.span.start));
        if let Some(name) = names.first() {
            found.push(Growth { stream: name.name.clone(), span: name.span, by });
        }
    }
    found.sort_by_key(|growth| (growth.span.file, growth.span.start));
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

/// The strongly connected parts of the graph that are recursions (Tarjan's algorithm, with the path kept by hand).
fn recursions(graph: &Graph) -> Vec<Vec<NodeId>> {
    let count = graph.nodes.len();
    let mut search =
        Search { index: vec![0; count], low: vec![0; count], open: Vec::new(), next: 1, found: Vec::new() };
    for root in 0..count as NodeId {
        if search.index[root as usize] == 0 {
            search.visit(graph, root);
        }
    }
    search.found
}

struct Search {
    /// When a node was first seen, from 1; `u32::MAX` once its part is complete.
    index: Vec<u32>,
    low: Vec<u32>,
    open: Vec<NodeId>,
    next: u32,
    found: Vec<Vec<NodeId>>,
}

impl Search {
    fn visit(&mut self, graph: &Graph, root: NodeId) {
        let mut path = vec![(root, self.enter(graph, root))];
        while let Some((node, rest)) = path.last_mut() {
            let node = *node;
            match rest.pop() {
                Some(next) if self.index[next as usize] == 0 => path.push((next, self.enter(graph, next))),
                Some(next) if self.index[next as usize] != u32::MAX => {
                    self.low[node as usize] = self.low[node as usize].min(self.index[next as usize]);
                }
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        self.low[*parent as usize] = self.low[*parent as usize].min(self.low[node as usize]);
                    }
                    self.leave(graph, node);
                }
            }
        }
    }

    fn enter(&mut self, graph: &Graph, node: NodeId) -> Vec<NodeId> {
        self.index[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
        self.open.push(node);
        inputs(graph, node)
    }

    fn leave(&mut self, graph: &Graph, node: NodeId) {
        if self.low[node as usize] != self.index[node as usize] {
            return;
        }
        let from = self.open.iter().rposition(|open| *open == node).unwrap_or(0);
        let part = self.open.split_off(from);
        part.iter().for_each(|member| self.index[*member as usize] = u32::MAX);
        if part.len() > 1 || inputs(graph, node).contains(&node) {
            self.found.push(part);
        }
    }
}

fn inputs(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    let node = &graph.nodes[node as usize];
    node.now().into_iter().chain(node.past()).collect()
}
