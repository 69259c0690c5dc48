//! Priority, chase and deter of parts of a composition, applied as the search comes to each state.
//!
//! Which steps a restricted part may take depends on that part alone: its own rules are tried in the state at hand, the
//! filter chooses among them, and a step of the whole is kept if the part does not move in it, or moves as it may.

use super::component::Machine;
use super::filter::FlatFilter;
use super::flat_rule::FlatRule;
use super::plan::{Found, Plan};
use super::product::{Filter, Product};
use super::rules::{Comp, Rule};
use std::ops::Range;

/// The rule of a part that does not move.
const STILL: u32 = u32::MAX;

#[derive(Default)]
pub struct Restrictions {
    parts: Vec<Part>,
    /// The outermost parts, as the root sees them.
    outermost: Vec<View>,
}

/// A restricted part with its own rules.
struct Part {
    plan: Plan,
    rules: Vec<FlatRule>,
    filter: FlatFilter,
    /// The bits of a state that are the part's.
    mask: Vec<u64>,
    /// Restricted parts inside it.
    inside: Vec<View>,
}

/// What the rules of a node mean for a part inside it.
struct View {
    part: usize,
    /// The part's own rule in each rule of the node.
    own: Vec<u32>,
    /// Whether each rule of the node also switches the part on or off.
    switched: Vec<bool>,
}

impl Restrictions {
    pub fn new(product: &Product, machines: &[Machine], flat: impl Fn(&[Rule]) -> Vec<FlatRule>) -> Self {
        let inner = &product.inner;
        let contains = |outer: &Filter, node: usize| path(product, outer.node, node).is_some();
        // Parts come after those inside them: a part is seen from the first one after it that contains it.
        let holder = |i: usize| (i + 1..inner.len()).find(|&j| contains(&inner[j], inner[i].node));
        let views = |from: usize, held_by: Option<usize>| -> Vec<View> {
            (0..inner.len()).filter(|&i| holder(i) == held_by).map(|i| View::new(product, from, i)).collect()
        };
        let part = |(i, filter): (usize, &Filter)| {
            let node = &product.nodes[filter.node];
            let rules = flat(&node.rules);
            let led = leads(machines, &rules);
            let plan = Plan::new(machines, &rules, |comp, local| &led[comp][local as usize][..]);
            let events = node.rules.iter().map(|r| r.result).collect();
            let filter_by_rule = FlatFilter::new(&filter.kind, events);
            let mask = mask(machines, node.comps.clone());
            Part { plan, rules, filter: filter_by_rule, mask, inside: views(filter.node, Some(i)) }
        };
        Restrictions { parts: inner.iter().enumerate().map(part).collect(), outermost: views(product.root, None) }
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Leaves out the steps of the whole in which a restricted part would move as it may not.
    pub fn apply<const W: usize>(&self, machines: &[Machine], key: &[u64; W], found: &mut Found<W>) {
        self.outermost.iter().for_each(|view| self.keep(view, machines, key, found));
    }

    fn keep<const W: usize>(&self, view: &View, machines: &[Machine], key: &[u64; W], found: &mut Found<W>) {
        if found.rules().iter().all(|&rule| view.own[rule as usize] == STILL) {
            return;
        }
        let part = &self.parts[view.part];
        let mut may = Found::default();
        part.plan.find(machines, &part.rules, key, &mut may);
        part.inside.iter().for_each(|inside| self.keep(inside, machines, key, &mut may));
        part.filter.apply(&mut may);
        found.retain(|rule, next| {
            let own = view.own[rule as usize];
            let switched = view.switched[rule as usize];
            let same =
                |after: &[u64; W]| next.iter().zip(after).zip(&part.mask).all(|((a, b), mask)| (a ^ b) & mask == 0);
            let allowed = |(r, after): (&u32, &[u64; W])| *r == own && (switched || same(after));
            (own == STILL || may.rules().iter().zip(may.next()).any(allowed)).then_some(next)
        });
    }
}

impl View {
    fn new(product: &Product, from: usize, part: usize) -> View {
        let node = product.inner[part].node;
        let path = path(product, from, node).expect("the part lies inside");
        let rules = &product.nodes[from].rules;
        let own = (0..rules.len()).map(|r| own_rule(product, from, &path, r as u32)).collect();
        let comps = product.nodes[node].comps.clone();
        let inner_sets = |own: u32| if own == STILL { 0 } else { product.nodes[node].rules[own as usize].sets.len() };
        let own: Vec<u32> = own;
        let touches = |rule: &Rule| rule.sets.iter().filter(|(c, _)| comps.contains(c)).count();
        let switched = rules.iter().zip(&own).map(|(r, &own)| touches(r) > inner_sets(own)).collect();
        View { part, own, switched }
    }
}

/// Which child to take at each step from one node to another inside it.
fn path(product: &Product, from: usize, to: usize) -> Option<Vec<u32>> {
    if from == to {
        return Some(Vec::new());
    }
    product.nodes[from].children.iter().enumerate().find_map(|(i, &child)| {
        let mut rest = path(product, child, to)?;
        rest.insert(0, i as u32);
        Some(rest)
    })
}

/// The rule at the end of a path that is part of a rule at its beginning.
fn own_rule(product: &Product, from: usize, path: &[u32], rule: u32) -> u32 {
    let (mut at, mut rule) = (from, rule);
    for &child in path {
        let here = &product.nodes[at];
        let Some(&(_, inner)) = here.rules[rule as usize].from.iter().find(|(c, _)| *c == child) else { return STILL };
        (at, rule) = (here.children[child as usize], inner);
    }
    rule
}

/// By component and event, the rules it leads.
fn leads(machines: &[Machine], rules: &[FlatRule]) -> Vec<Vec<Vec<u32>>> {
    let mut led: Vec<Vec<Vec<u32>>> = machines.iter().map(|m| vec![Vec::new(); m.events()]).collect();
    for (i, rule) in rules.iter().enumerate() {
        led[rule.leader.0 as usize][rule.leader.1 as usize].push(i as u32);
    }
    led
}

fn mask(machines: &[Machine], comps: Range<Comp>) -> Vec<u64> {
    let words = machines.iter().map(|m| m.field.word + 1).max().unwrap_or(1);
    let mut mask = vec![0; words];
    for field in comps.map(|c| machines[c as usize].field) {
        mask[field.word] |= field.mask << field.shift;
    }
    mask
}
