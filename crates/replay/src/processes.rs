//! Replays for a search: a directory and a process each, several at a time.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use foretrace_finding::Schedule;
use foretrace_run::{Enforced, Precision, Run, Runner};
use foretrace_trace::Trace;

use crate::{Judge, Program, ReplayError, TimeLimit};

/// Why no more runs begin after the time that a check may take.
pub const BUDGET_SPENT: &str = "the time budget (--budget) is spent";

/// Runs a program's schedules, each in a process of its own.
#[derive(Debug)]
pub struct Processes<'a> {
    program: &'a Program,
    /// The recording that schedules are of.
    trace: &'a Trace,
    /// Where the directories of replays are.
    scratch: PathBuf,
    /// How long one replay may take.
    time: TimeLimit,
    /// When to begin no more of them.
    until: Option<Instant>,
    /// What looks at their recordings, if they are recorded.
    judge: Option<Judge<'a>>,
    directories: Mutex<Directories>,
}

/// Those that no replay uses at the moment, and how many there are in all.
#[derive(Debug, Default)]
struct Directories {
    free: Vec<PathBuf>,
    made: usize,
}

impl<'a> Processes<'a> {
    /// Of this program and this recording of it, with directories made in `scratch`.
    pub fn new(program: &'a Program, trace: &'a Trace, scratch: PathBuf, time: TimeLimit) -> Self {
        Self { program, trace, scratch, time, until: None, judge: None, directories: Mutex::default() }
    }

    /// The same; no more replays begin after this moment.
    #[must_use]
    pub fn until(self, moment: Instant) -> Self {
        Self { until: Some(moment), ..self }
    }

    /// The same; each replay is recorded, and looked at.
    #[must_use]
    pub fn judged_by(self, judge: Option<Judge<'a>>) -> Self {
        Self { judge, ..self }
    }

    fn take(&self) -> Result<PathBuf, ReplayError> {
        let mut directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(free) = directories.free.pop() {
            return Ok(free);
        }
        let path = self.scratch.join(format!("replay-{}", directories.made));
        std::fs::create_dir_all(&path).map_err(|source| ReplayError::Io { path: path.clone(), source })?;
        directories.made += 1;
        Ok(path)
    }

    fn give_back(&self, directory: PathBuf) {
        self.directories.lock().unwrap_or_else(PoisonError::into_inner).free.push(directory);
    }
}

impl Runner<Schedule> for Processes<'_> {
    type Error = ReplayError;

    fn run(&self, schedule: &Schedule, precision: Precision) -> Result<Run, ReplayError> {
        let enforced = Enforced::new(self.trace, schedule)?;
        let directory = self.take()?;
        let run = self.program.replay(&enforced, &directory, precision, self.time);
        let violations = self.judge.as_ref().map(|judge| judge.violations(&directory)).unwrap_or_default();
        self.give_back(directory);
        run.map(|run| Run { violations, ..run })
    }

    fn spent(&self) -> Option<&'static str> {
        match self.until {
            _ if self.time.is_stopped() => Some("interrupted"),
            Some(until) if Instant::now() >= until => Some(BUDGET_SPENT),
            _ => None,
        }
    }

    fn time_left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }
}
