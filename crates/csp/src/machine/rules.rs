//! How the steps of components make the steps of a composition: one rule for each combination that can happen.
//!
//! A rule names the components that move and the event each does, the event the outside sees, and the components it
//! switches off or on. Switching replaces the modes of operators that change shape: the right of `P; Q` waits, off,
//! until the rule for P's termination starts it; an exception or interrupt switches its loser off.

use super::event::{Event, EventSet, TAU, TICK};
use crate::budget::{Limit, Meter};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A component's number.
pub type Comp = u32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub result: Event,
    /// Who moves, and with which event of its own. Sorted by component.
    pub moves: Vec<(Comp, Event)>,
    /// The components that are switched on or off afterwards.
    pub sets: Vec<(Comp, Target)>,
    /// The rules of the children this one is made of, by child.
    pub from: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Off,
    Initial,
}

/// A part of the operator tree, with the rules of everything below it.
#[derive(Clone, Debug)]
pub struct Node {
    pub label: String,
    pub children: Vec<usize>,
    pub comps: Range<Comp>,
    pub rules: Vec<Rule>,
    /// The components that run from the start of this part.
    pub active: Vec<Comp>,
}

/// What is done with the rules of one child.
pub struct Side<'a> {
    pub index: u32,
    pub rules: &'a [Rule],
}

impl Side<'_> {
    /// A rule of the child as it is, with another result and further switches.
    pub fn lift(&self, rule: usize, result: Event, sets: Vec<(Comp, Target)>) -> Rule {
        let from = &self.rules[rule];
        let mut all = from.sets.clone();
        all.extend(sets);
        Rule { result, moves: from.moves.clone(), sets: all, from: vec![(self.index, rule as u32)] }
    }

    fn by_event(&self) -> FxHashMap<Event, Vec<usize>> {
        let mut index: FxHashMap<Event, Vec<usize>> = FxHashMap::default();
        for (i, rule) in self.rules.iter().enumerate() {
            index.entry(rule.result).or_default().push(i);
        }
        index
    }
}

fn joined(left: &Side, i: usize, right: &Side, j: usize) -> Rule {
    let (a, b) = (&left.rules[i], &right.rules[j]);
    let mut moves = a.moves.clone();
    moves.extend(b.moves.iter().copied());
    moves.sort_by_key(|m| m.0);
    let mut sets = a.sets.clone();
    sets.extend(b.sets.iter().copied());
    Rule { result: a.result, moves, sets, from: vec![(left.index, i as u32), (right.index, j as u32)] }
}

/// Rules of `P [A || B] Q`, where `meets(e)` says how an event takes place.
fn composed(left: &Side, right: &Side, meter: &Meter, meets: impl Fn(Event) -> Meeting) -> Result<Vec<Rule>, Limit> {
    let mut out = Vec::new();
    let partners = right.by_event();
    for (i, rule) in left.rules.iter().enumerate() {
        if i % 64 == 0 {
            meter.check(0, out.len() as u64 * RULE_BYTES)?;
        }
        match meets(rule.result) {
            Meeting::Alone | Meeting::LeftOnly => out.push(left.lift(i, rule.result, Vec::new())),
            Meeting::Together => {
                let with = partners.get(&rule.result).into_iter().flatten();
                out.extend(with.map(|&j| joined(left, i, right, j)));
            }
            Meeting::RightOnly | Meeting::Never => {}
        }
    }
    for (j, rule) in right.rules.iter().enumerate() {
        if let Meeting::Alone | Meeting::RightOnly = meets(rule.result) {
            out.push(right.lift(j, rule.result, Vec::new()));
        }
    }
    Ok(out)
}

/// About what a rule takes.
const RULE_BYTES: u64 = 160;

enum Meeting {
    Alone,
    Together,
    LeftOnly,
    RightOnly,
    Never,
}

/// `P [|A|] Q`; termination is shared.
pub fn parallel(left: &Side, right: &Side, shared: &EventSet, meter: &Meter) -> Result<Vec<Rule>, Limit> {
    composed(left, right, meter, |e| match e {
        TICK => Meeting::Together,
        e if shared.contains(e) => Meeting::Together,
        _ => Meeting::Alone,
    })
}

/// `P [A || B] Q`: each keeps to its alphabet.
pub fn alphabetised(
    (left, a): (&Side, &EventSet),
    (right, b): (&Side, &EventSet),
    meter: &Meter,
) -> Result<Vec<Rule>, Limit> {
    composed(left, right, meter, |e| match e {
        TICK => Meeting::Together,
        TAU => Meeting::Alone,
        e => match (a.contains(e), b.contains(e)) {
            (true, true) => Meeting::Together,
            (true, false) => Meeting::LeftOnly,
            (false, true) => Meeting::RightOnly,
            (false, false) => Meeting::Never,
        },
    })
}

pub fn hide(side: &Side, hidden: &EventSet) -> Vec<Rule> {
    let shown = |e| if hidden.contains(e) { TAU } else { e };
    side.rules.iter().enumerate().map(|(i, r)| side.lift(i, shown(r.result), Vec::new())).collect()
}

pub fn rename(side: &Side, relation: &[(Event, Event)]) -> Vec<Rule> {
    let all = side.rules.iter().enumerate();
    all.flat_map(|(i, r)| images(relation, r.result).map(move |e| (i, e)))
        .map(|(i, e)| side.lift(i, e, Vec::new()))
        .collect()
}

/// All rules of a child, with switches added to those whose event `when` picks.
pub fn switching(side: &Side, when: impl Fn(Event) -> bool, sets: &[(Comp, Target)]) -> Vec<Rule> {
    let sets_of = |e| if when(e) { sets.to_vec() } else { Vec::new() };
    side.rules.iter().enumerate().map(|(i, r)| side.lift(i, r.result, sets_of(r.result))).collect()
}

/// Switches a part off: everything in it.
pub fn kill(node: &Node) -> Vec<(Comp, Target)> {
    node.comps.clone().map(|c| (c, Target::Off)).collect()
}

/// Switches a part on: what runs from its start, and the rest of it off.
pub fn start(node: &Node) -> Vec<(Comp, Target)> {
    let target = |c: Comp| if node.active.contains(&c) { Target::Initial } else { Target::Off };
    node.comps.clone().map(|c| (c, target(c))).collect()
}

/// What an event becomes under a renaming: itself, unless it is named.
pub fn images(relation: &[(Event, Event)], event: Event) -> impl Iterator<Item = Event> {
    let named = relation.iter().filter(move |(from, _)| *from == event).map(|(_, to)| *to);
    let mut named = named.peekable();
    let itself = named.peek().is_none().then_some(event);
    named.chain(itself)
}
