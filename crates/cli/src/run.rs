//! What was run, beside its recording: enough to run it again, and how it went.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `run` | `key=value` lines: the program and its build id, the command, its directory, what it read, how it ended |
//! | `environment` | its variables |
//!
//! Relative paths begin at the recording, so that a program that is kept with it can be moved with it.

use crate::environment::Environment;
use crate::identity;
use crate::lines::Lines;
use crate::output::say;
use crate::quote::{quoted, quoted_all};
use crate::trust::{self, Trust};
use crate::way::way_into;
use anyhow::{Context, bail};
use foretrace_replay::{Input, LINGER, Program};
use foretrace_trace::Recording;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, SystemTime};

/// How long a saved run may take no step while its threads run.
const PATIENCE: Duration = Duration::from_secs(60);

/// What was run, and how it went.
pub struct Run<'a> {
    /// The file.
    pub program: &'a Path,
    /// The program as it was called, and its arguments.
    pub command: &'a [OsString],
    /// How the runtime came into it.
    pub way: &'a str,
    /// When it began.
    pub started: SystemTime,
    /// What it read, as far as it can be read again.
    pub input: Input,
    /// What was run beside it.
    pub client: Option<String>,
    /// The number of the process that was started; the recorded one may be another, which that one started.
    pub process: Option<u32>,
    /// How it ended, and after how long.
    pub ended: Option<(ExitStatus, Duration)>,
}

impl Run<'_> {
    /// Writes the files `run` and `environment`.
    pub fn write(&self, directory: &Path) -> anyhow::Result<()> {
        let path = directory.join("run");
        fs::write(&path, self.text()?).with_context(|| format!("cannot write {}", path.display()))?;
        let path = directory.join("environment");
        Environment::own().write(&path).with_context(|| format!("cannot write {}", path.display()))?;
        trust::seal(directory).with_context(|| format!("cannot seal {}", directory.display()))
    }

    fn text(&self) -> anyhow::Result<String> {
        use std::os::unix::process::ExitStatusExt;
        let mut text = String::new();
        let mut line = |key: &str, value: &dyn std::fmt::Display| {
            writeln!(text, "{key}={value}").expect("a string takes all that is written to it");
        };
        line("version", &env!("CARGO_PKG_VERSION"));
        line("program", &quoted(std::path::absolute(self.program)?));
        line("identity", &identity::of(self.program).unwrap_or_default());
        line("command", &quoted_all(self.command));
        line("directory", &quoted(std::env::current_dir().unwrap_or_default()));
        line("way", &self.way);
        line("input", &quoted_all(self.input.words()));
        self.client.iter().for_each(|client| line("client", &quoted(client)));
        let since = self.started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        line("started", &since.as_secs());
        self.process.iter().for_each(|process| line("process", process));
        if let Some((status, duration)) = &self.ended {
            match (status.code(), status.signal()) {
                (Some(code), _) => line("exit", &code),
                (None, signal) => line("signal", &signal.unwrap_or_default()),
            }
            line("milliseconds", &duration.as_millis());
        }
        Ok(text)
    }
}

/// Tells a recording where its program and what that read lie now.
pub fn tell_again(recording: &Path, program: &Path, input: &Input) -> anyhow::Result<()> {
    let run = recording.join("run");
    let line = |line: &str| match line.split_once('=') {
        Some(("program", _)) => format!("program={}\n", quoted(program)),
        Some(("input", _)) => format!("input={}\n", quoted_all(input.words())),
        _ => format!("{line}\n"),
    };
    let text: String = foretrace_file::text(&run)?.lines().map(line).collect();
    fs::write(&run, text)?;
    Ok(trust::seal(recording)?)
}

/// The program of a recording, to be run as it was; an error if it is not the same any more, or if the recording comes
/// from elsewhere and is not trusted.
pub fn recorded_program(recording: &Path, trust: Trust) -> anyhow::Result<Program> {
    let missing = || format!("{} does not say what was run; record it again", recording.display());
    let lines = Lines::read(&recording.join("run")).with_context(missing)?;
    let path = lines.path("program")?;
    let environment = Environment::read(&recording.join("environment"))?;
    let what = what_is_run(&lines, &path, &environment)?;
    trust.check(recording, &what)?;
    identity::refuse_changed(&path, lines.get("identity")?, recording)?;
    let variables = way_into(&path)?.environment(&environment)?;
    let input = Input::from_words(&lines.words("input")?).with_context(|| lines.damaged("input"))?;
    Ok(Program {
        command: command(&lines, &path)?,
        directory: directory(&lines)?,
        input: input.moved(|path| lines.beside(path)),
        environment: environment.with(variables),
        started_only: is_of_started(recording, &lines),
        patience: PATIENCE,
        linger: LINGER,
        client: client(&lines)?,
        records: false,
        path,
    })
}

/// Says what is going to be run, for a recording that may have come from anywhere.
pub fn announce(program: &Program) {
    let (command, file) = (quoted_all(&program.command), quoted(&program.path));
    let directory = program.directory.as_ref().map_or_else(String::new, |place| format!(" in {}", quoted(place)));
    let client = program.client.as_ref().map_or_else(String::new, |client| format!(" beside {}", quoted(client)));
    say!("running {command} ({file}){directory}{client}");
}

/// What was run beside the program, if anything.
fn client(lines: &Lines) -> anyhow::Result<Option<String>> {
    if lines.get("client").is_err() {
        return Ok(None);
    }
    let words = lines.words("client")?;
    let client = words.first().and_then(|word| word.to_str()).with_context(|| lines.damaged("client"))?;
    Ok(Some(client.to_owned()))
}

/// The command with its directory, and the variables by which a loader can be made to run something else.
fn what_is_run(lines: &Lines, path: &Path, environment: &Environment) -> anyhow::Result<String> {
    let command = quoted_all(command(lines, path)?);
    let file = quoted(path);
    let program = if command.starts_with(&file) { String::new() } else { format!(" ({file})") };
    let variables: String = environment.of_loader().map(|pair| format!(" with {}", quoted(pair))).collect();
    let client = client(lines)?.map_or_else(String::new, |client| format!(" beside {}", quoted(client)));
    Ok(format!("{command}{program} in {}{variables}{client}", quoted(lines.path("directory")?)))
}

/// Is it the started process that was recorded?
fn is_of_started(recording: &Path, lines: &Lines) -> bool {
    let started = lines.get("process").ok().and_then(|process| process.parse::<u64>().ok());
    started.is_some() && Recording::open(recording).ok().map(|recording| recording.header().pid) == started
}

/// What is kept beside the recording is called by its place, wherever that is now.
fn command(lines: &Lines, program: &Path) -> anyhow::Result<Vec<OsString>> {
    let mut command = lines.words("command")?;
    let Some(name) = command.first_mut() else { bail!(lines.damaged("command")) };
    if lines.words("program")?.iter().all(|word| Path::new(word).is_relative()) {
        *name = program.as_os_str().to_owned();
    }
    Ok(command)
}

/// Where it ran, if that is there: findings may have come from another machine.
fn directory(lines: &Lines) -> anyhow::Result<Option<PathBuf>> {
    let directory = lines.path("directory")?;
    if directory.is_dir() {
        return Ok(Some(directory));
    }
    crate::output::say!("its directory {} does not exist; it runs in this one", directory.display());
    Ok(None)
}
