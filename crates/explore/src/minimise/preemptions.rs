//! Fewer preemptions: segments of a schedule are joined, then a bounded search tries to do better.

use super::trial::Trial;
use crate::bounded::{Bounded, Cost};
use crate::execution::{Execution, Executor, Step};
use crate::plan::Choice;
use crate::search::Search;

/// How often a thread is left that could go on.
pub fn many_preemptions(steps: &[Step]) -> u32 {
    let left =
        steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread && pair[1].enabled.contains(pair[0].thread));
    left.count() as u32
}

/// The failing execution with the fewest preemptions that was found, and whether there is none with fewer.
pub fn reduce<E: Executor>(trial: &mut Trial<'_, E>, mut best: Execution) -> Result<(Execution, bool), E::Error> {
    while let Some(better) = join_two(trial, &best)? {
        best = better;
    }
    search(trial, best)
}

/// A failing execution with fewer preemptions, made by joining two segments of one thread.
fn join_two<E: Executor>(trial: &mut Trial<'_, E>, best: &Execution) -> Result<Option<Execution>, E::Error> {
    let many = many_preemptions(&best.steps);
    for candidate in joined(&best.choices()) {
        let found = trial.failing(&candidate)?;
        if let Some(found) = found.filter(|found| many_preemptions(&found.steps) < many) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The schedules in which one segment follows its thread's segment before at once, or waits for its next.
fn joined(choices: &[Choice]) -> Vec<Vec<Choice>> {
    let segments: Vec<&[Choice]> = choices.chunk_by(|a, b| a.thread == b.thread).collect();
    let same = |a: usize, b: usize| segments[a][0].thread == segments[b][0].thread;
    let next = |at: usize| (at + 1..segments.len()).find(|&later| same(at, later));
    let pairs = (0..segments.len()).filter_map(|at| Some((at, next(at)?)));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    let forward = |&(at, next): &(usize, usize)| reorder(&segments, next, at + 1);
    let backward = |&(at, next): &(usize, usize)| reorder(&segments, at, next - 1);
    pairs.iter().map(forward).chain(pairs.iter().map(backward)).collect()
}

/// The schedule with one segment moved to another place.
fn reorder(segments: &[&[Choice]], from: usize, to: usize) -> Vec<Choice> {
    let mut moved = segments.to_vec();
    let segment = moved.remove(from);
    moved.insert(to, segment);
    moved.concat()
}

/// Looks for a failing schedule with fewer preemptions, fewest first.
fn search<E: Executor>(trial: &mut Trial<'_, E>, best: Execution) -> Result<(Execution, bool), E::Error> {
    let Some(bound) = many_preemptions(&best.steps).checked_sub(1) else { return Ok((best, true)) };
    let mut search = Bounded::new(Cost::Preemptions, bound);
    while let Some(plan) = search.next() {
        let Some(execution) = trial.run(&plan)? else { return Ok((best, false)) };
        if trial.is_failure(&execution) {
            return Ok((execution, true));
        }
        search.learn(&execution);
    }
    Ok((best, true))
}

/// How many decisions must be prescribed: with the shortest such beginning the usual schedule fails, too.
pub fn shorten<E: Executor>(trial: &mut Trial<'_, E>, best: Execution) -> Result<(Execution, usize), E::Error> {
    let choices = best.choices();
    let many = many_preemptions(&best.steps);
    let (mut best, mut prescribed) = (best, choices.len());
    for length in switches(&choices) {
        match trial.failing(&choices[..length])?.filter(|found| many_preemptions(&found.steps) <= many) {
            Some(found) => (best, prescribed) = (found, length),
            None => break,
        }
    }
    Ok((best, prescribed))
}

/// The lengths of the beginnings that end where another thread has just taken over, the longest first; then none.
fn switches(choices: &[Choice]) -> Vec<usize> {
    let ends = (1..choices.len()).rev().filter(|&at| choices[at].thread != choices[at - 1].thread);
    ends.map(|at| at + 1).chain([0]).collect()
}
