//! Tables whose keys are words, with one version at a time: found and updated in a step, without an order.
//!
//! A second version, or the order of the keys, is made as a tree, and the tree is kept. At its next change a table that has
//! such a tree becomes the tree, so it is sorted at most once.
//!
//! An entry is in the first free place at or behind the place that its key is hashed to, so that it mostly takes one line
//! of memory to find it. Where the last one was is remembered: a specification asks whether a key is there, for its
//! value, and sets it again.
use super::Tree;
use crate::value::Value;
use std::cell::{Cell, OnceCell};

/// The fewest places of a table; a power of two.
const FEWEST: usize = 32;
/// Bytes of a block and of a field of it, as powers of two.
const BLOCK_BITS: u32 = 5;
const FIELD_BITS: u32 = 2;

#[derive(Debug)]
pub struct Hashed<V: Clone> {
    /// A power of two; at most three in four are taken.
    places: Vec<Option<(i64, V)>>,
    len: usize,
    /// How far a mixed word is shifted to give a place.
    shift: u32,
    /// Where the last key was looked for.
    last: Cell<usize>,
    tree: OnceCell<Tree<V>>,
}

impl<V: Clone> Default for Hashed<V> {
    fn default() -> Self {
        Hashed {
            places: vec![None; FEWEST],
            len: 0,
            shift: 64 - FEWEST.ilog2(),
            last: Cell::new(0),
            tree: OnceCell::new(),
        }
    }
}

impl<V: Clone> Hashed<V> {
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the order has been asked for.
    #[inline]
    pub fn is_ordered(&self) -> bool {
        self.tree.get().is_some()
    }

    /// The same as a tree.
    pub fn tree(&self) -> &Tree<V> {
        let collect = || self.places.iter().flatten().map(|(word, value)| (Value::Int(*word), value.clone())).collect();
        self.tree.get_or_init(collect)
    }

    pub fn into_tree(self) -> Tree<V> {
        let Hashed { places, tree, .. } = self;
        let collect = || places.into_iter().flatten().map(|(word, value)| (Value::Int(word), value)).collect();
        tree.into_inner().unwrap_or_else(collect)
    }

    #[inline]
    pub fn get(&self, key: &Value) -> Option<&V> {
        let Value::Int(word) = key else { return None };
        self.places[self.find(*word)].as_ref().map(|(_, value)| value)
    }

    /// Sets a value. The order must not have been asked for.
    #[inline]
    pub fn insert(&mut self, word: i64, value: V) {
        let at = self.find(word);
        if let Some((_, old)) = &mut self.places[at] {
            *old = value;
            return;
        }
        self.add(at, word, value);
    }

    /// Adds an entry at its place, or in a larger table at another one.
    fn add(&mut self, mut at: usize, word: i64, value: V) {
        if (self.len + 1) * 4 > self.places.len() * 3 {
            self.grow();
            at = self.find(word);
        }
        self.places[at] = Some((word, value));
        self.len += 1;
    }

    fn grow(&mut self) {
        let places = vec![None; self.places.len() * 2];
        self.shift -= 1;
        self.last.set(0);
        for (word, value) in std::mem::replace(&mut self.places, places).into_iter().flatten() {
            let at = self.find(word);
            self.places[at] = Some((word, value));
        }
    }

    /// Removes a value. The order must not have been asked for.
    pub fn remove(&mut self, key: &Value) {
        let Value::Int(word) = key else { return };
        let mut hole = self.find(*word);
        if self.places[hole].take().is_none() {
            return;
        }
        self.len -= 1;
        // An entry behind the hole moves into it unless it would then be before the place it is hashed to.
        let mask = self.places.len() - 1;
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let Some((word, _)) = &self.places[at] else { return };
            let home = self.home(*word);
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(hole) & mask {
                self.places.swap(hole, at);
                hole = at;
            }
        }
    }

    /// Keeps the entries whose key passes. The order must not have been asked for.
    pub fn retain(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        let keys: Vec<Value> = self.places.iter().flatten().map(|(word, _)| Value::Int(*word)).collect();
        keys.iter().filter(|key| !keep(key)).for_each(|key| self.remove(key));
    }

    /// Whether every key passes.
    pub fn all(&self, mut test: impl FnMut(&Value) -> bool) -> bool {
        self.places.iter().flatten().all(|(word, _)| test(&Value::Int(*word)))
    }

    /// The place that a key is hashed to. Keys are mostly addresses: those of one block are side by side, because a program
    /// that touches one mostly touches the others, too; blocks are scattered.
    #[inline(always)]
    fn home(&self, word: i64) -> usize {
        let word = word as u64;
        let block = word >> BLOCK_BITS;
        let mixed = (block ^ (block >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let within = (word >> FIELD_BITS) as usize & ((1 << (BLOCK_BITS - FIELD_BITS)) - 1);
        ((mixed >> self.shift) as usize + within) & (self.places.len() - 1)
    }

    /// The place of a key, or the free one where it would be.
    #[inline(always)]
    fn find(&self, word: i64) -> usize {
        let last = self.last.get();
        if matches!(self.places.get(last), Some(Some((own, _))) if *own == word) {
            return last;
        }
        let mask = self.places.len() - 1;
        let mut at = self.home(word);
        while matches!(&self.places[at], Some((own, _)) if *own != word) {
            at = (at + 1) & mask;
        }
        self.last.set(at);
        at
    }
}
