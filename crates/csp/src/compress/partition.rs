//! The coarsest partition of states in which equivalent states have equal steps into equal blocks, by signatures.
//!
//! Only states with a step into a block that changed are looked at again, and the largest piece of a split block keeps
//! its number, so each step is looked at about as often as its target's block is halved: O(m log n). Signatures of many
//! states are computed on several threads. A signature is known by a hash of 128 bits; two that differ and have the same
//! hash are not to be expected in the lifetime of the universe.

use crate::budget::{Limit, Meter};
use crate::machine::event::Event;
use crate::machine::lts::Lts;

/// States below which one thread computes all signatures.
const WORTH_THREADS: usize = 20_000;

/// A state's block, the hash of its signature, and the state.
type Signed = (u32, u128, u32);

/// The states in the order of their blocks; each block is a stretch of it.
struct Partition {
    blocks: Vec<u32>,
    order: Vec<u32>,
    /// Where each state stands in the order.
    place: Vec<u32>,
    /// Where each block begins and ends.
    bounds: Vec<(u32, u32)>,
}

/// The block of every state, starting from a first guess that must not be finer than the answer.
pub fn coarsest(lts: &Lts, first: Vec<u32>, meter: &Meter) -> Result<Vec<u32>, Limit> {
    let before = Predecessors::of(lts);
    let mut partition = Partition::new(first);
    let mut dirty: Vec<u32> = lts.states().collect();
    let mut marked = vec![false; lts.len()];
    while !dirty.is_empty() {
        meter.check_time()?;
        let moved = partition.round(lts, &dirty, meter)?;
        dirty.clear();
        for &(s, block) in &moved {
            partition.blocks[s as usize] = block;
        }
        let mut pace = meter.pace();
        for (s, _) in moved {
            pace.step()?;
            for &p in before.of_state(s) {
                if !std::mem::replace(&mut marked[p as usize], true) {
                    dirty.push(p);
                }
            }
        }
        dirty.iter().for_each(|&s| marked[s as usize] = false);
        dirty.sort_unstable();
    }
    Ok(partition.blocks)
}

impl Partition {
    fn new(blocks: Vec<u32>) -> Self {
        let mut order: Vec<u32> = (0..blocks.len() as u32).collect();
        order.sort_by_key(|&s| blocks[s as usize]);
        let mut place = vec![0; blocks.len()];
        let mut bounds = vec![(0, 0); blocks.iter().max().map_or(0, |&m| m as usize + 1)];
        for (i, &s) in order.iter().enumerate() {
            place[s as usize] = i as u32;
            let bound = &mut bounds[blocks[s as usize] as usize];
            *bound = if bound.0 == bound.1 { (i as u32, i as u32 + 1) } else { (bound.0, i as u32 + 1) };
        }
        Partition { blocks, order, place, bounds }
    }

    fn size(&self, block: u32) -> u32 {
        let (from, to) = self.bounds[block as usize];
        to - from
    }

    /// Splits the blocks of some states by signature; answers which states go to which new blocks. That is applied by
    /// the caller, so that all signatures of a round see the same blocks.
    fn round(&mut self, lts: &Lts, dirty: &[u32], meter: &Meter) -> Result<Vec<(u32, u32)>, Limit> {
        let worth: Vec<u32> = dirty.iter().copied().filter(|&s| self.size(self.blocks[s as usize]) > 1).collect();
        let mut signed = signatures(lts, &worth, &self.blocks, meter.budget.threads);
        meter.check_time()?;
        signed.sort_unstable();
        let (mut moved, mut pace) = (Vec::new(), meter.pace());
        for group in signed.chunk_by(|a, b| a.0 == b.0) {
            pace.step()?;
            self.split(lts, group, &mut moved);
        }
        Ok(moved)
    }

    /// Splits one block: its dirty states, sorted by signature, come first, the others after them.
    fn split(&mut self, lts: &Lts, dirty: &[Signed], moved: &mut Vec<(u32, u32)>) {
        let block = dirty[0].0;
        let (from, to) = self.bounds[block as usize];
        for (i, &(_, _, s)) in dirty.iter().enumerate() {
            self.swap(self.place[s as usize], from + i as u32);
        }
        let clean = from + dirty.len() as u32;
        // States not looked at have the signature they had: any one of them speaks for all.
        let others = (clean < to).then(|| signature(lts, self.order[clean as usize], &self.blocks, &mut Vec::new()));
        let mut at = from;
        let mut pieces: Vec<(u32, u32)> = Vec::new();
        let (same, different): (Vec<&Signed>, Vec<&Signed>) = dirty.iter().partition(|d| Some(d.1) == others);
        for piece in different.chunk_by(|a, b| a.1 == b.1) {
            piece.iter().enumerate().for_each(|(i, d)| self.put(d.2, at + i as u32));
            pieces.push((at, at + piece.len() as u32));
            at += piece.len() as u32;
        }
        same.iter().enumerate().for_each(|(i, d)| self.put(d.2, at + i as u32));
        if at < to {
            pieces.push((at, to));
        }
        self.number(block, &pieces, moved);
    }

    /// The largest piece keeps the block's number, the others get new ones.
    fn number(&mut self, block: u32, pieces: &[(u32, u32)], moved: &mut Vec<(u32, u32)>) {
        let largest = (0..pieces.len()).max_by_key(|&i| (pieces[i].1 - pieces[i].0, std::cmp::Reverse(i)));
        for (i, &(from, to)) in pieces.iter().enumerate() {
            if Some(i) == largest {
                self.bounds[block as usize] = (from, to);
                continue;
            }
            let fresh = self.bounds.len() as u32;
            self.bounds.push((from, to));
            moved.extend(self.order[from as usize..to as usize].iter().map(|&s| (s, fresh)));
        }
    }

    fn put(&mut self, state: u32, at: u32) {
        self.order[at as usize] = state;
        self.place[state as usize] = at;
    }

    fn swap(&mut self, a: u32, b: u32) {
        let (s, t) = (self.order[a as usize], self.order[b as usize]);
        self.put(s, b);
        self.put(t, a);
    }
}

fn signatures(lts: &Lts, states: &[u32], blocks: &[u32], threads: usize) -> Vec<Signed> {
    let sign = |states: &[u32]| -> Vec<Signed> {
        let mut room = Vec::new();
        states.iter().map(|&s| (blocks[s as usize], signature(lts, s, blocks, &mut room), s)).collect()
    };
    if states.len() < WORTH_THREADS || threads < 2 {
        return sign(states);
    }
    let share = states.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let parts: Vec<_> = states.chunks(share).map(|part| scope.spawn(|| sign(part))).collect();
        parts.into_iter().flat_map(|p| p.join().expect("no worker has panicked")).collect()
    })
}

fn signature(lts: &Lts, state: u32, blocks: &[u32], room: &mut Vec<(Event, u32)>) -> u128 {
    room.clear();
    room.extend(lts.row(state).iter().map(|&(e, t)| (e, blocks[t as usize])));
    room.sort_unstable();
    room.dedup();
    let (mut a, mut b) = (0x9e37_79b9_7f4a_7c15u64, 0xc2b2_ae3d_27d4_eb4fu64);
    for (event, block) in room {
        let word = u64::from(event.0) << 32 | u64::from(*block);
        a = (a ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
        a ^= a >> 32;
        b = (b.rotate_left(23) ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25);
        b ^= b >> 29;
    }
    u128::from(a.wrapping_mul(0xd6e8_feb8_6659_fd93)) << 64 | u128::from(b)
}

/// The states with a step into each state.
struct Predecessors {
    offsets: Vec<u32>,
    states: Vec<u32>,
}

impl Predecessors {
    fn of(lts: &Lts) -> Self {
        let mut offsets = vec![0u32; lts.len() + 1];
        lts.steps.iter().for_each(|(_, t)| offsets[*t as usize + 1] += 1);
        (1..offsets.len()).for_each(|i| offsets[i] += offsets[i - 1]);
        let mut at = offsets.clone();
        let mut states = vec![0u32; lts.steps.len()];
        for s in lts.states() {
            for &(_, t) in lts.row(s) {
                states[at[t as usize] as usize] = s;
                at[t as usize] += 1;
            }
        }
        Predecessors { offsets, states }
    }

    fn of_state(&self, s: u32) -> &[u32] {
        &self.states[self.offsets[s as usize] as usize..self.offsets[s as usize + 1] as usize]
    }
}

/// One state a block, with the steps of its members that `keep` accepts: event, source block, target block.
pub fn quotient(
    lts: &Lts,
    blocks: &[u32],
    keep: impl Fn((Event, u32, u32)) -> bool,
    meter: &Meter,
) -> Result<Lts, Limit> {
    let count = blocks.iter().max().map_or(0, |&m| m as usize + 1);
    let mut steps: Vec<(u32, Event, u32)> = Vec::with_capacity(lts.steps.len());
    let mut pace = meter.pace();
    for s in lts.states() {
        pace.step()?;
        let from = blocks[s as usize];
        for &(e, t) in lts.row(s) {
            let to = blocks[t as usize];
            if keep((e, from, to)) {
                steps.push((from, e, to));
            }
        }
    }
    steps.sort_unstable();
    steps.dedup();
    let mut offsets = vec![0u32; count + 1];
    steps.iter().for_each(|s| offsets[s.0 as usize + 1] += 1);
    (1..offsets.len()).for_each(|i| offsets[i] += offsets[i - 1]);
    let steps = steps.into_iter().map(|(_, e, t)| (e, t)).collect();
    meter.check_time()?;
    Lts { initial: blocks[lts.initial as usize], offsets, steps }.reachable(meter)
}
