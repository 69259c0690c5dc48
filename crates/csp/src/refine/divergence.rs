//! Silent loops among the states of a search.

use super::answer::{Failure, FailureKind};
use super::explain;
use super::search::Search;
use super::space::{Breach, ProductSpace, Question};
use super::store::{hash, shard_of};
use crate::budget::{Limit, Meter};

/// Looks for a silent loop among the stored states where the specification does not allow one.
pub fn divergence<const W: usize>(
    space: &ProductSpace,
    found: &Search<W, Breach>,
    meter: &Meter,
) -> Result<Option<Failure>, Limit> {
    if silent_loop(space, found, found.shards.iter().flat_map(|s| s.keys()), meter)?.is_none() {
        return Ok(None);
    }
    // There is one. The order of the stored states depends on the number of threads, the answer must not.
    let mut states: Vec<&[u64; W]> = Vec::with_capacity(found.progress.states as usize);
    for depth in 0..=found.progress.depth {
        let from = states.len();
        states.extend(found.shards.iter().flat_map(|s| s.layer(depth)));
        states[from..].sort_unstable();
    }
    silent_loop(space, found, states.into_iter(), meter)
}

/// The first silent loop that is met from states in a given order.
fn silent_loop<'a, const W: usize>(
    space: &ProductSpace,
    found: &Search<W, Breach>,
    starts: impl Iterator<Item = &'a [u64; W]>,
    meter: &Meter,
) -> Result<Option<Failure>, Limit> {
    let shards = &found.shards;
    let mut base = vec![0usize];
    for shard in shards {
        base.push(base[base.len() - 1] + shard.keys().len());
    }
    let number = |key: &[u64; W]| {
        let shard = shard_of(hash(key));
        shards[shard].number(key).map(|n| base[shard] + n as usize)
    };
    let known = |key: &[u64; W]| number(key).expect("what was expanded was stored");
    let allowed = |key: &[u64; W]| match &space.question {
        Question::Refines(norm, _) => norm.nodes[space.node(key) as usize].divergent,
        _ => false,
    };
    let silent = |key: &[u64; W]| {
        let mut out = Vec::new();
        space.steps(key, &mut |rule, next| {
            if space.is_silent(rule) {
                out.push(next);
            }
        });
        out
    };
    // 0: not seen, 1: on the path, 2: done.
    let mut colour = vec![0u8; base[base.len() - 1]];
    let mut pace = meter.pace();
    for start in starts {
        pace.step()?;
        if colour[known(start)] != 0 || allowed(start) {
            continue;
        }
        let mut path = vec![(*start, silent(start))];
        colour[known(start)] = 1;
        while let Some((key, rest)) = path.last_mut() {
            pace.step()?;
            let Some(next) = rest.pop() else {
                colour[known(key)] = 2;
                path.pop();
                continue;
            };
            let Some(n) = number(&next) else { continue };
            match colour[n] {
                0 => {
                    colour[n] = 1;
                    let steps = silent(&next);
                    path.push((next, steps));
                }
                1 => {
                    // The silent path to the loop starts where the search for loops began, which is as early as possible.
                    let mut states = found.path(|key, out| explain::full_steps(space, key, out), *start, meter)?;
                    let from = path.iter().position(|(k, _)| *k == next).unwrap_or(0);
                    let cycle = Some(states.len() - 1 + from);
                    states.extend(path[1..].iter().map(|(k, _)| *k));
                    states.push(next);
                    let rules = explain::rules_of(space, &states);
                    let allowed = explain::allowed(space, &rules);
                    return Ok(Some(Failure { rules, kind: FailureKind::Divergence, allowed, cycle }));
                }
                _ => {}
            }
        }
    }
    Ok(None)
}
