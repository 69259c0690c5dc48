//! The coarsest partition of states in which equivalent states have equal steps into equal blocks, by signatures.
//!
//! Only states with a step into a block that changed are looked at again, and the largest piece of a split block keeps
//! its number, so each step is looked at about as often as its target's block is halved.

use crate::machine::event::Event;
use crate::machine::lts::Lts;
use rustc_hash::FxHashMap;

type Signature = Vec<(Event, u32)>;

/// The block of every state, starting from a first guess that must not be finer than the answer.
pub fn coarsest(lts: &Lts, first: Vec<u32>) -> Vec<u32> {
    let before = predecessors(lts);
    let mut blocks = first;
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); blocks.iter().max().map_or(0, |&m| m as usize + 1)];
    for s in lts.states() {
        members[blocks[s as usize] as usize].push(s);
    }
    let mut dirty: Vec<u32> = lts.states().collect();
    while !dirty.is_empty() {
        let mut touched: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for s in dirty.drain(..) {
            touched.entry(blocks[s as usize]).or_default().push(s);
        }
        let mut touched: Vec<(u32, Vec<u32>)> = touched.into_iter().collect();
        touched.sort();
        let mut moved = Vec::new();
        for (block, states) in touched {
            split(lts, block, &states, &blocks, &mut members, &mut moved);
        }
        for &(s, block) in &moved {
            blocks[s as usize] = block;
        }
        dirty = moved.iter().flat_map(|(s, _)| before[*s as usize].iter().copied()).collect();
        dirty.sort_unstable();
        dirty.dedup();
    }
    blocks
}

/// Splits one block by signature. The moves are applied by the caller after the round, so that all signatures of a
/// round see the same blocks.
fn split(
    lts: &Lts,
    block: u32,
    dirty: &[u32],
    blocks: &[u32],
    members: &mut Vec<Vec<u32>>,
    moved: &mut Vec<(u32, u32)>,
) {
    if members[block as usize].len() < 2 {
        return;
    }
    let mut groups: FxHashMap<Signature, Vec<u32>> = FxHashMap::default();
    for &s in dirty {
        groups.entry(signature(lts, s, blocks)).or_default().push(s);
    }
    let clean = members[block as usize].len() - dirty.len();
    if clean > 0 {
        // States not looked at have the signature they had: any one of them speaks for all.
        let is_dirty: rustc_hash::FxHashSet<u32> = dirty.iter().copied().collect();
        let others: Vec<u32> = members[block as usize].iter().copied().filter(|s| !is_dirty.contains(s)).collect();
        groups.entry(signature(lts, others[0], blocks)).or_default().extend(others);
    }
    if groups.len() < 2 {
        return;
    }
    let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
    groups.iter_mut().for_each(|g| g.sort_unstable());
    groups.sort_by_key(|g| (std::cmp::Reverse(g.len()), g[0]));
    members[block as usize] = std::mem::take(&mut groups[0]);
    for group in groups.into_iter().skip(1) {
        let fresh = members.len() as u32;
        moved.extend(group.iter().map(|&s| (s, fresh)));
        members.push(group);
    }
}

fn signature(lts: &Lts, state: u32, blocks: &[u32]) -> Signature {
    let mut out: Signature = lts.row(state).iter().map(|&(e, t)| (e, blocks[t as usize])).collect();
    out.sort_unstable();
    out.dedup();
    out
}

fn predecessors(lts: &Lts) -> Vec<Vec<u32>> {
    let mut before = vec![Vec::new(); lts.len()];
    for s in lts.states() {
        for &(_, t) in lts.row(s) {
            if before[t as usize].last() != Some(&s) {
                before[t as usize].push(s);
            }
        }
    }
    before
}

/// One state a block, with the steps of its members that `keep` accepts: event, source block, target block.
pub fn quotient(lts: &Lts, blocks: &[u32], keep: impl Fn((Event, u32, u32)) -> bool) -> Lts {
    let count = blocks.iter().max().map_or(0, |&m| m as usize + 1);
    let mut rows = vec![Vec::new(); count];
    for s in lts.states() {
        let from = blocks[s as usize];
        for &(e, t) in lts.row(s) {
            let to = blocks[t as usize];
            if keep((e, from, to)) {
                rows[from as usize].push((e, to));
            }
        }
    }
    Lts::from_rows(blocks[lts.initial as usize], rows).reachable()
}
