//! Tables whose keys are words, with one version at a time: found and updated in a step, without an order.
//!
//! Who asks for a second version or for the order gets a tree, which is kept. A table that has one becomes it at the next
//! change: whatever is done to it, it is put into order once.
use super::Value;
use super::table::Tree;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

#[derive(Debug)]
pub struct Hashed<V: Clone> {
    words: FxHashMap<i64, V>,
    tree: OnceCell<Tree<V>>,
}

impl<V: Clone> Default for Hashed<V> {
    fn default() -> Self {
        Hashed { words: FxHashMap::default(), tree: OnceCell::new() }
    }
}

impl<V: Clone> Hashed<V> {
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether somebody has asked for the order.
    #[inline]
    pub fn is_ordered(&self) -> bool {
        self.tree.get().is_some()
    }

    /// The same as a tree.
    pub fn tree(&self) -> &Tree<V> {
        self.tree.get_or_init(|| self.words.iter().map(|(word, value)| (Value::Int(*word), value.clone())).collect())
    }

    pub fn into_tree(self) -> Tree<V> {
        let Hashed { words, tree } = self;
        let collect = || words.into_iter().map(|(word, value)| (Value::Int(word), value)).collect();
        tree.into_inner().unwrap_or_else(collect)
    }

    #[inline]
    pub fn get(&self, key: &Value) -> Option<&V> {
        if let Value::Int(word) = key { self.words.get(word) } else { None }
    }

    /// Sets a value; nobody may have asked for the order.
    #[inline]
    pub fn insert(&mut self, word: i64, value: V) {
        self.words.insert(word, value);
    }

    /// Removes a value; nobody may have asked for the order.
    pub fn remove(&mut self, key: &Value) {
        if let Value::Int(word) = key {
            self.words.remove(word);
        }
    }

    /// Keeps the entries whose key passes; nobody may have asked for the order.
    pub fn retain(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        self.words.retain(|word, _| keep(&Value::Int(*word)));
    }

    /// Whether every key passes.
    pub fn all(&self, mut test: impl FnMut(&Value) -> bool) -> bool {
        self.words.keys().all(|word| test(&Value::Int(*word)))
    }
}
