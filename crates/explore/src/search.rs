//! What all searches share: they propose plans and learn from what happened.

use crate::budget::Budget;
use crate::execution::{Execution, Executor};
use crate::plan::Plan;

/// A search of executions, one after the other.
pub trait Search {
    /// The next plan, or none if nothing is left.
    fn next(&mut self) -> Option<Plan>;

    /// Learns what happened under the plan that [`Self::next`] gave.
    fn learn(&mut self, execution: &Execution);

    /// A copy, which goes on by itself. It may also leave plans out: propose the next one without having learnt from the one
    /// before.
    fn copy(&self) -> Box<dyn Search + Send>;
}

/// Whether a search goes on after an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goes {
    /// On.
    On,
    /// No further.
    NoFurther,
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finished {
    /// Nothing is left within what this search looks for.
    Exhausted,
    /// The budget was spent.
    Spent,
    /// The caller had enough.
    Stopped,
}

/// Runs a search until nothing is left, the budget is spent, or `see` has enough.
pub fn run<E: Executor>(
    search: &mut dyn Search,
    executor: &mut E,
    budget: &mut Budget,
    mut see: impl FnMut(&Plan, &Execution) -> Goes,
) -> Result<Finished, E::Error> {
    loop {
        if budget.spent() {
            return Ok(Finished::Spent);
        }
        let Some(plan) = search.next() else { return Ok(Finished::Exhausted) };
        let execution = executor.execute(&plan)?;
        budget.count();
        search.learn(&execution);
        if see(&plan, &execution) == Goes::NoFurther {
            return Ok(Finished::Stopped);
        }
    }
}
