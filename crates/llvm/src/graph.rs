//! The flow graph of a function: who comes before whom, and the loops.

use crate::function::Function;
use crate::instruction::targets;
use std::collections::HashMap;

/// The flow graph.
pub struct Graph {
    /// The blocks each block may go to.
    pub next: Vec<Vec<usize>>,
    /// The blocks each block is reached from.
    pub previous: Vec<Vec<usize>>,
    /// The immediate dominator of each block; of the entry and of unreachable ones, themselves.
    dominator: Vec<usize>,
    /// Position in reverse post-order; none for unreachable blocks.
    position: Vec<Option<usize>>,
}

/// A natural loop with one way back.
pub struct Loop {
    /// Its first block.
    pub header: usize,
    /// The block that goes back to it.
    pub latch: usize,
    /// All its blocks.
    pub blocks: Vec<usize>,
}

impl Graph {
    /// Of a function; `None` if it goes to a block that is not there.
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
        let order = reverse_post_order(&next);
        let mut position = vec![None; next.len()];
        order.iter().enumerate().for_each(|(at, block)| position[*block] = Some(at));
        let dominator = dominators(&order, &position, &previous);
        Some(Self { next, previous, dominator, position })
    }

    /// Does every way to `block` lead over `by`?
    pub fn dominates(&self, by: usize, mut block: usize) -> bool {
        while self.position[block] > self.position[by] {
            block = self.dominator[block];
        }
        block == by
    }

    /// The loops that have one way back, inner ones before those around them.
    pub fn loops(&self) -> Vec<Loop> {
        let mut loops = Vec::new();
        for header in 0..self.next.len() {
            let back = |from: &&usize| self.position[**from].is_some() && self.dominates(header, **from);
            let mut latches = self.previous[header].iter().filter(back);
            if let (Some(&latch), None) = (latches.next(), latches.next()) {
                loops.push(Loop { header, latch, blocks: self.body(header, latch) });
            }
        }
        loops.sort_by_key(|found| found.blocks.len());
        loops
    }

    /// The blocks from which the latch is reached without passing the header.
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

fn reverse_post_order(next: &[Vec<usize>]) -> Vec<usize> {
    let (mut order, mut seen) = (Vec::new(), vec![false; next.len()]);
    seen[0] = true;
    let mut stack = vec![(0, 0)];
    while let Some((block, edge)) = stack.pop() {
        let Some(&target) = next[block].get(edge) else {
            order.push(block);
            continue;
        };
        stack.push((block, edge + 1));
        if !seen[target] {
            seen[target] = true;
            stack.push((target, 0));
        }
    }
    order.reverse();
    order
}

/// The iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm").
fn dominators(order: &[usize], position: &[Option<usize>], previous: &[Vec<usize>]) -> Vec<usize> {
    let mut known = vec![None; position.len()];
    known[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order[1..] {
            let meet = |a: usize, b: usize| meet(&known, position, a, b);
            let dominator = previous[block].iter().copied().filter(|from| known[*from].is_some()).reduce(meet);
            changed |= known[block] != dominator;
            known[block] = dominator;
        }
    }
    known.iter().enumerate().map(|(block, dominator)| dominator.unwrap_or(block)).collect()
}

fn meet(known: &[Option<usize>], position: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if position[a] < position[b] {
            std::mem::swap(&mut a, &mut b);
        }
        a = known[a].expect("only blocks that are reached get here");
    }
    a
}
