//! Sets that are described rather than listed, and what can be said of them without listing.

use super::value::{Set, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The elements of a set that is described but has no more than so many.
pub fn listed(set: &Set, most: usize) -> Option<Vec<Value>> {
    let values = match set {
        Set::Finite(values) => values.to_vec(),
        Set::Subsets(of) => subsets(&listed(of, most)?, most)?,
        Set::Maps(keys, to) => maps(&listed(keys, most)?, &listed(to, most)?, most)?,
        Set::Tuples(sets) => {
            let columns = sets.iter().map(|s| listed(s, most)).collect::<Option<Vec<_>>>()?;
            rows(&columns, most)?.into_iter().map(|row| Value::Tuple(row.into())).collect()
        }
        Set::Either(a, b) => listed(a, most)?.into_iter().chain(listed(b, most)?).collect(),
        Set::Without(a, b) => listed(a, most)?.into_iter().filter(|v| !b.contains(v)).collect(),
        Set::Seqs(of) if listed(of, most)?.is_empty() => vec![super::Seq::of(Vec::new())],
        _ => return None,
    };
    let Set::Finite(values) = Set::of(values) else { return None };
    Some(values.to_vec())
}

fn subsets(items: &[Value], most: usize) -> Option<Vec<Value>> {
    if items.len() > 24 || 1usize << items.len() > most {
        return None;
    }
    let subset = |bits: usize| {
        let chosen = items.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, v)| v.clone());
        Value::Set(Set::of(chosen.collect()))
    };
    Some((0..1usize << items.len()).map(subset).collect())
}

/// All maps from some of the keys to values.
fn maps(keys: &[Value], to: &[Value], most: usize) -> Option<Vec<Value>> {
    let mut all: Vec<BTreeMap<Value, Value>> = vec![BTreeMap::new()];
    for key in keys {
        if all.len().saturating_mul(to.len() + 1) > most {
            return None;
        }
        let with = |map: &BTreeMap<Value, Value>, v: &Value| {
            let mut map = map.clone();
            map.insert(key.clone(), v.clone());
            map
        };
        let more: Vec<_> = all.iter().flat_map(|map| to.iter().map(move |v| with(map, v))).collect();
        all.extend(more);
    }
    Some(all.into_iter().map(|map| Value::Map(Rc::new(map))).collect())
}

fn rows(columns: &[Vec<Value>], most: usize) -> Option<Vec<Vec<Value>>> {
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for column in columns {
        if rows.len().saturating_mul(column.len()) > most {
            return None;
        }
        let extend = |row: &Vec<Value>, v: &Value| row.iter().cloned().chain([v.clone()]).collect();
        rows = rows.iter().flat_map(|row| column.iter().map(move |v| extend(row, v))).collect();
    }
    Some(rows)
}

pub fn union(a: &Set, b: &Set) -> Set {
    match (a, b) {
        (Set::Finite(x), Set::Finite(y)) => Set::of(x.iter().chain(y.iter()).cloned().collect()),
        (Set::Ints, _) | (_, Set::Ints) => Set::Ints,
        (Set::IntsFrom(x), Set::IntsFrom(y)) => Set::IntsFrom(*x.min(y)),
        (Set::Finite(x), other) | (other, Set::Finite(x)) if x.iter().all(|v| other.contains(v)) => other.clone(),
        (Set::Finite(x), Set::IntsFrom(n)) | (Set::IntsFrom(n), Set::Finite(x)) => {
            grown(x, *n).unwrap_or_else(|| Set::Either(Rc::new(Set::Finite(x.clone())), Rc::new(Set::IntsFrom(*n))))
        }
        _ if Value::Set(a.clone()) == Value::Set(b.clone()) => a.clone(),
        _ => Set::Either(Rc::new(a.clone()), Rc::new(b.clone())),
    }
}

/// The integers from `n` on with some more just below them.
fn grown(more: &[Value], mut n: i64) -> Option<Set> {
    let mut below = 0;
    for value in more.iter().rev() {
        match value {
            Value::Int(m) if *m >= n => {}
            Value::Int(m) if *m == n - 1 => {
                n -= 1;
                below += 1;
            }
            _ => return None,
        }
    }
    (below > 0).then_some(Set::IntsFrom(n))
}

pub fn intersection(a: &Set, b: &Set) -> Set {
    match (a, b) {
        (Set::Finite(x), other) | (other, Set::Finite(x)) => {
            Set::of(x.iter().filter(|v| other.contains(v)).cloned().collect())
        }
        (Set::Ints, other @ Set::IntsFrom(_)) | (other @ Set::IntsFrom(_), Set::Ints) => other.clone(),
        (Set::IntsFrom(x), Set::IntsFrom(y)) => Set::IntsFrom(*x.max(y)),
        (Set::Seqs(x), Set::Seqs(y)) => Set::Seqs(Rc::new(intersection(x, y))),
        (Set::Subsets(x), Set::Subsets(y)) => Set::Subsets(Rc::new(intersection(x, y))),
        _ if Value::Set(a.clone()) == Value::Set(b.clone()) => a.clone(),
        // What is in the first and not outside the second.
        _ => {
            let outside = Set::Without(Rc::new(a.clone()), Rc::new(b.clone()));
            Set::Without(Rc::new(a.clone()), Rc::new(outside))
        }
    }
}

pub fn difference(a: &Set, b: &Set) -> Set {
    match (a, b) {
        (Set::Finite(x), _) => Set::of(x.iter().filter(|v| !b.contains(v)).cloned().collect()),
        (Set::IntsFrom(_), Set::Ints) => Set::of(Vec::new()),
        (Set::IntsFrom(x), Set::IntsFrom(y)) => Set::of((*x..*y).map(Value::Int).collect()),
        (_, Set::Finite(y)) if y.is_empty() => a.clone(),
        _ if Value::Set(a.clone()) == Value::Set(b.clone()) => Set::of(Vec::new()),
        _ => Set::Without(Rc::new(a.clone()), Rc::new(b.clone())),
    }
}

/// Whether the set is empty, if that can be told.
pub fn is_empty(set: &Set) -> Option<bool> {
    match set {
        Set::Finite(values) => Some(values.is_empty()),
        Set::Ints | Set::IntsFrom(_) | Set::Chars | Set::Procs => Some(false),
        // The empty sequence, set or map is always there.
        Set::Seqs(_) | Set::Subsets(_) | Set::Maps(..) | Set::Recursive(_) => Some(false),
        Set::Tuples(sets) => {
            let parts = sets.iter().map(is_empty).collect::<Option<Vec<_>>>()?;
            Some(parts.contains(&true))
        }
        Set::Either(a, b) => Some(is_empty(a)? && is_empty(b)?),
        // An infinite set without finitely many elements is not empty.
        Set::Without(a, b) => match (&**a, &**b) {
            (Set::Ints | Set::IntsFrom(_), Set::Finite(_)) => Some(false),
            _ => None,
        },
    }
}
