//! Failures that were seen without a fork are repeated in one.
//!
//! Executions without a fork have some blocks of memory at other addresses than a run from the beginning, which is what confirms a
//! failure. So the first execution that shows a failure is repeated in a fork. If it does not fail there, the search has to begin
//! again with forks; if it does, it is kept for the case that simpler ways to the failure, which are found later, depend on
//! addresses.

use super::executors::Executors;
use super::failure::{Failing, Failure};
use super::searching::Searching;
use foretrace_explore::{Executor, Plan};
use foretrace_replay::{ExploreError, PlanText, Program};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

type Failures = BTreeMap<Failure, Failing>;

/// What is repeated in a fork.
pub struct Again<'a> {
    /// How the search runs executions.
    pub searching: &'a Searching,
    /// The program.
    pub program: &'a Program,
    /// A directory for the forks.
    pub directory: PathBuf,
    /// Ends them.
    pub stop: &'static AtomicBool,
    /// What has failed in a fork, too.
    pub checked: Failures,
}

impl Again<'_> {
    /// Do these failures, which are new, fail in a fork, too?
    pub fn all_fail(
        &mut self,
        new: Vec<Failure>,
        failures: &Failures,
        executors: &Executors,
    ) -> Result<bool, ExploreError> {
        if self.is_forked(executors) {
            return Ok(true);
        }
        for failure in new {
            let failing = failures[&failure].clone();
            if !self.fails(&failure, &failing, executors)? {
                return Ok(false);
            }
            self.checked.insert(failure, failing);
        }
        Ok(true)
    }

    /// Simpler ways to a failure are kept only if they fail in a fork, too.
    pub fn prefer_checked(self, failures: &mut Failures, executors: &Executors) -> Result<(), ExploreError> {
        for (failure, checked) in &self.checked {
            let simplest = &failures[failure];
            if simplest.choices != checked.choices && !self.fails(failure, simplest, executors)? {
                failures.insert(failure.clone(), checked.clone());
            }
        }
        Ok(())
    }

    fn is_forked(&self, executors: &Executors) -> bool {
        self.searching.fork || executors.first().notes().forked().is_some()
    }

    fn fails(&self, failure: &Failure, failing: &Failing, executors: &Executors) -> Result<bool, ExploreError> {
        let directory = executors.first().directory();
        let plan = PlanText::new(failing.choices.clone(), directory, &failing.visible, self.searching.spurious);
        let plan = plan.map_err(|source| ExploreError::Io { path: directory.to_owned(), source })?;
        let one = Searching { fork: true, jobs: 1, prune: None, ..self.searching.clone() };
        let mut forked = Executors::start(&one, self.program, (&self.directory, Some(&plan)), self.stop)?;
        forked.set_visible(&failing.visible);
        let execution = forked.all()[0].execute(&Plan::new(failing.choices.clone()))?;
        Ok(Failure::all(&execution).contains(failure))
    }
}
