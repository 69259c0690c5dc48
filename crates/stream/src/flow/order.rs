//! Evaluation order, and the check that one exists.
use crate::graph::{Graph, Node, NodeId};
use crate::source::{Diagnostic, Result};

/// Replaces every use of an alias by the stream itself.
pub fn without_aliases(mut graph: Graph) -> Result<Graph> {
    for node in 0..graph.nodes.len() as NodeId {
        let target = graph.resolve(node);
        if matches!(graph.nodes[target as usize], Node::Alias(_)) {
            return Err(cycle_error(&graph, &[node]));
        }
    }
    let resolved: Vec<NodeId> = (0..graph.nodes.len() as NodeId).map(|node| graph.resolve(node)).collect();
    for node in &mut graph.nodes {
        node.args_mut().into_iter().for_each(|arg| *arg = resolved[*arg as usize]);
    }
    for output in &mut graph.outputs {
        output.node = resolved[output.node as usize];
    }
    // The alias was named when the recursion was seen; the name belongs to the stream.
    for (node, target) in resolved.iter().enumerate() {
        if graph.names[*target as usize].is_none() {
            graph.names[*target as usize] = graph.names[node].clone();
        }
    }
    Ok(graph)
}

/// Every recursion must pass through the past: the first argument of `last` or `delay`.
pub fn check_guarded(graph: &Graph) -> Result<()> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; graph.nodes.len()];
    for start in 0..graph.nodes.len() as NodeId {
        // Depth-first, with the path kept by hand: graphs of macros may be deep.
        let mut path: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
        let mut next = Some(start);
        loop {
            if let Some(node) = next.take() {
                match marks[node as usize] {
                    Mark::Done => {}
                    Mark::Open => {
                        let from = path.iter().position(|(open, _)| *open == node).unwrap_or(0);
                        let cycle: Vec<NodeId> = path[from..].iter().map(|(open, _)| *open).collect();
                        return Err(cycle_error(graph, &cycle));
                    }
                    Mark::New => {
                        marks[node as usize] = Mark::Open;
                        path.push((node, graph.nodes[node as usize].now()));
                    }
                }
            }
            let Some((node, rest)) = path.last_mut() else { break };
            match rest.pop() {
                Some(arg) => next = Some(arg),
                None => {
                    marks[*node as usize] = Mark::Done;
                    path.pop();
                }
            }
        }
    }
    Ok(())
}

fn cycle_error(graph: &Graph, cycle: &[NodeId]) -> Diagnostic {
    let mut named: Vec<_> = cycle.iter().filter_map(|node| graph.names[*node as usize].clone()).collect();
    named.sort_by_key(|name| (std::cmp::Reverse(name.span.file), name.span.start));
    let names: Vec<String> = named.iter().map(|name| format!("`{}`", name.name)).collect();
    let message = match names.len() {
        0 => "a stream depends on its own present".to_owned(),
        1 => format!("{} depends on its own present", names[0]),
        _ => format!("{} depend on each other's present", names.join(" and ")),
    };
    let mut diagnostic = Diagnostic::new(message, named.first().map(|name| name.span).unwrap_or_default());
    diagnostic.span = named.first().map(|name| name.span);
    diagnostic.hint("recursion must go through the first argument of `last` or `delay`")
}

/// The part of the graph that the outputs need, each stream behind those it needs at the same time.
pub fn ordered(graph: Graph) -> Graph {
    let needed = needed(&graph);
    let yields = yields(&graph, &needed);
    let mut order: Vec<NodeId> = Vec::new();
    let mut placed = vec![false; graph.nodes.len()];
    for root in (0..graph.nodes.len() as NodeId).filter(|node| needed[*node as usize]) {
        place(&graph, &yields, root, &mut placed, &mut order);
    }
    let mut index = vec![NodeId::MAX; graph.nodes.len()];
    for (at, node) in order.iter().enumerate() {
        index[*node as usize] = at as NodeId;
    }
    let mut out = Graph { funcs: graph.funcs, inputs: graph.inputs, ..Graph::default() };
    for node in &order {
        let mut moved = graph.nodes[*node as usize].clone();
        moved.args_mut().into_iter().for_each(|arg| *arg = index[*arg as usize]);
        out.nodes.push(moved);
        out.names.push(graph.names[*node as usize].clone());
    }
    for mut output in graph.outputs {
        output.node = index[output.node as usize];
        out.outputs.push(output);
    }
    out
}

fn needed(graph: &Graph) -> Vec<bool> {
    let mut needed = vec![false; graph.nodes.len()];
    let mut todo: Vec<NodeId> = graph.outputs.iter().map(|output| output.node).collect();
    while let Some(node) = todo.pop() {
        if std::mem::replace(&mut needed[node as usize], true) {
            continue;
        }
        let node = &graph.nodes[node as usize];
        todo.extend(node.now());
        todo.extend(node.past());
    }
    needed
}

/// In larger graphs, which only generated specifications have, nothing yields: looking for it takes quadratic time.
const MAX_NODES: usize = 4096;

/// For every node, those that should come before it though it does not need them: `last(v, t)` of which `v` is computed
/// comes behind all other `last` of `v`, so that it can take the old value with it instead of copying it.
fn yields(graph: &Graph, needed: &[bool]) -> Vec<Vec<NodeId>> {
    let mut yields: Vec<Vec<NodeId>> = vec![Vec::new(); graph.nodes.len()];
    if graph.nodes.len() > MAX_NODES {
        return yields;
    }
    let mut lasts: Vec<Vec<NodeId>> = vec![Vec::new(); graph.nodes.len()];
    for (node, kind) in graph.nodes.iter().enumerate() {
        if let Node::Last(value, _) = kind
            && needed[node]
        {
            lasts[*value as usize].push(node as NodeId);
        }
    }
    for (value, lasts) in lasts.iter().enumerate().filter(|(_, lasts)| lasts.len() > 1) {
        let before = reach(graph, &yields, value as NodeId);
        let taker = lasts.iter().copied().find(|last| {
            let others = lasts.iter().filter(|other| *other != last);
            before[*last as usize] && others.into_iter().all(|other| !reach(graph, &yields, *other)[*last as usize])
        });
        if let Some(taker) = taker {
            let others: Vec<NodeId> = lasts.iter().copied().filter(|other| *other != taker).collect();
            // Who looks at the old value through another `last` should be done with it, too.
            let reads = |node: &NodeId| graph.nodes[*node as usize].now().iter().any(|arg| others.contains(arg));
            let all = (0..graph.nodes.len() as NodeId).filter(|node| needed[*node as usize]);
            let done: Vec<NodeId> =
                all.filter(reads).filter(|reader| !reach(graph, &yields, *reader)[taker as usize]).collect();
            yields[taker as usize] = others.into_iter().chain(done).collect();
        }
    }
    yields
}

/// The nodes that come before a node, and itself.
fn reach(graph: &Graph, yields: &[Vec<NodeId>], from: NodeId) -> Vec<bool> {
    let mut seen = vec![false; graph.nodes.len()];
    let mut todo = vec![from];
    while let Some(node) = todo.pop() {
        if !std::mem::replace(&mut seen[node as usize], true) {
            todo.extend(graph.nodes[node as usize].now());
            todo.extend(&yields[node as usize]);
        }
    }
    seen
}

/// Depth-first: what a node needs now, or yields to, comes before it.
fn place(graph: &Graph, yields: &[Vec<NodeId>], root: NodeId, placed: &mut [bool], order: &mut Vec<NodeId>) {
    let mut path = vec![(root, false)];
    while let Some((node, ready)) = path.pop() {
        if ready {
            order.push(node);
            continue;
        }
        if std::mem::replace(&mut placed[node as usize], true) {
            continue;
        }
        path.push((node, true));
        let now = graph.nodes[node as usize].now();
        path.extend(now.into_iter().chain(yields[node as usize].iter().copied()).rev().map(|arg| (arg, false)));
    }
}
