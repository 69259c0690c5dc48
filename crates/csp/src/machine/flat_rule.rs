//! Rules ready to run. A rule is found through the component that leads it, the one that is ready for it least often.

use super::component::Machine;
use super::event::Event;
use super::product::Product;
use super::rules::{Comp, Rule, Target};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A rule ready to run.
pub struct FlatRule {
    /// What the outside sees, as a place in the alphabet; for rules of the root.
    pub label: u32,
    pub leader: (Comp, u32),
    pub others: Vec<(Comp, u32)>,
    /// Words to mask and to fill: switches.
    pub sets: Vec<(usize, u64, u64)>,
    /// The components it switches.
    pub switched: Vec<Comp>,
}

impl FlatRule {
    /// Completes the rule from its `at`th follower on, once for each combination of their steps.
    pub fn fire<const W: usize>(
        &self,
        machines: &[Machine],
        at: usize,
        key: &[u64; W],
        next: [u64; W],
        emit: &mut impl FnMut([u64; W]),
    ) {
        let Some(&(comp, local)) = self.others.get(at) else {
            let mut next = next;
            for &(word, keep, fill) in &self.sets {
                next[word] = next[word] & keep | fill;
            }
            return emit(next);
        };
        let machine = &machines[comp as usize];
        for step in machine.on(machine.field.get(key), local) {
            let mut next = next;
            next[machine.field.word] ^= step.delta;
            self.fire(machines, at + 1, key, next, emit);
        }
    }
}

/// What rules of a product are made ready with.
pub struct Flattening<'a> {
    pub product: &'a Product,
    pub machines: &'a [Machine],
    /// Each component's own events, numbered.
    pub locals: &'a [FxHashMap<Event, u32>],
    /// How often each component is ready for each of its events.
    pub ready: &'a [Vec<u64>],
}

impl Flattening<'_> {
    /// The rule, with its place in the alphabet if one is given.
    pub fn rule(&self, rule: &Rule, alphabet: Option<&[Event]>) -> FlatRule {
        let mut moves: Vec<(Comp, u32)> = rule.moves.iter().map(|&(c, e)| (c, self.locals[c as usize][&e])).collect();
        if moves.len() > 1 {
            moves.sort_by_key(|&(c, local)| (self.ready[c as usize][local as usize], c));
        }
        let place = |all: &[Event]| all.binary_search(&rule.result).expect("the alphabet has every result") as u32;
        let label = alphabet.map_or(0, place);
        let (sets, switched) = switches(rule, self.product, self.machines);
        FlatRule { label, leader: moves[0], others: moves[1..].to_vec(), sets, switched }
    }
}

/// The switches of a rule as masks, one a word; the last switch of a component counts.
fn switches(rule: &Rule, product: &Product, machines: &[Machine]) -> (Vec<(usize, u64, u64)>, Vec<Comp>) {
    let mut last: BTreeMap<Comp, Target> = BTreeMap::new();
    for &(c, target) in &rule.sets {
        last.insert(c, target);
    }
    let mut words: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    let mut put = |word: usize, mask: u64, value: u64| {
        let entry = words.entry(word).or_insert((!0, 0));
        entry.0 &= !mask;
        entry.1 |= value;
    };
    for (&c, &target) in &last {
        let machine = &machines[c as usize];
        let highest = machines.iter().map(|m| m.field.word + 1 + m.native().map_or(0, |n| n.0 + n.1)).max();
        let mut image = vec![0u64; highest.unwrap_or(1)];
        machine.switch(&mut image, &product.comps[c as usize], target);
        let field = machine.field;
        put(field.word, field.mask << field.shift, image[field.word]);
        if let Some((start, count, ..)) = machine.native() {
            (*start..start + count).for_each(|w| put(w, !0, image[w]));
        }
    }
    (words.into_iter().map(|(w, (keep, fill))| (w, keep, fill)).collect(), last.into_keys().collect())
}
