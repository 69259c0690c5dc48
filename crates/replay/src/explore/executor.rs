//! The executor that forks a program for each execution.

use super::control::{Answered, Control, Malformed, SharedNotes};
use super::noted::Noted;
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
    /// Somebody asked to stop, and an execution was ended.
    #[error("interrupted")]
    Interrupted,
}

/// How executions are run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The time of one execution.
    pub limit: TimeLimit,
    /// Waits may end without a signal.
    pub spurious: bool,
    /// If the program allows it, an execution puts the program's memory back instead of being a fork of it.
    pub fast: bool,
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
    notes: SharedNotes,
    noted: Option<Noted>,
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
            notes: SharedNotes::default(),
            noted: None,
        })
    }

    /// Another executor, for another core. It gives threads the same numbers.
    ///
    /// # Errors
    /// If files cannot be created.
    pub fn another(&self, directory: &Path, core: usize) -> Result<Self, ExploreError> {
        let numbers = |directory: &Path| directory.join("numbers");
        let shared = std::fs::hard_link(numbers(&self.directory), numbers(directory));
        shared.map_err(|source| ExploreError::Io { path: directory.to_owned(), source })?;
        let mut other = Self::new(&self.program, directory, Setup { core, ..self.setup.clone() })?;
        if self.noted.is_some() {
            other.take_notes()?;
        }
        Ok(Self { visible: self.visible.clone(), notes: self.notes.clone(), ..other })
    }

    /// Executions come with notes of what threads do between their steps, for pruning. Before the program is started.
    ///
    /// # Errors
    /// If files cannot be created.
    pub fn take_notes(&mut self) -> Result<(), ExploreError> {
        let noted = Noted::create(&self.directory);
        self.noted = Some(noted.map_err(|source| ExploreError::Io { path: self.directory.clone(), source })?);
        Ok(())
    }

    /// Was the program compiled with a table of what branches may do? Known after an execution with notes.
    pub fn has_table(&self) -> bool {
        self.noted.as_ref().is_some_and(Noted::has_table)
    }

    /// From now on plain accesses of these bytes are visible.
    pub fn set_visible(&mut self, ranges: Vec<Range<u64>>) {
        self.visible = ranges;
    }

    /// What is to be said about the executions so far, and about those of executors that were made from this.
    pub fn notes(&self) -> &SharedNotes {
        &self.notes
    }

    /// The directory, with the numbers of threads in it.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn error(&self, source: io::Error) -> ExploreError {
        ExploreError::Io { path: self.program.path.clone(), source }
    }

    /// Starts the program, unless it runs. It ends with the thread that has started it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(&mut self) -> Result<(), ExploreError> {
        if self.server.is_none() {
            // What it finds when it looks whether it is controlled.
            self.put(&Plan::new(Vec::new()))?;
            let server = Server::start(&self.program, &self.directory, self.setup.core, self.setup.fast);
            self.server = Some(server.map_err(|source| self.error(source))?);
        }
        Ok(())
    }

    fn put(&self, plan: &Plan) -> Result<(), ExploreError> {
        let flags = if self.setup.spurious { flags::SPURIOUS } else { 0 };
        self.control.put(plan, &self.visible, flags, LONGEST).map_err(|source| self.error(source))
    }

    fn run(&mut self, plan: &Plan) -> Result<Served, ExploreError> {
        self.start()?;
        self.put(plan)?;
        stay_on(self.setup.core);
        let Some(server) = &mut self.server else { unreachable!("it has just been started") };
        let served = server.run(&self.setup.limit);
        served.map_err(|source| self.error(source))
    }
}

impl Executor for Forked {
    type Error = ExploreError;

    fn execute(&mut self, plan: &Plan) -> Result<Execution, ExploreError> {
        let served = self.run(plan)?;
        let answered = self.control.get().map_err(|source| self.error(source))?;
        let status = match served {
            Served::Ended(status) => Some(ExitStatus::from_raw(status.cast_signed())),
            Served::Killed if self.setup.limit.is_stopped() => return Err(ExploreError::Interrupted),
            Served::Killed if answered.as_ref().is_ok_and(|answered| answered.steps.is_empty()) => {
                return Err(ExploreError::NoThreadInTime);
            }
            Served::Killed => None,
            Served::Gone(status) => return Err(ExploreError::NoThread(status)),
        };
        let Answered { steps, pending, races, end, notes, forked } = answered?;
        self.notes.add_forked(forked);
        self.notes.add(notes);
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
        let noted = self.noted.as_mut().map(|noted| noted.read(steps.len())).transpose();
        let notes = noted.map_err(|source| self.error(source))?.unwrap_or_default();
        Ok(Execution { steps, pending, end, races, notes })
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
        end::AWAITS_SIGNAL => End::AwaitsSignal,
        end::TOO_LONG | end::TOO_MANY_THREADS => End::TooLarge,
        _ => return Err(Malformed),
    })
}
