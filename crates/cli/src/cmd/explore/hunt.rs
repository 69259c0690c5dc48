//! The search: plans go to the program, and what fails is kept, each failure with its simplest plan.

use super::{Args, Strategy};
use crate::cmd::progress::{Line, Progress};
use foretrace_event::visible::{OpKind, Operation};
use foretrace_explore::{
    Bounded, Budget, Choice, Climb, DepthFirst, End, Execution, Executor, Finished, Optimal, Part, RaceSeen, Search,
    Shares, Walk, Walks,
};
use foretrace_replay::{ExploreError, Forked, Notes, PlanText, Program, Setup, TimeLimit};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
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
    pub failures: Vec<(Kind, PlanText)>,
    /// What is to be said about the executions.
    pub notes: Notes,
    /// Races were seen, and plain accesses became visible, at so many places.
    pub visible: usize,
    /// It was stopped by the user.
    pub interrupted: bool,
}

impl Hunted {
    /// Was every order run, to its end?
    pub fn is_complete(&self) -> bool {
        let cut =
            |end: &End| !matches!(end, End::Completed { .. } | End::Deadlock | End::Livelock | End::Crashed { .. });
        self.finished == Finished::Exhausted
            && self.round.is_complete
            && !self.ends.keys().any(cut)
            && !self.notes.is_cut_at_exit()
            && !self.notes.cancels()
            && !self.notes.waits_for_outside()
    }
}

/// What a round of the search was.
#[derive(Clone, Default)]
pub struct Round {
    /// Every order was run, or one that stands for it.
    pub is_complete: bool,
    /// How many classes of orders were run, if it ran one order of each.
    pub classes: Option<u64>,
    /// How many there are, about.
    pub estimate: Option<f64>,
    /// The bound within which all orders were run.
    pub within: Option<String>,
}

/// What kind of failure it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A race.
    Race,
    /// Threads that can never go on.
    Stuck,
    /// The program died.
    Death,
}

/// What makes two failures the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Failure {
    /// Two places that raced.
    Race([u64; 2]),
    /// Threads that can never go on, by what they wait for.
    Stuck(Vec<(OpKind, u64)>),
    /// A signal, after a step at this place.
    Death(i32, u64),
}

impl Failure {
    fn kind(&self) -> Kind {
        match self {
            Self::Race(_) => Kind::Race,
            Self::Stuck(_) => Kind::Stuck,
            Self::Death(..) => Kind::Death,
        }
    }
}

impl Round {
    fn of(is_complete: bool, optimal: &Optimal) -> Self {
        let counts = optimal.counts();
        let whole = counts.asleep + counts.diverged + counts.cut == 0;
        let estimate = optimal.progress().estimate();
        Self { is_complete: is_complete && whole, classes: Some(counts.classes), estimate, within: None }
    }
}

/// The most simple orders, with few delays, that are run first.
const SIMPLE: u64 = 200;
/// The part of the budget after which random orders are run, if there are classes left.
const SHARE_OF_CLASSES: f64 = 0.8;

/// More failures than anyone reads.
const MOST_FAILURES: usize = 64;
/// Racing memory beyond this many ranges stays invisible.
const MOST_VISIBLE: usize = 64;

/// So many executions without an end, and the search is given up.
const MOST_TIMED_OUT: u64 = 3;

/// Searches until nothing is left or the budget is spent. When a race is seen, its memory becomes visible and the search begins
/// again: what the race leads to is found, too.
pub fn hunt(args: &Args, program: &Program, scratch: &Path, stop: &'static AtomicBool) -> Result<Hunted, ExploreError> {
    let begin = Instant::now();
    let directory = scratch.join("executions");
    std::fs::create_dir_all(&directory).map_err(|source| ExploreError::Io { path: directory.clone(), source })?;
    let limit = TimeLimit { stop: Some(stop), ..args.timeout.into() };
    let mut executor = Forked::new(program, &directory, Setup { limit, spurious: args.spurious, core: core() })?;
    let mut hunt = Hunt { failures: BTreeMap::new(), ends: BTreeMap::new(), line: Line::new(), begin, stop };
    let mut visible: Vec<Range<u64>> = Vec::new();
    let mut budget = Budget::unlimited().until(begin + args.budget);
    let (finished, round) = loop {
        let (finished, round) = hunt.round(args, &mut executor, &mut budget)?;
        let room = MOST_VISIBLE - visible.len();
        let more: Vec<_> = executor.raced().iter().take(room).cloned().collect();
        if finished != Finished::Stopped || more.is_empty() || stop.load(Ordering::Relaxed) {
            break (finished, round);
        }
        visible.extend(more);
        executor.set_visible(visible.clone());
        hunt.ends.clear();
    };
    hunt.line.finish();
    let text = |(failure, failing): (&Failure, &Failing)| {
        let plan = PlanText::new(failing.choices.clone(), &directory, &failing.visible, args.spurious)?;
        Ok((failure.kind(), plan))
    };
    let failures: std::io::Result<_> = hunt.failures.iter().map(text).collect();
    Ok(Hunted {
        finished,
        round,
        executions: budget.done(),
        time: begin.elapsed(),
        ends: hunt.ends,
        failures: failures.map_err(|source| ExploreError::Io { path: directory, source })?,
        notes: executor.notes,
        visible: visible.len(),
        interrupted: stop.load(Ordering::Relaxed),
    })
}

/// A core to run on: the first that this process may use.
fn core() -> usize {
    let allowed = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = allowed.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or("0").trim();
    list.split(['-', ',']).next().and_then(|first| first.parse().ok()).unwrap_or(0)
}

/// A failure's plan.
struct Failing {
    choices: Vec<Choice>,
    switches: usize,
    visible: Vec<Range<u64>>,
}

struct Hunt {
    failures: BTreeMap<Failure, Failing>,
    ends: BTreeMap<End, u64>,
    line: Line,
    begin: Instant,
    stop: &'static AtomicBool,
}

impl Hunt {
    /// Searches until nothing is left, the budget is spent, or a race was seen whose memory is not visible yet.
    fn round(
        &mut self,
        args: &Args,
        executor: &mut Forked,
        budget: &mut Budget,
    ) -> Result<(Finished, Round), ExploreError> {
        if let Some((cost, most, name)) = args.bound() {
            let mut bounded = Bounded::new(cost, most);
            let finished = self.search(&mut bounded, executor, budget)?;
            let within = Some(format!("with at most {} {name}", bounded.bound()));
            return Ok((finished, Round { is_complete: bounded.is_complete(), within, ..Round::default() }));
        }
        let walk = match args.strategy {
            Strategy::Climb => return self.climb(args, executor, budget),
            Strategy::Complete => {
                let mut optimal = Optimal::new();
                let finished = self.search(&mut optimal, executor, budget)?;
                return Ok((finished, Round::of(finished == Finished::Exhausted, &optimal)));
            }
            Strategy::Every => {
                let finished = self.search(&mut DepthFirst::default(), executor, budget)?;
                let is_complete = finished == Finished::Exhausted;
                return Ok((finished, Round { is_complete, ..Round::default() }));
            }
            Strategy::Random => Walk::Uniform,
            Strategy::Pct => Walk::Pct { depth: 3 },
            Strategy::Pos => Walk::Pos,
            Strategy::Surw => Walk::Surw,
        };
        Ok((self.search(&mut Walks::new(walk, args.seed), executor, budget)?, Round::default()))
    }

    /// Simple orders first, then one of each class, then random ones.
    fn climb(
        &mut self,
        args: &Args,
        executor: &mut Forked,
        budget: &mut Budget,
    ) -> Result<(Finished, Round), ExploreError> {
        let until = Some(self.begin + args.budget.mul_f64(SHARE_OF_CLASSES));
        let shares = Shares { delays: 2, simple: SIMPLE, complete: None, until };
        let mut climb = Climb::new(shares, args.seed);
        let finished = self.search(&mut climb, executor, budget)?;
        Ok((finished, Round::of(climb.part() == Part::Done, climb.complete())))
    }

    fn search(
        &mut self,
        search: &mut dyn Search,
        executor: &mut Forked,
        budget: &mut Budget,
    ) -> Result<Finished, ExploreError> {
        loop {
            if budget.spent() {
                return Ok(Finished::Spent);
            }
            let Some(plan) = search.next() else { return Ok(Finished::Exhausted) };
            let execution = executor.execute(&plan)?;
            if self.stop.load(Ordering::Relaxed) {
                return Ok(Finished::Stopped);
            }
            budget.count();
            search.learn(&execution);
            self.see(&execution, executor.visible());
            self.line.show(&Progress {
                executions: budget.done(),
                time: self.begin.elapsed(),
                steps: execution.steps.len(),
            });
            if self.ends.get(&End::TimedOut).is_some_and(|count| *count >= MOST_TIMED_OUT) {
                return Ok(Finished::Spent);
            }
            if !executor.raced().is_empty() && executor.visible().len() < MOST_VISIBLE {
                return Ok(Finished::Stopped);
            }
        }
    }

    fn see(&mut self, execution: &Execution, visible: &[Range<u64>]) {
        *self.ends.entry(execution.end.clone()).or_default() += 1;
        for failure in failures(execution) {
            let (choices, switches) = (execution.choices(), switches(execution));
            let failing = Failing { choices, switches, visible: visible.to_vec() };
            let room = self.failures.len() < MOST_FAILURES;
            match self.failures.get_mut(&failure) {
                Some(known) if known.switches > switches => *known = failing,
                None if room => drop(self.failures.insert(failure, failing)),
                _ => {}
            }
        }
    }
}

/// How often the execution goes from one thread to another.
fn switches(execution: &Execution) -> usize {
    execution.steps.windows(2).filter(|two| two[0].thread != two[1].thread).count()
}

fn failures(execution: &Execution) -> Vec<Failure> {
    let race = |race: &RaceSeen| {
        let mut places = [race.first_place, race.second_place];
        places.sort_unstable();
        Failure::Race(places)
    };
    let stuck = || {
        let wanted = |(_, operation): &(_, Operation)| (operation.kind, operation.object.0);
        let mut wanted: Vec<_> = execution.pending.iter().map(wanted).collect();
        wanted.sort_unstable();
        Failure::Stuck(wanted)
    };
    let end = match &execution.end {
        End::Deadlock | End::Livelock => Some(stuck()),
        End::Crashed { signal } => Some(Failure::Death(*signal, execution.steps.last().map_or(0, |step| step.place))),
        _ => None,
    };
    execution.races.iter().map(race).chain(end).collect()
}
