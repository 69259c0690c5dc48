//! What comes before what, as vector clocks: for each node, how many nodes of each chain come before it or are it. Edges
//! make them larger, going back restores them, and order atoms that they decide follow.

use crate::lit::Lit;

/// A moment in the order.
pub type Node = u32;

/// Entries of all clocks, at most; with more nodes and chains there are none.
pub const MOST: usize = 1 << 26;

/// An order atom at its second node: the chain and the place in it of the first node, and the literal that says so.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Partner {
    chain: u32,
    index: u32,
    before: Lit,
}

#[derive(Default, Debug)]
pub struct Reach {
    /// For each node, its chain and its place in it.
    pub at: Vec<(u32, u32)>,
    pub chains: usize,
    /// For each node, its clock; empty if there are no clocks.
    pub past: Vec<u32>,
    /// Entries that were changed, with what they were.
    pub undo: Vec<(usize, u32)>,
    partners: Vec<Vec<Partner>>,
    /// Order literals that edges have decided.
    pub implied: Vec<Lit>,
    pub is_stale: bool,
}

impl Reach {
    /// A new node at the end of a chain.
    pub fn node(&mut self, chain: usize, index: u32) {
        self.at.push((chain as u32, index));
        self.partners.push(Vec::new());
        self.chains = self.chains.max(chain + 1);
        self.is_stale = true;
    }

    /// The clocks are to be computed anew.
    pub fn changed(&mut self) {
        self.is_stale = true;
    }

    /// An order atom: its literal says that `a` comes before `b`.
    pub fn atom(&mut self, a: Node, b: Node, lit: Lit) {
        for (first, second, before) in [(a, b, lit), (b, a, !lit)] {
            let (chain, index) = self.at[first as usize];
            let partner = Partner { chain, index, before };
            let all = &mut self.partners[second as usize];
            all.insert(all.partition_point(|other| *other < partner), partner);
        }
    }

    /// Whether the clocks say that `a` comes before `b`.
    pub fn is_before(&self, a: Node, b: Node) -> bool {
        let (chain, index) = self.at[a as usize];
        self.past.get(b as usize * self.chains + chain as usize).is_some_and(|known| *known > index)
    }

    pub fn mark(&self) -> usize {
        self.undo.len()
    }

    pub fn back(&mut self, mark: usize) {
        for (entry, old) in self.undo.drain(mark..).rev() {
            self.past[entry] = old;
        }
    }

    /// The second node learns what the first knows. Answers with whether that was new.
    pub fn learn(&mut self, from: Node, to: Node) -> bool {
        let (source, goal) = (from as usize * self.chains, to as usize * self.chains);
        let mut is_new = false;
        for chain in 0..self.chains {
            let (known, old) = (self.past[source + chain], self.past[goal + chain]);
            if known > old {
                is_new = true;
                self.past[goal + chain] = known;
                self.undo.push((goal + chain, old));
                let place = |index| Partner { chain: chain as u32, index, before: Lit::FIRST };
                let partners = &self.partners[to as usize];
                let first = partners.partition_point(|partner| *partner < place(old));
                let learned = partners[first..].iter().take_while(|partner| **partner < place(known));
                self.implied.extend(learned.map(|partner| partner.before));
            }
        }
        is_new
    }
}
