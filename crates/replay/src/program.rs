//! A program, and one run of it under a schedule.

use foretrace_event::schedule::PROGRESS_SIZE;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::{Input, TimeLimit, run_beside};
use foretrace_run::{
    Death, Ended, Enforced, MAX_OUTCOME, Modules, NotEnforceable, Outcome, OutcomeError, Precision, Run,
};

/// A program, and how the runtime is brought into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The file.
    pub path: PathBuf,
    /// Its name as it was called, and its arguments.
    pub command: Vec<OsString>,
    /// Its working directory; none: the current one.
    pub directory: Option<PathBuf>,
    /// What it reads in a replay.
    pub input: Input,
    /// All its environment variables, including those that bring the runtime in.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether to replay only the process that is started, and none of its children.
    pub started_only: bool,
    /// A replay whose threads run but take no step for this long is given up; zero: never.
    pub patience: Duration,
    /// How long it waits at the end of `main` for threads that still run.
    pub linger: Duration,
    /// A shell command that runs beside it: the client of a server.
    pub client: Option<String>,
    /// Whether replays are recorded, each in its directory.
    pub records: bool,
}

/// How long a program waits at the end of `main` by default.
pub const LINGER: Duration = Duration::from_secs(1);

/// Why a replay could not take place.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The runtime's outcome is malformed.
    #[error("{}: {source}", path.display())]
    Outcome {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        source: OutcomeError,
    },
    /// The schedule is not one of the recording.
    #[error(transparent)]
    Schedule(#[from] NotEnforceable),
}

/// The runtime's settings of precision and order.
#[derive(Clone, Copy)]
struct Manner {
    /// Whether accesses are watched one by one.
    exact: bool,
    /// Whether the order of the schedule is kept only for each thread and each object.
    loose: bool,
}

impl From<Precision> for Manner {
    fn from(precision: Precision) -> Self {
        let exact = precision == Precision::Each;
        Self { exact, loose: !exact }
    }
}

impl Manner {
    /// The mode of a schedule's first replay. The loose order does not determine whether a signal comes before a wait
    /// that begins and does not end, because beginning the wait is a step on the mutex.
    fn of(precision: Precision, enforced: &Enforced) -> Self {
        let Self { exact, loose } = precision.into();
        Self { exact, loose: loose && !enforced.leaves_a_wait_open() }
    }
}

/// How often a race that was seen by segments is searched access by access.
const SECOND_LOOKS: usize = 2;

impl Program {
    /// The command with the runtime's settings; `hold` keeps a failed process for a debugger.
    pub fn under(&self, directory: &Path, precision: Precision, hold: bool) -> Command {
        self.in_manner(directory, precision.into(), hold)
    }

    fn in_manner(&self, directory: &Path, manner: Manner, hold: bool) -> Command {
        let (exact, loose) = (u8::from(manner.exact), u8::from(manner.loose));
        // A debugger may start the program through another process.
        let (hold, only) = (u8::from(hold), u8::from(self.started_only && !hold));
        // A debugging session has no time limit.
        let patience = if hold == 1 { 0 } else { self.patience.as_millis() };
        let linger = self.linger.as_millis();
        let sink = if self.records { "sink=recording " } else { "" };
        let settings = format!(
            "replay exact={exact} loose={loose} hold={hold} only_started={only} patience={patience} linger={linger} "
        );
        let mut settings = OsString::from(settings + sink + "dir=");
        settings.push(directory);
        self.with_settings(&settings)
    }

    /// The command with these settings of the runtime.
    pub fn with_settings(&self, settings: &OsStr) -> Command {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new(&self.path);
        let (name, args) =
            self.command.split_first().map_or((self.path.as_os_str(), &[][..]), |(n, a)| (n.as_ref(), a));
        command.arg0(name).args(args);
        command.env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.env("FORETRACE_RUNTIME", settings).env("FORETRACE_TOOL", format!("{:010}", std::process::id()));
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command
    }

    /// Runs it under a schedule, without output, and exchanges files with the runtime in `directory` (which must
    /// exist).
    ///
    /// After a run that is watched by segments, it runs again, watched access by access, unless that could show nothing
    /// more. The last run is returned.
    ///
    /// # Errors
    /// If it cannot be run, or the outcome cannot be read.
    pub fn replay(
        &self,
        enforced: &Enforced,
        directory: &Path,
        precision: Precision,
        limit: impl Into<TimeLimit> + Copy,
    ) -> Result<Run, ReplayError> {
        write_schedule(directory, enforced)?;
        let mut run = self.replay_in_manner(directory, Manner::of(precision, enforced), limit.into())?;
        if precision == Precision::Each || run.is_conclusive() {
            return Ok(run);
        }
        let raced = !run.outcome.races.is_empty();
        for _ in 0..SECOND_LOOKS {
            run = self.replay_file(directory, Precision::Each, limit)?;
            if !raced || !run.outcome.races.is_empty() {
                break;
            }
        }
        Ok(run)
    }

    /// Runs it once under the schedule in `directory`.
    ///
    /// # Errors
    /// If it cannot be run, or the outcome cannot be read.
    pub fn replay_file(
        &self,
        directory: &Path,
        precision: Precision,
        limit: impl Into<TimeLimit>,
    ) -> Result<Run, ReplayError> {
        self.replay_in_manner(directory, precision.into(), limit.into())
    }

    fn replay_in_manner(&self, directory: &Path, manner: Manner, limit: TimeLimit) -> Result<Run, ReplayError> {
        use std::os::unix::process::CommandExt;
        for name in ["outcome", "progress", "modules", PRINTED].iter().chain(&RECORDING) {
            let _ = fs::remove_file(directory.join(name));
        }
        let mut command = self.in_manner(directory, manner, false);
        command.process_group(0);
        let error = |source| ReplayError::Io { path: self.path.clone(), source };
        let printed = fs::File::options().append(true).create(true).open(directory.join(PRINTED)).map_err(error)?;
        command.stdout(Stdio::null()).stderr(printed.try_clone().map_err(error)?);
        self.input.give(&mut command).map_err(error)?;
        let outcome = directory.join("outcome");
        let is_done = || {
            watch_output(&printed);
            read_bounded(&outcome).is_ok_and(|text| text.lines().any(|line| line == "end"))
        };
        let limit = TimeLimit { outside: limit.outside.or(Some(FOR_INPUT)), ..limit };
        let ended = run_beside(&mut command, limit, &is_done, self.client.as_deref()).map_err(error)?;
        read(directory, ended)
    }
}

fn write_schedule(directory: &Path, enforced: &Enforced) -> Result<(), ReplayError> {
    let path = directory.join("schedule");
    fs::write(&path, enforced.to_bytes()).map_err(|source| ReplayError::Io { path, source })
}

pub(crate) fn read(directory: &Path, ended: Ended) -> Result<Run, ReplayError> {
    let path = directory.join("outcome");
    let text = read_bounded(&path).map_err(|source| ReplayError::Io { path: path.clone(), source })?;
    let outcome = Outcome::parse(&text).map_err(|source| ReplayError::Outcome { path, source })?;
    let progress = foretrace_file::read(&directory.join("progress"), MAX_OUTCOME as u64).unwrap_or_default();
    let taken = progress.chunks(PROGRESS_SIZE).filter_map(|thread| thread.first_chunk().copied());
    let printed = read_end(&directory.join(PRINTED)).unwrap_or_default();
    Ok(Run {
        death: Death::of(&ended, &outcome, &printed),
        outcome,
        progress: taken.map(u32::from_le_bytes).fold(0, u32::wrapping_add),
        modules: Modules::read(&directory.join("modules")),
        ended,
        violations: Vec::new(),
        regions: Vec::new(),
    })
}

/// The files of a recording besides.
const RECORDING: [&str; 6] = ["events", "open", "threads", "customs", "strings", "benign"];

/// How long a replay waits for input from outside, if nothing is known about the recorded run.
const FOR_INPUT: Duration = Duration::from_millis(250);

/// The file with the standard error of a replayed program, which has the messages that libraries print before they end
/// a program.
pub(crate) const PRINTED: &str = "printed";
/// How much of it is read, from the end.
const MOST_READ: u64 = 64 << 10;
/// How large it may become before it is emptied.
const MOST_KEPT: u64 = 16 << 20;

/// Empties the output if it is large: only its end matters.
pub(crate) fn watch_output(printed: &fs::File) {
    if printed.metadata().is_ok_and(|file| file.len() > MOST_KEPT) {
        let _ = printed.set_len(0);
    }
}

fn read_end(path: &Path) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(MOST_READ);
    file.seek(io::SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(MOST_READ).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A missing file counts as empty: the program may have died before the runtime began.
fn read_bounded(path: &Path) -> io::Result<String> {
    let file = match foretrace_file::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(MAX_OUTCOME as u64).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
