//! The decision after which a failure is certain.

use super::trial::Trial;
use crate::execution::{Execution, Executor};
use crate::optimal::Optimal;
use crate::plan::Choice;
use crate::search::Search;

/// How many executions below a state are run to find one that passes.
const EXECUTIONS: u32 = 2_000;

/// The first decision after which every execution fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inflection {
    /// Its number, from 0.
    pub decision: usize,
    /// Whether every execution after it was run; otherwise no passing one was found.
    pub proved: bool,
}

enum Below {
    AllFail { proved: bool },
    SomePass,
}

/// Halves the schedule: if all executions after a decision fail, so do all after a later one. None, if the program
/// fails whatever is decided.
pub fn find<E: Executor>(trial: &mut Trial<'_, E>, execution: &Execution) -> Result<Option<Inflection>, E::Error> {
    let choices = execution.choices();
    let (mut passing, mut failing, mut proved) = (None, choices.len(), true);
    while failing > passing.map_or(0, |passing: usize| passing + 1) {
        let middle = passing.map_or(0, |passing| passing + 1).midpoint(failing);
        let middle = middle.min(failing - 1);
        match below(trial, &choices[..middle])? {
            Below::AllFail { proved: all } => (failing, proved) = (middle, all),
            Below::SomePass => passing = Some(middle),
        }
    }
    Ok(failing.checked_sub(1).map(|decision| Inflection { decision, proved }))
}

/// Runs the classes below a state until one passes.
fn below<E: Executor>(trial: &mut Trial<'_, E>, prefix: &[Choice]) -> Result<Below, E::Error> {
    let mut search = Optimal::below(prefix.to_vec());
    for _ in 0..EXECUTIONS {
        let Some(plan) = search.next() else {
            let counts = search.counts();
            return Ok(Below::AllFail { proved: counts.asleep + counts.diverged + counts.cut == 0 });
        };
        let Some(execution) = trial.run(&plan)? else { break };
        if !trial.is_failure(&execution) {
            return Ok(Below::SomePass);
        }
        search.learn(&execution);
    }
    Ok(Below::AllFail { proved: false })
}
