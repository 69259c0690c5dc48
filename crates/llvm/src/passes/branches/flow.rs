//! Where the sides of a branch meet again: post-dominators.

use crate::function::Function;
use crate::graph::Graph;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

/// The flow of a function.
pub struct Flow {
    /// The blocks each block may go to, each once.
    pub next: Vec<Vec<usize>>,
    joins: Vec<Option<usize>>,
}

impl Flow {
    /// Of a function; none, if it is not understood. Blocks that cannot return do not count.
    pub fn new(function: &Function) -> Option<Self> {
        let mut next = Graph::new(function)?.next;
        next.iter_mut().for_each(|to| {
            to.sort_unstable();
            to.dedup();
        });
        let end = next.len();
        let is_return = |at: &usize| function.blocks[*at].lines.last().is_some_and(|line| is_return(line));
        let returns: Vec<usize> = (0..end).filter(is_return).collect();
        let forth = next.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (*to as u32, from as u32)));
        let back = forth.chain(returns.iter().map(|at| (end as u32, *at as u32)));
        let mut graph = DiGraph::<(), ()>::from_edges(back);
        while graph.node_count() <= end {
            graph.add_node(());
        }
        let dominators = simple_fast(&graph, NodeIndex::new(end));
        let join = |at: usize| dominators.immediate_dominator(NodeIndex::new(at)).map(|join| join.index());
        let joins = (0..end).map(join).collect();
        Some(Self { next, joins })
    }

    /// Where all paths from a block meet; the number of blocks stands for the end of the function. None, if it never returns.
    pub fn join(&self, block: usize) -> Option<usize> {
        self.joins[block]
    }
}

/// Does a line leave the function?
pub fn is_return(line: &str) -> bool {
    let line = line.trim_start();
    line == "ret void" || line.starts_with("ret ")
}
