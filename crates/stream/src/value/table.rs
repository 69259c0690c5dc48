//! Sets and maps, ordered by key so that every result is the same in every run.
//!
//! Up to [`SMALL`] entries live in a sorted vector, which fits a lockset and costs no allocation to update.
//! Larger tables are trees that share structure: an update in place when no one else holds the old version,
//! logarithmic otherwise.
use super::Value;
use imbl::GenericOrdMap;
use imbl::shared_ptr::RcK;

/// The largest table kept as a vector.
pub const SMALL: usize = 16;

#[derive(Clone, Debug)]
pub enum Table<V: Clone> {
    Small(Vec<(Value, V)>),
    Large(GenericOrdMap<Value, V, RcK>),
}

impl<V: Clone> Default for Table<V> {
    fn default() -> Self {
        Table::Small(Vec::new())
    }
}

impl<V: Clone> Table<V> {
    pub fn len(&self) -> usize {
        match self {
            Table::Small(entries) => entries.len(),
            Table::Large(tree) => tree.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, key: &Value) -> Option<&V> {
        match self {
            Table::Small(entries) => find(entries, key).ok().map(|at| &entries[at].1),
            Table::Large(tree) => tree.get(key),
        }
    }

    pub fn contains(&self, key: &Value) -> bool {
        self.get(key).is_some()
    }

    pub fn insert(&mut self, key: Value, value: V) {
        match self {
            Table::Small(entries) => match find(entries, &key) {
                Ok(at) => entries[at].1 = value,
                Err(at) if entries.len() < SMALL => entries.insert(at, (key, value)),
                Err(_) => {
                    let mut tree: GenericOrdMap<Value, V, RcK> = entries.drain(..).collect();
                    tree.insert(key, value);
                    *self = Table::Large(tree);
                }
            },
            Table::Large(tree) => {
                tree.insert(key, value);
            }
        }
    }

    pub fn remove(&mut self, key: &Value) {
        match self {
            Table::Small(entries) => {
                if let Ok(at) = find(entries, key) {
                    entries.remove(at);
                }
            }
            Table::Large(tree) => {
                tree.remove(key);
            }
        }
    }

    /// Keeps the entries whose key passes.
    pub fn retain(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        match self {
            Table::Small(entries) => entries.retain(|(key, _)| keep(key)),
            Table::Large(tree) => {
                let gone: Vec<Value> = tree.keys().filter(|key| !keep(key)).cloned().collect();
                for key in gone {
                    tree.remove(&key);
                }
            }
        }
    }

    pub fn iter(&self) -> Iter<'_, V> {
        match self {
            Table::Small(entries) => Iter::Small(entries.iter()),
            Table::Large(tree) => Iter::Large(tree.iter()),
        }
    }

    pub fn keys(&self) -> impl Iterator<Item = &Value> {
        self.iter().map(|(key, _)| key)
    }
}

/// The entries of a table in order.
pub enum Iter<'a, V: Clone> {
    Small(std::slice::Iter<'a, (Value, V)>),
    Large(imbl::ordmap::Iter<'a, Value, V, RcK>),
}

impl<'a, V: Clone> Iterator for Iter<'a, V> {
    type Item = (&'a Value, &'a V);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Iter::Small(entries) => entries.next().map(|(key, value)| (key, value)),
            Iter::Large(entries) => entries.next(),
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
