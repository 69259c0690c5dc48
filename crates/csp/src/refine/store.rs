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
/// States that are worth sorting before they are looked up.
const SORTED_FROM: usize = 32 * SHARDS;
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

/// The shards of one worker at their numbers; the places of others are empty.
pub struct Group<const W: usize> {
    pub shards: Vec<Shard<W>>,
    /// Room to sort states by shard.
    sorted: Vec<Vec<[u64; W]>>,
}

impl<const W: usize> Default for Group<W> {
    fn default() -> Self {
        let shards = std::iter::repeat_with(Shard::default).take(SHARDS).collect();
        Group { shards, sorted: vec![Vec::new(); SHARDS] }
    }
}

impl<const W: usize> Group<W> {
    /// The shards of all workers.
    pub fn unite(mut groups: Vec<Group<W>>) -> Vec<Shard<W>> {
        let workers = groups.len();
        (0..SHARDS).map(|s| std::mem::take(&mut groups[owner_of(s, workers)].shards[s])).collect()
    }

    /// Adds states that belong to this group; answers how many were new. A shard fits the cache, all of them do not:
    /// if there are enough states they are sorted by shard first.
    pub fn insert_all(&mut self, found: &[&[[u64; W]]]) -> u64 {
        if found.iter().map(|f| f.len()).sum::<usize>() < SORTED_FROM {
            return found.iter().map(|f| self.insert_in_order(f)).sum();
        }
        let mut sorted = std::mem::take(&mut self.sorted);
        for key in found.iter().copied().flatten() {
            sorted[shard_of(hash(key))].push(*key);
        }
        let mut fresh = 0;
        for keys in &mut sorted {
            fresh += self.insert_in_order(keys);
            keys.clear();
        }
        self.sorted = sorted;
        fresh
    }

    /// Most states are known, and most of those are found at once: that is tried first, for a handful of states at a
    /// time, without a branch between them, so that the waits for memory overlap.
    fn insert_in_order(&mut self, keys: &[[u64; W]]) -> u64 {
        let mut fresh = 0;
        for chunk in keys.chunks(AHEAD) {
            let mut hashes = [0u64; AHEAD];
            let mut entries = [EMPTY; AHEAD];
            for (i, key) in chunk.iter().enumerate() {
                hashes[i] = hash(key);
                let shard = &self.shards[shard_of(hashes[i])];
                entries[i] = shard.table.get(shard.slot(hashes[i])).copied().unwrap_or(EMPTY);
            }
            let mut known = 0u32;
            for (i, key) in chunk.iter().enumerate() {
                let shard = &self.shards[shard_of(hashes[i])];
                let there = shard.keys.get((entries[i] & NUMBER_MASK) as usize);
                known |= u32::from(there == Some(key)) << i;
            }
            let mut rest = !known & ((1 << chunk.len()) - 1);
            while rest != 0 {
                let i = rest.trailing_zeros() as usize % AHEAD;
                let shard = &mut self.shards[shard_of(hashes[i])];
                fresh += u64::from(shard.insert(&chunk[i], hashes[i]));
                rest &= rest - 1;
            }
        }
        fresh
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
        let size = self.table.len() + self.table.len() / 3 + 8;
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
