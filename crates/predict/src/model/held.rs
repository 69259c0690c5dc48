//! Sets of locks, each stored once and sharing its common parts with others.
//!
//! A set is a tree over the numbers of the locks. Each leaf covers 64 locks: a word for those held exclusively and a
//! word for those held shared. Equal trees have equal numbers, so a set has one number, and two sets that differ in one
//! lock differ in one path of their trees. With up to 64 locks, a set is one leaf.

use foretrace_event::LockId;
use rustc_hash::FxHashMap;

use super::op::Mode;

/// A set of locks by number; zero is the empty set.
pub(crate) type HeldId = u32;

/// All sets of a program.
#[derive(Clone, Debug)]
pub(crate) struct HeldSets {
    /// Inner nodes above each leaf.
    height: u32,
    /// Locks held exclusively, and shared, by leaf. The first leaf is empty.
    leaves: Vec<(u64, u64)>,
    /// The lower and the upper half, by inner node. The first one is empty.
    inner: Vec<(u32, u32)>,
    known: Known,
}

/// Which nodes there are.
#[derive(Clone, Debug, Default)]
struct Known {
    leaves: FxHashMap<(u64, u64), u32>,
    inner: FxHashMap<(u32, u32), u32>,
}

impl HeldSets {
    /// The sets of a program with this many locks.
    pub(crate) fn new(locks: usize) -> Self {
        let leaves = locks.div_ceil(64).max(1);
        let height = leaves.next_power_of_two().trailing_zeros();
        Self { height, leaves: vec![(0, 0)], inner: vec![(0, 0)], known: Known::default() }
    }

    /// No more sets will be made.
    pub(crate) fn seal(&mut self) {
        self.known = Known::default();
    }

    /// The set with this lock in this mode, or without it.
    pub(crate) fn with(&mut self, set: HeldId, lock: LockId, held: Option<Mode>) -> HeldId {
        self.change(set, self.height, lock.index(), held)
    }

    fn change(&mut self, node: u32, height: u32, lock: usize, held: Option<Mode>) -> u32 {
        if height == 0 {
            let bit = 1 << (lock % 64);
            let (alone, shared) = self.leaves[node as usize];
            let put = |word: u64, there: bool| if there { word | bit } else { word & !bit };
            return self.leaf((put(alone, held == Some(Mode::Write)), put(shared, held == Some(Mode::Read))));
        }
        let (lower, upper) = self.inner[node as usize];
        let halves = if is_upper(lock, height) {
            (lower, self.change(upper, height - 1, lock, held))
        } else {
            (self.change(lower, height - 1, lock, held), upper)
        };
        number(&mut self.inner, &mut self.known.inner, halves)
    }

    fn leaf(&mut self, words: (u64, u64)) -> u32 {
        number(&mut self.leaves, &mut self.known.leaves, words)
    }

    /// Does the set have the lock, exclusively and shared?
    #[inline]
    pub(crate) fn holds(&self, set: HeldId, lock: LockId) -> (bool, bool) {
        let mut node = set;
        for height in (1..=self.height).rev() {
            let (lower, upper) = self.inner[node as usize];
            node = if is_upper(lock.index(), height) { upper } else { lower };
        }
        let (alone, shared) = self.leaves[node as usize];
        let bit = |word: u64| word >> (lock.index() % 64) & 1 == 1;
        (bit(alone), bit(shared))
    }

    /// Are these sets mutually exclusive, because of a common lock that one of them holds exclusively?
    pub(crate) fn exclude(&self, one: HeldId, other: HeldId) -> bool {
        self.meet(one, other, self.height)
    }

    fn meet(&self, one: u32, other: u32, height: u32) -> bool {
        if one == 0 || other == 0 {
            return false;
        }
        if height == 0 {
            let ((a, a_shared), (b, b_shared)) = (self.leaves[one as usize], self.leaves[other as usize]);
            return a & (b | b_shared) != 0 || a_shared & b != 0;
        }
        let (a, b) = (self.inner[one as usize], self.inner[other as usize]);
        self.meet(a.0, b.0, height - 1) || self.meet(a.1, b.1, height - 1)
    }
}

fn is_upper(lock: usize, height: u32) -> bool {
    ((lock / 64) >> (height - 1)) & 1 == 1
}

/// The number of a node, which is zero for the empty one.
fn number<T: Copy + Default + Eq + std::hash::Hash>(nodes: &mut Vec<T>, known: &mut FxHashMap<T, u32>, node: T) -> u32 {
    if node == T::default() {
        return 0;
    }
    *known.entry(node).or_insert_with(|| {
        nodes.push(node);
        u32::try_from(nodes.len() - 1).expect("fewer than four thousand million lock sets")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_set_is_what_was_put_into_it() {
        let mut random = foretrace_testkit::Random::new(1);
        for locks in [1, 64, 65, 1000] {
            let mut sets = HeldSets::new(locks);
            let mut known: Vec<(BTreeMap<u32, Mode>, HeldId)> = vec![(BTreeMap::new(), 0)];
            for _ in 0..500 {
                let (mut naive, set) = known[random.below(known.len() as u32) as usize].clone();
                let lock = random.below(locks as u32);
                let held = *random.choose(&[None, Some(Mode::Write), Some(Mode::Read)]);
                match held {
                    Some(mode) => drop(naive.insert(lock, mode)),
                    None => drop(naive.remove(&lock)),
                }
                let set = sets.with(set, LockId(lock), held);
                let same = known.iter().find(|(other, _)| *other == naive);
                assert!(same.is_none_or(|(_, other)| *other == set), "equal sets have equal numbers");
                let there = |mode| naive.get(&lock) == Some(&mode);
                assert_eq!(sets.holds(set, LockId(lock)), (there(Mode::Write), there(Mode::Read)));
                let (other, number) = &known[random.below(known.len() as u32) as usize];
                let excludes = naive.iter().any(|(lock, mode)| {
                    other.get(lock).is_some_and(|other| *mode == Mode::Write || *other == Mode::Write)
                });
                assert_eq!(sets.exclude(set, *number), excludes);
                known.push((naive, set));
            }
        }
    }
}
