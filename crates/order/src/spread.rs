//! What edges tell the clocks of the nodes behind them, and why a clock knows what it knows.

use crate::graph::Graph;
use crate::lit::Lit;
use crate::reach::{MOST, Node};

impl Graph {
    /// Computes all clocks if there are new nodes or fixed edges. No edges of decided literals may be there.
    pub fn prepare(&mut self) {
        if !std::mem::take(&mut self.reach.is_stale) {
            return;
        }
        self.reach.past.clear();
        self.reach.undo.clear();
        let (nodes, chains) = (self.len(), self.reach.chains);
        if nodes.saturating_mul(chains) > MOST {
            return;
        }
        self.reach.past.resize(nodes * chains, 0);
        let mut order: Vec<Node> = (0..nodes as Node).collect();
        order.sort_unstable_by_key(|node| self.place(*node));
        for node in order {
            let (chain, index) = self.reach.at[node as usize];
            self.reach.past[node as usize * chains + chain as usize] = index + 1;
            for edge in 0..self.into[node as usize].len() {
                self.reach.learn(self.into[node as usize][edge].to, node);
            }
        }
        self.reach.undo.clear();
        self.reach.implied.clear();
    }

    /// The clocks learn of an edge.
    pub fn spread(&mut self, from: Node, to: Node) {
        if self.reach.past.is_empty() || !self.reach.learn(from, to) {
            return;
        }
        let mut open = vec![to];
        while let Some(node) = open.pop() {
            for edge in 0..self.out[node as usize].len() {
                let next = self.out[node as usize][edge].to;
                if self.reach.learn(node, next) {
                    open.push(next);
                }
            }
        }
    }

    /// The literals of a path, of those edges that count.
    pub fn explain(&mut self, start: Node, goal: Node, counts: impl Fn(Lit) -> bool) -> Option<Vec<Lit>> {
        let mut found = vec![goal];
        let mut open = vec![goal];
        self.seen[goal as usize] = true;
        self.parent[goal as usize] = None;
        while let Some(node) = open.pop() {
            if node == start {
                break;
            }
            // What always holds is looked at first, so that paths have few literals.
            for at in (0..self.into[node as usize].len()).rev() {
                let edge = self.into[node as usize][at];
                let knows = edge.to == start || self.reach.is_before(start, edge.to);
                if knows && !self.seen[edge.to as usize] && edge.why.is_none_or(&counts) {
                    self.seen[edge.to as usize] = true;
                    self.parent[edge.to as usize] = Some((node, edge.why));
                    found.push(edge.to);
                    open.push(edge.to);
                }
            }
        }
        let is_there = self.seen[start as usize];
        found.iter().for_each(|node| self.seen[*node as usize] = false);
        is_there.then(|| self.path(start))
    }
}
