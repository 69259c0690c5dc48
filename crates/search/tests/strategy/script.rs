//! A runner that answers from a script: no processes.

use foretrace_finding::{Schedule, ScheduleText};
use foretrace_predict::{Options, Prediction, Predictor};
use foretrace_run::{CutShort, Death, Ended, Modules, Outcome, Precision, Run, Runner};
use foretrace_search::{Effort, Found, Subject, search};
use foretrace_trace::{Module, Trace};
use std::convert::Infallible;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Answers as a function of the schedule says, and notes what was asked.
pub struct Script<'a> {
    answer: &'a (dyn Fn(&Schedule) -> Answer + Sync),
    /// May begin so many runs.
    most: usize,
    asked: Mutex<Vec<Schedule>>,
    running: AtomicUsize,
    busiest: AtomicUsize,
}

/// What a run shows.
#[derive(Clone, Default)]
pub struct Answer {
    /// As the runtime writes it.
    pub outcome: String,
    /// As `wait` answers it: 6 is `abort`.
    pub wait_status: i32,
    pub cut_short: Option<CutShort>,
}

/// The schedule was followed to its end, and these lines were written before.
pub fn shows(lines: &str) -> Answer {
    Answer { outcome: format!("{lines}end\n"), ..Answer::default() }
}

/// The program aborted at this address.
pub fn aborts(pc: &str) -> Answer {
    let fault = format!("fault signal=6 code=0 address=0 thread=1 write=0 sp=0 bottom=0 pc={pc} stack={pc}\n");
    Answer { wait_status: 6, ..shows(&fault) }
}

/// A race of the main thread's access with the first thread's, at these addresses; the later access first.
pub fn race(later: (u32, &str, &str), earlier: (u32, &str, &str)) -> String {
    let access = |(thread, kind, pc): (u32, &str, &str)| {
        format!("access thread={thread} kind={kind} atomic=0 size=4 pc={pc} stack={pc}\n")
    };
    format!("race address=7f10 size=4\n{}{}", access(later), access(earlier))
}

impl<'a> Script<'a> {
    pub fn new(answer: &'a (dyn Fn(&Schedule) -> Answer + Sync)) -> Self {
        let (asked, running, busiest) = (Mutex::default(), AtomicUsize::default(), AtomicUsize::default());
        Self { answer, most: usize::MAX, asked, running, busiest }
    }

    pub fn at_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// The schedules, in the order in which they were asked for.
    pub fn asked(&self) -> Vec<Schedule> {
        self.asked.lock().unwrap().clone()
    }

    /// How many ran at a time, at most.
    pub fn busiest(&self) -> usize {
        self.busiest.load(Ordering::SeqCst)
    }
}

impl Runner<Schedule> for Script<'_> {
    type Error = Infallible;

    fn run(&self, schedule: &Schedule, _: Precision) -> Result<Run, Infallible> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.busiest.fetch_max(running, Ordering::SeqCst);
        self.asked.lock().unwrap().push(schedule.clone());
        std::thread::yield_now();
        let Answer { outcome, wait_status, cut_short } = (self.answer)(schedule);
        let outcome = Outcome::parse(&outcome).unwrap();
        let ended = Ended { process: 1, status: ExitStatus::from_raw(wait_status), cut_short, time: Duration::ZERO };
        let death = Death::of(&ended, &outcome, "");
        self.running.fetch_sub(1, Ordering::SeqCst);
        Ok(Run { outcome, progress: 0, modules: modules(), ended, death, violations: Vec::new(), regions: Vec::new() })
    }

    /// A run takes a second.
    fn time_left(&self) -> Option<Duration> {
        let left = self.most.saturating_sub(self.asked.lock().unwrap().len());
        (self.most < usize::MAX).then(|| Duration::from_secs(left as u64))
    }

    fn spent(&self) -> Option<&'static str> {
        (self.asked.lock().unwrap().len() >= self.most).then_some("spent")
    }
}

/// One file, whose code is between 0x4000 and 0x5000.
pub fn modules() -> Modules {
    let (start, end, bias, build_id, path) = (0x4000, 0x5000, 0x4000, String::new(), "/bin/prog".into());
    Modules::new(vec![Module { start, end, bias, build_id, path }])
}

/// What a search makes of a trace with this runner.
pub fn search_with(script: &Script<'_>, trace: &Trace, effort: Effort) -> Found {
    search_for(script, trace, effort, |predictor| predictor.predict(&()))
}

/// The same, with a prediction of the test's own.
pub fn search_for(
    script: &Script<'_>,
    trace: &Trace,
    effort: Effort,
    predict: impl Fn(&Predictor<'_>) -> Prediction,
) -> Found {
    let (options, modules) = (Options::default(), modules());
    let predictor = Predictor::new(trace, &options);
    let prediction = predict(&predictor);
    let subject = Subject { trace, modules: &modules, predictor: &predictor, options: &options };
    search(script, subject, &prediction, effort, &()).unwrap_or_else(|never| match never {})
}

pub fn parse(text: &str) -> Trace {
    foretrace_trace::text::parse(text).unwrap_or_else(|errors| panic!("{errors}"))
}

pub fn schedule(trace: &Trace, text: &str) -> Schedule {
    text.parse::<ScheduleText>().unwrap().of(|thread| trace.len(thread)).unwrap()
}
