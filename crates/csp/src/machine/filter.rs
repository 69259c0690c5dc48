//! Priority, chase and deter of a whole composition, applied to each state as the search comes to it.

use super::event::{Event, TAU};
use super::plan::Found;
use super::product::{Filter, Kind, Product};
use super::term::Priorities;

/// A filter, compiled to the numbers of rules.
pub struct FlatFilter {
    /// For each rule of the root, the number of the event that it has at the filtered node.
    inner: Vec<u32>,
    silent: Option<u32>,
    how: How,
}

enum How {
    /// For each event, the events that hold it back, as bits.
    Priority(Vec<Vec<u64>>),
    Chase,
    Determined,
}

impl FlatFilter {
    /// A filter around the whole product: its rules are those of the root.
    pub fn around(filter: &Filter, product: &Product) -> Self {
        let inside = (0..product.root().rules.len()).map(|r| event_inside(product, filter.node, r)).collect();
        FlatFilter::new(&filter.kind, inside)
    }

    /// A filter of rules with these events.
    pub fn new(kind: &Kind, inside: Vec<Event>) -> Self {
        let mut events = inside.clone();
        events.sort();
        events.dedup();
        let number = |e: Event| events.binary_search(&e).ok().map(|n| n as u32);
        let how = match kind {
            Kind::Priority(order) => How::Priority(held_by(order, &events)),
            Kind::Chase => How::Chase,
            Kind::Determined => How::Determined,
        };
        let inner = inside.iter().map(|&e| number(e).expect("it was just numbered")).collect();
        FlatFilter { inner, silent: number(TAU), how }
    }

    pub fn apply<const W: usize>(&self, found: &mut Found<W>) {
        match &self.how {
            How::Priority(held_by) => self.prioritise(held_by, found),
            How::Chase => drop(self.chase(found)),
            How::Determined => {
                if !self.chase(found) {
                    self.one_each(found);
                }
            }
        }
    }

    fn prioritise<const W: usize>(&self, held_by: &[Vec<u64>], found: &mut Found<W>) {
        let mut enabled = vec![0u64; held_by.len().div_ceil(64)];
        for &rule in found.rules() {
            let event = self.inner[rule as usize];
            enabled[event as usize / 64] |= 1 << (event % 64);
        }
        let held = |rule: u32| {
            let over = &held_by[self.inner[rule as usize] as usize];
            over.iter().zip(&enabled).any(|(a, b)| a & b != 0)
        };
        found.retain(|rule, next| (!held(rule)).then_some(next));
    }

    /// Keeps one silent step; false if there is none.
    fn chase<const W: usize>(&self, found: &mut Found<W>) -> bool {
        let silent = |rule: u32| Some(self.inner[rule as usize]) == self.silent;
        let steps = found.rules().iter().zip(found.next());
        let Some(least) = steps.filter(|(r, _)| silent(**r)).map(|(_, next)| *next).min() else { return false };
        let mut kept = false;
        found.retain(|rule, next| {
            (silent(rule) && next == least && !std::mem::replace(&mut kept, true)).then_some(next)
        });
        true
    }

    fn one_each<const W: usize>(&self, found: &mut Found<W>) {
        let mut least: Vec<(u32, [u64; W])> =
            found.rules().iter().zip(found.next()).map(|(r, n)| (self.inner[*r as usize], *n)).collect();
        least.sort_unstable();
        least.dedup_by_key(|(e, _)| *e);
        found.retain(|rule, next| {
            let step = (self.inner[rule as usize], next);
            let at = least.iter().position(|l| *l == step)?;
            least.swap_remove(at);
            Some(next)
        });
    }
}

/// The event a rule of the root has at a node further in.
fn event_inside(product: &Product, node: usize, rule: usize) -> Event {
    let (mut at, mut rule) = (product.root, rule);
    while at != node {
        let here = &product.nodes[at];
        rule = here.rules[rule].from[0].1 as usize;
        at = here.children[0];
    }
    product.nodes[at].rules[rule].result
}

fn held_by(order: &Priorities, events: &[Event]) -> Vec<Vec<u64>> {
    let mut out = vec![vec![0u64; events.len().div_ceil(64)]; events.len()];
    for (low, over) in &order.below {
        let Ok(low) = events.binary_search(low) else { continue };
        for n in over.iter().filter_map(|e| events.binary_search(e).ok()) {
            out[low][n / 64] |= 1 << (n % 64);
        }
    }
    out
}
