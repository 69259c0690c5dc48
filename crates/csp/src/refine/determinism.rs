//! Determinism: whether a trace decides what the process can do after it.

use super::answer::{Answer, Failure, FailureKind, Options};
use crate::budget::Limit;
use crate::compress::normal::Norm;
use crate::machine::event::Event;
use crate::machine::lts::Lts;
use crate::syntax::token::Model;

/// Whether there is no trace after which the process may accept an event and may also refuse it.
pub fn deterministic(lts: &Lts, model: Model, options: &Options) -> Result<(Answer, Vec<Event>), Limit> {
    let norm = Norm::of(lts, model == Model::FailuresDivergences, options.meter)?;
    let mut before: Vec<Option<(u32, Event)>> = vec![None; norm.nodes.len()];
    let mut order = vec![0u32];
    let mut at = 0;
    while at < order.len() {
        let n = order[at];
        at += 1;
        if let Some(kind) = nondeterminism(&norm, n, model) {
            let mut trace = Vec::new();
            let mut node = n;
            while let Some((previous, event)) = before[node as usize] {
                trace.push(event);
                node = previous;
            }
            trace.reverse();
            return Ok((Answer::Fails(Failure::plain(kind)), trace));
        }
        for (event, next) in norm.offers(n as usize) {
            if next != 0 && before[next as usize].is_none() {
                before[next as usize] = Some((n, event));
                order.push(next);
            }
        }
    }
    Ok((Answer::Holds, Vec::new()))
}

fn nondeterminism(norm: &Norm, n: u32, model: Model) -> Option<FailureKind> {
    let node = &norm.nodes[n as usize];
    if node.divergent && model == Model::FailuresDivergences {
        return Some(FailureKind::Divergence);
    }
    if model == Model::Traces {
        return None;
    }
    let column = |e: Event| norm.events.binary_search(&e).unwrap_or(0);
    for (event, _) in norm.offers(n as usize) {
        if node.acceptances.iter().any(|a| !a.contains(column(event))) {
            return Some(FailureKind::Nondeterminism(event));
        }
    }
    None
}
