//! The control flow graph of a function: predecessors, dominators and loops.

use crate::function::Function;
use crate::instruction::targets;
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::HashMap;

/// The flow graph.
pub struct Graph {
    /// The blocks each block may go to.
    pub next: Vec<Vec<usize>>,
    /// The blocks each block is reached from.
    pub previous: Vec<Vec<usize>>,
    /// The dominators of the blocks that the entry reaches.
    dominators: Dominators<NodeIndex>,
}

/// A natural loop with one back edge.
pub struct Loop {
    /// Its first block.
    pub header: usize,
    /// The block that goes back to it.
    pub latch: usize,
    /// All its blocks.
    pub blocks: Vec<usize>,
}

impl Graph {
    /// The graph of a function; `None` if a branch names a block that does not exist.
    pub fn new(function: &Function) -> Option<Self> {
        let numbers: HashMap<&str, usize> =
            function.blocks.iter().enumerate().map(|(number, block)| (block.name.as_str(), number)).collect();
        let mut previous = vec![Vec::new(); function.blocks.len()];
        let mut next = Vec::with_capacity(function.blocks.len());
        for (number, block) in function.blocks.iter().enumerate() {
            let to: Option<Vec<usize>> = targets(block.lines.last()?).map(|name| numbers.get(name).copied()).collect();
            let to = to?;
            to.iter().for_each(|target| previous[*target].push(number));
            next.push(to);
        }
        let dominators = dominators(&next);
        Some(Self { next, previous, dominators })
    }

    /// Does `by` dominate `block`? Never, if `block` is unreachable.
    pub fn dominates(&self, by: usize, block: usize) -> bool {
        let mut over = self.dominators.dominators(NodeIndex::new(block)).into_iter().flatten();
        over.any(|dominator| dominator.index() == by)
    }

    /// The loops with one back edge, inner ones before outer ones.
    pub fn loops(&self) -> Vec<Loop> {
        let mut loops = Vec::new();
        for header in 0..self.next.len() {
            let back = |from: &&usize| self.dominates(header, **from);
            let mut latches = self.previous[header].iter().filter(back);
            if let (Some(&latch), None) = (latches.next(), latches.next()) {
                loops.push(Loop { header, latch, blocks: self.body(header, latch) });
            }
        }
        loops.sort_by_key(|found| found.blocks.len());
        loops
    }

    /// The blocks that reach the latch without passing the header.
    fn body(&self, header: usize, latch: usize) -> Vec<usize> {
        let mut body = vec![header];
        let mut inside = vec![false; self.next.len()];
        inside[header] = true;
        let mut open = vec![latch];
        while let Some(block) = open.pop() {
            if !inside[block] {
                inside[block] = true;
                body.push(block);
                open.extend(&self.previous[block]);
            }
        }
        body.sort_unstable();
        body
    }
}

fn dominators(next: &[Vec<usize>]) -> Dominators<NodeIndex> {
    let edges = next.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from as u32, *to as u32)));
    let mut graph = DiGraph::<(), ()>::from_edges(edges);
    // A function of one block has no edges, so its entry needs an explicit node.
    while graph.node_count() < next.len() {
        graph.add_node(());
    }
    simple_fast(&graph, NodeIndex::new(0))
}
