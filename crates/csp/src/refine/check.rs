//! The questions that a search decides: refinement, deadlock, divergence.

use super::answer::{Answer, Failure, Options, Outcome, Statistics};
use super::divergence::divergence;
use super::explain::explain;
use super::explicate::{self, Restriction};
use super::reduce::Reducer;
use super::search;
use super::space::{Breach, ProductSpace, Question};
use crate::budget::{Limit, Meter};
use crate::compress;
use crate::compress::normal::Norm;
use crate::machine::event::{TAU, TICK};
use crate::machine::packed::Packed;
use crate::machine::product::Product;
use crate::syntax::token::Model;
use crate::with_words;

type Checked = Result<Outcome, Limit>;

/// Normalises a specification for a model.
pub fn specification(product: &Product, model: Model, meter: &Meter) -> Result<Norm, Limit> {
    let lts = compress::strong(&explicate::product(product, Restriction::Free, meter)?, meter)?;
    Norm::of(&lts, model == Model::FailuresDivergences, meter)
}

pub fn refines(norm: &Norm, model: Model, product: &Product, options: &Options) -> Checked {
    let packed = Packed::new(product, norm.nodes.len());
    with_words!(packed.words, W, refines_packed::<W>(norm, model, &packed, options))
}

fn refines_packed<const W: usize>(norm: &Norm, model: Model, packed: &Packed, options: &Options) -> Checked {
    let may_reduce = model != Model::FailuresDivergences && options.held.is_empty();
    let visible = |label: u32| packed.alphabet[label as usize] != TAU;
    let reducer = options
        .reduction
        .filter(|_| may_reduce && !packed.is_filtered())
        .map(|grade| Reducer::new(packed, grade, visible));
    let space = ProductSpace::new(packed, Question::Refines(norm, model), &options.held, reducer);
    let meter = meter_for(model == Model::FailuresDivergences, options);
    let found = search::run::<W, _>(&space, &meter, options.watcher)?;
    let statistics = options.statistics(found.progress);
    if !found.breaches.is_empty() {
        return Ok(failed(&space, &found, statistics, options.meter));
    }
    if model == Model::FailuresDivergences
        && let Some(failure) = divergence(&space, &found, options.meter)?
    {
        return Ok(Outcome { answer: Answer::Fails(failure), more: Vec::new(), statistics });
    }
    Ok(Outcome { answer: Answer::Holds, more: Vec::new(), statistics })
}

/// Silent loops are looked for among all stored states, which therefore stay in memory.
fn meter_for(divergences: bool, options: &Options) -> Meter {
    if divergences { options.meter.in_memory() } else { options.meter.clone() }
}

/// The behaviours that lead to the states in which a search has found the property broken.
fn failed<const W: usize>(
    space: &ProductSpace,
    found: &search::Search<W, Breach>,
    statistics: Statistics,
    meter: &Meter,
) -> Outcome {
    let tell = |(key, breach): &([u64; W], Breach)| {
        explain(space, found, *key, breach.clone(), meter).unwrap_or_else(|limit| Failure::unexplained(&limit))
    };
    let mut all: Vec<Failure> = found.breaches.iter().map(tell).collect();
    let first = all.remove(0);
    Outcome { answer: Answer::Fails(first), more: all, statistics }
}

/// Whether the process can always do something until it terminates. In models with divergences, endless silent work counts
/// as a deadlock.
pub fn deadlock_free(product: &Product, model: Model, options: &Options) -> Checked {
    let packed = Packed::new(product, 1);
    let silent = packed.alphabet.contains(&TAU);
    let divergences = silent && model == Model::FailuresDivergences;
    with_words!(packed.words, W, deadlock_packed::<W>(&packed, divergences, options))
}

fn deadlock_packed<const W: usize>(packed: &Packed, divergences: bool, options: &Options) -> Checked {
    let plain = options.held.is_empty() && !divergences && !packed.is_filtered();
    let reduction = options.reduction.filter(|_| plain);
    let reducer = reduction.map(|grade| Reducer::new(packed, grade, |label| packed.alphabet[label as usize] == TICK));
    let space = ProductSpace::new(packed, Question::Progress, &options.held, reducer);
    let found = search::run::<W, _>(&space, &meter_for(divergences, options), options.watcher)?;
    let statistics = options.statistics(found.progress);
    if !found.breaches.is_empty() {
        return Ok(failed(&space, &found, statistics, options.meter));
    }
    let failure = if divergences { divergence(&space, &found, options.meter)? } else { None };
    Ok(Outcome { answer: failure.map_or(Answer::Holds, Answer::Fails), more: Vec::new(), statistics })
}

/// Whether the process has no endless silent work.
pub fn divergence_free(product: &Product, options: &Options) -> Checked {
    let packed = Packed::new(product, 1);
    with_words!(packed.words, W, divergence_packed::<W>(&packed, options))
}

fn divergence_packed<const W: usize>(packed: &Packed, options: &Options) -> Checked {
    let space = ProductSpace::new(packed, Question::Nothing, &options.held, None);
    let found = search::run::<W, _>(&space, &meter_for(true, options), options.watcher)?;
    let statistics = options.statistics(found.progress);
    let answer = divergence(&space, &found, options.meter)?.map_or(Answer::Holds, Answer::Fails);
    Ok(Outcome { answer, more: Vec::new(), statistics })
}
