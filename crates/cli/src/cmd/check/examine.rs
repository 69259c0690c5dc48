//! Predicts, and has the predictions searched.

use super::subject::Subject;
use super::{Args, ErrorClass, RuledOut};
use crate::cmd::events;
use crate::cmd::progress::Bar;
use crate::cmd::properties::warn_of_unknown_events;
use crate::cmd::script;
use crate::cmd::watchdog::watch;
use anyhow::{Context, bail};
use foretrace_predict::{Budget, Options, Predicted, Prediction, Predictor, Undecided, Unknown};
use foretrace_replay::{BUDGET_SPENT, Processes, TimeLimit};
use foretrace_report::Kind;
use foretrace_run::Precision;
use foretrace_search::{Effort, Found, Looks, Open, REPEATS, Reason, Recorded, search};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The results of prediction and search.
pub struct Results {
    /// The result of the search.
    pub found: Found,
    /// The result of the prediction.
    pub prediction: Prediction,
}

impl Results {
    /// Why not everything was examined, if so: the time for replays, or for questions of the prediction, was up.
    pub fn spent(&self) -> Option<&'static str> {
        let is_late = |question: &Undecided| question.why == Unknown::Time;
        let late = self.prediction.undecided.iter().any(is_late);
        self.found.spent.or(late.then_some(BUDGET_SPENT))
    }
}

/// The most states of one question. Large programs ask hundreds; most are answered with far fewer states, or never.
const STATES: u64 = 25_000;

/// The least and the most time of a replay; between them, twenty times what the recorded run took.
const LEAST: Duration = Duration::from_secs(4);
const MOST: Duration = Duration::from_secs(600);
/// How long a replay that was begun within the budget may go on after it.
const GRACE: Duration = Duration::from_millis(500);

/// The least and the most time that a replay waits for input from outside; between them, what the recorded run took.
const LEAST_FOR_INPUT: Duration = Duration::from_millis(30);
const MOST_FOR_INPUT: Duration = Duration::from_millis(250);

/// How long a check may take by default: in proportion to the run, within bounds.
fn budget(subject: &Subject) -> Duration {
    const LEAST: Duration = Duration::from_secs(60);
    const MOST: Duration = Duration::from_secs(600);
    (subject.time.min(MOST) * 60).clamp(LEAST, MOST)
}

/// When the budget ends.
pub fn until(args: &Args, subject: &Subject) -> Instant {
    subject.began + args.budget.unwrap_or_else(|| budget(subject))
}

/// How long a replay may take, and wait for input. A program that had to be ended, such as a server, will have to be ended again, and that is
/// done soon after it has followed its schedule.
fn replay_time(subject: &Subject) -> TimeLimit {
    let recorded = subject.time.min(MOST);
    let afterwards = subject.cut_short.then_some(recorded + GRACE);
    let outside = Some(subject.time.clamp(LEAST_FOR_INPUT, MOST_FOR_INPUT));
    TimeLimit { afterwards, outside, ..(recorded * 20).clamp(LEAST, MOST).into() }
}

/// Runs schedules until then.
pub fn processes<'a>(
    subject: &'a Subject,
    scratch: &Path,
    (stop, until): (&'static AtomicBool, Instant),
) -> Processes<'a> {
    let time = TimeLimit { until: Some(until + GRACE), stop: Some(stop), ..replay_time(subject) };
    let processes = Processes::new(&subject.program, &subject.trace, scratch.to_owned(), time);
    processes.until(until).judged_by(subject.properties.judge())
}

/// Predicts and searches.
pub fn examine(
    args: &Args,
    subject: &Subject,
    scratch: &Path,
    (stop, bar): (&'static AtomicBool, &Bar),
    ruled_out: RuledOut,
) -> anyhow::Result<Results> {
    let until = until(args, subject);
    let mut options = options(args, until);
    options.races &= subject.blind.is_none();
    options.benign.clone_from(&subject.benign);
    if args.look_for.contains(&ErrorClass::Properties) {
        options.properties = subject.properties.properties.templates().to_vec();
        let specified = events::specified(&subject.program.path);
        warn_of_unknown_events(&subject.trace, &options.properties, &specified);
    }
    if let (Some(why), false) = (subject.blind, options.deadlocks || !subject.properties.is_empty()) {
        bail!("races cannot be looked for: {why}");
    }
    (options.budget.stop, options.budget.memory) = (Some(stop), Some(args.memory.watch()));
    let watched = watch("predicting", stop, Some(until));
    let predictor = Predictor::new(&subject.trace, &options);
    let mut prediction = predictor.predict(bar);
    if args.look_for.contains(&ErrorClass::Properties) {
        for (name, text) in &subject.properties.scripts {
            let states = Budget::default().states;
            script::add(script::check(&subject.trace, (name, text), states, stop)?, &mut prediction);
        }
    }
    drop(watched);
    let impossible = ruled_out(args, subject, &prediction.races, (scratch, stop));
    let mut impossible = impossible.into_iter();
    let ruled_out = prediction.races.extract_if(.., |_| impossible.next() == Some(true)).collect::<Vec<_>>();
    let processes = processes(subject, scratch, (stop, until));
    let searched = foretrace_search::Subject {
        trace: &subject.trace,
        modules: &subject.modules,
        predictor: &predictor,
        options: &options,
    };
    let effort = effort(args, subject, &options);
    let mut found = search(&processes, searched, &prediction, effort, bar).context("cannot replay")?;
    let open = |one: Predicted| Open { witness: one.witness, reason: Reason::RuledOut };
    found.open.extend(ruled_out.into_iter().map(open));
    Ok(Results { found, prediction })
}

fn looks(args: &Args, options: &Options) -> Looks {
    let crashes = args.look_for.contains(&ErrorClass::Crashes);
    let properties = (Kind::PROPERTY, args.look_for.contains(&ErrorClass::Properties));
    let kinds =
        [(Kind::DATA_RACE, options.races), (Kind::DEADLOCK, options.deadlocks), (Kind::CRASH, crashes), properties];
    Looks { without: kinds.into_iter().filter(|(_, wanted)| !wanted).map(|(kind, _)| kind.rule()).collect() }
}

fn effort(args: &Args, subject: &Subject, options: &Options) -> Effort {
    let precision = if subject.time < args.coarse_after { Precision::Each } else { Precision::Segments };
    let has_client = subject.program.client.is_some();
    let at_once = match args.jobs {
        _ if has_client => 1,
        0 => REPEATS,
        jobs => jobs,
    };
    Effort {
        looks: looks(args, options),
        replays: args.replays,
        precision,
        recorded: match precision {
            _ if subject.cut_short || subject.death.is_some() => Recorded::First,
            Precision::Segments => Recorded::FirstForRaces,
            Precision::Each => Recorded::Last,
        },
        jobs: jobs(args, has_client, precision),
        at_once,
    }
}

/// How many replays run at a time. Short replays spend most of their time waiting, so there may be more of them than cores.
fn jobs(args: &Args, has_client: bool, precision: Precision) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    match precision {
        // A client can reach only one server at a time.
        _ if has_client => 1,
        _ if args.jobs > 0 => args.jobs,
        Precision::Each => 2 * cores,
        Precision::Segments => cores,
    }
}

/// Prediction takes at most half of the time; the rest is for replays.
fn options(args: &Args, until: Instant) -> Options {
    let half = until.saturating_duration_since(Instant::now()) / 2;
    Options {
        races: args.look_for.contains(&ErrorClass::Races),
        deadlocks: args.look_for.contains(&ErrorClass::Deadlocks),
        window: args.window,
        jobs: args.jobs,
        budget: Budget { deadline: Some(until - half), ..Budget::of_states(STATES) },
        ladder_deadline: Some(until),
        ..Options::default()
    }
}
