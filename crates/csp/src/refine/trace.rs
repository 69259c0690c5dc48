//! Whether a process has a trace: the states it may be in after each event, without exploring any others.

use super::answer::Options;
use super::space::{ProductSpace, Question};
use crate::budget::Limit;
use crate::machine::event::{Event, TAU};
use crate::machine::packed::Packed;
use crate::machine::product::Product;
use rustc_hash::{FxHashMap, FxHashSet};

/// How much of a sequence of events is a trace, and how many states were looked at.
pub fn longest(product: &Product, trace: &[Event], options: &Options) -> Result<(usize, u64), Limit> {
    let packed = Packed::new(product, 1);
    crate::with_words!(packed.words, W, longest_packed::<W>(&packed, trace, options))
}

fn longest_packed<const W: usize>(packed: &Packed, trace: &[Event], options: &Options) -> Result<(usize, u64), Limit> {
    let space = ProductSpace::new(packed, Question::Nothing, &options.held, None);
    let mut looked_at = 0;
    let mut states = vec![packed.first::<W>()];
    for (done, &event) in trace.iter().enumerate() {
        states = after(&space, states, event, &mut looked_at, options)?;
        if states.is_empty() {
            return Ok((done, looked_at));
        }
    }
    Ok((trace.len(), looked_at))
}

/// The states after one event, and any silent steps before it.
fn after<const W: usize>(
    space: &ProductSpace,
    mut todo: Vec<[u64; W]>,
    event: Event,
    looked_at: &mut u64,
    options: &Options,
) -> Result<Vec<[u64; W]>, Limit> {
    let mut seen: FxHashSet<[u64; W]> = todo.iter().copied().collect();
    let mut next = FxHashSet::default();
    while let Some(state) = todo.pop() {
        *looked_at += 1;
        if looked_at.is_multiple_of(256) {
            options.meter.check(*looked_at, (seen.len() + next.len()) as u64 * (W as u64 * 8 + 16))?;
        }
        space.steps(&state, &mut |rule, to| {
            if space.is_silent(rule) {
                if seen.insert(to) {
                    todo.push(to);
                }
            } else if space.packed.event(rule) == event {
                next.insert(to);
            }
        });
    }
    Ok(next.into_iter().collect())
}

/// States looked at before a run is given up.
const MOST: usize = 200_000;

/// A run of a process with these visible events, as rules: one that comes to rest with as few offers as possible, if any
/// comes to rest. Nothing if there is none, or none was found in time.
pub fn run(product: &Product, trace: &[Event]) -> Option<Vec<u32>> {
    let packed = Packed::new(product, 1);
    crate::with_words!(packed.words, W, Ok(run_packed::<W>(&packed, trace))).ok().flatten()
}

fn run_packed<const W: usize>(packed: &Packed, trace: &[Event]) -> Option<Vec<u32>> {
    // State, events done, where it was reached from, and by which rule.
    let mut met: Vec<([u64; W], usize, usize, u32)> = vec![(packed.first(), 0, 0, 0)];
    let mut number: FxHashMap<([u64; W], usize), usize> = FxHashMap::default();
    number.insert((met[0].0, 0), 0);
    let mut best: Option<(bool, usize, usize)> = None;
    let mut at = 0;
    while at < met.len() && met.len() < MOST {
        let (state, done, ..) = met[at];
        let (mut silent, mut offers) = (false, 0);
        packed.successors(&state, &mut |rule, next| {
            let event = packed.event(rule);
            silent |= event == TAU;
            offers += 1;
            let after = if event == TAU { done } else { done + 1 };
            if event == TAU || trace.get(done) == Some(&event) {
                number.entry((next, after)).or_insert_with(|| {
                    met.push((next, after, at, rule));
                    met.len() - 1
                });
            }
        });
        if done == trace.len() {
            best = best.into_iter().chain([(silent, offers, at)]).min();
        }
        at += 1;
    }
    let (_, _, mut at) = best?;
    let mut rules = Vec::new();
    while at != 0 {
        rules.push(met[at].3);
        at = met[at].2;
    }
    rules.reverse();
    Some(rules)
}
