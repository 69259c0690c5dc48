//! Predicts, and climbs the ladder of each candidate.

use super::subject::Subject;
use super::vain;
use super::values::Values;
use super::{Args, Look};
use crate::cmd::progress::Bar;
use crate::cmd::watchdog::watch;
use anyhow::{Context, bail};
use foretrace_finding::{Candidate, Finding, Schedule, Verdict, Witness};
use foretrace_predict::{Budget, Options, Predicted, Prediction, Predictor, Watch, spread};
use foretrace_replay::{
    Confirmed, Enforced, Evidence, Limits, Modules, Precision, Program, Repeats, ReplayError, Replayed, Runs, Spot,
    TimeLimit, confirm, side_by_side,
};
use foretrace_trace::Trace;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
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
const STATES: u64 = 25_000;

/// The least and the most time of a replay; between them, twenty times what the recorded run took.
const LEAST: Duration = Duration::from_secs(4);
const MOST: Duration = Duration::from_secs(600);
/// A replay that was begun within the budget may go on for so long after it.
const GRACE: Duration = Duration::from_millis(500);

/// How long the check may take, if nobody says: in proportion to the run, within bounds.
fn budget(subject: &Subject) -> Duration {
    const LEAST: Duration = Duration::from_secs(60);
    const MOST: Duration = Duration::from_secs(600);
    (subject.time.min(MOST) * 60).clamp(LEAST, MOST)
}

/// How long a replay may take. A program that had to be ended, such as a server, will have to be ended again: soon after it
/// has followed its schedule.
fn replay_time(subject: &Subject) -> TimeLimit {
    let recorded = subject.time.min(MOST);
    let afterwards = subject.cut_short.then_some(recorded + GRACE);
    TimeLimit { afterwards, ..(recorded * 20).clamp(LEAST, MOST).into() }
}

/// Predicts and replays.
pub fn examine(
    args: &Args,
    subject: &Subject,
    scratch: &Path,
    (stop, bar): (&'static AtomicBool, &Bar),
) -> anyhow::Result<Results> {
    let until = subject.began + args.budget.unwrap_or_else(|| budget(subject));
    let mut options = options(args, until);
    options.races &= subject.blind.is_none();
    options.benign.clone_from(&subject.benign);
    if let (Some(why), false) = (subject.blind, options.deadlocks) {
        bail!("races cannot be looked for: {why}");
    }
    (options.budget.stop, options.budget.memory) = (Some(stop), Some(args.memory.watch()));
    let time = TimeLimit { until: Some(until + GRACE), stop: Some(stop), ..replay_time(subject) };
    let precision = if subject.time < args.coarse_after { Precision::Each } else { Precision::Segments };
    let limits = Limits { time, replays: args.replays, precision, until: Some(until) };
    let watched = watch("predicting", stop, Some(until));
    let predictor = Predictor::new(&subject.trace, &options);
    let prediction = predictor.predict(bar);
    drop(watched);
    let recorded = (&subject.trace, &subject.modules);
    let program = &subject.program;
    let crowd = match args.jobs {
        _ if program.client.is_some() => 1,
        0 => REPEATS,
        jobs => jobs,
    };
    let runs = Runs::new(program);
    let bench =
        Bench { program, runs: &runs, recorded, predictor: &predictor, options: &options, limits, crowd, scratch, bar };
    let seen = Seen::new(&options, args.look_for.contains(&Look::Crashes));
    let mut replays = Replays { bench, seen, open: Vec::new(), predicted: Vec::new(), repeated: BTreeMap::new() };
    if subject.cut_short || subject.death.is_some() {
        replays.observed()?;
    }
    let jobs = jobs(args, program.client.is_some(), precision);
    replays.all(&prediction, jobs)?;
    replays.in_vain(jobs)?;
    let Replays { seen, open, .. } = replays;
    Ok(Results { confirmed: seen.failures, open, prediction, spent: limits.spent() })
}

/// How many replays run at a time. Short ones wait more than they work.
fn jobs(args: &Args, has_client: bool, precision: Precision) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    match precision {
        // Clients find one server at a time.
        _ if has_client => 1,
        _ if args.jobs > 0 => args.jobs,
        Precision::Each => 2 * cores,
        Precision::Segments => cores,
    }
}

fn options(args: &Args, deadline: Instant) -> Options {
    Options {
        races: args.look_for.contains(&Look::Races),
        deadlocks: args.look_for.contains(&Look::Deadlocks),
        window: args.window,
        jobs: args.jobs,
        budget: Budget { deadline: Some(deadline), ..Budget::of_states(STATES) },
        ..Options::default()
    }
}

/// Pairs of places that are looked at for a race whose first pair was not confirmed.
const OTHER_PAIRS: usize = 64;

/// Of candidates of one kind, so many are replayed.
const OF_ONE_KIND: usize = 3;

/// Candidates of the same memory that are asked for schedules of what was seen by the way, and schedules that are tried.
const ALIKE: usize = 4;

/// So often a failure that may hang on a value is replayed, to see whether it comes every time.
const REPEATS: usize = 8;
/// At most this many schedules are run again to see how reliably they fail.
const COUNTED: usize = 4;

/// In how many of how many runs a failure shows.
fn repeats(failure: &Confirmed, runs: &[Arc<Replayed>]) -> Option<Repeats> {
    let shows = |run: &&Arc<Replayed>| {
        let like = |one: &Evidence| one.is_like(&run.modules, &failure.evidence, &failure.run.modules);
        Evidence::all(run).iter().any(like)
    };
    (!runs.is_empty()).then(|| Repeats { seen: runs.iter().filter(shows).count() as u32, of: runs.len() as u32 })
}

fn not_replayed() -> Verdict {
    Verdict::Unknown { why: "it was not replayed".to_owned() }
}

/// The candidates that are replayed, and the others. Of those that differ in nothing but the time and the block that they
/// are about, a few are, from the first to the last.
fn choose<'a>(trace: &Trace, all: &[&'a Predicted]) -> (Vec<&'a Predicted>, Vec<&'a Predicted>) {
    let mut kinds: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (number, one) in all.iter().enumerate() {
        kinds.entry(kind(trace, &one.witness.candidate)).or_default().push(number);
    }
    let chosen: BTreeSet<usize> = kinds.values().flat_map(|kind| spread(kind, OF_ONE_KIND)).copied().collect();
    let (chosen, others): (Vec<_>, Vec<_>) = all.iter().enumerate().partition(|(number, _)| chosen.contains(number));
    let plain = |numbered: Vec<(usize, &&'a Predicted)>| numbered.into_iter().map(|(_, one)| *one).collect();
    (plain(chosen), plain(others))
}

/// What a candidate is about: a variable, or all blocks that come from one place, and where in the program it is.
fn kind(trace: &Trace, candidate: &Candidate) -> (Option<u64>, Option<u64>, Vec<u64>) {
    let (block, variable, events) = match candidate {
        Candidate::Race(race) => {
            let block = trace.allocation(race.interval).map(|allocation| allocation.pc);
            let variable = block.is_none().then(|| trace.interval(race.interval).address);
            (block, variable, vec![race.first, race.second])
        }
        Candidate::Deadlock(deadlock) => (None, None, deadlock.events().collect()),
    };
    let mut places: Vec<u64> = events.iter().map(|id| trace.pc(*id)).collect();
    places.sort_unstable();
    if places.first() == Some(&0) {
        // Who knows where that is: no other is like it.
        places.extend(events.iter().flat_map(|id| [u64::from(id.thread.0), u64::from(id.index)]));
    }
    (block, variable, places)
}

/// Failures, each once.
pub(super) struct Seen {
    /// What is looked for.
    races: bool,
    deadlocks: bool,
    crashes: bool,
    pub(super) failures: Vec<Confirmed>,
    /// Which of them it is, by places.
    numbers: BTreeMap<Vec<Spot>, usize>,
}

impl Seen {
    fn new(options: &Options, crashes: bool) -> Self {
        let Options { races, deadlocks, .. } = *options;
        Self { races, deadlocks, crashes, failures: Vec::new(), numbers: BTreeMap::new() }
    }

    /// Of several schedules that showed the same, one that was made for it is kept.
    pub(super) fn add(&mut self, confirmed: Confirmed) {
        let is_wanted = match confirmed.evidence {
            Evidence::Race(_) => self.races,
            Evidence::Deadlock(_) => self.deadlocks,
            Evidence::Death(_) => self.crashes,
        };
        if !is_wanted {
            return;
        }
        let number =
            *self.numbers.entry(confirmed.evidence.spots(&confirmed.run.modules)).or_insert(self.failures.len());
        match self.failures.get_mut(number) {
            None => self.failures.push(confirmed),
            Some(known) if confirmed.aimed_at && !known.aimed_at => *known = confirmed,
            Some(_) => {}
        }
    }
}

/// What every replay needs.
#[derive(Clone, Copy)]
struct Bench<'a> {
    program: &'a Program,
    /// Those for candidates.
    runs: &'a Runs<'a>,
    recorded: (&'a Trace, &'a Modules),
    predictor: &'a Predictor<'a>,
    options: &'a Options,
    limits: Limits,
    /// Runs of one schedule at once, at most.
    crowd: usize,
    scratch: &'a Path,
    bar: &'a Bar,
}

impl Bench<'_> {
    fn climb(&self, worker: usize, one: &Predicted) -> Result<(Option<Finding>, Vec<Confirmed>), ReplayError> {
        let (trace, candidate) = (self.recorded.0, &one.witness.candidate);
        let directory = self.scratch.join(format!("replay-{worker}"));
        let is_legal = |witness: &Witness| foretrace_judge::judge(trace, witness).is_ok();
        let mut own = self.predictor.witnesses(&one.witness).filter(is_legal);
        let (finding, mut seen) = confirm(self.runs, self.recorded, &mut own, &directory, self.limits)?;
        let Candidate::Race(race) = candidate else { return Ok((finding, seen)) };
        if finding.as_ref().is_some_and(|finding| finding.verdict == Verdict::Confirmed) {
            return Ok((finding, seen));
        }
        // These two accesses may be kept apart by what the program does; others to the same memory need not be.
        let mut others = self.predictor.other_pairs(race, OTHER_PAIRS).into_iter().filter(is_legal);
        let (other, more) = confirm(self.runs, self.recorded, &mut others, &directory, self.limits)?;
        seen.extend(more);
        let confirmed = other.filter(|finding| finding.verdict == Verdict::Confirmed);
        Ok((confirmed.or(finding), seen))
    }

    /// Runs a schedule; none if it cannot be enforced, there is no time, or nothing is to be replayed.
    fn once(&self, worker: usize, schedule: &Schedule, how: Precision) -> Result<Option<Arc<Replayed>>, ReplayError> {
        let Ok(enforced) = Enforced::new(self.recorded.0, schedule) else { return Ok(None) };
        if self.limits.spent().is_some() || self.limits.replays == 0 {
            return Ok(None);
        }
        let directory = self.scratch.join(format!("replay-{worker}"));
        std::fs::create_dir_all(&directory).map_err(|source| ReplayError::Io { path: directory.clone(), source })?;
        Ok(Some(Arc::new(self.program.replay(&enforced, &directory, how, self.limits.time)?)))
    }
}

/// The work, and what has come of it.
struct Replays<'a> {
    bench: Bench<'a>,
    seen: Seen,
    open: Vec<Finding>,
    /// All that was predicted.
    predicted: Vec<Witness>,
    /// Runs of schedules that were run several times.
    repeated: BTreeMap<Schedule, Vec<Arc<Replayed>>>,
}

impl Replays<'_> {
    /// Takes the candidates in groups, so that what one group showed by the way need not be tried again.
    fn all(&mut self, prediction: &Prediction, jobs: usize) -> anyhow::Result<()> {
        let all: Vec<&Predicted> = prediction.races.iter().chain(&prediction.deadlocks).collect();
        for number in 0..jobs {
            std::fs::create_dir_all(self.bench.scratch.join(format!("replay-{number}")))?;
        }
        self.predicted = all.iter().map(|one| one.witness.clone()).collect();
        let (mut chosen, others) = choose(self.bench.recorded.0, &all);
        // What is near to the recorded run is the likeliest to happen: the time may not suffice for all.
        chosen.sort_by_key(|one| one.witness.rung);
        let not_chosen = |one: &Predicted| {
            let verdict = Verdict::Unknown { why: format!("{OF_ONE_KIND} of its kind were replayed instead") };
            Finding { witness: one.witness.clone(), verdict }
        };
        self.open.extend(others.into_iter().map(not_chosen));
        self.bench.bar.phase("replaying", chosen.len());
        for group in chosen.chunks(jobs.max(1)) {
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
                bench.once(worker, &one.counting(), Precision::Each)
            });
            for (one, answer) in tries.iter().zip(answers) {
                let run = answer.context("cannot replay")?;
                run.into_iter().for_each(|run| values.note(one, &run, &mut self.seen));
            }
        }
        self.count_repeats()?;
        for number in 0..self.seen.failures.len() {
            let failure = &self.seen.failures[number];
            let comes_and_goes = failure.repeats.is_some_and(|often| !often.is_always());
            let own = if comes_and_goes { self.made_for(failure) } else { Vec::new() };
            self.settle(number, own.into_iter().chain(values.schedules(failure)).collect())?;
        }
        self.drop_shown();
        Ok(())
    }

    /// Where there is more than one race, one may hang on how another goes, and what a schedule for something else has shown
    /// may have come by chance: is each there every time?
    fn count_repeats(&mut self) -> anyhow::Result<()> {
        let races = self.seen.failures.iter().filter(|one| matches!(one.evidence, Evidence::Race(_))).count();
        let is_doubtful = |one: &&Confirmed| one.schedule.late().is_empty() && (races > 1 || !one.aimed_at);
        let doubtful = self.seen.failures.iter().filter(is_doubtful);
        let schedules: BTreeSet<Schedule> = doubtful.map(|failure| failure.schedule.clone()).collect();
        for schedule in schedules.iter().take(COUNTED) {
            let runs = self.at_once(schedule)?;
            for failure in self.seen.failures.iter_mut().filter(|one| one.schedule == *schedule) {
                failure.repeats = repeats(failure, &runs);
            }
        }
        Ok(())
    }

    /// Schedules for what another schedule has shown by the way; first those for just that.
    fn made_for(&self, failure: &Confirmed) -> Vec<Schedule> {
        let Bench { predictor, recorded, .. } = self.bench;
        let (evidence, modules) = (&failure.evidence, &failure.run.modules);
        let alike = self.predicted.iter().filter(|one| evidence.shows(&one.candidate, recorded, modules));
        let witnesses = alike.take(ALIKE).flat_map(|one| match &one.candidate {
            Candidate::Race(race) => {
                std::iter::once(one.clone()).chain(predictor.other_pairs(race, OTHER_PAIRS)).collect()
            }
            Candidate::Deadlock(_) => predictor.witnesses(one).collect::<Vec<_>>(),
        });
        let mut legal: Vec<Witness> =
            witnesses.filter(|witness| foretrace_judge::judge(recorded.0, witness).is_ok()).collect();
        legal.sort_by_key(|witness| (!evidence.is_of(&witness.candidate, recorded, modules), witness.rung));
        legal.into_iter().map(|witness| witness.schedule).take(ALIKE).collect()
    }

    /// Runs a schedule several times, all at once if that is allowed, so that each has a busy machine.
    fn at_once(&mut self, schedule: &Schedule) -> anyhow::Result<Vec<Arc<Replayed>>> {
        if let Some(runs) = self.repeated.get(schedule) {
            return Ok(runs.clone());
        }
        let bench = self.bench;
        let count = if bench.limits.precision == Precision::Each { REPEATS } else { REPEATS / 4 };
        let workers: Vec<usize> = (0..count).collect();
        let answers = side_by_side(bench.crowd, &workers, |worker, _| bench.once(worker, schedule, Precision::Each));
        let runs: Result<Vec<Option<Arc<Replayed>>>, _> = answers.into_iter().collect();
        let runs: Vec<Arc<Replayed>> = runs.context("cannot replay")?.into_iter().flatten().collect();
        self.repeated.insert(schedule.clone(), runs.clone());
        Ok(runs)
    }

    /// Keeps a failure with the first of these schedules that shows it every time, or else with the one that shows it most
    /// often.
    fn settle(&mut self, number: usize, schedules: Vec<Schedule>) -> anyhow::Result<()> {
        for schedule in schedules {
            let runs = self.at_once(&schedule)?;
            let failure = &self.seen.failures[number];
            let Some(repeats) = repeats(failure, &runs) else { break };
            // What came every time without late places may have been lucky.
            let is_plain = failure.schedule.late().is_empty();
            let is_better = failure
                .repeats
                .is_none_or(|before| repeats.is_more_than(before) || is_plain && !before.is_more_than(repeats));
            let spots = failure.evidence.spots(&failure.run.modules);
            let mut shown = runs.iter().flat_map(|run| Confirmed::all(&schedule, run));
            let same = shown.find(|one| one.evidence.spots(&one.run.modules) == spots);
            if let Some(same) = same.filter(|_| is_better) {
                self.seen.failures[number] = Confirmed { repeats: Some(repeats), ..same };
            }
            if repeats.is_always() {
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
        if self.open.iter().any(|one| matches!(one.witness.candidate, Candidate::Race(_))) {
            self.watch(&bench.recorded.0.observed().collect())?;
            self.drop_shown();
        }
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
        let answers = side_by_side(jobs, &tries, |worker, schedule| {
            bench.bar.step();
            bench.once(worker, schedule, bench.limits.precision)
        });
        for (schedule, answer) in tries.iter().zip(answers) {
            self.note(schedule, answer)?;
        }
        self.drop_shown();
        Ok(())
    }

    /// A run that was ended because it took too long, or by Ctrl-C: is it stuck when it is repeated?
    fn observed(&mut self) -> anyhow::Result<()> {
        self.watch(&self.bench.recorded.0.observed().collect())
    }

    /// Runs a schedule, and keeps what fails.
    fn watch(&mut self, schedule: &Schedule) -> anyhow::Result<()> {
        let run = self.bench.once(0, schedule, self.bench.limits.precision);
        self.note(schedule, run)
    }

    fn note(&mut self, schedule: &Schedule, run: Result<Option<Arc<Replayed>>, ReplayError>) -> anyhow::Result<()> {
        if let Some(run) = run.context("cannot replay")? {
            Confirmed::all(schedule, &run).into_iter().for_each(|confirmed| self.seen.add(confirmed));
        }
        Ok(())
    }
}
