//! Runs schedules and says whether they fail.

use crate::budget::Budget;
use crate::execution::{End, Execution, Executor};
use crate::plan::{Choice, Plan};

/// An executor, what counts as the failure, and what is left to spend.
pub struct Trial<'a, E> {
    pub executor: &'a mut E,
    pub fails: &'a dyn Fn(&Execution) -> bool,
    pub budget: &'a mut Budget,
}

impl<E: Executor> Trial<'_, E> {
    /// Runs a plan, if the budget allows.
    pub fn run(&mut self, plan: &Plan) -> Result<Option<Execution>, E::Error> {
        if self.budget.spent() {
            return Ok(None);
        }
        self.budget.count();
        self.executor.execute(plan).map(Some)
    }

    /// The execution of a schedule, if it can be followed and fails.
    pub fn failing(&mut self, schedule: &[Choice]) -> Result<Option<Execution>, E::Error> {
        let execution = self.run(&Plan::new(schedule.to_vec()))?;
        Ok(execution.filter(|execution| self.is_failure(execution)))
    }

    /// Did a complete execution fail?
    pub fn is_failure(&self, execution: &Execution) -> bool {
        !matches!(execution.end, End::Diverged { .. } | End::AllAsleep) && (self.fails)(execution)
    }
}
