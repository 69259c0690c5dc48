//! Sets and maps, ordered by key so that every result is the same in every run.
//!
//! Up to [`SMALL`] entries live in a sorted vector, which fits a lockset and costs no allocation to update; a single one
//! needs no vector. Larger tables
//! whose keys are words are hashed as long as there is one version of them and nobody asks for their order; the others,
//! and those from then on, are trees that share structure: an update in place when no one else holds the old version,
//! logarithmic otherwise.
mod hashed;

use super::Value;
use hashed::Hashed;
use imbl::GenericOrdMap;
use imbl::shared_ptr::RcK;

/// The largest table kept as a vector.
pub const SMALL: usize = 16;
/// Room in a new vector.
const FIRST: usize = 4;

pub type Tree<V> = GenericOrdMap<Value, V, RcK>;

#[derive(Debug)]
pub enum Table<V: Clone> {
    One([(Value, V); 1]),
    Small(Vec<(Value, V)>),
    Hashed(Box<Hashed<V>>),
    Tree(Tree<V>),
}

impl<V: Clone> Default for Table<V> {
    fn default() -> Self {
        Table::Small(Vec::new())
    }
}

impl<V: Clone> Clone for Table<V> {
    /// A second version: from now on they share what they have in common.
    fn clone(&self) -> Self {
        match self {
            Table::One(entry) => Table::One(entry.clone()),
            Table::Small(entries) => Table::Small(entries.clone()),
            Table::Hashed(hashed) => Table::Tree(hashed.tree().clone()),
            Table::Tree(tree) => Table::Tree(tree.clone()),
        }
    }
}

impl<V: Clone> Table<V> {
    pub fn len(&self) -> usize {
        match self {
            Table::One(_) => 1,
            Table::Small(entries) => entries.len(),
            Table::Hashed(hashed) => hashed.len(),
            Table::Tree(tree) => tree.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, key: &Value) -> Option<&V> {
        match self {
            Table::One([(own, value)]) => (own == key).then_some(value),
            Table::Small(entries) => find(entries, key).ok().map(|at| &entries[at].1),
            Table::Hashed(hashed) => hashed.get(key),
            Table::Tree(tree) => tree.get(key),
        }
    }

    pub fn contains(&self, key: &Value) -> bool {
        self.get(key).is_some()
    }

    pub fn insert(&mut self, key: Value, value: V) {
        match self {
            Table::One([(own, old)]) if *own == key => *old = value,
            Table::One(_) => {
                self.become_vector();
                self.insert(key, value);
            }
            Table::Small(entries) if entries.is_empty() => *self = Table::One([(key, value)]),
            Table::Small(entries) => match find(entries, &key) {
                Ok(at) => entries[at].1 = value,
                Err(at) if entries.len() < SMALL => entries.insert(at, (key, value)),
                Err(_) => {
                    *self = Self::large(entries);
                    self.insert(key, value);
                }
            },
            Table::Hashed(hashed) => match key {
                Value::Int(word) if !hashed.is_ordered() => hashed.insert(word, value),
                key => {
                    self.tree_mut().insert(key, value);
                }
            },
            Table::Tree(tree) => {
                tree.insert(key, value);
            }
        }
    }

    pub fn remove(&mut self, key: &Value) {
        match self {
            Table::One([(own, _)]) => {
                if own == key {
                    *self = Table::default();
                }
            }
            Table::Small(entries) => {
                if let Ok(at) = find(entries, key) {
                    entries.remove(at);
                }
            }
            Table::Hashed(hashed) if !hashed.is_ordered() => hashed.remove(key),
            _ => {
                self.tree_mut().remove(key);
            }
        }
    }

    /// Keeps the entries whose key passes.
    pub fn retain(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        match self {
            Table::One([(own, _)]) => {
                if !keep(own) {
                    *self = Table::default();
                }
            }
            Table::Small(entries) => entries.retain(|(key, _)| keep(key)),
            Table::Hashed(hashed) if !hashed.is_ordered() => hashed.retain(keep),
            _ => {
                let tree = self.tree_mut();
                let gone: Vec<Value> = tree.keys().filter(|key| !keep(key)).cloned().collect();
                for key in gone {
                    tree.remove(&key);
                }
            }
        }
    }

    /// Whether every key passes, in any order.
    pub fn all(&self, mut test: impl FnMut(&Value) -> bool) -> bool {
        match self {
            Table::Hashed(hashed) => hashed.all(test),
            _ => self.keys().all(&mut test),
        }
    }

    /// The entries in order.
    pub fn iter(&self) -> Iter<'_, V> {
        match self {
            Table::One(entry) => Iter::Small(entry.iter()),
            Table::Small(entries) => Iter::Small(entries.iter()),
            Table::Hashed(hashed) => Iter::Tree(hashed.tree().iter()),
            Table::Tree(tree) => Iter::Tree(tree.iter()),
        }
    }

    pub fn keys(&self) -> impl Iterator<Item = &Value> {
        self.iter().map(|(key, _)| key)
    }

    /// A single entry becomes the first of several.
    fn become_vector(&mut self) {
        if let Table::One(entry) = std::mem::take(self) {
            let mut entries = Vec::with_capacity(FIRST);
            entries.extend(entry);
            *self = Table::Small(entries);
        }
    }

    /// The entries of a vector that has become too long.
    fn large(entries: &mut Vec<(Value, V)>) -> Self {
        let mut hashed = Box::<Hashed<V>>::default();
        if entries.iter().all(|(key, _)| matches!(key, Value::Int(_))) {
            for (key, value) in entries.drain(..) {
                let Value::Int(word) = key else { unreachable!("all are words") };
                hashed.insert(word, value);
            }
            return Table::Hashed(hashed);
        }
        Table::Tree(entries.drain(..).collect())
    }

    /// The tree that it is from now on.
    fn tree_mut(&mut self) -> &mut Tree<V> {
        if !matches!(self, Table::Tree(_)) {
            *self = Table::Tree(match std::mem::take(self) {
                Table::Hashed(hashed) => hashed.into_tree(),
                Table::One(entry) => entry.into_iter().collect(),
                Table::Small(entries) => entries.into_iter().collect(),
                Table::Tree(tree) => tree,
            });
        }
        let Table::Tree(tree) = self else { unreachable!("it has just become one") };
        tree
    }
}

/// The entries of a table in order.
pub enum Iter<'a, V: Clone> {
    Small(std::slice::Iter<'a, (Value, V)>),
    Tree(imbl::ordmap::Iter<'a, Value, V, RcK>),
}

impl<'a, V: Clone> Iterator for Iter<'a, V> {
    type Item = (&'a Value, &'a V);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Iter::Small(entries) => entries.next().map(|(key, value)| (key, value)),
            Iter::Tree(entries) => entries.next(),
        }
    }
}

impl<V: Clone> FromIterator<(Value, V)> for Table<V> {
    fn from_iter<I: IntoIterator<Item = (Value, V)>>(entries: I) -> Self {
        let mut table = Table::default();
        for (key, value) in entries {
            table.insert(key, value);
        }
        table
    }
}

fn find<V>(entries: &[(Value, V)], key: &Value) -> Result<usize, usize> {
    entries.binary_search_by(|(other, _)| other.cmp(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A map and what it should be.
    #[derive(Clone, Default)]
    struct Pair {
        table: Table<Value>,
        model: BTreeMap<Value, Value>,
    }

    impl Pair {
        /// One of the operations, by number, on one of a few dozen keys.
        fn apply(&mut self, choice: u64, key: Value, value: Value) {
            match choice {
                0..12 => {
                    self.table.insert(key.clone(), value.clone());
                    self.model.insert(key, value);
                }
                12..15 => {
                    self.table.remove(&key);
                    self.model.remove(&key);
                }
                _ => {
                    self.table.retain(|other| *other != key);
                    self.model.retain(|other, _| *other != key);
                }
            }
        }

        fn check(&self, key: &Value, whole: bool) {
            assert_eq!(self.table.len(), self.model.len());
            assert_eq!(self.table.get(key), self.model.get(key));
            assert_eq!(self.table.all(|other| other != key), !self.model.contains_key(key));
            if whole {
                assert!(self.table.iter().eq(self.model.iter()), "{:?} is {:?}", self.table, self.model);
            }
        }
    }

    /// Random operations on several versions of a map, some of which are asked for their order.
    #[test]
    fn every_form_agrees_with_an_ordered_map() {
        let (mut hashed, mut trees) = (0, 0);
        for seed in 1..400_u64 {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut random = |below: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % below
            };
            let mut versions = vec![Pair::default()];
            for step in 0..300 {
                let at = random(versions.len() as u64) as usize;
                // In some runs a key is wider than a word, or versions are copied and compared all the time.
                let key = match random(60) {
                    0 if seed % 3 == 0 => crate::value::int::from_time(u128::from(u64::MAX) + u128::from(seed)),
                    number => Value::Int((number as i64 - 20) << (seed % 40)),
                };
                versions[at].apply(random(16), key.clone(), Value::Int(step));
                versions[at].check(&key, seed % 4 == 0 && random(20) == 0);
                if seed % 2 == 0 && random(40) == 0 {
                    let copy = versions[at].clone();
                    versions.push(copy);
                }
            }
            for version in &versions {
                hashed += u32::from(matches!(version.table, Table::Hashed(_)));
                trees += u32::from(matches!(version.table, Table::Tree(_)));
                version.check(&Value::Int(0), true);
            }
        }
        assert!(hashed > 50 && trees > 50, "{hashed} were hashed, {trees} trees");
    }
}
