//! A persistent vector of numbers, which shares unchanged parts with the vectors it was made from.
//!
//! A run with thousands of threads has thousands of clocks of thousands of numbers, and each clock differs from its
//! predecessor in a few of them. So the numbers are stored in a tree whose leaves are blocks of sixteen, zeros are not
//! stored, and a copy is a reference: a change copies one path of the tree.

use std::sync::Arc;

/// Numbers of a leaf, and branches of an inner node.
const WIDTH: usize = 16;
const BITS: u32 = WIDTH.trailing_zeros();

/// A vector, all zero at first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    root: Node,
    /// The number of inner nodes above each leaf.
    height: u32,
}

#[derive(Clone, Debug, Default)]
enum Node {
    #[default]
    Zeros,
    Leaf(Arc<[u32; WIDTH]>),
    Inner(Arc<[Node; WIDTH]>),
}

impl Times {
    /// A vector of this many numbers.
    pub(crate) fn new(count: usize) -> Self {
        let height = (0..).find(|height| count <= WIDTH << (BITS * height)).unwrap_or(0);
        Self { root: Node::Zeros, height }
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> u32 {
        let (mut node, mut height) = (&self.root, self.height);
        loop {
            match node {
                Node::Zeros => return 0,
                Node::Leaf(leaf) => return leaf[index % WIDTH],
                Node::Inner(inner) => node = &inner[digit(index, height)],
            }
            height -= 1;
        }
    }

    pub(crate) fn set(&mut self, index: usize, time: u32) {
        if self.get(index) != time {
            self.root.set(index, self.height, time);
        }
    }

    /// The greater of both, number by number.
    pub(crate) fn join(&mut self, other: &Self) {
        self.root.join(&other.root);
    }

    /// The lesser of both, number by number.
    pub(crate) fn meet(&mut self, other: &Self) {
        self.root.meet(&other.root);
    }

    /// Is every number at least the other's?
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.root.covers(&other.root)
    }
}

/// Which branch of a node of this height leads to an index.
fn digit(index: usize, height: u32) -> usize {
    index >> (BITS * height) & (WIDTH - 1)
}

/// Is every number of one node at least the other node's?
fn all_cover(mine: &[Node; WIDTH], theirs: &[Node; WIDTH]) -> bool {
    mine.iter().zip(theirs).all(|(mine, theirs)| mine.covers(theirs))
}

impl Node {
    fn set(&mut self, index: usize, height: u32, time: u32) {
        if matches!(self, Self::Zeros) {
            *self = if height == 0 { Self::Leaf(Arc::default()) } else { Self::Inner(Arc::default()) };
        }
        match self {
            Self::Leaf(leaf) => Arc::make_mut(leaf)[index % WIDTH] = time,
            Self::Inner(inner) => Arc::make_mut(inner)[digit(index, height)].set(index, height - 1, time),
            Self::Zeros => {}
        }
    }

    fn join(&mut self, other: &Self) {
        if self.covers(other) {
            return;
        }
        match (&mut *self, other) {
            (Self::Leaf(mine), Self::Leaf(theirs)) => {
                let mine = Arc::make_mut(mine).iter_mut();
                mine.zip(theirs.iter()).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
            }
            (Self::Inner(mine), Self::Inner(theirs)) => {
                let mine = Arc::make_mut(mine).iter_mut();
                mine.zip(theirs.iter()).for_each(|(mine, theirs)| mine.join(theirs));
            }
            _ => *self = other.clone(),
        }
    }

    fn meet(&mut self, other: &Self) {
        if other.covers(self) {
            return;
        }
        match (&mut *self, other) {
            (Self::Leaf(mine), Self::Leaf(theirs)) => {
                let mine = Arc::make_mut(mine).iter_mut();
                mine.zip(theirs.iter()).for_each(|(mine, theirs)| *mine = (*mine).min(*theirs));
            }
            (Self::Inner(mine), Self::Inner(theirs)) if !all_cover(mine, theirs) => {
                let mine = Arc::make_mut(mine).iter_mut();
                mine.zip(theirs.iter()).for_each(|(mine, theirs)| mine.meet(theirs));
            }
            _ => *self = other.clone(),
        }
    }

    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Zeros) => true,
            (Self::Leaf(mine), Self::Leaf(theirs)) => {
                Arc::ptr_eq(mine, theirs) || mine.iter().zip(theirs.iter()).all(|(mine, theirs)| mine >= theirs)
            }
            (Self::Inner(mine), Self::Inner(theirs)) => {
                Arc::ptr_eq(mine, theirs) || mine.iter().zip(theirs.iter()).all(|(mine, theirs)| mine.covers(theirs))
            }
            (_, Self::Leaf(theirs)) => theirs.iter().all(|theirs| *theirs == 0),
            (_, Self::Inner(theirs)) => theirs.iter().all(|theirs| self.covers(theirs)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator; its low bits are not used.
    fn random(state: &mut u64, below: usize) -> usize {
        *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (*state >> 33) as usize % below
    }

    #[test]
    fn a_shared_vector_is_a_vector() {
        let state = &mut 1;
        for count in [1, 15, 16, 17, 256, 257, 5000] {
            let (mut naive, mut shared) = (vec![vec![0u32; count]; 4], vec![Times::new(count); 4]);
            for _ in 0..2000 {
                let (one, other, index) = (random(state, 4), random(state, 4), random(state, count));
                match random(state, 4) {
                    0 => {
                        let time = random(state, 9) as u32;
                        naive[one][index] = time;
                        shared[one].set(index, time);
                    }
                    1 => {
                        naive[one] = naive[one].iter().zip(&naive[other]).map(|(a, b)| *a.max(b)).collect();
                        let joined = shared[other].clone();
                        shared[one].join(&joined);
                    }
                    2 => {
                        naive[one] = naive[one].iter().zip(&naive[other]).map(|(a, b)| *a.min(b)).collect();
                        let met = shared[other].clone();
                        shared[one].meet(&met);
                    }
                    _ => {
                        let covers = naive[one].iter().zip(&naive[other]).all(|(a, b)| a >= b);
                        assert_eq!(shared[one].covers(&shared[other]), covers);
                    }
                }
                assert_eq!(shared[one].get(index), naive[one][index]);
            }
            assert!((0..count).all(|index| shared[0].get(index) == naive[0][index]));
        }
    }
}
