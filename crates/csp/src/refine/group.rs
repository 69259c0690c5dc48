//! The states of one worker: what it is given is sorted by shard and added, what does not fit goes to files.

use super::spill::Spill;
use super::store::{EMPTY, SHARDS, Shard, hash, owner_of, shard_of};
use crate::budget::Limit;

/// How many states are looked up side by side.
const AHEAD: usize = 16;

/// Successors in lanes, each for a row of shards: as many lanes as workers, or one a shard. A shard fits the cache, all
/// of them do not; so it pays to sort many states by shard before they are looked up, but not a few.
pub struct Lanes<const W: usize> {
    lanes: Vec<Vec<[u64; W]>>,
    used: usize,
}

impl<const W: usize> Default for Lanes<W> {
    fn default() -> Self {
        Lanes { lanes: vec![Vec::new(); SHARDS], used: 1 }
    }
}

impl<const W: usize> Lanes<W> {
    /// Empties them, and chooses how many to use.
    pub fn reset(&mut self, used: usize) {
        self.lanes[..self.used].iter_mut().for_each(Vec::clear);
        self.used = used;
    }

    #[inline]
    pub fn extend(&mut self, keys: &[[u64; W]]) {
        if self.used == 1 {
            return self.lanes[0].extend_from_slice(keys);
        }
        for key in keys {
            self.lanes[owner_of(shard_of(hash(key)), self.used)].push(*key);
        }
    }
}

/// The shards of one worker at their numbers; the places of others are empty.
pub struct Group<const W: usize> {
    pub shards: Vec<Shard<W>>,
    /// States that were added recently, by a few bits of their hash. Once successors are sorted, most are found several times
    /// in a row, and this finds the repeats without a lookup in the table.
    recent: Vec<[u64; W]>,
    /// States that were written to files.
    pub spill: Option<Spill<W>>,
}

/// States that are looked up side by side.
struct Batch<const W: usize> {
    len: usize,
    keys: [[u64; W]; AHEAD],
    hashes: [u64; AHEAD],
}

impl<const W: usize> Group<W> {
    /// How many recent states are kept: few enough for the innermost cache.
    const RECENT: usize = if W < 32 { 4096 / W.next_power_of_two() } else { 128 };

    /// An empty group. `known` is a state that is stored somewhere from the beginning.
    pub fn new(known: [u64; W], spill: Option<Spill<W>>) -> Self {
        let shards = std::iter::repeat_with(Shard::default).take(SHARDS).collect();
        Group { shards, recent: vec![known; Self::RECENT], spill }
    }

    /// Ends a depth. States that turn out to be known are dropped; answers how many there were. What does not fit the
    /// memory is written to files.
    pub fn end_layer(&mut self, depth: u32) -> Result<u64, Limit> {
        let added: Vec<bool> = self.shards.iter_mut().map(|shard| shard.end_layer(depth)).collect();
        let Some(spill) = &mut self.spill else { return Ok(0) };
        let mut known = 0;
        if !spill.is_empty() {
            for (number, shard) in self.shards.iter_mut().enumerate().filter(|(n, _)| added[*n]) {
                known += spill.drop_known(number, shard)?;
            }
        }
        if spill.is_due(self.shards.iter().map(Shard::bytes).sum()) {
            spill.write(&mut self.shards)?;
        }
        Ok(known)
    }

    /// The shards of all workers.
    pub fn unite(mut groups: Vec<Group<W>>) -> Vec<Shard<W>> {
        let workers = groups.len();
        (0..SHARDS).map(|s| std::mem::take(&mut groups[owner_of(s, workers)].shards[s])).collect()
    }

    /// Adds the states that belong to this group, lane by lane; answers how many were new.
    pub fn insert_all(&mut self, found: &[&Lanes<W>], worker: usize, workers: usize) -> u64 {
        let lanes = (0..found.first().map_or(0, |f| f.used)).filter(|lane| lane * workers / found[0].used == worker);
        lanes
            .flat_map(|lane| found.iter().map(move |f| &f.lanes[lane][..]))
            .map(|keys| self.insert_in_order(keys))
            .sum()
    }

    /// Leaves out the states that were added recently, without a branch, and adds the others a few at a time.
    fn insert_in_order(&mut self, keys: &[[u64; W]]) -> u64 {
        let mut batch = Batch { len: 0, keys: [[0; W]; AHEAD], hashes: [0; AHEAD] };
        let mut fresh = 0;
        for key in keys {
            let hash = hash(key);
            let recent = &mut self.recent[hash as usize % Self::RECENT];
            (batch.keys[batch.len], batch.hashes[batch.len]) = (*key, hash);
            batch.len += usize::from(recent != key);
            *recent = *key;
            if batch.len == AHEAD {
                fresh += self.insert_batch(&batch);
                batch.len = 0;
            }
        }
        fresh + self.insert_batch(&batch)
    }

    fn insert_batch(&mut self, batch: &Batch<W>) -> u64 {
        // The first look at the tables is made for all of them before anything depends on it: the waits for memory
        // overlap.
        let mut homes = [EMPTY; AHEAD];
        for (home, &hash) in homes.iter_mut().zip(&batch.hashes[..batch.len]) {
            let shard = &self.shards[shard_of(hash)];
            *home = shard.first_look(hash);
        }
        std::hint::black_box(&homes);
        let states = batch.keys[..batch.len].iter().zip(&batch.hashes);
        states.map(|(key, &hash)| u64::from(self.shards[shard_of(hash)].insert(key, hash))).sum()
    }
}
