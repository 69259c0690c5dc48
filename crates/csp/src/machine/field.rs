//! A packed state: each component's state in a field of its own that no word boundary cuts, so that a step of one component
//! is one exclusive-or.

/// A component's place in a packed state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Field {
    pub word: usize,
    pub shift: u32,
    pub mask: u64,
}

impl Field {
    #[inline]
    pub fn get(&self, key: &[u64]) -> u32 {
        (key[self.word] >> self.shift & self.mask) as u32
    }

    pub fn put(&self, key: &mut [u64], value: u32) {
        key[self.word] = key[self.word] & !(self.mask << self.shift) | u64::from(value) << self.shift;
    }
}

/// Hands out fields of words, first fit.
#[derive(Default)]
pub struct Packer {
    used: Vec<u32>,
}

impl Packer {
    /// How many words have been used.
    pub fn words(&self) -> usize {
        self.used.len()
    }

    /// A field for values below `count`.
    pub fn field(&mut self, count: usize) -> Field {
        let bits = (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1);
        let word = self.used.iter().position(|&u| u + bits <= 64).unwrap_or_else(|| {
            self.used.push(0);
            self.used.len() - 1
        });
        let shift = self.used[word];
        self.used[word] += bits;
        Field { word, shift, mask: (1u64 << bits) - 1 }
    }

    /// Whole words; answers the first of them.
    pub fn whole(&mut self, words: usize) -> usize {
        let start = self.used.len();
        self.used.extend(std::iter::repeat_n(64, words));
        start
    }
}
