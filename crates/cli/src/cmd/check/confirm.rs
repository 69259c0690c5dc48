//! Predicts, and climbs the ladder of each candidate.

use super::subject::Subject;
use super::vain;
use super::values::Values;
use super::{Args, Look};
use crate::cmd::progress::Bar;
use anyhow::Context;
use foretrace_finding::{Candidate, Finding, Rung, Schedule, Verdict, Witness};
use foretrace_predict::{Budget, Options, Predicted, Prediction, Predictor, Watch};
use foretrace_replay::{
    Confirmed, Enforced, Evidence, Limits, Modules, Precision, Program, ReplayError, Replayed, Spot, TimeLimit,
    confirm, side_by_side,
};
use foretrace_trace::Trace;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What came of everything.
pub struct Results {
    /// Failures that were seen, each once.
    pub confirmed: Vec<Confirmed>,
    /// Candidates that no replay showed.
    pub open: Vec<Finding>,
    /// What prediction says.
    pub prediction: Prediction,
    /// Why not everything was tried, if so.
    pub spent: Option<&'static str>,
}

/// States that one question may take: large programs ask hundreds, and most are answered with far less or never.
const STATES: u64 = 100_000;

/// The least and the most time of a replay.
const LEAST: Duration = Duration::from_secs(10);
const MOST: Duration = Duration::from_secs(600);
/// A replay that was begun within the budget may go on for so long after it.
const GRACE: Duration = Duration::from_millis(500);

/// How long a replay may take. A program that had to be ended, such as a server, will have to be ended again.
fn replay_time(subject: &Subject) -> Duration {
    let recorded = subject.time.min(MOST);
    if subject.cut_short { recorded * 2 + GRACE } else { (recorded * 20).clamp(LEAST, MOST) }
}

/// Predicts and replays.
pub fn examine(
    args: &Args,
    subject: &Subject,
    scratch: &Path,
    (stop, bar): (&'static AtomicBool, &Bar),
) -> anyhow::Result<Results> {
    let until = args.budget.map(|budget| Instant::now() + budget);
    let mut options = options(args, until);
    options.budget.stop = Some(stop);
    let time = replay_time(subject);
    let time = TimeLimit { time, until: until.map(|until| until + GRACE), stop: Some(stop), standstill: false };
    let precision = if subject.time < args.coarse_after { Precision::Each } else { Precision::Segments };
    let limits = Limits { time, replays: args.replays, precision, until };
    let predictor = Predictor::new(&subject.trace, &options);
    let prediction = predictor.predict(bar);
    let recorded = (&subject.trace, &subject.modules);
    let program = &subject.program;
    let bench = Bench { program, recorded, predictor: &predictor, options: &options, limits, scratch, bar };
    let mut replays = Replays { bench, seen: Seen::default(), open: Vec::new() };
    if subject.cut_short {
        replays.observed()?;
    }
    replays.all(&prediction, jobs(args))?;
    replays.in_vain(jobs(args))?;
    let Replays { seen, open, .. } = replays;
    Ok(Results { confirmed: seen.failures, open, prediction, spent: limits.spent() })
}

fn jobs(args: &Args) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    if args.jobs == 0 { cores } else { args.jobs }
}

fn options(args: &Args, deadline: Option<Instant>) -> Options {
    Options {
        races: args.look_for.contains(&Look::Races),
        deadlocks: args.look_for.contains(&Look::Deadlocks),
        window: args.window,
        jobs: args.jobs,
        budget: Budget { deadline, ..Budget::of_states(STATES) },
        ..Options::default()
    }
}

/// So often a failure that may hang on a value is replayed, to see whether it comes every time.
const REPEATS: usize = 8;
/// Of so many schedules it is asked how often they show what they showed once.
const COUNTED: usize = 4;

/// In how many of how many runs a failure shows.
fn repeats(failure: &Confirmed, runs: &[Replayed]) -> Option<(u32, u32)> {
    let shows = |run: &&Replayed| {
        let like = |one: &Evidence| one.is_like(&run.modules, &failure.evidence, &failure.run.modules);
        Evidence::all(&run.outcome).iter().any(like)
    };
    (!runs.is_empty()).then(|| (runs.iter().filter(shows).count() as u32, runs.len() as u32))
}

fn not_replayed() -> Verdict {
    Verdict::Unknown { why: "it was not replayed".to_owned() }
}

/// Failures, each once.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) failures: Vec<Confirmed>,
    spots: BTreeSet<Vec<Spot>>,
}

impl Seen {
    pub(super) fn add(&mut self, confirmed: Confirmed) {
        if self.spots.insert(confirmed.evidence.spots(&confirmed.run.modules)) {
            self.failures.push(confirmed);
        }
    }
}

/// What every replay needs.
#[derive(Clone, Copy)]
struct Bench<'a> {
    program: &'a Program,
    recorded: (&'a Trace, &'a Modules),
    predictor: &'a Predictor<'a>,
    options: &'a Options,
    limits: Limits,
    scratch: &'a Path,
    bar: &'a Bar,
}

impl Bench<'_> {
    fn climb(&self, worker: usize, one: &Predicted) -> Result<(Option<Finding>, Vec<Confirmed>), ReplayError> {
        let (trace, candidate) = (self.recorded.0, &one.witness.candidate);
        let directory = self.scratch.join(format!("replay-{worker}"));
        let first = std::iter::once(one.witness.clone());
        let rest = std::iter::once_with(|| self.predictor.witnesses(candidate));
        let rest = rest.flatten().filter(|witness| witness.schedule != one.witness.schedule);
        let mut legal = first.chain(rest).filter(|witness| foretrace_judge::judge(trace, witness).is_ok());
        confirm(self.program, self.recorded, &mut legal, &directory, self.limits)
    }

    /// Runs a schedule; none if it cannot be enforced, or there is no time.
    fn once(&self, worker: usize, schedule: &Schedule, how: Precision) -> Result<Option<Replayed>, ReplayError> {
        let Ok(enforced) = Enforced::new(self.recorded.0, schedule) else { return Ok(None) };
        if self.limits.spent().is_some() {
            return Ok(None);
        }
        let directory = self.scratch.join(format!("replay-{worker}"));
        std::fs::create_dir_all(&directory).map_err(|source| ReplayError::Io { path: directory.clone(), source })?;
        self.program.replay(&enforced, &directory, how, self.limits.time).map(Some)
    }
}

/// The work, and what has come of it.
struct Replays<'a> {
    bench: Bench<'a>,
    seen: Seen,
    open: Vec<Finding>,
}

impl Replays<'_> {
    /// Takes the candidates in groups, so that what one group showed by the way need not be tried again.
    fn all(&mut self, prediction: &Prediction, jobs: usize) -> anyhow::Result<()> {
        let all: Vec<&Predicted> = prediction.races.iter().chain(&prediction.deadlocks).collect();
        for number in 0..jobs {
            std::fs::create_dir_all(self.bench.scratch.join(format!("replay-{number}")))?;
        }
        self.bench.bar.phase("replaying", all.len());
        for group in all.chunks(jobs.max(1)) {
            let fresh: Vec<_> = group.iter().filter(|one| !self.is_shown(&one.witness.candidate)).collect();
            let bench = self.bench;
            let answers = side_by_side(jobs, &fresh, |worker, one| bench.climb(worker, one));
            group.iter().for_each(|_| bench.bar.step());
            for (one, answer) in fresh.iter().zip(answers) {
                let (finding, seen) = answer.context("cannot replay")?;
                seen.into_iter().for_each(|confirmed| self.seen.add(confirmed));
                let untried = || Finding { witness: one.witness.clone(), verdict: not_replayed() };
                let finding = finding.unwrap_or_else(untried);
                self.open.extend(Some(finding).filter(|finding| finding.verdict != Verdict::Confirmed));
            }
        }
        self.drop_shown();
        self.by_values(jobs)?;
        self.as_recorded()
    }

    /// Lets the reads of the races that were seen see other values, and looks what the program does then.
    fn by_values(&mut self, jobs: usize) -> anyhow::Result<()> {
        let bench = self.bench;
        let mut values = Values::new(bench.recorded.0, &bench.limits);
        loop {
            let tries = values.next(&self.seen);
            if tries.is_empty() || bench.limits.spent().is_some() {
                break;
            }
            bench.bar.phase("letting reads see other values", tries.len());
            let answers = side_by_side(jobs, &tries, |worker, one| {
                bench.bar.step();
                bench.once(worker, &one.schedule(), Precision::Each)
            });
            for (one, answer) in tries.iter().zip(answers) {
                let run = answer.context("cannot replay")?;
                run.into_iter().for_each(|run| values.note(one, &run, &mut self.seen));
            }
        }
        self.count_repeats()?;
        for number in 0..self.seen.failures.len() {
            let schedules = values.schedules(&self.seen.failures[number]);
            self.settle(number, schedules)?;
        }
        self.drop_shown();
        Ok(())
    }

    /// Where there is more than one race, one may hang on how another goes: is each there every time?
    fn count_repeats(&mut self) -> anyhow::Result<()> {
        let races = self.seen.failures.iter().filter(|one| matches!(one.evidence, Evidence::Race(_))).count();
        let schedules: BTreeSet<Schedule> =
            self.seen.failures.iter().map(|failure| failure.witness.schedule.clone()).collect();
        for schedule in schedules.iter().filter(|schedule| schedule.late().is_empty() && races > 1).take(COUNTED) {
            let runs = self.at_once(schedule)?;
            for failure in self.seen.failures.iter_mut().filter(|one| one.witness.schedule == *schedule) {
                failure.repeats = repeats(failure, &runs);
            }
        }
        Ok(())
    }

    /// Runs a schedule several times at once, so that each has a busy machine.
    fn at_once(&self, schedule: &Schedule) -> anyhow::Result<Vec<Replayed>> {
        let bench = self.bench;
        let count = if bench.limits.precision == Precision::Each { REPEATS } else { REPEATS / 4 };
        let workers: Vec<usize> = (0..count).collect();
        let answers = side_by_side(count, &workers, |_, worker| bench.once(*worker, schedule, Precision::Each));
        let runs: Result<Vec<Option<Replayed>>, _> = answers.into_iter().collect();
        Ok(runs.context("cannot replay")?.into_iter().flatten().collect())
    }

    /// Keeps a failure with the first of these schedules that shows it every time, or else with the one that shows it most
    /// often.
    fn settle(&mut self, number: usize, schedules: Vec<Witness>) -> anyhow::Result<()> {
        for witness in schedules {
            let failure = &self.seen.failures[number];
            let runs = self.at_once(&witness.schedule)?;
            let repeats = repeats(failure, &runs);
            let spots = failure.evidence.spots(&failure.run.modules);
            let shown = runs.into_iter().find_map(|run| {
                let same = |one: &Evidence| one.spots(&run.modules) == spots;
                Some((Evidence::all(&run.outcome).into_iter().find(same)?, run))
            });
            // What came every time without late places may have been lucky.
            let is_plain = failure.witness.schedule.late().is_empty();
            if (repeats > failure.repeats || is_plain && repeats == failure.repeats)
                && let Some((evidence, run)) = shown
            {
                self.seen.failures[number] = Confirmed { witness, evidence, run, repeats };
            }
            if repeats.is_some_and(|(seen, of)| seen == of) {
                break;
            }
        }
        Ok(())
    }

    fn drop_shown(&mut self) {
        let open = std::mem::take(&mut self.open);
        self.open = open.into_iter().filter(|one| !self.is_shown(&one.witness.candidate)).collect();
    }

    /// Races that no other order showed may show in the recorded one: a relaxed flag orders nothing, but the program waits
    /// for it, so an order that puts the accesses side by side does not run. One replay is for all of them.
    fn as_recorded(&mut self) -> anyhow::Result<()> {
        let bench = self.bench;
        let mut races =
            self.open.iter().map(|one| &one.witness).filter(|one| matches!(one.candidate, Candidate::Race(_)));
        let Some(witness) = races.next() else { return Ok(()) };
        let schedule = bench.recorded.0.observed().collect();
        let witness = Witness { schedule, ..witness.clone() };
        let directory = bench.scratch.join("replay-0");
        let answer = confirm(bench.program, bench.recorded, &mut std::iter::once(witness), &directory, bench.limits);
        let (_, seen) = answer.context("cannot replay")?;
        seen.into_iter().for_each(|confirmed| self.seen.add(confirmed));
        self.drop_shown();
        Ok(())
    }

    fn is_shown(&self, candidate: &Candidate) -> bool {
        let shows = |seen: &Confirmed| seen.evidence.shows(candidate, self.bench.recorded, &seen.run.modules);
        self.seen.failures.iter().any(shows)
    }

    /// Lets operations fail that succeeded, and looks what the program does.
    fn in_vain(&mut self, jobs: usize) -> anyhow::Result<()> {
        let bench = self.bench;
        if bench.limits.spent().is_some() {
            return Ok(());
        }
        let tries = vain::all(bench.recorded.0, bench.options);
        bench.bar.phase("letting operations fail", tries.len());
        let answers = side_by_side(jobs, &tries, |worker, witness| {
            bench.bar.step();
            let directory = bench.scratch.join(format!("replay-{worker}"));
            let mut one = std::iter::once(witness.clone());
            confirm(bench.program, bench.recorded, &mut one, &directory, bench.limits)
        });
        for answer in answers {
            let (_, seen) = answer.context("cannot replay")?;
            seen.into_iter().for_each(|confirmed| self.seen.add(confirmed));
        }
        Ok(())
    }

    /// A run that was ended because it took too long, or by Ctrl-C: is it stuck when it is repeated?
    fn observed(&mut self) -> anyhow::Result<()> {
        let trace = self.bench.recorded.0;
        let schedule: Schedule = trace.observed().collect();
        let Some(run) = self.bench.once(0, &schedule, self.bench.limits.precision)? else { return Ok(()) };
        let candidate = Candidate::Deadlock(foretrace_finding::Deadlock::new(Vec::new()));
        let witness = Witness { candidate, rung: Rung::Segments, schedule };
        for evidence in Evidence::all(&run.outcome) {
            self.seen.add(Confirmed { witness: witness.clone(), evidence, run: run.clone(), repeats: None });
        }
        Ok(())
    }
}
