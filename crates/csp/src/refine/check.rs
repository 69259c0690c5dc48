//! The questions themselves: refinement, deadlock, divergence, determinism, traces.

use super::explicate::{self, Restriction};
use super::normal::Norm;
use super::reduce::Reducer;
use super::search::{self, Progress, Watcher};
use super::space::{Breach, ProductSpace, Question};
use super::store::{hash, shard_of};
use crate::budget::{Limit, Meter};
use crate::compress;
use crate::machine::event::{Event, TAU, TICK};
use crate::machine::lts::Lts;
use crate::machine::product::{Packed, Product};
use crate::syntax::Reduction;
use crate::syntax::token::Model;
use std::time::Duration;

/// Calls a function with the number of words a state has, rounded up to one that exists.
#[macro_export]
macro_rules! with_words {
    ($words:expr, $w:ident, $call:expr) => {
        match $words {
            0 | 1 => {
                const $w: usize = 1;
                $call
            }
            2 => {
                const $w: usize = 2;
                $call
            }
            3 | 4 => {
                const $w: usize = 4;
                $call
            }
            5..=16 => {
                const $w: usize = 16;
                $call
            }
            17..=64 => {
                const $w: usize = 64;
                $call
            }
            words => Err($crate::budget::Limit::Width(words)),
        }
    };
}

#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub states: u64,
    pub transitions: u64,
    pub depth: u32,
    /// Bytes of stored states.
    pub bytes: u64,
    pub time: Duration,
}

/// How a question was decided.
#[derive(Clone, Debug)]
pub enum Answer {
    Holds,
    Fails(Failure),
    Unknown(Limit),
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub answer: Answer,
    /// Further behaviours of the same length that show the claim to be false.
    pub more: Vec<Failure>,
    pub statistics: Statistics,
}

/// A behaviour that shows the claim to be false.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The rules of the implementation's root, one a step, silent ones included.
    pub rules: Vec<u32>,
    pub kind: FailureKind,
    /// What the specification allowed before each visible event, and at the end.
    pub allowed: Vec<Vec<Event>>,
    /// Where in the rules the silent loop of a divergence begins.
    pub cycle: Option<usize>,
}

impl Failure {
    /// A failure that its events alone describe.
    pub fn plain(kind: FailureKind) -> Self {
        Failure { rules: Vec::new(), kind, allowed: Vec::new(), cycle: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The last step's event is not allowed after the trace before it.
    Event(Event),
    /// After the trace the process may offer only these, and the specification demands more.
    Refusal {
        offered: Vec<Event>,
        demanded: Vec<Vec<Event>>,
    },
    Deadlock,
    Divergence,
    /// After the trace the event may be accepted and may be refused.
    Nondeterminism(Event),
    /// The first event of the wanted trace that cannot happen, by its place.
    NoTrace(usize),
}

/// What goes with a question.
pub struct Options<'a> {
    pub meter: &'a Meter,
    pub watcher: Watcher<'a>,
    pub reduction: Option<Reduction>,
    /// Events that wait for silent steps.
    pub held: Vec<Event>,
}

type Checked = Result<Outcome, Limit>;

impl Statistics {
    pub fn of(progress: Progress, time: Duration) -> Self {
        let Progress { states, transitions, depth, bytes } = progress;
        Statistics { states, transitions, depth, bytes, time }
    }
}

impl Options<'_> {
    fn statistics(&self, progress: Progress) -> Statistics {
        Statistics::of(progress, self.meter.elapsed())
    }
}

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
    let found = search::run::<W, _>(&space, options.meter, options.watcher)?;
    let statistics = options.statistics(found.progress);
    if !found.breaches.is_empty() {
        return Ok(failed(&space, &found, statistics));
    }
    if model == Model::FailuresDivergences
        && let Some(failure) = divergence(&space, &found, options.meter)?
    {
        return Ok(Outcome { answer: Answer::Fails(failure), more: Vec::new(), statistics });
    }
    Ok(Outcome { answer: Answer::Holds, more: Vec::new(), statistics })
}

/// The behaviours that lead to the states a search has found guilty.
fn failed<const W: usize>(space: &ProductSpace, found: &search::Search<W, Breach>, statistics: Statistics) -> Outcome {
    let tell = |(key, breach): &([u64; W], Breach)| explain(space, found, *key, breach.clone());
    let mut all: Vec<Failure> = found.breaches.iter().map(tell).collect();
    let first = all.remove(0);
    Outcome { answer: Answer::Fails(first), more: all, statistics }
}

/// Whether the process always can do something, until it terminates. With divergences, working silently for ever is
/// doing nothing.
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
    let found = search::run::<W, _>(&space, options.meter, options.watcher)?;
    let statistics = options.statistics(found.progress);
    if !found.breaches.is_empty() {
        return Ok(failed(&space, &found, statistics));
    }
    let failure = if divergences { divergence(&space, &found, options.meter)? } else { None };
    Ok(Outcome { answer: failure.map_or(Answer::Holds, Answer::Fails), more: Vec::new(), statistics })
}

/// Whether the process never works silently for ever.
pub fn divergence_free(product: &Product, options: &Options) -> Checked {
    let packed = Packed::new(product, 1);
    with_words!(packed.words, W, divergence_packed::<W>(&packed, options))
}

fn divergence_packed<const W: usize>(packed: &Packed, options: &Options) -> Checked {
    let space = ProductSpace::new(packed, Question::Nothing, &options.held, None);
    let found = search::run::<W, _>(&space, options.meter, options.watcher)?;
    let statistics = options.statistics(found.progress);
    let answer = divergence(&space, &found, options.meter)?.map_or(Answer::Holds, Answer::Fails);
    Ok(Outcome { answer, more: Vec::new(), statistics })
}

/// Turns the end of a search into a behaviour.
fn explain<const W: usize>(
    space: &ProductSpace,
    found: &search::Search<W, Breach>,
    key: [u64; W],
    breach: Breach,
) -> Failure {
    let path = found.path(|key, out| full_steps(space, key, out), key);
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
    Failure { rules, kind, allowed, cycle: None }
}

/// What the specification allows before each visible event of a behaviour, and after the last one it allows.
fn allowed(space: &ProductSpace, rules: &[u32]) -> Vec<Vec<Event>> {
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

fn full_steps<const W: usize>(space: &ProductSpace, key: &[u64; W], out: &mut dyn FnMut([u64; W])) {
    let node = space.node(key);
    space.steps(key, &mut |rule, next| {
        if let Some(next) = space.follow(rule, node, next) {
            out(next);
        }
    });
}

/// The rule of each step along a path of states: the first that leads there.
fn rules_of<const W: usize>(space: &ProductSpace, path: &[[u64; W]]) -> Vec<u32> {
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
    let events = |a: &super::normal::Bits| {
        norm.events.iter().enumerate().filter(|(c, _)| a.contains(*c)).map(|(_, e)| *e).collect()
    };
    FailureKind::Refusal { offered, demanded: acceptances.iter().map(events).collect() }
}

/// Looks for a silent loop among the stored states where the specification does not allow one.
fn divergence<const W: usize>(
    space: &ProductSpace,
    found: &search::Search<W, Breach>,
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
    found: &search::Search<W, Breach>,
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
    let mut looked_at = 0u32;
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
    for start in starts {
        if colour[known(start)] != 0 || allowed(start) {
            continue;
        }
        let mut path = vec![(*start, silent(start))];
        colour[known(start)] = 1;
        while let Some((key, rest)) = path.last_mut() {
            looked_at = looked_at.wrapping_add(1);
            if looked_at.is_multiple_of(1024) {
                meter.check_time()?;
            }
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
                    let mut states = found.path(|key, out| full_steps(space, key, out), next);
                    let cycle = Some(states.len() - 1);
                    let from = path.iter().position(|(k, _)| *k == next).unwrap_or(0);
                    states.extend(path[from + 1..].iter().map(|(k, _)| *k));
                    states.push(next);
                    let rules = rules_of(space, &states);
                    let allowed = self::allowed(space, &rules);
                    return Ok(Some(Failure { rules, kind: FailureKind::Divergence, allowed, cycle }));
                }
                _ => {}
            }
        }
    }
    Ok(None)
}

/// Whether the process never both may accept and may refuse an event after the same trace.
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

/// Whether a sequence of events is a trace of the process: the longest prefix that is.
pub fn has_trace(lts: &Lts, trace: &[Event]) -> usize {
    let mut states = vec![lts.initial];
    for (done, &event) in trace.iter().enumerate() {
        let mut seen: std::collections::BTreeSet<u32> = states.iter().copied().collect();
        let mut todo = states.clone();
        while let Some(s) = todo.pop() {
            todo.extend(lts.targets(s, TAU).filter(|&t| seen.insert(t)));
        }
        let mut next: Vec<u32> = seen.iter().flat_map(|&s| lts.targets(s, event)).collect();
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            return done;
        }
        states = next;
    }
    trace.len()
}
