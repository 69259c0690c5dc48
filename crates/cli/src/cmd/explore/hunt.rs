//! The search: plans go to the program, and what fails is kept, each failure with its simplest plan.

use super::again::Again;
use super::executors::{Alone, Executors};
use super::failure::{Failing, Failure, Kind};
use super::minimised;
use super::round::Round;
use super::searching::{Method, Prune, Searching};
use super::unfinished::Unfinished;
use crate::cmd::progress::{Line, Progress, View};
use crate::scratch::Scratch;
use anyhow::{Context, bail};
use foretrace_explore::{Budget, End, Execution, Finished, Goes, Minimised, Plan, PruningCounts, run, run_parallel};
use foretrace_replay::{ExploreError, Notes, PlanText, Program, SharedNotes, WhyForked};
use foretrace_symbolic::Value;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What came of a search.
pub struct Hunted {
    /// How it ended.
    pub finished: Finished,
    /// What the last round was.
    pub round: Round,
    /// Executions of all rounds.
    pub executions: u64,
    /// How long they took.
    pub time: Duration,
    /// How executions ended that are no failures, and how often.
    pub ends: BTreeMap<End, u64>,
    /// What failed.
    pub failures: Vec<Found>,
    /// What is to be said about the executions.
    pub notes: Notes,
    /// Races were seen, and plain accesses became visible, at so many places.
    pub visible: usize,
    /// It was stopped by the user.
    pub interrupted: bool,
    /// Why executions were forked that could be run faster.
    pub forked: Option<WhyForked>,
    /// Why one core was used instead of several.
    pub alone: Option<Alone>,
    /// What is needed to go on, if the search can.
    pub unfinished: Option<Unfinished>,
    /// What pruning has done, if there was any.
    pub pruning: Option<PruningCounts>,
    /// The execution that failed first, counted from 1.
    pub first_failure: Option<u64>,
    /// A pruned search looked for races, and not for deadlocks.
    pub races_alone: bool,
    /// Pruning was asked for, but the program has no table of its branches.
    pub has_no_table: bool,
    /// Steps of all executions.
    pub steps: u64,
    /// A failure without a fork was none in a fork, so executions were forked.
    pub differs: bool,
}

/// A failure, and how it comes about.
pub struct Found {
    /// What kind it is.
    pub kind: Kind,
    /// The plan that leads to it.
    pub plan: PlanText,
    /// What of it matters.
    pub minimised: Option<Minimised>,
    /// The values that it hangs on, if they were followed.
    pub values: Vec<Value>,
}

impl Hunted {
    /// Was every order run, to its end?
    pub fn is_complete(&self) -> bool {
        let cut = |end: &End| match end {
            End::Completed { .. } | End::Deadlock | End::Livelock | End::Crashed { .. } => false,
            End::AllAsleep => !self.round.may_repeat,
            End::Diverged { .. } | End::AwaitsSignal | End::TimedOut | End::TooLarge => true,
        };
        self.finished == Finished::Exhausted
            && self.round.is_complete
            && !self.ends.keys().any(cut)
            && !self.notes.is_cut_at_exit()
            && !self.notes.cancels()
            && !self.notes.leaves_loops()
            && !self.notes.waits_for_outside()
    }
}

/// More failures than anyone reads.
const MOST_FAILURES: usize = 64;
/// Racing memory beyond this many ranges stays invisible.
const MOST_VISIBLE: usize = 64;
/// So many executions without an end, and the search is given up.
const MOST_TIMED_OUT: u64 = 3;

/// Searches until nothing is left or the budget is spent. When a race is seen, its memory becomes visible and the search begins
/// again: what the race leads to is found, too.
pub fn hunt(
    searching: &Searching,
    (program, earlier): (&Program, Option<Unfinished>),
    (view, stop): (View, &'static AtomicBool),
) -> anyhow::Result<Hunted> {
    let begin = Instant::now();
    if let Some(hunted) = hunt_once(searching, (program, earlier), (view, stop))? {
        return Ok(hunted);
    }
    let budget = searching.budget.saturating_sub(begin.elapsed());
    let forked = Searching { fork: true, budget, ..searching.clone() };
    let hunted = hunt_once(&forked, (program, None), (view, stop))?;
    hunted.map(|hunted| Hunted { differs: true, ..hunted }).context("a search with forks is not begun again")
}

/// None: a failure was none in a fork.
fn hunt_once(
    searching: &Searching,
    (program, earlier): (&Program, Option<Unfinished>),
    (view, stop): (View, &'static AtomicBool),
) -> anyhow::Result<Option<Hunted>> {
    let begin = Instant::now();
    let plan = earlier.as_ref().map(|earlier| &earlier.plan);
    let scratch = Scratch::in_memory("explore-")?;
    let mut executors = Executors::start(searching, program, (scratch.path(), plan), stop)?;
    if earlier.as_ref().is_some_and(|earlier| Some(earlier.usual) != executors.usual) {
        bail!("the program does not run as it did when the search was interrupted; begin a new one without --resume");
    }
    let mut hunt = Hunt::new((begin, view), stop, executors.first().notes().clone());
    hunt.is_checked = !searching.fork;
    hunt.prune = searching.prune.filter(|prune| *prune == Prune::Nothing || executors.first().has_table());
    let mut method = hunt.begin(searching, earlier);
    executors.set_visible(&hunt.visible);
    let directory = scratch.path().join("again");
    let mut again = Again { searching, program, directory, stop, checked: BTreeMap::new() };
    let Some(finished) = hunt.rounds(&mut again, &mut executors, &mut method)? else { return Ok(None) };
    let interrupted = stop.load(Ordering::Relaxed);
    let time = hunt.time();
    if !interrupted {
        minimised::all(&mut executors, &mut hunt.failures, searching.budget)?;
        again.prefer_checked(&mut hunt.failures, &executors)?;
    }
    let hunted = hunt.into_hunted(searching, &executors, (finished, &method), time);
    hunted.map(Some).context("cannot read the numbers of threads")
}

struct Hunt {
    failures: BTreeMap<Failure, Failing>,
    ends: BTreeMap<End, u64>,
    executions: u64,
    visible: Vec<Range<u64>>,
    /// Where races were seen that are not visible yet.
    raced: Vec<Range<u64>>,
    notes: SharedNotes,
    /// An execution that writes files ends the round.
    keeps_off_files: bool,
    line: Line,
    begin: Instant,
    /// What earlier searches took.
    before: Duration,
    stop: &'static AtomicBool,
    /// What a pruned search looks for. What follows from a race is then no matter.
    prune: Option<Prune>,
    steps: u64,
    first_failure: Option<u64>,
    /// Failures are repeated in a fork.
    is_checked: bool,
    /// Those that have not been yet.
    unchecked: Vec<Failure>,
}

impl Hunt {
    fn new((begin, view): (Instant, View), stop: &'static AtomicBool, notes: SharedNotes) -> Self {
        Self {
            failures: BTreeMap::new(),
            ends: BTreeMap::new(),
            executions: 0,
            visible: Vec::new(),
            raced: Vec::new(),
            notes,
            keeps_off_files: false,
            line: Line::new(view),
            begin,
            before: Duration::ZERO,
            stop,
            prune: None,
            steps: 0,
            first_failure: None,
            is_checked: false,
            unchecked: Vec::new(),
        }
    }

    /// Begins a search, or takes over what an earlier one has found and goes on.
    fn begin(&mut self, searching: &Searching, earlier: Option<Unfinished>) -> Method {
        let Some(earlier) = earlier else { return self.begin_anew(searching) };
        self.failures = earlier.failures;
        self.ends = earlier.ends;
        self.executions = earlier.executions;
        self.visible = earlier.plan.visible;
        self.before = earlier.time;
        self.notes.add(earlier.notes);
        searching.go_on(self.begin, self.executions, earlier.complete)
    }

    fn begin_anew(&self, searching: &Searching) -> Method {
        self.prune.map_or_else(|| searching.begin(self.begin, 0), Searching::pruned)
    }

    fn time(&self) -> Duration {
        self.before + self.begin.elapsed()
    }

    /// Searches, and begins again as long as there is reason to. None: a failure was none in a fork.
    fn rounds(
        &mut self,
        again: &mut Again<'_>,
        executors: &mut Executors,
        method: &mut Method,
    ) -> Result<Option<Finished>, ExploreError> {
        let searching = again.searching;
        let mut budget = Budget::unlimited().until(self.begin + searching.budget);
        loop {
            self.keeps_off_files = executors.are_several_by_default();
            let finished = self.search(method, executors, &mut budget)?;
            let interrupted = self.stop.load(Ordering::Relaxed);
            let reduced = executors.are_reduced();
            let was_checked = !self.unchecked.is_empty();
            let new = std::mem::take(&mut self.unchecked);
            if !interrupted && !again.all_fail(new, &self.failures, executors)? {
                return Ok(None);
            }
            let begins_again = !self.raced.is_empty() || reduced;
            if finished != Finished::Stopped || interrupted || self.is_given_up() || !(begins_again || was_checked) {
                return Ok(Some(finished));
            }
            if !begins_again {
                continue;
            }
            self.line.begins_again(self.raced.len());
            self.visible.append(&mut self.raced);
            self.visible.truncate(MOST_VISIBLE);
            executors.set_visible(&self.visible);
            self.ends.clear();
            *method = self.begin_anew(searching);
        }
    }

    /// Searches until nothing is left, the budget is spent, or there is reason to begin again.
    fn search(
        &mut self,
        method: &mut Method,
        executors: &mut Executors,
        budget: &mut Budget,
    ) -> Result<Finished, ExploreError> {
        let see = |_: &Plan, execution: &Execution| self.see(execution);
        let finished = match executors.all() {
            [one] => run(method.search(), one, budget, see),
            many => run_parallel(method.search(), many, budget, see),
        };
        match finished {
            Err(ExploreError::Interrupted) => Ok(Finished::Stopped),
            Ok(Finished::Stopped) if self.is_given_up() => Ok(Finished::Spent),
            finished => finished,
        }
    }

    /// Takes note of an execution.
    fn see(&mut self, execution: &Execution) -> Goes {
        self.executions += 1;
        self.steps += execution.steps.len() as u64;
        *self.ends.entry(execution.end.clone()).or_default() += 1;
        self.keep_failures(execution);
        self.note_races(execution);
        let (executions, time, steps) = (self.executions, self.time(), execution.steps.len());
        self.line.show(&Progress { executions, time, steps });
        let ends = self.stop.load(Ordering::Relaxed)
            || self.is_given_up()
            || !self.raced.is_empty()
            || !self.unchecked.is_empty()
            || self.keeps_off_files && self.notes.get().writes_files();
        if ends { Goes::NoFurther } else { Goes::On }
    }

    fn is_given_up(&self) -> bool {
        self.ends.get(&End::TimedOut).is_some_and(|count| *count >= MOST_TIMED_OUT)
    }

    fn note_races(&mut self, execution: &Execution) {
        if self.prune.is_some() {
            return;
        }
        for race in &execution.races {
            let range = race.object.0..race.object.0 + race.size;
            let mut known = self.visible.iter().chain(&self.raced);
            let is_known = known.any(|known| known.start <= range.start && range.end <= known.end);
            if !is_known && self.visible.len() + self.raced.len() < MOST_VISIBLE {
                self.raced.push(range);
            }
        }
    }

    fn keep_failures(&mut self, execution: &Execution) {
        for failure in Failure::all(execution) {
            self.first_failure.get_or_insert(self.executions);
            let failing = Failing::new(execution.choices(), &self.visible);
            let room = self.failures.len() < MOST_FAILURES;
            match self.failures.get_mut(&failure) {
                Some(known) if known.switches > failing.switches => *known = failing,
                None if room => {
                    self.line.found(self.executions, failure.kind().says());
                    self.unchecked.extend(self.is_checked.then(|| failure.clone()));
                    self.failures.insert(failure, failing);
                }
                _ => {}
            }
        }
    }

    fn into_hunted(
        self,
        searching: &Searching,
        executors: &Executors,
        (finished, method): (Finished, &Method),
        time: Duration,
    ) -> std::io::Result<Hunted> {
        let directory = executors.first().directory();
        let plan =
            |failing: &Failing| PlanText::new(failing.choices.clone(), directory, &failing.visible, searching.spurious);
        let found = |(failure, failing): (&Failure, &Failing)| {
            let minimised = failing.minimised.clone();
            let inflection = minimised.as_ref().and_then(|minimised| minimised.inflection);
            let certain = inflection.and_then(|inflection| u32::try_from(inflection.decision).ok());
            Ok(Found {
                kind: failure.kind(),
                plan: PlanText { certain, ..plan(failing)? },
                minimised,
                values: Vec::new(),
            })
        };
        let failures: std::io::Result<_> = self.failures.iter().map(found).collect();
        let goes_on = searching.can_go_on() && finished != Finished::Exhausted && !self.is_given_up();
        let unfinished = match executors.usual.filter(|_| goes_on) {
            None => None,
            Some(usual) => Some(Unfinished {
                strategy: searching.strategy.name(),
                usual,
                plan: PlanText::new(Vec::new(), directory, &self.visible, searching.spurious)?,
                executions: self.executions,
                time,
                notes: self.notes.get(),
                ends: self.ends.clone(),
                failures: self.failures.clone(),
                complete: method.complete().cloned().unwrap_or_default(),
            }),
        };
        self.line.finish();
        Ok(Hunted {
            finished,
            round: method.round(finished),
            executions: self.executions,
            time,
            ends: self.ends,
            failures: failures?,
            notes: self.notes.get(),
            visible: self.visible.len(),
            interrupted: self.stop.load(Ordering::Relaxed),
            forked: self.notes.forked(),
            alone: executors.alone,
            unfinished,
            pruning: self.prune.map(|_| method.pruning().unwrap_or_default()),
            first_failure: self.first_failure,
            races_alone: self.prune == Some(Prune::Races),
            has_no_table: searching.prune.is_some() && self.prune.is_none(),
            steps: self.steps,
            differs: false,
        })
    }
}
