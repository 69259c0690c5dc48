//! The executor that forks a program for each execution.

use super::control::{Answered, Control, Malformed, Notes};
use super::server::{Served, Server, stay_on};
use crate::{Program, TimeLimit};
use foretrace_event::channel::{MOST_STEPS, end, flags};
use foretrace_explore::{Divergence, End, Execution, Executor, Plan};
use std::io;
use std::ops::Range;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// Why nothing could be executed.
#[derive(Debug, thiserror::Error)]
pub enum ExploreError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// What the program wrote cannot be read.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The program ended, with this status, before it created a thread.
    #[error("the program created no thread ({0})")]
    NoThread(ExitStatus),
    /// The program did not create a thread in time.
    #[error("the program created no thread in time")]
    NoThreadInTime,
}

/// How executions are run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The time of one execution.
    pub limit: TimeLimit,
    /// Waits may end without a signal.
    pub spurious: bool,
    /// The core to run on.
    pub core: usize,
}

/// The most steps of an execution: a search of longer ones would not come far.
const LONGEST: usize = 20_000;
const _: () = assert!(LONGEST <= MOST_STEPS);

/// Runs each plan in a fork of the program.
pub struct Forked {
    program: Program,
    directory: PathBuf,
    setup: Setup,
    control: Control,
    server: Option<Server>,
    visible: Vec<Range<u64>>,
    /// Where races were seen that are not visible yet.
    raced: Vec<Range<u64>>,
    /// What is to be said about the executions so far.
    pub notes: Notes,
}

impl Forked {
    /// Prepares a directory, which exists and is empty but for a file `numbers` that executors share.
    ///
    /// # Errors
    /// If files cannot be created.
    pub fn new(program: &Program, directory: &Path, setup: Setup) -> Result<Self, ExploreError> {
        let control =
            Control::create(directory).map_err(|source| ExploreError::Io { path: directory.to_owned(), source })?;
        Ok(Self {
            program: program.clone(),
            directory: directory.to_owned(),
            setup,
            control,
            server: None,
            visible: Vec::new(),
            raced: Vec::new(),
            notes: Notes::default(),
        })
    }

    /// From now on plain accesses of these bytes are visible.
    pub fn set_visible(&mut self, ranges: Vec<Range<u64>>) {
        self.visible = ranges;
        self.raced.clear();
    }

    /// Which plain memory is visible.
    pub fn visible(&self) -> &[Range<u64>] {
        &self.visible
    }

    /// Where races were seen that are not visible yet.
    pub fn raced(&self) -> &[Range<u64>] {
        &self.raced
    }

    /// The directory, with the numbers of threads in it.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn error(&self, source: io::Error) -> ExploreError {
        ExploreError::Io { path: self.program.path.clone(), source }
    }

    fn run(&mut self, plan: &Plan) -> Result<Served, ExploreError> {
        let flags = if self.setup.spurious { flags::SPURIOUS } else { 0 };
        self.control.put(plan, &self.visible, flags, LONGEST).map_err(|source| self.error(source))?;
        if self.server.is_none() {
            stay_on(self.setup.core);
            let server = Server::start(&self.program, &self.directory, self.setup.core);
            self.server = Some(server.map_err(|source| self.error(source))?);
        }
        let Some(server) = &mut self.server else { unreachable!("it has just been started") };
        let served = server.run(&self.setup.limit);
        served.map_err(|source| self.error(source))
    }

    fn note_races(&mut self, races: &[(foretrace_explore::RaceSeen, Range<u64>)]) {
        for (_, range) in races {
            let is_known = |known: &Range<u64>| known.start <= range.start && range.end <= known.end;
            if !self.visible.iter().chain(&self.raced).any(is_known) {
                self.raced.push(range.clone());
            }
        }
    }
}

impl Executor for Forked {
    type Error = ExploreError;

    fn execute(&mut self, plan: &Plan) -> Result<Execution, ExploreError> {
        let served = self.run(plan)?;
        let answered = self.control.get().map_err(|source| self.error(source))?;
        let status = match served {
            Served::Ended(status) => Some(ExitStatus::from_raw(status.cast_signed())),
            Served::Killed if answered.as_ref().is_ok_and(|answered| answered.steps.is_empty()) => {
                return Err(ExploreError::NoThreadInTime);
            }
            Served::Killed => None,
            Served::Gone(status) => return Err(ExploreError::NoThread(status)),
        };
        let Answered { steps, pending, races, end, notes } = answered?;
        self.notes.add(notes);
        self.note_races(&races);
        let end = match (end, status) {
            (_, None) => End::TimedOut,
            (Some((code, at)), _) => end_of(code, at)?,
            (None, Some(status)) if steps.len() < plan.prefix.len() && status.code().is_some() => {
                End::Diverged { at: steps.len(), why: Divergence::Ended }
            }
            (None, Some(status)) => match status.signal() {
                Some(signal) => End::Crashed { signal },
                None => End::Completed { code: status.code().unwrap_or_default() },
            },
        };
        let races = races.into_iter().map(|(race, _)| race).collect();
        Ok(Execution { steps, pending, end, races, branches: Vec::new() })
    }
}

fn end_of(code: u64, argument: u64) -> Result<End, Malformed> {
    Ok(match code {
        end::DEADLOCK => End::Deadlock,
        end::LIVELOCK => End::Livelock,
        end::ALL_ASLEEP => End::AllAsleep,
        end::DIVERGED => {
            End::Diverged { at: usize::try_from(argument).map_err(|_| Malformed)?, why: Divergence::Blocked }
        }
        end::TOO_LONG | end::TOO_MANY_THREADS => End::TooLarge,
        _ => return Err(Malformed),
    })
}
