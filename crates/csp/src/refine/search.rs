//! Breadth-first search of a space of packed states, on as many threads as asked for, with the same answer on any
//! number of them.
//!
//! A layer is explored in rounds. In the first half of a round each worker expands states of its own shards and sorts
//! the successors by the shard they belong to; in the second half each worker adds what was found to its own shards.
//! The shards of a half are small enough to stay in the cache, and no lock is ever contended.

use super::store::{SHARDS, Shard, hash, shard_of};
use crate::budget::{Limit, Meter};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, RwLock};

/// Successors a worker gathers before it lets them be added.
const ROUND: usize = 1 << 17;

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
    pub shards: Vec<RwLock<Shard<W>>>,
    pub progress: Progress,
    /// The least state of the first depth that breaks the property, and how.
    pub breach: Option<([u64; W], B)>,
}

type Buffers<const W: usize> = Vec<Vec<[u64; W]>>;

struct Shared<'a, const W: usize, S: Space<W>> {
    space: &'a S,
    meter: &'a Meter,
    watcher: Watcher<'a>,
    workers: usize,
    barrier: Barrier,
    shards: Vec<RwLock<Shard<W>>>,
    found: Vec<RwLock<Buffers<W>>>,
    breach: Mutex<Option<([u64; W], S::Breach)>>,
    limit: Mutex<Option<Limit>>,
    more: AtomicBool,
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
    let shared = Shared {
        space,
        meter,
        watcher,
        workers,
        barrier: Barrier::new(workers),
        shards: (0..SHARDS).map(|_| RwLock::new(Shard::default())).collect(),
        found: (0..workers).map(|_| RwLock::new(vec![Vec::new(); SHARDS])).collect(),
        breach: Mutex::new(None),
        limit: Mutex::new(None),
        more: AtomicBool::new(true),
        stop: AtomicBool::new(false),
        states: AtomicU64::new(1),
        transitions: AtomicU64::new(0),
        depth: AtomicU64::new(0),
    };
    let first = space.initial();
    let mut home = shared.shards[shard_of(hash(&first))].write().expect("no worker has panicked");
    home.insert(&first, hash(&first));
    home.end_layer(0);
    drop(home);
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
    Ok(Search { shards: shared.shards, progress, breach: shared.breach.into_inner().expect("no worker has panicked") })
}

impl<const W: usize, S: Space<W>> Shared<'_, W, S> {
    fn progress(&self) -> Progress {
        Progress {
            states: self.states.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed) as u32,
            bytes: self.shards.iter().map(|s| s.read().expect("no worker has panicked").bytes()).sum(),
        }
    }
}

struct Worker<'a, 'b, const W: usize, S: Space<W>> {
    shared: &'a Shared<'b, W, S>,
    id: usize,
    mine: Vec<usize>,
    scratch: S::Scratch,
    buffers: Buffers<W>,
}

impl<'a, 'b, const W: usize, S: Space<W>> Worker<'a, 'b, W, S> {
    fn new(shared: &'a Shared<'b, W, S>, id: usize) -> Self {
        let mine = (0..SHARDS).filter(|s| s % shared.workers == id).collect();
        Worker { shared, id, mine, scratch: shared.space.scratch(), buffers: vec![Vec::new(); SHARDS] }
    }

    fn run(&mut self) {
        let mut depth = 0;
        let mut starts = vec![0usize; SHARDS];
        loop {
            let ends: Vec<usize> = self.lengths();
            let mut at = (0, starts[self.mine[0]]);
            loop {
                let done = self.expand(&mut at, &starts, &ends);
                if !done {
                    self.shared.more.store(true, Ordering::Relaxed);
                }
                self.give();
                self.shared.barrier.wait();
                let more = self.shared.more.load(Ordering::Relaxed);
                self.insert();
                self.shared.barrier.wait();
                self.take();
                if self.id == 0 {
                    self.shared.more.store(false, Ordering::Relaxed);
                    self.supervise();
                }
                self.shared.barrier.wait();
                if self.shared.stop.load(Ordering::Relaxed) {
                    return;
                }
                if !more {
                    break;
                }
            }
            depth += 1;
            if !self.next_layer(depth, &mut starts, ends) {
                return;
            }
        }
    }

    fn lengths(&self) -> Vec<usize> {
        self.shared.shards.iter().map(|s| s.read().expect("no worker has panicked").keys().len()).collect()
    }

    /// Expands states of this layer until enough successors are gathered. True when none are left.
    fn expand(&mut self, at: &mut (usize, usize), starts: &[usize], ends: &[usize]) -> bool {
        let shards = &self.shared.shards;
        let seen = |key: &[u64; W]| {
            let h = hash(key);
            let shard = shard_of(h);
            shards[shard].read().expect("no worker has panicked").contains_before(key, h, ends[shard])
        };
        let mut gathered = 0;
        while at.0 < self.mine.len() {
            let shard = self.mine[at.0];
            let guard = shards[shard].read().expect("no worker has panicked");
            while at.1 < ends[shard] {
                let key = guard.keys()[at.1];
                let buffers = &mut self.buffers;
                let breach = self.shared.space.expand(&key, &mut self.scratch, &seen, &mut |next| {
                    gathered += 1;
                    buffers[shard_of(hash(&next))].push(next);
                });
                at.1 += 1;
                if let Some(breach) = breach {
                    self.record(key, breach);
                }
                if gathered >= ROUND {
                    self.shared.transitions.fetch_add(gathered as u64, Ordering::Relaxed);
                    return false;
                }
            }
            at.0 += 1;
            at.1 = self.mine.get(at.0).map_or(0, |&s| starts[s]);
        }
        self.shared.transitions.fetch_add(gathered as u64, Ordering::Relaxed);
        true
    }

    fn record(&self, key: [u64; W], breach: S::Breach) {
        let mut worst = self.shared.breach.lock().expect("no worker has panicked");
        if worst.as_ref().is_none_or(|w| (&key, &breach) < (&w.0, &w.1)) {
            *worst = Some((key, breach));
        }
    }

    /// Hands the gathered successors over for the second half of the round.
    fn give(&mut self) {
        let mut place = self.shared.found[self.id].write().expect("no worker has panicked");
        std::mem::swap(&mut *place, &mut self.buffers);
    }

    fn take(&mut self) {
        let mut place = self.shared.found[self.id].write().expect("no worker has panicked");
        std::mem::swap(&mut *place, &mut self.buffers);
        self.buffers.iter_mut().for_each(Vec::clear);
    }

    fn insert(&self) {
        let mut fresh = 0;
        for &shard in &self.mine {
            let mut guard = self.shared.shards[shard].write().expect("no worker has panicked");
            for found in &self.shared.found {
                fresh += guard.insert_all(&found.read().expect("no worker has panicked")[shard]);
            }
        }
        self.shared.states.fetch_add(fresh, Ordering::Relaxed);
    }

    /// Looks at the budget, and tells whoever watches.
    fn supervise(&self) {
        let progress = self.shared.progress();
        (self.shared.watcher)(progress);
        if let Err(limit) = self.shared.meter.check(progress.states, progress.bytes) {
            *self.shared.limit.lock().expect("no worker has panicked") = Some(limit);
            self.shared.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Goes one deeper; false if there is nothing there or the property is broken.
    fn next_layer(&self, depth: u32, starts: &mut Vec<usize>, ends: Vec<usize>) -> bool {
        let lengths = self.lengths();
        self.shared.barrier.wait();
        let broken = self.shared.breach.lock().expect("no worker has panicked").is_some();
        let empty = lengths.iter().zip(&ends).all(|(a, b)| a == b);
        if broken || empty {
            return false;
        }
        for &shard in &self.mine {
            self.shared.shards[shard].write().expect("no worker has panicked").end_layer(depth);
        }
        if self.id == 0 {
            self.shared.depth.store(u64::from(depth), Ordering::Relaxed);
        }
        self.shared.barrier.wait();
        *starts = ends;
        true
    }
}

impl<const W: usize, B> Search<W, B> {
    /// The states from the first to `last`, one a depth: at each depth the least state that leads to the next.
    pub fn path(&self, successors: impl Fn(&[u64; W], &mut dyn FnMut([u64; W])), last: [u64; W]) -> Vec<[u64; W]> {
        let mut path = vec![last];
        let guards: Vec<_> = self.shards.iter().map(|s| s.read().expect("no worker has panicked")).collect();
        let depth = (0..=self.progress.depth).rev().find(|&d| guards.iter().any(|g| g.layer(d).contains(&last)));
        for d in (0..depth.unwrap_or(0)).rev() {
            let target = path[path.len() - 1];
            let mut best: Option<[u64; W]> = None;
            for key in guards.iter().flat_map(|g| g.layer(d)) {
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
