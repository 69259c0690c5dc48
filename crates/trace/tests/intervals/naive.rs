//! Intervals byte by byte, as their definition says.
//!
//! A byte belongs to the allocation that is live when its access is read from the stream, that is, at the stamp of the
//! last operation before it in its thread; otherwise to the latest one before the thread's next operation; otherwise to
//! none.
//!
//! Freeing bytes writes those of them that lie on lines that any thread accesses.

use std::collections::{BTreeMap, BTreeSet};

use super::run::{ATOMIC, Act, BASE, Run};

/// What touches a byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Toucher {
    /// A thread, after this many of its events.
    Segment(u32, u32),
    /// An atomic variable, in the order of first uses.
    Atomic(u32),
}

/// An interval with everything that touches it, writing or not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Interval {
    pub address: u64,
    pub length: u64,
    pub generation: u32,
    pub touches: BTreeSet<(Toucher, bool)>,
}

/// The memory after an operation: of each byte the latest allocation, and whether it is live.
type Memory = BTreeMap<u64, (u32, bool)>;

struct Oracle<'a> {
    run: &'a Run,
    /// The memory after each act.
    after: Vec<Memory>,
    touches: BTreeMap<(u32, u64), BTreeSet<(Toucher, bool)>>,
    atomic_threads: Vec<BTreeSet<u32>>,
}

/// All intervals worth keeping.
pub fn intervals(run: &Run) -> BTreeSet<Interval> {
    let mut oracle = Oracle { run, after: memories(run), touches: BTreeMap::new(), atomic_threads: Vec::new() };
    oracle.touch_plainly();
    oracle.touch_atomically();
    oracle.group()
}

fn memories(run: &Run) -> Vec<Memory> {
    let mut memory = Memory::new();
    let mut generation = 0;
    let step = |(_, act): &(u32, Act)| {
        match *act {
            Act::Alloc { start, end } => {
                generation += 1;
                memory.extend((start..end).map(|byte| (byte, (generation, true))));
            }
            Act::Free { start, end } => {
                let freed = memory.iter_mut().filter(|(byte, _)| (start..end).contains(byte));
                freed.for_each(|(_, (_, live))| *live = false);
            }
            _ => {}
        }
        memory.clone()
    };
    run.acts.iter().map(step).collect()
}

fn is_accessed(run: &Run, line: u64) -> bool {
    run.acts.iter().any(|(_, act)| match *act {
        Act::Access { line: accessed, .. } => accessed == line,
        Act::Atomic { address, .. } => address / 64 == line,
        _ => false,
    })
}

impl Oracle<'_> {
    fn at(&self, moment: Option<usize>, byte: u64) -> Option<(u32, bool)> {
        self.after[moment?].get(&byte).copied()
    }

    /// The allocation of a byte that the access at `index` touches.
    fn generation(&self, index: usize, byte: u64) -> u32 {
        let thread = self.run.acts[index].0;
        let is_sync = |i: &usize| self.run.acts[*i].0 == thread && !matches!(self.run.acts[*i].1, Act::Access { .. });
        let read = (0..index).rev().find(is_sync);
        let end = (index..self.run.acts.len()).find(is_sync).unwrap_or(self.run.acts.len());
        match self.at(read, byte) {
            Some((generation, true)) => generation,
            _ => self.at(end.checked_sub(1), byte).map_or(0, |(generation, _)| generation),
        }
    }

    fn touch_plainly(&mut self) {
        // A thread has had its start, and the main thread has created the others.
        let mut events: Vec<u32> = (0..self.run.threads).map(|t| if t == 0 { self.run.threads } else { 1 }).collect();
        for (index, (thread, act)) in self.run.acts.iter().enumerate() {
            let before = &mut events[*thread as usize];
            match *act {
                Act::Sync | Act::Atomic { .. } => *before += 1,
                Act::Access { line, reads, writes } => {
                    let toucher = Toucher::Segment(*thread, *before);
                    for (mask, write) in [(reads, false), (writes, true)] {
                        for byte in (0..64).filter(|bit| mask >> bit & 1 != 0).map(|bit| line * 64 + bit) {
                            let key = (self.generation(index, byte), byte);
                            self.touches.entry(key).or_default().insert((toucher, write));
                        }
                    }
                }
                Act::Free { start, end } => {
                    let toucher = Toucher::Segment(*thread, *before);
                    for byte in (start..end).filter(|byte| is_accessed(self.run, byte / 64)) {
                        let generation = self.at(index.checked_sub(1), byte).map_or(0, |(generation, _)| generation);
                        self.touches.entry((generation, byte)).or_default().insert((toucher, true));
                    }
                }
                Act::Alloc { .. } | Act::Start | Act::Fork(_) => {}
            }
        }
    }

    fn touch_atomically(&mut self) {
        let mut known: BTreeMap<u64, (u32, u32)> = BTreeMap::new();
        for (index, (thread, act)) in self.run.acts.iter().enumerate() {
            match *act {
                Act::Alloc { start, end } | Act::Free { start, end } => {
                    known.retain(|address, _| !(start..end).contains(address));
                }
                Act::Atomic { address, store } => {
                    let generation = self.at(index.checked_sub(1), address).map_or(0, |(generation, _)| generation);
                    let next = (self.atomic_threads.len() as u32, generation);
                    let (atomic, generation) = *known.entry(address).or_insert(next);
                    if atomic == next.0 {
                        self.atomic_threads.push(BTreeSet::new());
                    }
                    self.atomic_threads[atomic as usize].insert(*thread);
                    for byte in address..address + ATOMIC {
                        let touches = self.touches.entry((generation, byte)).or_default();
                        touches.insert((Toucher::Atomic(atomic), false));
                        touches.extend(store.then_some((Toucher::Atomic(atomic), true)));
                    }
                }
                Act::Sync | Act::Access { .. } | Act::Start | Act::Fork(_) => {}
            }
        }
        assert!(self.touches.keys().all(|(_, byte)| *byte >= BASE));
    }

    fn group(&self) -> BTreeSet<Interval> {
        let mut runs: Vec<Interval> = Vec::new();
        for ((generation, byte), touches) in &self.touches {
            match runs.last_mut() {
                Some(last)
                    if last.generation == *generation
                        && last.address + last.length == *byte
                        && last.touches == *touches =>
                {
                    last.length += 1;
                }
                _ => {
                    runs.push(Interval { address: *byte, length: 1, generation: *generation, touches: touches.clone() })
                }
            }
        }
        runs.into_iter().filter(|run| self.can_race(run)).collect()
    }

    fn can_race(&self, interval: &Interval) -> bool {
        let threads: BTreeSet<u32> = interval
            .touches
            .iter()
            .flat_map(|(toucher, _)| match toucher {
                Toucher::Segment(thread, _) => BTreeSet::from([*thread]),
                Toucher::Atomic(atomic) => self.atomic_threads[*atomic as usize].clone(),
            })
            .collect();
        let plain = interval.touches.iter().any(|(toucher, _)| matches!(toucher, Toucher::Segment(..)));
        threads.len() >= 2 && plain && interval.touches.iter().any(|(_, write)| *write)
    }
}
