//! The spaces that are searched: a product by itself, and a product beside a normalised specification.

use super::reduce::Reducer;
use super::search::Space;
use crate::compress::normal::{NOWHERE, Norm};
use crate::machine::event::{Event, TAU, TICK};
use crate::machine::packed::Packed;
use crate::machine::plan::Found;
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
    /// Every step may be taken, and leads where the product says.
    permissive: bool,
    /// Which rules terminate the process.
    ticks: Vec<bool>,
    /// Rules that yield to silent steps; empty if none do.
    held: Vec<bool>,
    reducer: Option<Reducer>,
}

pub struct Scratch<const W: usize> {
    found: Found<W>,
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
        let allowed: Vec<bool> = match &question {
            Question::Refines(norm, _) if norm.nodes.len() == 1 => {
                let allows = |&c: &u32| c == SILENT || c != UNKNOWN && norm.step(0, c as usize) == 0;
                columns.iter().map(allows).collect()
            }
            _ => Vec::new(),
        };
        let ticks: Vec<bool> = events().map(|e| e == TICK).collect();
        let held = if held.is_empty() { Vec::new() } else { events().map(|e| held.contains(&e)).collect() };
        let permissive = match &question {
            Question::Nothing => true,
            Question::Progress => false,
            Question::Refines(norm, _) => norm.nodes.len() == 1 && allowed.iter().all(|&a| a),
        };
        ProductSpace { packed, question, columns, allowed, permissive, ticks, held, reducer }
    }

    pub fn is_silent(&self, rule: u32) -> bool {
        self.columns[rule as usize] == SILENT
    }

    /// Calls `out` with every step.
    pub fn steps<const W: usize>(&self, key: &[u64; W], out: &mut impl FnMut(u32, [u64; W])) {
        let mut found = Found::default();
        self.find(key, &mut found);
        found.rules().iter().zip(found.next()).for_each(|(rule, next)| out(*rule, *next));
    }

    /// Every step, silent ones alone where they have priority.
    #[inline]
    fn find<const W: usize>(&self, key: &[u64; W], found: &mut Found<W>) {
        self.packed.find(key, found);
        if !self.held.is_empty() && found.rules().iter().any(|&rule| self.is_silent(rule)) {
            found.retain(|rule, next| (!self.held[rule as usize]).then_some(next));
        }
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

    #[inline]
    fn expand_all<const W: usize>(
        &self,
        key: &[u64; W],
        scratch: &mut Scratch<W>,
        out: &mut impl FnMut(&[[u64; W]]),
    ) -> Option<Breach> {
        let Scratch { found, offered, .. } = scratch;
        self.find(key, found);
        let node = self.node(key);
        // Before steps are left out: a refusal is about all of them.
        let refuses = self.checks_refusals(node) && self.refuses(node, found.rules(), offered);
        let mut breach = None;
        if !self.permissive {
            found.retain(|rule, next| {
                let after = self.follow(rule, node, next);
                if after.is_none() {
                    breach = breach.take().min_some(Breach::Event(rule));
                }
                after
            });
        }
        out(found.next());
        breach.or(refuses.then_some(Breach::Refusal))
    }

    /// Whether a state with these steps is stable and offers too little.
    fn refuses(&self, node: u32, rules: &[u32], offered: &mut [u64]) -> bool {
        offered.fill(0);
        for &rule in rules {
            match self.columns[rule as usize] {
                SILENT => return false,
                UNKNOWN => {}
                column => offered[column as usize / 64] |= 1 << (column % 64),
            }
        }
        !self.refusal_allowed(node, offered)
    }

    /// Explores only some steps, if what the question can see is the same.
    fn expand_some<const W: usize>(
        &self,
        reducer: &Reducer,
        key: &[u64; W],
        scratch: &mut Scratch<W>,
        seen: &impl Fn(&[u64; W]) -> bool,
        out: &mut impl FnMut(&[[u64; W]]),
    ) -> bool {
        let Scratch { found, reduction, .. } = scratch;
        let Some(rules) = reducer.choose(self.packed, key, reduction) else { return false };
        self.packed.find(key, found);
        found.retain(|rule, next| rules.contains(rule).then_some(next));
        // A deadlock is never put off by a set that leaves others out, even round a loop; everything else could be.
        let enough = matches!(self.question, Question::Progress) || !found.next().iter().all(seen);
        if enough {
            out(found.next());
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
    type Scratch = Scratch<W>;

    fn initial(&self) -> [u64; W] {
        self.packed.first()
    }

    fn looks_back(&self) -> bool {
        self.reducer.is_some()
    }

    fn scratch(&self) -> Scratch<W> {
        let columns = match &self.question {
            Question::Refines(norm, _) => norm.events.len(),
            _ => 0,
        };
        let reduction = super::reduce::Room::new(self.packed);
        Scratch { found: Found::default(), offered: vec![0; columns.div_ceil(64)], reduction }
    }

    #[inline]
    fn expand(
        &self,
        key: &[u64; W],
        scratch: &mut Scratch<W>,
        seen: &impl Fn(&[u64; W]) -> bool,
        out: &mut impl FnMut(&[[u64; W]]),
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
            Question::Progress => self.expand_progress(key, scratch, out),
            _ => self.expand_all(key, scratch, out),
        }
    }
}

impl ProductSpace<'_> {
    /// As `expand_all`, but nothing after termination matters.
    fn expand_progress<const W: usize>(
        &self,
        key: &[u64; W],
        scratch: &mut Scratch<W>,
        out: &mut impl FnMut(&[[u64; W]]),
    ) -> Option<Breach> {
        let found = &mut scratch.found;
        self.find(key, found);
        if found.rules().is_empty() {
            return Some(Breach::Deadlock);
        }
        if found.rules().iter().any(|&rule| self.ticks[rule as usize]) {
            found.retain(|rule, next| (!self.ticks[rule as usize]).then_some(next));
        }
        out(found.next());
        None
    }
}
