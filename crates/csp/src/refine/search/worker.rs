//! A worker of a search: it expands the states of its own shards, round by round, and meets the others.

use super::{Shared, Space, Tally};
use crate::budget::Limit;
use crate::refine::group::Lanes;
use crate::refine::store::{SHARDS, hash, owner_of, shard_of};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// In layers of at least this many states, successors are sorted by shard.
const SORTED_FROM: u64 = 16 * SHARDS as u64;
/// The budget is checked again after this many successors, or after this time.
const INSPECTED: u64 = 1 << 16;
const INTERVAL: Duration = Duration::from_millis(20);

pub struct Worker<'a, 'b, const W: usize, S: Space<W>> {
    shared: &'a Shared<'b, W, S>,
    id: usize,
    scratch: S::Scratch,
    round: usize,
    depth: u32,
    /// States that all workers know to be stored: now, and when the layer before this one was left.
    states: (u64, u64),
    /// About how many states this layer has; the same for all workers.
    width: u64,
    /// The limit that this worker met in the middle of a round.
    met: Option<Limit>,
    /// The next state to expand: shard of the group, place in its layer.
    at: (usize, usize),
    /// When the budget was last looked at, and after how many transitions.
    inspected: (Instant, u64),
}

/// How far a worker came with its states of a layer.
struct Expanded {
    any: bool,
    all: bool,
}

impl<'a, 'b, const W: usize, S: Space<W>> Worker<'a, 'b, W, S> {
    pub fn new(shared: &'a Shared<'b, W, S>, id: usize) -> Self {
        let (scratch, inspected) = (shared.space.scratch(), (Instant::now(), 0));
        Worker { shared, id, scratch, round: 0, depth: 0, states: (1, 0), width: 1, met: None, at: (0, 0), inspected }
    }

    fn tally(&self, ahead: usize) -> &'a Tally {
        &self.shared.tallies[(self.round + ahead) % 3].0
    }

    pub fn run(&mut self) {
        let shared = self.shared;
        let _alarm = shared.meeting.alarm();
        let mut broken = false;
        loop {
            let tally = self.tally(0);
            if self.id == 0 {
                self.inspect();
            }
            let expanded = self.expand();
            self.stop(self.met.clone());
            tally.busy.fetch_or(expanded.any, Ordering::Relaxed);
            tally.unfinished.fetch_or(!expanded.all, Ordering::Relaxed);
            let meeting = shared.meeting.come(self.id);
            // In a wide layer everything is added shard by shard, after all workers have come.
            let early = !self.is_wide() && !shared.space.looks_back();
            let mut added = if early { self.insert(|by| by == self.id) } else { 0 };
            shared.meeting.wait(meeting);
            if self.id == 0 {
                self.tally(2).reset();
            }
            self.states.0 = self.states.0.wrapping_add(tally.added.load(Ordering::Relaxed));
            broken |= tally.broken.load(Ordering::Relaxed);
            let last = !tally.unfinished.load(Ordering::Relaxed);
            if self.is_over(tally) {
                return;
            }
            added += self.insert(|by| !early || by != self.id);
            if last && (!broken || shared.meter.budget.spill.is_some()) {
                added = added.wrapping_sub(self.close_layer());
            }
            self.tally(1).added.fetch_add(added, Ordering::Relaxed);
            shared.states.fetch_add(added, Ordering::Relaxed);
            if last && broken {
                return;
            }
            if shared.space.looks_back() {
                shared.meeting.wait(shared.meeting.come(self.id));
            }
            self.round += 1;
            if last {
                (self.depth, self.at) = (self.depth + 1, (0, 0));
                (self.width, self.states.1) = (self.states.0.wrapping_sub(self.states.1), self.states.0);
            }
        }
    }

    /// Whether everything is expanded or the budget is spent. All workers come to the same answer.
    fn is_over(&self, tally: &Tally) -> bool {
        let most = self.shared.meter.budget.max_states;
        let over = self.states.0 > most;
        if over && self.id == 0 {
            self.shared.limit.lock().expect("no worker has panicked").get_or_insert(Limit::States(most));
        }
        over || tally.stop.load(Ordering::Relaxed) || !tally.busy.load(Ordering::Relaxed)
    }

    /// Expands states of this layer until enough successors are gathered.
    fn expand(&mut self) -> Expanded {
        let shared = self.shared;
        let everybody = if shared.space.looks_back() { shared.read() } else { Vec::new() };
        let seen = |key: &[u64; W]| {
            let h = hash(key);
            let shard = shard_of(h);
            everybody[owner_of(shard, shared.workers)].shards[shard].is_sealed(key, h)
        };
        let mut lanes = shared.found[self.id][self.round % 2].write().expect("no worker has panicked");
        let lanes = &mut *lanes;
        lanes.reset(if self.is_wide() { SHARDS } else { shared.workers });
        let group = shared.groups[self.id].read().expect("no worker has panicked");
        let (mut gathered, mut any, mut pace) = (0, false, shared.meter.pace());
        'round: while let Some(shard) = group.shards.get(self.at.0) {
            for key in &shard.layer(self.depth)[self.at.1..] {
                if gathered * W >= shared.round {
                    break 'round;
                }
                if let Err(limit) = pace.step() {
                    self.met = Some(limit);
                    break 'round;
                }
                any = true;
                self.at.1 += 1;
                let breach = shared.space.expand(key, &mut self.scratch, &seen, &mut |next| {
                    gathered += next.len();
                    lanes.extend(next);
                });
                if let Some(breach) = breach {
                    self.record(*key, breach);
                }
            }
            self.at = (self.at.0 + 1, 0);
        }
        shared.transitions.fetch_add(gathered as u64, Ordering::Relaxed);
        if any {
            shared.depth.fetch_max(u64::from(self.depth), Ordering::Relaxed);
        }
        Expanded { any, all: self.at.0 >= group.shards.len() }
    }

    fn record(&self, key: [u64; W], breach: S::Breach) {
        self.tally(0).broken.store(true, Ordering::Relaxed);
        let mut worst = self.shared.breaches.lock().expect("no worker has panicked");
        let at = worst.partition_point(|w| (&w.0, &w.1) < (&key, &breach));
        worst.insert(at, (key, breach));
        worst.truncate(self.shared.meter.budget.counterexamples.max(1));
    }

    /// Adds what some workers found to this worker's shards.
    fn insert(&self, by: impl Fn(usize) -> bool) -> u64 {
        let shared = self.shared;
        let mut group = shared.groups[self.id].write().expect("no worker has panicked");
        let turn = self.round % 2;
        let found = shared.found.iter().enumerate().filter(|(worker, _)| by(*worker));
        let found: Vec<_> = found.map(|(_, f)| f[turn].read().expect("no worker has panicked")).collect();
        let found: Vec<&Lanes<W>> = found.iter().map(|lanes| &**lanes).collect();
        group.insert_all(&found, self.id, shared.workers)
    }

    /// Ends a depth; answers how many of its states turned out to be known.
    fn close_layer(&mut self) -> u64 {
        let mut group = self.shared.groups[self.id].write().expect("no worker has panicked");
        group.end_layer(self.depth + 1).unwrap_or_else(|limit| {
            self.met = Some(limit);
            0
        })
    }

    /// Whether successors are sorted by shard in this layer.
    fn is_wide(&self) -> bool {
        self.width >= SORTED_FROM
    }

    /// Checks the clock and the memory, and reports the progress to the watcher.
    fn inspect(&mut self) {
        let shared = self.shared;
        let transitions = shared.transitions.load(Ordering::Relaxed);
        if transitions - self.inspected.1 < INSPECTED && self.inspected.0.elapsed() < INTERVAL {
            return;
        }
        self.inspected = (Instant::now(), transitions);
        let progress = shared.progress();
        (shared.watcher)(progress);
        self.stop(shared.meter.check(self.states.0, progress.bytes).err());
    }

    /// Ends the search after this round, if a limit was met.
    fn stop(&self, met: Option<Limit>) {
        let Some(limit) = met else { return };
        self.shared.limit.lock().expect("no worker has panicked").get_or_insert(limit);
        self.tally(0).stop.store(true, Ordering::Relaxed);
    }
}
