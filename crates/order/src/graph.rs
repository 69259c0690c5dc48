//! The order of the nodes: a graph whose topological order is kept while edges come and go. Taking an edge away leaves
//! every topological order right, so going back costs nothing.

use crate::lit::Lit;
pub use crate::reach::Node;
use crate::reach::Reach;

/// An edge: to where, and the literal that makes it; `None` if it always holds.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub to: Node,
    pub why: Option<Lit>,
}

#[derive(Default, Debug)]
pub struct Graph {
    pub out: Vec<Vec<Edge>>,
    pub into: Vec<Vec<Edge>>,
    /// The place of each node in the order.
    place: Vec<u32>,
    /// The edges of literals, in the order in which they came.
    added: Vec<(Node, Node)>,
    /// For each of them, how many changes of clocks there were before.
    clocks: Vec<usize>,
    pub reach: Reach,
    pub seen: Vec<bool>,
    pub parent: Vec<Option<(Node, Option<Lit>)>>,
}

impl Graph {
    pub fn len(&self) -> usize {
        self.place.len()
    }

    pub fn place(&self, node: Node) -> u32 {
        self.place[node as usize]
    }

    /// Adds nodes that follow each other; answers with the first.
    pub fn chain(&mut self, length: u32) -> Node {
        let (first, chain) = (self.len() as Node, self.reach.chains);
        for node in first..first + length {
            self.place.push(node);
            self.reach.node(chain, node - first);
            self.seen.push(false);
            self.parent.push(None);
            self.out.push(Vec::new());
            self.into.push(Vec::new());
            if node > first {
                self.link(node - 1, node, None);
            }
        }
        first
    }

    /// Puts all nodes into this order, which keeps that of every chain. Before there are edges other than those of chains.
    pub fn arrange(&mut self, order: &[Node]) {
        debug_assert_eq!(order.len(), self.len());
        for (place, node) in order.iter().enumerate() {
            self.place[*node as usize] = place as u32;
        }
    }

    fn link(&mut self, from: Node, to: Node, why: Option<Lit>) {
        self.out[from as usize].push(Edge { to, why });
        self.into[to as usize].push(Edge { to: from, why });
    }

    /// Adds an edge that always holds; answers with the literals of a path back, if there is one.
    pub fn fix(&mut self, from: Node, to: Node) -> Option<Vec<Lit>> {
        let path = self.fits(from, to);
        self.link(from, to, None);
        self.reach.changed();
        path
    }

    /// How many edges of literals there are.
    pub fn mark(&self) -> usize {
        self.added.len()
    }

    /// Takes away all edges of literals but the first ones.
    pub fn back(&mut self, mark: usize) {
        while self.added.len() > mark {
            let Some((from, to)) = self.added.pop() else { return };
            self.out[from as usize].pop();
            self.into[to as usize].pop();
            self.clocks.pop().into_iter().for_each(|mark| self.reach.back(mark));
        }
    }

    /// Adds the edge of a literal, or answers with the literals of a path back. An edge that says nothing new is left out:
    /// those that say it already go no earlier.
    pub fn add(&mut self, from: Node, to: Node, why: Lit) -> Result<(), Vec<Lit>> {
        if self.reach.is_before(from, to) {
            return Ok(());
        }
        match self.fits(from, to) {
            Some(path) => Err(path),
            None => {
                self.link(from, to, Some(why));
                self.added.push((from, to));
                self.clocks.push(self.reach.mark());
                self.spread(from, to);
                Ok(())
            }
        }
    }

    /// Makes place for an edge in the order, or answers with the literals of a path from its end to its beginning.
    fn fits(&mut self, from: Node, to: Node) -> Option<Vec<Lit>> {
        let (low, high) = (self.place(to), self.place(from));
        if high < low {
            return None;
        }
        let after = match self.forward(to, from, high) {
            Ok(after) => after,
            Err(path) => return Some(path),
        };
        let before = self.backward(from, low);
        self.reorder(before, after);
        None
    }

    /// The nodes after `start` that are not placed after `high`; or the path to `goal`.
    fn forward(&mut self, start: Node, goal: Node, high: u32) -> Result<Vec<Node>, Vec<Lit>> {
        let mut found = vec![start];
        self.seen[start as usize] = true;
        self.parent[start as usize] = None;
        let mut next = 0;
        let mut reached = start == goal;
        while next < found.len() && !reached {
            let node = found[next];
            next += 1;
            for at in 0..self.out[node as usize].len() {
                let edge = self.out[node as usize][at];
                if self.seen[edge.to as usize] || self.place(edge.to) > high {
                    continue;
                }
                self.seen[edge.to as usize] = true;
                self.parent[edge.to as usize] = Some((node, edge.why));
                found.push(edge.to);
                reached |= edge.to == goal;
            }
        }
        found.iter().for_each(|node| self.seen[*node as usize] = false);
        if reached { Err(self.path(goal)) } else { Ok(found) }
    }

    pub fn path(&self, goal: Node) -> Vec<Lit> {
        let step = |(node, _): &(Node, Option<Lit>)| self.parent[*node as usize];
        std::iter::successors(self.parent[goal as usize], step).filter_map(|(_, why)| why).collect()
    }

    fn backward(&mut self, start: Node, low: u32) -> Vec<Node> {
        let mut found = vec![start];
        self.seen[start as usize] = true;
        let mut next = 0;
        while next < found.len() {
            let node = found[next];
            next += 1;
            for at in 0..self.into[node as usize].len() {
                let from = self.into[node as usize][at].to;
                if !self.seen[from as usize] && self.place(from) >= low {
                    self.seen[from as usize] = true;
                    found.push(from);
                }
            }
        }
        found.iter().for_each(|node| self.seen[*node as usize] = false);
        found
    }

    /// Both sets share out their places: first what comes before, then what comes after.
    fn reorder(&mut self, mut before: Vec<Node>, mut after: Vec<Node>) {
        before.sort_unstable_by_key(|node| self.place[*node as usize]);
        after.sort_unstable_by_key(|node| self.place[*node as usize]);
        before.extend(after);
        let mut places: Vec<u32> = before.iter().map(|node| self.place(*node)).collect();
        places.sort_unstable();
        for (node, place) in before.into_iter().zip(places) {
            self.place[node as usize] = place;
        }
    }
}
