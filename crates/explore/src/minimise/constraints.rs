//! The orders of events that make a program fail.

use super::obey::{Obeyed, obey};
use super::order::{Constraint, Occurrence};
use super::trial::Trial;
use crate::execution::{Execution, Executor};
use crate::optimal::reversible_races;
use foretrace_event::{Policy, ThreadId};

/// How many random executions must fail before a constraint counts as not needed.
const SAMPLES: u64 = 8;

/// The constraints of a failing execution that cannot be dropped, and whether all checks could be made.
pub fn reduce<E: Executor>(
    trial: &mut Trial<'_, E>,
    execution: &Execution,
) -> Result<(Vec<Constraint>, bool), E::Error> {
    let mut kept = all(execution);
    let mut checked = true;
    for constraint in kept.clone().into_iter().rev() {
        let rest: Vec<Constraint> = kept.iter().filter(|other| **other != constraint).copied().collect();
        match is_needed(trial, &rest, &constraint)? {
            Needed::Yes => {}
            Needed::No => kept = rest,
            Needed::Unknown => checked = false,
        }
    }
    Ok((kept, checked))
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
    Yes,
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
            Obeyed::Yes(execution) if !trial.is_failure(&execution) => return Ok(Needed::Yes),
            Obeyed::Yes(_) | Obeyed::No => {}
            Obeyed::Spent => return Ok(Needed::Unknown),
        }
    }
    Ok(Needed::No)
}
