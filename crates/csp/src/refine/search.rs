//! Breadth-first search of a space of packed states, on as many threads as asked for, with the same answer on any
//! number of them.
//!
//! A layer is explored in rounds. In the first half of a round each worker expands states of its own shards and sorts
//! the successors by the worker they belong to; in the second half each worker adds what was found to its own shards.
//! No lock is ever contended. What the workers have to agree on is written in one half and read in the other, so that
//! two meetings a round are all they need.

use super::meeting::Meeting;
use super::store::{Group, SHARDS, Shard, hash, owner_of, shard_of};
use crate::budget::{Limit, Meter};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

/// Words of successors a worker gathers before it lets them be added.
const ROUND: usize = 1 << 17;
/// Successors, and time, after which the budget is looked at again.
const INSPECTED: u64 = 1 << 16;
const INTERVAL: Duration = Duration::from_millis(20);

/// A space to be searched.
pub trait Space<const W: usize>: Sync {
    /// What a state may be found guilty of. Ordered, so that the search can pick one of several.
    type Breach: Ord + Clone + Send;
    /// Room a worker reuses from state to state.
    type Scratch: Send;

    fn initial(&self) -> [u64; W];
    fn scratch(&self) -> Self::Scratch;
    /// Calls `out` with every successor to be explored, and answers whether the state breaks the property. `seen` tells
    /// whether a state was found at this depth or before.
    fn expand(
        &self,
        key: &[u64; W],
        scratch: &mut Self::Scratch,
        seen: &impl Fn(&[u64; W]) -> bool,
        out: &mut impl FnMut([u64; W]),
    ) -> Option<Self::Breach>;
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    pub depth: u32,
    pub bytes: u64,
}

pub type Watcher<'a> = &'a (dyn Fn(Progress) + Sync);

pub struct Search<const W: usize, B> {
    pub shards: Vec<Shard<W>>,
    pub progress: Progress,
    /// The least state of the first depth that breaks the property, and how.
    pub breach: Option<([u64; W], B)>,
}

/// Successors by the worker they belong to.
type Buffers<const W: usize> = Vec<Vec<[u64; W]>>;

/// What the workers agree on in one round. Rounds use two of these in turn: one is emptied while the other is in use.
#[derive(Default)]
struct Tally {
    unfinished: AtomicBool,
    fresh: AtomicU64,
}

struct Shared<'a, const W: usize, S: Space<W>> {
    space: &'a S,
    meter: &'a Meter,
    watcher: Watcher<'a>,
    workers: usize,
    meeting: Meeting,
    groups: Vec<RwLock<Group<W>>>,
    found: Vec<RwLock<Buffers<W>>>,
    tallies: [Tally; 2],
    breach: Mutex<Option<([u64; W], S::Breach)>>,
    limit: Mutex<Option<Limit>>,
    stop: AtomicBool,
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
    if let Some(limit) = shared.limit.into_inner().expect("no worker has panicked") {
        return Err(limit);
    }
    let groups = shared.groups.into_iter().map(|g| g.into_inner().expect("no worker has panicked")).collect();
    let breach = shared.breach.into_inner().expect("no worker has panicked");
    Ok(Search { shards: Group::unite(groups), progress, breach })
}

impl<'a, const W: usize, S: Space<W>> Shared<'a, W, S> {
    fn new(space: &'a S, meter: &'a Meter, watcher: Watcher<'a>, workers: usize) -> Self {
        let mut groups: Vec<Group<W>> = std::iter::repeat_with(Group::default).take(workers).collect();
        let first = space.initial();
        let home = shard_of(hash(&first));
        let home = &mut groups[owner_of(home, workers)].shards[home];
        home.insert(&first, hash(&first));
        home.end_layer(0);
        Shared {
            space,
            meter,
            watcher,
            workers,
            meeting: Meeting::new(workers),
            groups: groups.into_iter().map(RwLock::new).collect(),
            found: (0..workers).map(|_| RwLock::new(vec![Vec::new(); workers])).collect(),
            tallies: Default::default(),
            breach: Mutex::new(None),
            limit: Mutex::new(None),
            stop: AtomicBool::new(false),
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

struct Worker<'a, 'b, const W: usize, S: Space<W>> {
    shared: &'a Shared<'b, W, S>,
    id: usize,
    scratch: S::Scratch,
    depth: u32,
    /// The next state to expand: shard of the group, place in its layer.
    at: (usize, usize),
    /// When the budget was last looked at, and after how many transitions.
    inspected: (Instant, u64),
}

impl<'a, 'b, const W: usize, S: Space<W>> Worker<'a, 'b, W, S> {
    fn new(shared: &'a Shared<'b, W, S>, id: usize) -> Self {
        Worker { shared, id, scratch: shared.space.scratch(), depth: 0, at: (0, 0), inspected: (Instant::now(), 0) }
    }

    fn run(&mut self) {
        let shared = self.shared;
        let _alarm = shared.meeting.alarm();
        let mut fresh = 0;
        for round in 0.. {
            let tally = &shared.tallies[round % 2];
            if self.id == 0 {
                self.inspect();
            }
            if !self.expand() {
                tally.unfinished.store(true, Ordering::Relaxed);
            }
            shared.meeting.wait();
            let stop = shared.stop.load(Ordering::Relaxed);
            let broken = shared.breach.lock().expect("no worker has panicked").is_some();
            let last = !tally.unfinished.load(Ordering::Relaxed);
            if self.id == 0 {
                let other = &shared.tallies[(round + 1) % 2];
                other.unfinished.store(false, Ordering::Relaxed);
                other.fresh.store(0, Ordering::Relaxed);
            }
            let added = self.insert(last && !broken);
            tally.fresh.fetch_add(added, Ordering::Relaxed);
            shared.states.fetch_add(added, Ordering::Relaxed);
            shared.meeting.wait();
            fresh += tally.fresh.load(Ordering::Relaxed);
            if stop || last && (broken || fresh == 0) {
                return;
            }
            if last {
                (self.depth, self.at, fresh) = (self.depth + 1, (0, 0), 0);
            }
        }
    }

    /// Expands states of this layer until enough successors are gathered. True when none are left.
    fn expand(&mut self) -> bool {
        let shared = self.shared;
        let groups = shared.read();
        let seen = |key: &[u64; W]| {
            let h = hash(key);
            let shard = shard_of(h);
            groups[owner_of(shard, shared.workers)].shards[shard].is_sealed(key, h)
        };
        let mut buffers = shared.found[self.id].write().expect("no worker has panicked");
        buffers.iter_mut().for_each(Vec::clear);
        let (mut gathered, workers) = (0, shared.workers);
        while let Some(shard) = groups[self.id].shards.get(self.at.0) {
            for key in &shard.layer(self.depth)[self.at.1..] {
                let breach = shared.space.expand(key, &mut self.scratch, &seen, &mut |next| {
                    gathered += 1;
                    buffers[owner_of(shard_of(hash(&next)), workers)].push(next);
                });
                self.at.1 += 1;
                if let Some(breach) = breach {
                    self.record(*key, breach);
                }
                if gathered * W >= ROUND {
                    shared.transitions.fetch_add(gathered as u64, Ordering::Relaxed);
                    return false;
                }
            }
            self.at = (self.at.0 + 1, 0);
        }
        shared.transitions.fetch_add(gathered as u64, Ordering::Relaxed);
        true
    }

    fn record(&self, key: [u64; W], breach: S::Breach) {
        let mut worst = self.shared.breach.lock().expect("no worker has panicked");
        if worst.as_ref().is_none_or(|w| (&key, &breach) < (&w.0, &w.1)) {
            *worst = Some((key, breach));
        }
    }

    /// Adds what was found to this worker's shards, and closes the layer if it is the last of it.
    fn insert(&self, last: bool) -> u64 {
        let mut group = self.shared.groups[self.id].write().expect("no worker has panicked");
        let found: Vec<_> = self.shared.found.iter().map(|f| f.read().expect("no worker has panicked")).collect();
        let mine: Vec<&[[u64; W]]> = found.iter().map(|buffers| &buffers[self.id][..]).collect();
        let fresh = group.insert_all(&mine);
        if last {
            group.shards.iter_mut().for_each(|shard| shard.end_layer(self.depth + 1));
        }
        fresh
    }

    /// Looks at the budget, and tells whoever watches.
    fn inspect(&mut self) {
        let shared = self.shared;
        shared.depth.store(u64::from(self.depth), Ordering::Relaxed);
        let (states, transitions) = (shared.states.load(Ordering::Relaxed), shared.transitions.load(Ordering::Relaxed));
        let few = states <= shared.meter.budget.max_states && transitions - self.inspected.1 < INSPECTED;
        if few && self.inspected.0.elapsed() < INTERVAL {
            return;
        }
        self.inspected = (Instant::now(), transitions);
        let progress = shared.progress();
        (shared.watcher)(progress);
        if let Err(limit) = shared.meter.check(progress.states, progress.bytes) {
            *shared.limit.lock().expect("no worker has panicked") = Some(limit);
            shared.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl<const W: usize, B> Search<W, B> {
    /// The states from the first to `last`, one a depth: at each depth the least state that leads to the next.
    pub fn path(&self, successors: impl Fn(&[u64; W], &mut dyn FnMut([u64; W])), last: [u64; W]) -> Vec<[u64; W]> {
        let mut path = vec![last];
        let depth = (0..=self.progress.depth).rev().find(|&d| self.shards.iter().any(|s| s.layer(d).contains(&last)));
        for d in (0..depth.unwrap_or(0)).rev() {
            let target = path[path.len() - 1];
            let mut best: Option<[u64; W]> = None;
            for key in self.shards.iter().flat_map(|s| s.layer(d)) {
                let mut leads = false;
                successors(key, &mut |next| leads |= next == target);
                if leads && best.is_none_or(|b| *key < b) {
                    best = Some(*key);
                }
            }
            path.push(best.expect("every state but the first was reached from the depth before"));
        }
        path.reverse();
        path
    }
}
