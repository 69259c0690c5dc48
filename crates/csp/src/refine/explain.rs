//! From a state that breaks the property to the behaviour that leads there.

use super::answer::{Failure, FailureKind};
use super::search::Search;
use super::space::{Breach, ProductSpace, Question};
use crate::budget::{Limit, Meter};
use crate::compress::normal::Bits;
use crate::machine::event::{Event, TAU};

/// Turns the end of a search into a behaviour.
pub fn explain<const W: usize>(
    space: &ProductSpace,
    found: &Search<W, Breach>,
    key: [u64; W],
    breach: Breach,
    meter: &Meter,
) -> Result<Failure, Limit> {
    let path = found.path(|key, out| full_steps(space, key, out), key, meter)?;
    let mut rules = rules_of(space, &path);
    let kind = match breach {
        Breach::Event(rule) => {
            rules.push(rule);
            FailureKind::Event(space.packed.event(rule))
        }
        Breach::Deadlock => FailureKind::Deadlock,
        Breach::Refusal => refusal(space, &key),
    };
    let allowed = allowed(space, &rules);
    Ok(Failure { rules, kind, allowed, cycle: None })
}

/// What the specification allows before each visible event of a behaviour, and after the last one it allows.
pub fn allowed(space: &ProductSpace, rules: &[u32]) -> Vec<Vec<Event>> {
    let Question::Refines(norm, _) = &space.question else { return Vec::new() };
    let offers = |node: u32| norm.offers(node as usize).map(|(e, _)| e).collect::<Vec<_>>();
    let mut node = 0u32;
    let mut out = vec![offers(node)];
    for event in rules.iter().map(|&r| space.packed.event(r)).filter(|&e| e != TAU) {
        let Some((_, next)) = norm.offers(node as usize).find(|(e, _)| *e == event) else { break };
        node = next;
        out.push(offers(node));
    }
    out
}

pub fn full_steps<const W: usize>(space: &ProductSpace, key: &[u64; W], out: &mut dyn FnMut([u64; W])) {
    let node = space.node(key);
    space.steps(key, &mut |rule, next| {
        if let Some(next) = space.follow(rule, node, next) {
            out(next);
        }
    });
}

/// The rule of each step along a path of states: the first that leads there.
pub fn rules_of<const W: usize>(space: &ProductSpace, path: &[[u64; W]]) -> Vec<u32> {
    path.windows(2)
        .map(|pair| {
            let node = space.node(&pair[0]);
            let mut via = u32::MAX;
            space.steps(&pair[0], &mut |rule, next| {
                if space.follow(rule, node, next) == Some(pair[1]) {
                    via = via.min(rule);
                }
            });
            via
        })
        .collect()
}

fn refusal<const W: usize>(space: &ProductSpace, key: &[u64; W]) -> FailureKind {
    let mut offered = Vec::new();
    space.steps(key, &mut |rule, _| offered.push(space.packed.event(rule)));
    offered.sort();
    offered.dedup();
    let Question::Refines(norm, _) = &space.question else {
        return FailureKind::Refusal { offered, demanded: Vec::new() };
    };
    let acceptances = &norm.nodes[space.node(key) as usize].acceptances;
    let events = |a: &Bits| norm.events.iter().enumerate().filter(|(c, _)| a.contains(*c)).map(|(_, e)| *e).collect();
    FailureKind::Refusal { offered, demanded: acceptances.iter().map(events).collect() }
}
