//! Followed runs, one path after the other: the checks of each are asked about, and its branches lead to further paths.

use foretrace_ctp::EventId;
use foretrace_event::symbolic::Why;
use foretrace_explore::Choice;
use foretrace_replay::{PlanText, Program, TimeLimit};
use foretrace_run::Modules;
use foretrace_symbolic::{Check, Followed, Model, naive};
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
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
const MOST_RUNS: usize = 24;
/// The most changes of threads that could have gone on, in one order.
const MOST_CHANGES: usize = 3;
/// The most states of the search for one order.
const STATES: usize = 20_000;

/// What the runs have shown.
#[derive(Default)]
pub struct Paths {
    /// Plans in which a check fails, as far as the model knows.
    pub failing: Vec<PlanText>,
    /// The model of the first run, and where files were mapped in it.
    pub first: Option<(Model, Modules)>,
    /// What was not decided, in words.
    pub undecided: Option<String>,
    /// Checks that fail, and branches whose other side was taken, by their places.
    known: BTreeSet<(Why, u64, usize)>,
    /// Questions without an answer.
    open: usize,
    waiting: VecDeque<Vec<Choice>>,
}

/// A followed run.
struct Seen<'a> {
    run: &'a Followed,
    model: &'a Model,
    plan: &'a PlanText,
}

impl Paths {
    /// Follows the program in this plan, and on the paths that branch off.
    pub fn follow(program: &Program, directory: &Path, plan: &PlanText, bounds: Bounds) -> anyhow::Result<Self> {
        let mut paths = Self { waiting: VecDeque::from([Vec::new()]), ..Self::default() };
        let mut plan = plan.clone();
        for _ in 0..MOST_RUNS {
            let Some(choices) = paths.waiting.pop_front().filter(|_| !bounds.are_met()) else { break };
            let is_first = choices.is_empty();
            let run = program.follow(&PlanText { choices, ..plan.clone() }, directory, bounds.limit)?;
            let (modules, died) = (run.run.modules, run.run.death.is_some());
            let followed = foretrace_symbolic::read(&run.records, run.steps)?;
            plan = PlanText::new(Vec::new(), directory, &plan.visible, plan.spurious)?;
            if died {
                let choices = followed.steps.iter().map(foretrace_explore::Step::choice).collect();
                paths.failing.push(PlanText { choices, ..plan.clone() });
                continue;
            }
            let model = foretrace_symbolic::model(&followed)?;
            paths.ask(&Seen { run: &followed, model: &model, plan: &plan }, bounds);
            if is_first {
                paths.first = Some((model, modules));
            }
        }
        let open = paths.open + paths.waiting.len();
        paths.undecided = (open > 0).then(|| format!("assertions and branches left undecided: {open}"));
        Ok(paths)
    }

    /// Asks about all checks of a run, and then about its branches.
    fn ask(&mut self, seen: &Seen<'_>, bounds: Bounds) {
        for check in &seen.model.checks {
            if let Some(choices) = self.answer(seen, check, bounds) {
                self.failing.push(PlanText { choices, ..seen.plan.clone() });
            }
        }
        for branch in &seen.model.branches {
            let choices = self.answer(seen, branch, bounds);
            self.waiting.extend(choices);
        }
    }

    /// The choices of an order in which the condition does not hold, if there is one and none is known for its place.
    fn answer(&mut self, seen: &Seen<'_>, check: &Check, bounds: Bounds) -> Option<Vec<Choice>> {
        let key = (check.why, check.place, check.event.thread.index());
        if self.known.contains(&key) {
            return None;
        }
        if bounds.are_met() {
            self.open += 1;
            return None;
        }
        let order = self.order(seen.model, check.event)?;
        self.known.insert(key);
        Some(foretrace_symbolic::plan(&seen.model.ctp, &seen.run.steps, &order))
    }

    fn order(&mut self, model: &Model, event: EventId) -> Option<Vec<EventId>> {
        for changes in 0..=MOST_CHANGES {
            match naive::failing_order(&model.ctp, event, changes, STATES) {
                Ok(Some(order)) => return Some(order),
                Ok(None) => {}
                Err(_) => {
                    self.open += 1;
                    return None;
                }
            }
        }
        None
    }
}

impl Bounds {
    fn are_met(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() >= self.until
    }
}
