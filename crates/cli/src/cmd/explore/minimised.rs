//! What of a failing order matters: the plan of each failure is minimised by running others.

use super::executors::Executors;
use super::failure::{Failing, Failure};
use foretrace_explore::{Budget, Execution, minimise};
use foretrace_replay::ExploreError;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The most time that all failures together may take beyond the budget of the search.
const MOST_TIME: Duration = Duration::from_secs(3);
/// The most executions for one failure.
const MOST_EXECUTIONS: u64 = 3_000;

/// Minimises the plan of each failure, as far as a tenth of the budget and a few seconds go.
pub fn all(
    executors: &mut Executors,
    failures: &mut BTreeMap<Failure, Failing>,
    budget: Duration,
) -> Result<(), ExploreError> {
    let Ok(many @ 1..) = u32::try_from(failures.len()) else { return Ok(()) };
    let each = (budget / 10).min(MOST_TIME) / many;
    for (failure, failing) in failures {
        match one(executors, failure, failing, each) {
            Err(ExploreError::Interrupted) => return Ok(()),
            result => result?,
        }
    }
    Ok(())
}

fn one(
    executors: &mut Executors,
    failure: &Failure,
    failing: &mut Failing,
    time: Duration,
) -> Result<(), ExploreError> {
    executors.set_visible(&failing.visible);
    let fails = |execution: &Execution| Failure::all(execution).contains(failure);
    let mut budget = Budget::unlimited().executions(MOST_EXECUTIONS).until(Instant::now() + time);
    let minimised = minimise(&mut executors.all()[0], &failing.choices, &fails, &mut budget)?;
    if let Some(minimised) = minimised {
        *failing = Failing::new(minimised.execution.choices(), &failing.visible);
        failing.minimised = Some(minimised);
    }
    Ok(())
}
