//! Followed runs, one after the other: each shows which orders to run next.

use foretrace_explore::Step;
use foretrace_order::Budget;
use foretrace_replay::{FollowedRun, PlanText, Program, TimeLimit};
use foretrace_run::{Cause, Death, Modules};
use foretrace_symbolic::{Model, Order};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// How far paths are followed.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// When nothing new is begun any more.
    pub until: Instant,
    /// Ends everything.
    pub stop: &'static AtomicBool,
    /// How long a run may take.
    pub limit: TimeLimit,
}

/// The most runs.
const MOST_RUNS: usize = 64;
/// The most runs that may fail: each is confirmed.
const MOST_FAILURES: usize = 8;

/// What the runs have shown.
#[derive(Default)]
pub struct Paths {
    /// Plans of runs that have failed.
    pub failing: Vec<PlanText>,
    /// The model of the first run, and where files were mapped in it.
    pub first: Option<(Model, Modules)>,
    /// How many runs were followed.
    pub runs: usize,
    /// Questions without an answer.
    pub undecided: usize,
    /// Causes and places of failures so far.
    deaths: BTreeSet<(Cause, u64)>,
    search: foretrace_symbolic::Paths,
}

impl Paths {
    /// Follows the program in this plan, and on the paths that branch off.
    pub fn follow(program: &Program, directory: &Path, plan: &PlanText, bounds: Bounds) -> anyhow::Result<Self> {
        let mut paths = Self::default();
        let mut plan = plan.clone();
        let budget = Budget { until: Some(bounds.until), stop: Some(bounds.stop), conflicts: None };
        let mut order = Some(Order { choices: Vec::new(), fails: None });
        while let Some(Order { choices, fails }) = order {
            let run = program.follow(&PlanText { choices, ..plan.clone() }, directory, bounds.limit)?;
            plan = PlanText::new(Vec::new(), directory, &plan.visible, plan.spurious)?;
            paths.runs += 1;
            if let Some(death) = &run.run.death {
                paths.failed(death, &run.steps, &plan);
                fails.into_iter().for_each(|site| paths.search.failed(site));
            } else {
                paths.passed(run)?;
            }
            let is_enough = paths.runs >= MOST_RUNS || paths.failing.len() >= MOST_FAILURES;
            order = if is_enough { None } else { paths.search.next(&budget) };
        }
        paths.undecided = paths.search.undecided();
        Ok(paths)
    }

    fn failed(&mut self, death: &Death, steps: &[Step], plan: &PlanText) {
        if self.deaths.insert((death.cause, death.fault.as_ref().map_or(0, |fault| fault.pc))) {
            self.failing.push(PlanText { choices: steps.iter().map(Step::choice).collect(), ..plan.clone() });
        }
    }

    fn passed(&mut self, run: FollowedRun) -> anyhow::Result<()> {
        let model = self.search.add(foretrace_symbolic::read(&run.records, run.steps)?)?;
        if self.first.is_none() {
            self.first = Some((model.clone(), run.run.modules));
        }
        Ok(())
    }
}
