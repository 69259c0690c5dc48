//! The states found so far.
//!
//! States are spread over shards by their hash. A shard keeps its states in the order they were found, so that the
//! states of one depth lie together, and finds them through a table of numbers with a few bits of hash in each. That
//! is the state itself and five to nine bytes.

/// How many shards; their number is a power of two so that the top bits of a hash choose one.
pub const SHARDS: usize = 256;
pub const EMPTY: u32 = u32::MAX;
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

    /// The entry of the table at which a state is looked for first.
    #[inline]
    pub fn first_look(&self, hash: u64) -> u32 {
        self.table.get(self.slot(hash)).copied().unwrap_or(EMPTY)
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
        self.rebuild(self.table.len() + self.table.len() * Self::GROWTH / 100 + 8);
    }

    /// Makes the table anew.
    fn rebuild(&mut self, size: usize) {
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

    /// Ends a depth; answers whether it has added something.
    pub fn end_layer(&mut self, depth: u32) -> bool {
        let end = self.keys.len() as u32;
        let added = self.layers.last().map_or(0, |l| l.1) != end;
        if added {
            self.layers.push((depth, end));
        }
        added
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

    /// Where the states of the newest depth begin.
    fn newest_from(&self) -> usize {
        match self.layers.len() {
            0 | 1 => 0,
            n => self.layers[n - 2].1 as usize,
        }
    }

    /// All states but those of the newest depth.
    pub fn old(&self) -> &[[u64; W]] {
        &self.keys[..self.newest_from()]
    }

    /// The depths of these.
    pub fn old_depths(&self) -> impl Iterator<Item = u32> {
        self.layers[..self.layers.len().saturating_sub(1)].iter().map(|l| l.0)
    }

    /// Takes all states but those of the newest depth out of the store.
    pub fn take_old(&mut self) -> Vec<[u64; W]> {
        let rest = self.keys.split_off(self.newest_from());
        let old = std::mem::replace(&mut self.keys, rest);
        self.layers = self.layers.last().map(|l| (l.0, self.keys.len() as u32)).into_iter().collect();
        self.fit_table();
        old
    }

    /// The states of the newest depth. If their order is changed, `keep_newest` must follow.
    pub fn newest(&mut self) -> &mut [[u64; W]] {
        let from = self.newest_from();
        &mut self.keys[from..]
    }

    /// Drops the states of the newest depth that are marked; answers how many there were.
    pub fn keep_newest(&mut self, dropped: &[bool]) -> u64 {
        let (from, before) = (self.newest_from(), self.keys.len());
        let mut at = 0;
        self.keys.retain(|_| {
            at += 1;
            at <= from || !dropped[at - 1 - from]
        });
        if let Some(newest) = self.layers.last_mut() {
            newest.1 = self.keys.len() as u32;
        }
        if self.keys.len() == from {
            self.layers.pop();
        }
        self.fit_table();
        (before - self.keys.len()) as u64
    }

    fn fit_table(&mut self) {
        self.rebuild(self.keys.len() * 100 / Self::FULL + 8);
    }

    pub fn bytes(&self) -> u64 {
        (self.keys.capacity() * W * 8 + self.table.capacity() * 4 + self.layers.capacity() * 8) as u64
    }
}
