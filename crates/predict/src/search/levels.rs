//! The search, level by level.

use super::packing::{Key, Packing};
use super::stubborn::{Chooser, Uses};
use super::{Query, Searched, Visit, Wish};
use crate::budget::{Budget, Unknown};
use crate::model::{Op, Program, State};

type Visitor<'v> = dyn FnMut(Visit<'_>) -> Wish + 'v;

/// Packed states take up to this many words.
const MAX_WORDS: usize = 64;

pub(super) fn run(
    program: &Program,
    uses: &Uses,
    query: &Query,
    budget: &Budget,
    visitor: &mut Visitor<'_>,
) -> Searched {
    let packing = Packing::new(program, &query.caps);
    macro_rules! with_words {
        ($($words:literal)*) => {
            match packing.words() {
                $(words if words <= $words => Levels::<$words>::new(program, uses, query, packing).run(budget, visitor),)*
                _ => Searched { unknown: Some(Unknown::Threads(program.threads())), ..Searched::default() },
            }
        };
    }
    const _: () = assert!(MAX_WORDS == 64);
    with_words!(1 2 4 8 16 32 64)
}

struct Levels<'a, const N: usize> {
    program: &'a Program,
    query: &'a Query,
    packing: Packing,
    chooser: Chooser<'a>,
    /// The levels so far, or only the last.
    levels: Vec<Vec<Key<N>>>,
    /// Successors by the thread that took the step, and those whose limits changed.
    next: Vec<Vec<Key<N>>>,
    changed: Vec<Key<N>>,
    state: State,
    ready: Vec<usize>,
}

impl<'a, const N: usize> Levels<'a, N> {
    fn new(program: &'a Program, uses: &'a Uses, query: &'a Query, packing: Packing) -> Self {
        let levels = vec![vec![packing.pack(&query.start)]];
        let next = vec![Vec::new(); program.threads()];
        let chooser = Chooser::new(program, uses, query);
        let state = query.start.clone();
        Self { program, query, packing, chooser, levels, next, changed: Vec::new(), state, ready: Vec::new() }
    }

    fn run(mut self, budget: &Budget, visitor: &mut Visitor<'_>) -> Searched {
        let mut searched = Searched::default();
        let mut kept = 0;
        while !self.level().is_empty() {
            kept = if self.query.paths { kept } else { 0 } + size_of_val(self.level()) as u64;
            if self.visit_level(visitor, &mut searched) {
                return searched;
            }
            self.merge();
            if let Some(why) = budget.spent(searched.states, kept) {
                searched.unknown = (!self.level().is_empty()).then_some(why);
                return searched;
            }
        }
        searched
    }

    fn level(&self) -> &[Key<N>] {
        self.levels.last().expect("there is always a level")
    }

    /// Visits the states of the last level; true if the visitor wants no more.
    fn visit_level(&mut self, visitor: &mut Visitor<'_>, searched: &mut Searched) -> bool {
        for index in 0..self.level().len() {
            let key = self.level()[index];
            searched.states += 1;
            let wish = self.visit(&key, visitor);
            if wish != Wish::More && self.query.paths {
                searched.paths.push(self.path(&key));
            }
            if wish == Wish::PathAndStop {
                return true;
            }
        }
        false
    }

    /// Shows a state and collects its successors.
    fn visit(&mut self, key: &Key<N>, visitor: &mut Visitor<'_>) -> Wish {
        self.packing.unpack(key, &mut self.state);
        self.ready.clear();
        let (program, state, caps) = (self.program, &self.state, &self.query.caps);
        self.ready.extend((0..program.threads()).filter(|&t| state.cut[t] < caps[t] && program.ready(state, t)));
        let wish = visitor(Visit { state: &self.state, dead: self.ready.is_empty() });
        self.chooser.choose(&self.state, &mut self.ready);
        for index in 0..self.ready.len() {
            self.follow(key, self.ready[index]);
        }
        wish
    }

    #[inline]
    fn follow(&mut self, key: &Key<N>, thread: usize) {
        let (at, position) = (self.state.at, self.state.cut[thread]);
        let op = self.program.chain(thread).ops[position as usize];
        if matches!(op, Op::Signal { .. }) || self.program.next_at(at, thread, position) != at {
            let mut state = self.state.clone();
            self.program.step(&mut state, thread);
            self.changed.push(self.packing.pack(&state));
        } else {
            self.next[thread].push(self.packing.advance(*key, thread));
        }
    }

    /// Merges the successors into the next level.
    fn merge(&mut self) {
        self.changed.sort_unstable();
        let mut level = if self.query.paths { Vec::new() } else { self.levels.pop().expect("there is always a level") };
        let mut lists: Vec<&[Key<N>]> = self.next.iter().chain([&self.changed]).map(Vec::as_slice).collect();
        lists.retain(|list| !list.is_empty());
        merge_all(&lists, &mut level);
        self.levels.push(level);
        self.next.iter_mut().for_each(Vec::clear);
        self.changed.clear();
    }

    /// The threads that take the steps from the start to a state of the last level.
    fn path(&self, key: &Key<N>) -> Vec<u32> {
        let mut path = Vec::with_capacity(self.levels.len());
        let mut key = *key;
        for level in self.levels.iter().rev().skip(1) {
            let (before, thread) = self.before(level, &key).expect("every state has a predecessor");
            path.push(thread as u32);
            key = before;
        }
        path.reverse();
        path
    }

    /// A state of a level from which one step leads to the given one.
    fn before(&self, level: &[Key<N>], key: &Key<N>) -> Option<(Key<N>, usize)> {
        let mut after = self.query.start.clone();
        self.packing.unpack(key, &mut after);
        let same_limits = (0..self.program.threads()).find_map(|thread| {
            let mut before = after.clone();
            before.cut[thread] = before.cut[thread].checked_sub(1)?;
            self.program.at_before(after.at, thread, before.cut[thread]).find_map(|at| {
                before.at = at;
                let packed = self.packing.pack(&before);
                let is_before = level.binary_search(&packed).is_ok() && self.leads(&before, thread, &after);
                is_before.then_some((packed, thread))
            })
        });
        same_limits.or_else(|| self.before_signal(level, &after))
    }

    /// The same for a step that changed limits.
    fn before_signal(&self, level: &[Key<N>], after: &State) -> Option<(Key<N>, usize)> {
        let mut before = after.clone();
        level.iter().find_map(|key| {
            self.packing.unpack(key, &mut before);
            let thread = (0..self.program.threads()).find(|&thread| self.leads(&before, thread, after))?;
            Some((*key, thread))
        })
    }

    fn leads(&self, before: &State, thread: usize, after: &State) -> bool {
        if before.cut[thread] + 1 != after.cut[thread] || !self.program.ready(before, thread) {
            return false;
        }
        let mut reached = before.clone();
        self.program.step(&mut reached, thread);
        reached == *after
    }
}

/// Merges sorted lists into one without repetition.
fn merge_all<const N: usize>(lists: &[&[Key<N>]], out: &mut Vec<Key<N>>) {
    out.clear();
    match lists {
        [] => {}
        [only] => out.extend_from_slice(only),
        [one, other] => merge_two(one, other, out),
        lists => {
            let (left, right) = lists.split_at(lists.len() / 2);
            let (mut one, mut other) = (Vec::new(), Vec::new());
            merge_all(left, &mut one);
            merge_all(right, &mut other);
            merge_two(&one, &other, out);
        }
    }
    out.dedup();
}

fn merge_two<const N: usize>(one: &[Key<N>], other: &[Key<N>], out: &mut Vec<Key<N>>) {
    out.reserve(one.len() + other.len());
    let (mut i, mut j) = (0, 0);
    while i < one.len() && j < other.len() {
        let (a, b) = (one[i], other[j]);
        i += usize::from(a <= b);
        j += usize::from(b <= a);
        out.push(a.min(b));
    }
    out.extend_from_slice(&one[i..]);
    out.extend_from_slice(&other[j..]);
}
