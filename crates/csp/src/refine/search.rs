//! Breadth-first search of a space of packed states, on as many threads as asked for, with the same answer on any
//! number of them.
//!
//! A layer is explored in rounds. In a round each worker expands states of its own shards and sorts the successors by
//! the shards they belong to. Then it comes to a meeting, adds what it found for itself, waits for the others, adds what
//! they found for it, and goes on. One meeting a round is enough: what a worker expands lies in its own shards, and what
//! it finds goes into one of two sets of lanes in turn, of which the other may still be read. What the workers have to
//! agree on is in a tally of the round that is complete when all have come; there are three in turn, so that one can be
//! emptied while the next is in use. (If a space wants to know what others have seen, they meet a second time.)

mod worker;

use super::group::{Group, Lanes};
use super::meeting::{Apart, Meeting};
use super::spill::Spill;
use super::store::{SHARDS, Shard, hash, owner_of, shard_of};
use crate::budget::{Limit, Meter, Progress};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, RwLock, RwLockReadGuard};
use worker::Worker;

/// Words of successors a worker gathers before it lets them be added. The more there are, the more of them are the same.
const ROUND: usize = 1 << 20;
/// The same where memory is short. Successors take up to an eighth of it.
const SHORT_ROUND: usize = 1 << 12;

/// A space to be searched.
pub trait Space<const W: usize>: Sync {
    /// How a state can break the property. Ordered, so that the search can pick one of several.
    type Breach: Ord + Clone + Send;
    /// Room a worker reuses from state to state.
    type Scratch: Send;

    fn initial(&self) -> [u64; W];
    fn scratch(&self) -> Self::Scratch;
    /// Whether `expand` calls `seen`.
    fn looks_back(&self) -> bool;
    /// Calls `out` with successors to be explored until there are no more, and answers whether the state breaks the
    /// property. `seen` tells whether a state was found at this depth or before.
    fn expand(
        &self,
        key: &[u64; W],
        scratch: &mut Self::Scratch,
        seen: &impl Fn(&[u64; W]) -> bool,
        out: &mut impl FnMut(&[[u64; W]]),
    ) -> Option<Self::Breach>;
}

pub type Watcher<'a> = &'a (dyn Fn(Progress) + Sync);

pub struct Search<const W: usize, B> {
    pub shards: Vec<Shard<W>>,
    /// States that did not fit the memory.
    written: Vec<Spill<W>>,
    pub progress: Progress,
    /// The least states of the first depth that breaks the property, and how; as many as were asked for.
    pub breaches: Vec<([u64; W], B)>,
}

/// What the workers agree on when they meet.
#[derive(Default)]
struct Tally {
    /// A worker has expanded a state in this round.
    busy: AtomicBool,
    /// A worker has more states of this layer to expand.
    unfinished: AtomicBool,
    broken: AtomicBool,
    /// The budget is spent.
    stop: AtomicBool,
    /// States that were added since the meeting before.
    added: AtomicU64,
}

impl Tally {
    fn reset(&self) {
        [&self.busy, &self.unfinished, &self.broken, &self.stop].iter().for_each(|b| b.store(false, Ordering::Relaxed));
        self.added.store(0, Ordering::Relaxed);
    }
}

struct Shared<'a, const W: usize, S: Space<W>> {
    space: &'a S,
    meter: &'a Meter,
    watcher: Watcher<'a>,
    workers: usize,
    /// Words of successors that a worker gathers in a round.
    round: usize,
    meeting: Meeting,
    groups: Vec<RwLock<Group<W>>>,
    /// What each worker found, in odd and in even rounds.
    found: Vec<[RwLock<Lanes<W>>; 2]>,
    tallies: [Apart<Tally>; 3],
    breaches: Mutex<Vec<([u64; W], S::Breach)>>,
    limit: Mutex<Option<Limit>>,
    states: AtomicU64,
    transitions: AtomicU64,
    depth: AtomicU64,
}

/// Searches until the property is broken, everything is seen, or the budget is spent.
pub fn run<const W: usize, S: Space<W>>(
    space: &S,
    meter: &Meter,
    watcher: Watcher,
) -> Result<Search<W, S::Breach>, Limit> {
    let workers = meter.budget.threads.clamp(1, SHARDS);
    let shared = Shared::new(space, meter, watcher, workers);
    std::thread::scope(|scope| {
        (1..workers).for_each(|w| {
            drop(scope.spawn({
                let shared = &shared;
                move || Worker::new(shared, w).run()
            }))
        });
        Worker::new(&shared, 0).run();
    });
    let progress = shared.progress();
    meter.note(progress);
    if let Some(limit) = shared.limit.into_inner().expect("no worker has panicked") {
        return Err(limit);
    }
    let mut groups: Vec<Group<W>> =
        shared.groups.into_iter().map(|g| g.into_inner().expect("no worker has panicked")).collect();
    let written = groups.iter_mut().filter_map(|group| group.spill.take()).collect();
    let breaches = shared.breaches.into_inner().expect("no worker has panicked");
    Ok(Search { shards: Group::unite(groups), written, progress, breaches })
}

impl<'a, const W: usize, S: Space<W>> Shared<'a, W, S> {
    fn new(space: &'a S, meter: &'a Meter, watcher: Watcher<'a>, workers: usize) -> Self {
        let first = space.initial();
        // States in files cannot be looked up during the search.
        let spill = meter.budget.spill.as_ref().filter(|_| !space.looks_back());
        let spill = || spill.map(|to| Spill::new(to, workers));
        let mut groups: Vec<Group<W>> = std::iter::repeat_with(|| Group::new(first, spill())).take(workers).collect();
        let home = shard_of(hash(&first));
        let home = &mut groups[owner_of(home, workers)].shards[home];
        home.insert(&first, hash(&first));
        home.end_layer(0);
        Shared {
            space,
            meter,
            watcher,
            workers,
            round: (meter.budget.max_memory as usize / 128 / workers).clamp(SHORT_ROUND, ROUND),
            meeting: Meeting::new(workers),
            groups: groups.into_iter().map(RwLock::new).collect(),
            found: (0..workers).map(|_| [(); 2].map(|()| RwLock::new(Lanes::default()))).collect(),
            tallies: Default::default(),
            breaches: Mutex::default(),
            limit: Mutex::new(None),
            states: AtomicU64::new(1),
            transitions: AtomicU64::new(0),
            depth: AtomicU64::new(0),
        }
    }

    fn read(&self) -> Vec<RwLockReadGuard<'_, Group<W>>> {
        self.groups.iter().map(|g| g.read().expect("no worker has panicked")).collect()
    }

    fn progress(&self) -> Progress {
        Progress {
            states: self.states.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed) as u32,
            bytes: self.read().iter().flat_map(|g| &g.shards).map(Shard::bytes).sum(),
        }
    }
}

impl<const W: usize, B> Search<W, B> {
    /// The states from the first to `last`, one for each depth: the least state that leads to the next.
    pub fn path(
        &self,
        successors: impl Fn(&[u64; W], &mut dyn FnMut([u64; W])),
        last: [u64; W],
        meter: &Meter,
    ) -> Result<Vec<[u64; W]>, Limit> {
        let mut path = vec![last];
        for depth in (0..self.depth_of(&last, meter)?).rev() {
            let target = path[path.len() - 1];
            let mut best: Option<[u64; W]> = None;
            self.layer(depth, meter, &mut |key| {
                let mut leads = false;
                successors(key, &mut |next| leads |= next == target);
                if leads && best.is_none_or(|b| *key < b) {
                    best = Some(*key);
                }
            })?;
            path.push(best.expect("every state but the first was reached from the depth before"));
        }
        path.reverse();
        Ok(path)
    }

    /// The depth at which a state was found.
    fn depth_of(&self, state: &[u64; W], meter: &Meter) -> Result<u32, Limit> {
        for depth in (0..=self.progress.depth).rev() {
            let mut found = false;
            self.layer(depth, meter, &mut |key| found |= key == state)?;
            if found {
                return Ok(depth);
            }
        }
        Ok(0)
    }

    /// Calls a function with each state of one depth.
    fn layer(&self, depth: u32, meter: &Meter, each: &mut dyn FnMut(&[u64; W])) -> Result<(), Limit> {
        let mut pace = meter.pace();
        let mut paced = |key: &[u64; W]| {
            each(key);
            pace.step()
        };
        self.shards.iter().flat_map(|s| s.layer(depth)).try_for_each(&mut paced)?;
        self.written.iter().try_for_each(|spill| spill.layer(depth, &mut paced))
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
