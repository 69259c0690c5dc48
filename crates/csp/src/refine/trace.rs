//! Whether a process has a trace: the states it may be in after each event, without exploring any others.

use super::answer::Options;
use super::space::{ProductSpace, Question};
use crate::budget::Limit;
use crate::machine::event::Event;
use crate::machine::product::{Packed, Product};
use rustc_hash::FxHashSet;

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
