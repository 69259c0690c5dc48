//! Followed runs, one after the other: each shows which orders to run next.

use crate::cmd::explore::FailureKind;
use foretrace_explore::Step;
use foretrace_order::Budget;
use foretrace_replay::{FollowedRun, PlanText, Program, TimeLimit};
use foretrace_run::{Cause, Modules};
use foretrace_symbolic::{Asks, Model, Order, Site, Value};
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
    /// Plans of runs that have failed, how, and the values that it hangs on.
    pub failing: Vec<(FailureKind, PlanText, Vec<Value>)>,
    /// The model of the first run, and where files were mapped in it.
    pub first: Option<(Model, Modules)>,
    /// The steps of the first run.
    pub steps: Vec<Step>,
    /// How many runs were followed.
    pub runs: usize,
    /// Questions without an answer.
    pub undecided: usize,
    /// Causes and places of deaths so far.
    deaths: BTreeSet<(Cause, u64)>,
    /// Places of broken regions so far.
    broken: BTreeSet<[u64; 3]>,
    search: foretrace_symbolic::Paths,
}

impl Paths {
    /// Follows the program in this plan, and on the paths that branch off.
    pub fn follow(
        program: &Program,
        directory: &Path,
        plan: &PlanText,
        (bounds, asks): (Bounds, Asks),
    ) -> anyhow::Result<Self> {
        let mut paths = Self { search: foretrace_symbolic::Paths::new(asks), ..Self::default() };
        let mut plan = plan.clone();
        let budget = Budget { until: Some(bounds.until), stop: Some(bounds.stop), conflicts: None };
        let mut order = Some(Order { choices: Vec::new(), fails: None });
        while let Some(Order { choices, fails }) = order {
            let run = program.follow(&PlanText { choices, ..plan.clone() }, directory, bounds.limit)?;
            let regions = plan.regions;
            plan = PlanText { regions, ..PlanText::new(Vec::new(), directory, &plan.visible, plan.spurious)? };
            paths.runs += 1;
            if paths.runs == 1 {
                paths.steps.clone_from(&run.steps);
            }
            paths.failed(&run, &plan)?;
            match (fails, &run.run.death) {
                (Some(site @ Site::Region(_)), _) if !run.run.regions.is_empty() => paths.search.failed(site),
                (Some(site @ Site::Check(..)), Some(_)) => paths.search.failed(site),
                _ => {}
            }
            if run.run.death.is_none() {
                paths.passed(run)?;
            }
            let is_enough = paths.runs >= MOST_RUNS || paths.failing.len() >= MOST_FAILURES;
            order = if is_enough { None } else { paths.search.next(&budget) };
        }
        paths.undecided = paths.search.undecided();
        Ok(paths)
    }

    /// Keeps the plan of a run that failed in a new way.
    fn failed(&mut self, followed: &FollowedRun, plan: &PlanText) -> anyhow::Result<()> {
        let FollowedRun { run, steps, records } = followed;
        let plan = || PlanText { choices: steps.iter().map(Step::choice).collect(), ..plan.clone() };
        let death = run.death.as_ref().map(|death| (death.cause, death.fault.as_ref().map_or(0, |fault| fault.pc)));
        if death.is_some_and(|death| self.deaths.insert(death)) {
            let values = foretrace_symbolic::values(&foretrace_symbolic::read(records, steps.clone())?);
            self.failing.push((FailureKind::Death, plan(), values));
        }
        let places = run.regions.iter().map(|region| region.accesses.each_ref().map(|access| access.pc));
        let known = self.broken.len();
        self.broken.extend(places);
        if self.broken.len() > known {
            self.failing.push((FailureKind::Region, plan(), Vec::new()));
        }
        Ok(())
    }

    fn passed(&mut self, run: FollowedRun) -> anyhow::Result<()> {
        let model = self.search.add(foretrace_symbolic::read(&run.records, run.steps)?)?;
        if self.first.is_none() {
            self.first = Some((model.clone(), run.run.modules));
        }
        Ok(())
    }
}
