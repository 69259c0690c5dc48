//! Random numbers from a seed: the same seed gives the same input on any machine.

use foretrace_event::Random as Generator;

/// Random numbers for fuzzers.
pub struct Random(Generator);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(Generator::new(seed))
    }

    /// Any 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0.word()
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// One of these.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
