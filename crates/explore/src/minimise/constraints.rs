//! The orders of events that make a program fail.

use super::obey::{Obeyed, obey};
use super::order::{Constraint, Occurrence};
use super::trial::Trial;
use crate::execution::{Execution, Executor};
use crate::optimal::reversible_races;
use foretrace_event::{Policy, ThreadId};

/// How many random executions must fail before a constraint counts as not needed.
const SAMPLES: u64 = 8;

/// The constraints of a failing execution that cannot be dropped, and whether all checks could be made: with all of them the
/// program fails, in whatever order the rest comes, and without any one of them it can pass.
pub fn reduce<E: Executor>(
    trial: &mut Trial<'_, E>,
    execution: &Execution,
) -> Result<(Vec<Constraint>, bool), E::Error> {
    let mut kept = all(execution);
    let mut checked = true;
    for constraint in kept.clone().into_iter().rev() {
        let rest: Vec<Constraint> = kept.iter().filter(|other| **other != constraint).copied().collect();
        match is_needed(trial, &rest, &constraint)? {
            Needed::Yes(passing) => {
                kept.iter_mut().filter(|kept| **kept == constraint).for_each(|kept| locate(kept, &passing))
            }
            Needed::No => kept = rest,
            Needed::Unknown => checked = false,
        }
    }
    Ok((kept.clone(), checked && always_fails(trial, &kept)?))
}

/// An operation that the failing execution did not come to has its place in one that did.
fn locate(constraint: &mut Constraint, passing: &Execution) {
    let second = &mut constraint.second;
    let mut steps = passing.steps.iter().filter(|step| step.thread == second.thread);
    let same = steps.nth(second.index as usize - 1).filter(|step| step.operation.kind == second.operation.kind);
    if let Some(step) = same.filter(|_| second.place == 0) {
        second.place = step.place;
    }
}

/// Does it fail in whatever order the rest comes, as far as random orders tell?
fn always_fails<E: Executor>(trial: &mut Trial<'_, E>, constraints: &[Constraint]) -> Result<bool, E::Error> {
    let mut failed = false;
    for seed in 0..SAMPLES {
        match obey(trial, constraints, Policy::Random { seed })? {
            Obeyed::Yes(execution) if !trial.is_failure(&execution) => return Ok(false),
            Obeyed::Yes(_) => failed = true,
            Obeyed::No => {}
            Obeyed::Spent => return Ok(false),
        }
    }
    Ok(failed)
}

/// The order of each two events that could have come the other way round.
fn all(execution: &Execution) -> Vec<Constraint> {
    let many = |thread: ThreadId, at: usize| {
        execution.steps[..at].iter().filter(|other| other.thread == thread).count() as u32
    };
    let occurrence = |at: usize| match execution.steps.get(at) {
        Some(step) => {
            let (thread, operation, place) = (step.thread, step.operation, step.place);
            Occurrence { thread, index: many(thread, at) + 1, operation, place }
        }
        None => {
            let (thread, operation) = execution.pending[at - execution.steps.len()];
            Occurrence { thread, index: many(thread, execution.steps.len()) + 1, operation, place: 0 }
        }
    };
    let races = reversible_races(execution);
    races.into_iter().map(|(a, b)| Constraint { first: occurrence(a), second: occurrence(b) }).collect()
}

enum Needed {
    /// The program passes in this execution.
    Yes(Box<Execution>),
    No,
    Unknown,
}

/// A constraint is needed if the program can pass without it: turned round, or in some other order.
fn is_needed<E: Executor>(
    trial: &mut Trial<'_, E>,
    rest: &[Constraint],
    constraint: &Constraint,
) -> Result<Needed, E::Error> {
    let turned: Vec<Constraint> = rest.iter().copied().chain([constraint.turned()]).collect();
    let attempts =
        std::iter::once((&turned[..], Policy::Stay)).chain((0..SAMPLES).map(|seed| (rest, Policy::Random { seed })));
    for (constraints, policy) in attempts {
        match obey(trial, constraints, policy)? {
            Obeyed::Yes(execution) if !trial.is_failure(&execution) => return Ok(Needed::Yes(execution)),
            Obeyed::Yes(_) | Obeyed::No => {}
            Obeyed::Spent => return Ok(Needed::Unknown),
        }
    }
    Ok(Needed::No)
}
