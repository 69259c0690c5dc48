//! What code may do: accesses with the locks taken and given back before them, and what holds at its end.

use super::call::{Access, Call, accesses};
use super::flow::{Flow, is_return};
use super::library::{Does, does, is_silent};
use super::object::{Base, Object, Values};
use crate::function::Function;
use std::collections::{BTreeMap, BTreeSet};

/// The locks that were taken and given back on a path. What was taken and not given back is held.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Locks {
    pub acquired: BTreeSet<Object>,
    pub released: BTreeSet<Object>,
    /// A lock was given back that is not known: it may be any.
    pub released_any: bool,
}

/// An access that may be made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MayAccess {
    pub object: Object,
    /// The number of bytes, as a constant expression.
    pub size: String,
    pub writes: bool,
    pub atomic: bool,
    pub locks: Locks,
}

/// What code may do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    pub accesses: BTreeSet<MayAccess>,
    /// How the paths to its end change the locks that are held.
    pub paths: BTreeSet<Locks>,
    /// It may block other than by taking a lock that is known.
    pub blocks: bool,
    /// It may do anything.
    pub unknown: bool,
}

/// Of the functions of a module that are known so far.
pub type Known = BTreeMap<String, Effects>;

/// The most paths that are told apart at one place; more are merged.
const MOST_PATHS: usize = 8;
/// Code with more accesses than these is unknown.
const MOST_ACCESSES: usize = 256;
/// The most blocks of a function that is looked into.
const MOST_BLOCKS: usize = 1000;

impl Locks {
    fn take(&mut self, lock: Object) {
        self.released.remove(&lock);
        self.acquired.insert(lock);
    }

    /// After this, the other.
    fn then(&self, other: &Self) -> Self {
        let held =
            |lock: &&Object| other.acquired.contains(lock) && !other.released.contains(lock) && !other.released_any;
        let released = self.released.iter().filter(|lock| !held(lock)).chain(&other.released).cloned().collect();
        let acquired = self.acquired.union(&other.acquired).cloned().collect();
        Self { acquired, released, released_any: self.released_any || other.released_any }
    }

    /// No more taken and no fewer given back than by either.
    fn merged(&self, other: &Self) -> Self {
        Self {
            acquired: self.acquired.intersection(&other.acquired).cloned().collect(),
            released: self.released.union(&other.released).cloned().collect(),
            released_any: self.released_any || other.released_any,
        }
    }

    fn substituted(&self, arguments: &[Option<Object>]) -> Self {
        let known = |lock: &Object| lock.substituted(arguments);
        let released: BTreeSet<_> = self.released.iter().filter_map(known).collect();
        let released_any = self.released_any || self.released.iter().any(|lock| known(lock).is_none());
        Self { acquired: self.acquired.iter().filter_map(known).collect(), released, released_any }
    }
}

impl Effects {
    /// Code of which nothing is known.
    pub fn unknown() -> Self {
        Self { unknown: true, ..Self::default() }
    }

    /// Nothing but going on.
    pub fn nothing() -> Self {
        Self { paths: [Locks::default()].into(), ..Self::default() }
    }

    /// Does it matter to nobody whether the code is run?
    pub fn is_nothing(&self) -> bool {
        let nothing = Self::nothing();
        *self == nothing || *self == Self { paths: BTreeSet::new(), ..nothing }
    }

    /// Either of both.
    pub fn or(mut self, other: &Self) -> Self {
        self.accesses.extend(other.accesses.iter().cloned());
        self.paths.extend(other.paths.iter().cloned());
        (self.blocks, self.unknown) = (self.blocks || other.blocks, self.unknown || other.unknown);
        self
    }
}

/// Follows the paths of a function.
pub struct Walk<'a> {
    pub function: &'a Function,
    pub flow: &'a Flow,
    pub values: &'a Values<'a>,
    pub globals: &'a BTreeMap<String, String>,
    pub known: &'a Known,
}

impl Walk<'_> {
    /// What the code from a block on may do, until another block, or until the function returns.
    pub fn effects(&self, from: usize, until: usize) -> Effects {
        let mut effects = Effects::default();
        let mut seen: BTreeMap<usize, BTreeSet<Locks>> = BTreeMap::new();
        let mut open = vec![(from, Locks::default())];
        while let Some((block, locks)) = open.pop() {
            if effects.unknown || effects.accesses.len() > MOST_ACCESSES || self.flow.next.len() > MOST_BLOCKS {
                return Effects::unknown();
            }
            if block == until {
                effects.paths.insert(locks);
                continue;
            }
            let states = seen.entry(block).or_default();
            if states.contains(&locks) {
                continue;
            }
            let locks = if states.len() < MOST_PATHS {
                locks
            } else {
                effects.blocks = true;
                states.iter().fold(locks, |merged, state| merged.merged(state))
            };
            if states.insert(locks.clone()) {
                open.extend(self.block(block, locks, until, &mut effects));
            }
        }
        merge_paths(&mut effects);
        effects
    }

    /// Goes through a block; the blocks behind it.
    fn block(&self, block: usize, locks: Locks, until: usize, effects: &mut Effects) -> Vec<(usize, Locks)> {
        let mut states = vec![locks];
        for line in &self.function.blocks[block].lines {
            states = states.into_iter().flat_map(|locks| self.line(line, locks, effects)).collect();
            if is_return(line) && until == self.flow.next.len() {
                effects.paths.extend(states.iter().cloned());
            }
        }
        let next = self.flow.next[block].iter();
        next.flat_map(|next| states.iter().map(move |locks| (*next, locks.clone()))).collect()
    }

    /// What a line does; the paths behind it.
    fn line(&self, line: &str, locks: Locks, effects: &mut Effects) -> Vec<Locks> {
        if let Some(made) = accesses(line) {
            made.iter().for_each(|access| self.access(access, &locks, effects));
            return vec![locks];
        }
        let Some(call) = Call::parse(line) else {
            effects.unknown |= is_strange(line);
            return vec![locks];
        };
        match call.name {
            Some(name) if is_silent(name) => vec![locks],
            Some(name) => match self.known.get(name) {
                Some(callee) => self.call(callee, &call, &locks, effects),
                None => self.library(name, &call, locks, effects),
            },
            None => {
                effects.unknown = true;
                vec![locks]
            }
        }
    }

    fn access(&self, access: &Access, locks: &Locks, effects: &mut Effects) {
        let &Access { ref address, size, writes, atomic } = access;
        match self.values.resolve(address).and_then(|object| Some((self.size(&object, size)?, object))) {
            Some((size, object)) => {
                effects.accesses.insert(MayAccess { object, size, writes, atomic, locks: locks.clone() });
            }
            None => effects.unknown = true,
        }
    }

    /// How many bytes an access may touch, as a constant expression.
    pub fn size(&self, object: &Object, size: Option<u64>) -> Option<String> {
        match size {
            Some(size) if !object.somewhere => Some(size.to_string()),
            _ => {
                object.somewhere.then_some(())?;
                object.whole(self.globals, self.values)
            }
        }
    }

    fn call(&self, callee: &Effects, call: &Call<'_>, locks: &Locks, effects: &mut Effects) -> Vec<Locks> {
        let arguments: Vec<_> = call.arguments.iter().map(|(operand, _)| self.values.resolve(operand)).collect();
        effects.unknown |= callee.unknown;
        effects.blocks |= callee.blocks;
        for access in &callee.accesses {
            let locks = locks.then(&access.locks.substituted(&arguments));
            match access.object.substituted(&arguments) {
                Some(object) if !object.somewhere || access.object.somewhere => {
                    effects.accesses.insert(MayAccess { object, locks, ..access.clone() });
                }
                Some(object) => match object.whole(self.globals, self.values) {
                    Some(size) => drop(effects.accesses.insert(MayAccess { object, size, locks, ..access.clone() })),
                    None => effects.unknown = true,
                },
                None => effects.unknown = true,
            }
        }
        callee.paths.iter().map(|path| locks.then(&path.substituted(&arguments))).collect()
    }

    fn library(&self, name: &str, call: &Call<'_>, mut locks: Locks, effects: &mut Effects) -> Vec<Locks> {
        let lock = || call.arguments.first().and_then(|(operand, _)| self.values.resolve(operand));
        match does(name) {
            Some(Does::Locks) => match lock().filter(|lock| !lock.somewhere) {
                Some(lock) => locks.take(lock),
                None => effects.blocks = true,
            },
            Some(Does::Unlocks) => match lock().filter(|lock| !lock.somewhere) {
                Some(lock) => drop(locks.released.insert(lock)),
                None => locks.released_any = true,
            },
            Some(Does::MayLock | Does::Waits) => effects.blocks = true,
            Some(Does::Nothing) => {}
            Some(Does::Reads | Does::Transfers) => {
                let is_private = |(operand, is_pointer): &(&str, bool)| {
                    !is_pointer || self.is_constant(operand) || self.values.is_stream(operand)
                };
                effects.unknown |= !call.arguments.iter().all(is_private);
            }
            Some(Does::Ends) => return Vec::new(),
            Some(Does::Fills) | None => effects.unknown = true,
        }
        vec![locks]
    }

    /// A string of the program, or nothing.
    fn is_constant(&self, operand: &str) -> bool {
        let literal =
            |text: &str| text.starts_with("@.str") || text.starts_with("@__PRETTY_FUNCTION__") || text == "null";
        let object = self.values.resolve(operand);
        literal(operand) || object.is_some_and(|object| matches!(&object.base, Base::Constant(text) if literal(text)))
    }
}

/// Does a line that is no ordinary call leave the ordinary course?
pub fn is_strange(line: &str) -> bool {
    let code = line.trim_start();
    let code = code.split_once(" = ").filter(|(result, _)| result.starts_with('%')).map_or(code, |(_, code)| code);
    let word = code.split(' ').next().unwrap_or_default();
    matches!(word, "invoke" | "callbr" | "indirectbr" | "resume" | "catchswitch" | "cleanupret" | "musttail")
        || code.contains("call void asm")
        || code.contains(" asm ")
        || ["@_setjmp", "@setjmp", "@__sigsetjmp", "@longjmp", "@siglongjmp"].iter().any(|name| code.contains(name))
}

fn merge_paths(effects: &mut Effects) {
    if effects.paths.len() > MOST_PATHS {
        effects.blocks = true;
        let merged = effects.paths.iter().cloned().reduce(|a, b| a.merged(&b));
        effects.paths = merged.into_iter().collect();
    }
}
