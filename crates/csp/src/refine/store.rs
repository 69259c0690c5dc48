//! The states found so far.
//!
//! States are spread over shards by their hash. A shard keeps its states in the order they were found, so that the
//! states of one depth lie together, and finds them through a table of numbers with a few bits of hash in each. That
//! is the state itself and five to nine bytes.

/// How many shards; their number is a power of two so that the top bits of a hash choose one.
pub const SHARDS: usize = 256;
const EMPTY: u32 = u32::MAX;
/// How many states are looked up side by side.
const AHEAD: usize = 16;
/// Bits of a table entry that number a state; the rest hold bits of its hash.
const NUMBER_BITS: u32 = 24;
const NUMBER_MASK: u32 = (1 << NUMBER_BITS) - 1;

/// Mixes the words of a state.
#[inline]
pub fn hash<const W: usize>(key: &[u64; W]) -> u64 {
    let mut h = 0x9e37_79b9_7f4a_7c15u64;
    for &word in key {
        h = (h ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
        h ^= h >> 32;
    }
    h.wrapping_mul(0xd6e8_feb8_6659_fd93)
}

#[inline]
pub fn shard_of(hash: u64) -> usize {
    (hash >> 56) as usize
}

/// Which of several workers a shard belongs to. They get rows of shards of about the same length.
#[inline]
pub fn owner_of(shard: usize, workers: usize) -> usize {
    shard * workers / SHARDS
}

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
    /// States that were added lately, by a few bits of their hash. Most successors are found several times in a row
    /// once they are sorted; this tells without a look at the table.
    recent: Vec<[u64; W]>,
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
    pub fn new(known: [u64; W]) -> Self {
        let shards = std::iter::repeat_with(Shard::default).take(SHARDS).collect();
        Group { shards, recent: vec![known; Self::RECENT] }
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

    /// Leaves out what was added lately, without a branch, and adds the rest a handful at a time.
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
            *home = shard.table.get(shard.slot(hash)).copied().unwrap_or(EMPTY);
        }
        std::hint::black_box(&homes);
        let states = batch.keys[..batch.len].iter().zip(&batch.hashes);
        states.map(|(key, &hash)| u64::from(self.shards[shard_of(hash)].insert(key, hash))).sum()
    }
}

pub struct Shard<const W: usize> {
    keys: Vec<[u64; W]>,
    table: Vec<u32>,
    /// Where each depth ends, for depths that added something: depth, end.
    layers: Vec<(u32, u32)>,
}

impl<const W: usize> Default for Shard<W> {
    fn default() -> Self {
        Shard { keys: Vec::new(), table: Vec::new(), layers: Vec::new() }
    }
}

impl<const W: usize> Shard<W> {
    /// How full the table may be, in hundredths: fuller where states are wide, to stay within 24 bytes with two words.
    const FULL: usize = if W == 1 { 60 } else { 80 };

    /// By how much it grows then, in hundredths. Every growth puts all states in their places again.
    const GROWTH: usize = if W == 1 { 60 } else { 33 };

    #[inline]
    fn slot(&self, hash: u64) -> usize {
        (((hash & 0xffff_ffff) * self.table.len() as u64) >> 32) as usize
    }

    #[inline]
    fn tag(hash: u64) -> u32 {
        (hash >> 32) as u32 & !NUMBER_MASK
    }

    /// The number of a state, or the empty slot where it belongs.
    #[inline]
    fn find(&self, key: &[u64; W], hash: u64) -> Result<u32, usize> {
        if self.table.is_empty() {
            return Err(0);
        }
        let tag = Self::tag(hash);
        let mut slot = self.slot(hash);
        loop {
            let entry = self.table[slot];
            if entry == EMPTY {
                return Err(slot);
            }
            if entry & !NUMBER_MASK == tag && self.keys[(entry & NUMBER_MASK) as usize] == *key {
                return Ok(entry & NUMBER_MASK);
            }
            slot += 1;
            if slot == self.table.len() {
                slot = 0;
            }
        }
    }

    /// Adds a state; false if it was there.
    #[inline]
    pub fn insert(&mut self, key: &[u64; W], hash: u64) -> bool {
        match self.find(key, hash) {
            Ok(_) => false,
            Err(slot) => {
                if self.table.is_empty() {
                    self.push(*key);
                    self.grow();
                    return true;
                }
                assert!(self.keys.len() < NUMBER_MASK as usize, "a shard holds at most {NUMBER_MASK} states");
                self.table[slot] = Self::tag(hash) | self.keys.len() as u32;
                self.push(*key);
                true
            }
        }
    }

    fn push(&mut self, key: [u64; W]) {
        if self.keys.len() == self.keys.capacity() {
            self.keys.reserve_exact((self.keys.len() / 6).max(4));
        }
        self.keys.push(key);
        if self.keys.len() * 100 > self.table.len() * Self::FULL && !self.table.is_empty() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let size = self.table.len() + self.table.len() * Self::GROWTH / 100 + 8;
        self.table = Vec::new();
        self.table = vec![EMPTY; size];
        for (number, key) in self.keys.iter().enumerate() {
            let hash = hash(key);
            let mut slot = self.slot(hash);
            while self.table[slot] != EMPTY {
                slot = if slot + 1 == size { 0 } else { slot + 1 };
            }
            self.table[slot] = Self::tag(hash) | number as u32;
        }
    }

    /// Whether a state was there when the last layer was closed.
    pub fn is_sealed(&self, key: &[u64; W], hash: u64) -> bool {
        let sealed = self.layers.last().map_or(0, |l| l.1);
        self.find(key, hash).is_ok_and(|n| n < sealed)
    }

    pub fn number(&self, key: &[u64; W]) -> Option<u32> {
        self.find(key, hash(key)).ok()
    }

    pub fn keys(&self) -> &[[u64; W]] {
        &self.keys
    }

    pub fn end_layer(&mut self, depth: u32) {
        let end = self.keys.len() as u32;
        if self.layers.last().map_or(0, |l| l.1) != end {
            self.layers.push((depth, end));
        }
    }

    /// The states first found at a depth.
    pub fn layer(&self, depth: u32) -> &[[u64; W]] {
        // Asked most often about the newest.
        let place = match self.layers.last() {
            Some(newest) if newest.0 > depth => self.layers.binary_search_by_key(&depth, |l| l.0),
            Some(newest) if newest.0 == depth => Ok(self.layers.len() - 1),
            _ => return &[],
        };
        match place {
            Ok(i) => {
                let from = if i == 0 { 0 } else { self.layers[i - 1].1 };
                &self.keys[from as usize..self.layers[i].1 as usize]
            }
            Err(_) => &[],
        }
    }

    pub fn bytes(&self) -> u64 {
        (self.keys.capacity() * W * 8 + self.table.capacity() * 4 + self.layers.capacity() * 8) as u64
    }
}
