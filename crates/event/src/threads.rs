//! A set of threads without allocation, for code inside the checked program.

use crate::ThreadId;
use core::fmt;

/// A set of threads with numbers below [`ThreadSet::CAPACITY`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ThreadSet([u64; 4]);

impl ThreadSet {
    /// How many threads it can tell apart.
    pub const CAPACITY: u32 = 256;
    /// No thread.
    pub const EMPTY: Self = Self([0; 4]);

    /// Adds a thread.
    ///
    /// # Panics
    /// If its number is [`Self::CAPACITY`] or more: such executions must be refused before.
    #[inline]
    pub fn insert(&mut self, thread: ThreadId) {
        self.0[thread.index() / 64] |= 1 << (thread.0 % 64);
    }

    /// Removes a thread.
    #[inline]
    pub fn remove(&mut self, thread: ThreadId) {
        if let Some(word) = self.0.get_mut(thread.index() / 64) {
            *word &= !(1 << (thread.0 % 64));
        }
    }

    /// Is it there?
    #[inline]
    pub fn contains(&self, thread: ThreadId) -> bool {
        self.0.get(thread.index() / 64).is_some_and(|word| word >> (thread.0 % 64) & 1 == 1)
    }

    /// None?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// How many.
    #[inline]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Those of the first that are not in the second.
    #[inline]
    pub fn without(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// In the order of their numbers.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = ThreadId> + '_ {
        self.0.iter().zip(0..).flat_map(|(&word, at)| bits(word).map(move |bit| ThreadId(at * 64 + bit)))
    }

    /// The first thread whose number is at least this, else the lowest of all.
    #[inline]
    pub fn from(&self, thread: ThreadId) -> Option<ThreadId> {
        self.iter().find(|&found| found >= thread).or_else(|| self.iter().next())
    }

    /// As the channel between tool and program carries it.
    #[inline]
    pub fn words(&self) -> [u64; 4] {
        self.0
    }

    /// From what the channel carried.
    #[inline]
    pub fn from_words(words: [u64; 4]) -> Self {
        Self(words)
    }
}

/// The numbers of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}

impl FromIterator<ThreadId> for ThreadSet {
    fn from_iter<T: IntoIterator<Item = ThreadId>>(threads: T) -> Self {
        let mut set = Self::EMPTY;
        threads.into_iter().for_each(|thread| set.insert(thread));
        set
    }
}

impl fmt::Debug for ThreadSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{ThreadId, ThreadSet};

    #[test]
    fn a_set() {
        let mut set: ThreadSet = [3, 70, 255].map(ThreadId).into_iter().collect();
        assert!(set.iter().eq([3, 70, 255].map(ThreadId)));
        assert_eq!(set.from(ThreadId(4)), Some(ThreadId(70)));
        set.remove(ThreadId(255));
        assert_eq!(set.from(ThreadId(71)), Some(ThreadId(3)));
        assert!(set.contains(ThreadId(70)) && !set.contains(ThreadId(71)) && !set.contains(ThreadId(9999)));
        assert_eq!((set.len(), set.without(&set).is_empty()), (2, true));
        assert_eq!(ThreadSet::from_words(set.words()), set);
    }
}
