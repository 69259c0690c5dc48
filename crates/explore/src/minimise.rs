//! What a failing schedule needs, and what it does not: fewest preemptions, fewest ordering constraints, and the decision
//! after which the failure is certain.
//!
//! 1. [`preemptions`]: segments of the schedule are joined as long as it still fails; then a bounded search looks for
//!    schedules with fewer preemptions still, and says whether there is none.
//! 2. [`constraints`]: the orders of conflicting events in which the failing execution could have gone another way are its
//!    constraints. One that can be turned round without saving the program is dropped. Those that are left are checked on
//!    both sides: with all of them the program fails, in whatever order the rest comes; with one turned round there is
//!    an execution that passes.
//! 3. [`inflection`]: the first decision after which every execution fails, found by halving.
//!
//! All three only run the program; none knows why it fails. What they say is checked by runs, and says so if the
//! budget was spent before all were made.

mod constraints;
mod inflection;
mod obey;
mod order;
mod preemptions;
mod trial;

use crate::budget::Budget;
use crate::execution::{Execution, Executor};
use crate::plan::Choice;
pub use inflection::Inflection;
pub use order::{Constraint, Occurrence};
pub use preemptions::many_preemptions;
use trial::Trial;

/// A failing schedule with nothing in it that it does not need.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Minimised {
    /// The failing execution.
    pub execution: Execution,
    /// How many of its decisions must be prescribed; the rest is the usual schedule.
    pub prescribed: usize,
    /// How often a thread is left that could go on.
    pub preemptions: u32,
    /// Whether every schedule with fewer preemptions was run and passed.
    pub fewest: bool,
    /// The orders that make it fail.
    pub constraints: Vec<Constraint>,
    /// Whether each constraint was checked on both sides within the budget.
    pub checked: bool,
    /// The decision after which the failure is certain.
    pub inflection: Option<Inflection>,
}

/// Minimises a failing schedule. `fails` says whether an execution shows the same failure. None, if the schedule does not
/// fail when it is run again.
pub fn minimise<E: Executor>(
    executor: &mut E,
    schedule: &[Choice],
    fails: &dyn Fn(&Execution) -> bool,
    budget: &mut Budget,
) -> Result<Option<Minimised>, E::Error> {
    let mut trial = Trial { executor, fails, budget };
    let Some(first) = trial.failing(schedule)? else { return Ok(None) };
    let (joined, fewest) = preemptions::reduce(&mut trial, first)?;
    let (execution, prescribed) = preemptions::shorten(&mut trial, joined)?;
    let (constraints, checked) = constraints::reduce(&mut trial, &execution)?;
    let inflection = inflection::find(&mut trial, &execution)?;
    let preemptions = many_preemptions(&execution.steps);
    Ok(Some(Minimised { execution, prescribed, preemptions, fewest, constraints, checked, inflection }))
}
