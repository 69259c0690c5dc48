//! What the other sides of a branch may do, as a constant of the module.

use super::effects::{Effects, Locks};
use super::object::{Base, Object};
use std::collections::BTreeSet;

/// How many values a branch can hand over: parameters and variables of its function.
pub const SLOTS: usize = 3;
/// The locks that can be told apart; the last bit stands for all.
const MOST_LOCKS: usize = 62;

/// The words of an entry, as constant expressions, for a branch whose sides meet at a place with this number. `parameters` are
/// the names of the function's parameters, and `slots` the values that the branch hands over.
pub fn entry(
    effects: &Effects,
    join: u64,
    parameters: &[String],
    slots: &mut Vec<String>,
    decided_by: Option<&[(Object, u64)]>,
) -> Vec<String> {
    let mut making = Making { slots, locks: Vec::new(), parameters };
    let known = (!effects.unknown).then(|| making.known(effects)).flatten();
    let (flags, body) = match known {
        Some((counts, body)) => ((u64::from(effects.blocks)) << 1, [counts, body].concat()),
        None => (1, vec!["0".to_owned(); 3]),
    };
    let mut words = vec![(body.len() + 3).to_string(), join.to_string(), flags.to_string()];
    words.extend(body);
    words.extend(making.deciding(decided_by));
    words[0] = words.len().to_string();
    words
}

struct Making<'a> {
    slots: &'a mut Vec<String>,
    locks: Vec<Object>,
    parameters: &'a [String],
}

impl Making<'_> {
    fn known(&mut self, effects: &Effects) -> Option<(Vec<String>, Vec<String>)> {
        let states = effects.accesses.iter().map(|access| &access.locks).chain(&effects.paths);
        let all: BTreeSet<Object> =
            states.flat_map(|state| state.acquired.iter().chain(&state.released)).cloned().collect();
        self.locks = all.into_iter().collect();
        let mut body = Vec::new();
        for lock in self.locks.clone() {
            body.extend(self.object(&lock, 0)?);
        }
        for access in &effects.accesses {
            let kind = u64::from(access.writes) << 8 | u64::from(access.atomic) << 9;
            body.extend(self.object(&access.object, kind)?);
            body.push(access.size.clone());
            body.extend(self.masks(&access.locks));
        }
        effects.paths.iter().for_each(|path| body.extend(self.masks(path)));
        let counts = [self.locks.len(), effects.accesses.len(), effects.paths.len()].map(|count| count.to_string());
        (self.locks.len() <= MOST_LOCKS).then(|| (counts.to_vec(), body))
    }

    /// The address, and the slot that it is to be added to, counted from 1.
    fn object(&mut self, object: &Object, kind: u64) -> Option<[String; 2]> {
        let name = match &object.base {
            Base::Constant(_) => return Some([object.number(), kind.to_string()]),
            Base::Parameter(number) => self.parameters.get(*number)?.clone(),
            Base::Local(name) => name.clone(),
        };
        let at = self.slots.iter().position(|slot| *slot == name).unwrap_or_else(|| {
            self.slots.push(name);
            self.slots.len() - 1
        });
        (at < SLOTS).then(|| [object.number(), (kind | (at as u64 + 1)).to_string()])
    }

    /// What decides the branch: one more than how many parts of memory, and each with its size.
    fn deciding(&mut self, decided_by: Option<&[(Object, u64)]>) -> Vec<String> {
        let part = |(object, size): &(Object, u64)| Some([&self.object(object, 0)?[..], &[size.to_string()]].concat());
        match decided_by.and_then(|parts| parts.iter().map(part).collect::<Option<Vec<_>>>()) {
            Some(parts) => [vec![(parts.len() + 1).to_string()], parts.concat()].concat(),
            None => vec!["0".to_owned()],
        }
    }

    fn masks(&self, state: &Locks) -> [String; 2] {
        let mask = |set: &BTreeSet<Object>| {
            self.locks
                .iter()
                .enumerate()
                .filter(|(_, lock)| set.contains(lock))
                .fold(0_u64, |mask, (at, _)| mask | 1 << at)
        };
        let any = u64::from(state.released_any) << MOST_LOCKS;
        [mask(&state.acquired).to_string(), (mask(&state.released) | any).to_string()]
    }
}
