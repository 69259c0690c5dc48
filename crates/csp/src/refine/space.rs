//! The spaces that are searched: a product by itself, and a product beside a normalised specification.

use super::normal::{NOWHERE, Norm};
use super::reduce::Reducer;
use super::search::Space;
use crate::machine::event::{Event, TAU, TICK};
use crate::machine::product::Packed;
use crate::syntax::token::Model;

/// What is asked of each state.
pub enum Question<'a> {
    /// Nothing: the space is only explored.
    Nothing,
    /// It can do something, or has terminated.
    Progress,
    /// It does and refuses only what the specification may.
    Refines(&'a Norm, Model),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breach {
    /// The rule whose event the specification does not allow.
    Event(u32),
    /// A stable state offers too little.
    Refusal,
    Deadlock,
}

/// Marks a label that is silent, or that the specification never does.
const SILENT: u32 = u32::MAX;
const UNKNOWN: u32 = u32::MAX - 1;

pub struct ProductSpace<'a> {
    pub packed: &'a Packed,
    pub question: Question<'a>,
    /// The specification's column for the event of each rule.
    columns: Vec<u32>,
    /// Which rules the specification allows, if it has but one node.
    allowed: Vec<bool>,
    /// Which rules terminate the process.
    ticks: Vec<bool>,
    /// Rules that yield to silent steps; empty if none do.
    held: Vec<bool>,
    reducer: Option<Reducer>,
}

pub struct Scratch {
    offered: Vec<u64>,
    reduction: super::reduce::Room,
}

impl<'a> ProductSpace<'a> {
    pub fn new(packed: &'a Packed, question: Question<'a>, held: &[Event], reducer: Option<Reducer>) -> Self {
        let column = |e: &Event| match &question {
            _ if *e == TAU => SILENT,
            Question::Refines(norm, _) => norm.events.binary_search(e).map_or(UNKNOWN, |c| c as u32),
            _ => UNKNOWN,
        };
        let events = || packed.rules.iter().map(|r| packed.alphabet[r.label as usize]);
        let columns: Vec<u32> = events().map(|e| column(&e)).collect();
        let allowed = match &question {
            Question::Refines(norm, _) if norm.nodes.len() == 1 => {
                let allows = |&c: &u32| c == SILENT || c != UNKNOWN && norm.step(0, c as usize) == 0;
                columns.iter().map(allows).collect()
            }
            _ => Vec::new(),
        };
        let ticks = events().map(|e| e == TICK).collect();
        let held = if held.is_empty() { Vec::new() } else { events().map(|e| held.contains(&e)).collect() };
        ProductSpace { packed, question, columns, allowed, ticks, held, reducer }
    }

    pub fn is_silent(&self, rule: u32) -> bool {
        self.columns[rule as usize] == SILENT
    }

    /// Every step, silent ones alone where they have priority.
    #[inline(always)]
    pub fn steps<const W: usize>(&self, key: &[u64; W], out: &mut impl FnMut(u32, [u64; W])) {
        if self.held.is_empty() {
            return self.packed.successors(key, out);
        }
        let mut silent = false;
        self.packed.successors(key, &mut |rule, _| silent |= self.is_silent(rule));
        self.packed.successors(key, &mut |rule, next| {
            if !silent || !self.held[rule as usize] {
                out(rule, next);
            }
        });
    }

    /// The state after a step, with the specification's node in it; nothing if the specification forbids it.
    #[inline]
    pub fn follow<const W: usize>(&self, rule: u32, node: u32, mut next: [u64; W]) -> Option<[u64; W]> {
        if let Some(&allowed) = self.allowed.get(rule as usize) {
            return allowed.then_some(next);
        }
        let Question::Refines(norm, _) = &self.question else { return Some(next) };
        match self.columns[rule as usize] {
            SILENT => Some(next),
            UNKNOWN => None,
            column => match norm.step(node, column as usize) {
                NOWHERE => None,
                after => {
                    self.packed.extra.put(&mut next, after);
                    Some(next)
                }
            },
        }
    }

    pub fn node<const W: usize>(&self, key: &[u64; W]) -> u32 {
        match &self.question {
            Question::Refines(..) => self.packed.extra.get(key),
            _ => 0,
        }
    }

    fn checks_refusals(&self, node: u32) -> bool {
        match &self.question {
            Question::Refines(norm, model) => {
                let accepts = &norm.nodes[node as usize].acceptances;
                *model != Model::Traces && !accepts.iter().any(|a| a.0.iter().all(|&w| w == 0))
            }
            _ => false,
        }
    }

    fn refusal_allowed(&self, node: u32, offered: &[u64]) -> bool {
        let Question::Refines(norm, _) = &self.question else { return true };
        norm.nodes[node as usize].acceptances.iter().any(|a| a.is_subset(offered))
    }

    fn expand_all<const W: usize>(
        &self,
        key: &[u64; W],
        scratch: &mut Scratch,
        out: &mut impl FnMut([u64; W]),
    ) -> Option<Breach> {
        let node = self.node(key);
        let refusals = self.checks_refusals(node);
        let (mut breach, mut stable, mut steps) = (None, true, 0);
        if refusals {
            scratch.offered.fill(0);
        }
        self.steps(key, &mut |rule, next| {
            steps += 1;
            if refusals {
                let column = self.columns[rule as usize];
                stable &= column != SILENT;
                if column < UNKNOWN {
                    scratch.offered[column as usize / 64] |= 1 << (column % 64);
                }
            }
            match self.follow(rule, node, next) {
                Some(next) => out(next),
                None => breach = breach.take().min_some(Breach::Event(rule)),
            }
        });
        if steps == 0 && matches!(self.question, Question::Progress) {
            return Some(Breach::Deadlock);
        }
        if breach.is_none() && refusals && stable && !self.refusal_allowed(node, &scratch.offered) {
            return Some(Breach::Refusal);
        }
        breach
    }

    /// Explores only some steps, if what the question can see is the same.
    fn expand_some<const W: usize>(
        &self,
        reducer: &Reducer,
        key: &[u64; W],
        scratch: &mut Scratch,
        seen: &impl Fn(&[u64; W]) -> bool,
        out: &mut impl FnMut([u64; W]),
    ) -> bool {
        let Some(rules) = reducer.choose(self.packed, key, &mut scratch.reduction) else { return false };
        let mut fresh = false;
        let mut chosen: Vec<[u64; W]> = Vec::new();
        self.packed.successors(key, &mut |rule, next| {
            if rules.contains(rule) {
                fresh |= !seen(&next);
                chosen.push(next);
            }
        });
        // A deadlock is never put off by a set that leaves others out, even round a loop; everything else could be.
        let enough = fresh || matches!(self.question, Question::Progress);
        if enough {
            chosen.into_iter().for_each(out);
        }
        enough
    }
}

trait MinSome<T> {
    fn min_some(self, other: T) -> Option<T>;
}

impl<T: Ord> MinSome<T> for Option<T> {
    fn min_some(self, other: T) -> Option<T> {
        Some(match self {
            Some(mine) => mine.min(other),
            None => other,
        })
    }
}

impl<const W: usize> Space<W> for ProductSpace<'_> {
    type Breach = Breach;
    type Scratch = Scratch;

    fn initial(&self) -> [u64; W] {
        self.packed.first()
    }

    fn scratch(&self) -> Scratch {
        let columns = match &self.question {
            Question::Refines(norm, _) => norm.events.len(),
            _ => 0,
        };
        Scratch { offered: vec![0; columns.div_ceil(64)], reduction: super::reduce::Room::new(self.packed) }
    }

    #[inline]
    fn expand(
        &self,
        key: &[u64; W],
        scratch: &mut Scratch,
        seen: &impl Fn(&[u64; W]) -> bool,
        out: &mut impl FnMut([u64; W]),
    ) -> Option<Breach> {
        if let Question::Refines(norm, Model::FailuresDivergences) = &self.question
            && norm.nodes[self.node(key) as usize].divergent
        {
            return None;
        }
        if let Some(reducer) = &self.reducer
            && self.expand_some(reducer, key, scratch, seen, out)
        {
            return None;
        }
        match self.question {
            Question::Progress => self.expand_progress(key, out),
            _ => self.expand_all(key, scratch, out),
        }
    }
}

impl ProductSpace<'_> {
    /// As `expand_all`, but nothing after termination matters.
    fn expand_progress<const W: usize>(&self, key: &[u64; W], out: &mut impl FnMut([u64; W])) -> Option<Breach> {
        let mut steps = 0;
        self.steps(key, &mut |rule, next| {
            steps += 1;
            if !self.ticks[rule as usize] {
                out(next);
            }
        });
        (steps == 0).then_some(Breach::Deadlock)
    }
}
