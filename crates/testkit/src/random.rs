//! Random numbers from a seed: the same seed gives the same numbers on any machine.

use foretrace_event::Random as Generator;

/// Random numbers for tests.
#[derive(Clone, Debug)]
pub struct Random(Generator);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(Generator::new(seed))
    }

    /// The next number.
    pub fn word(&mut self) -> u64 {
        self.0.word()
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0.below(u64::from(bound)) as u32
    }

    /// True with probability one in `n`.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    ///
    /// # Panics
    /// If there is none.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u32) as usize]
    }
}
