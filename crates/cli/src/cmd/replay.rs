//! `foretrace replay`: makes a finding happen again.

use super::check::keep::Kept;
use crate::output;
use crate::quote::quoted;
use anyhow::{Context, bail};
use foretrace_finding::Schedule;
use foretrace_replay::{Input, Outcome, Precision};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Make a finding happen again.
///
/// Runs the program under the schedule of the finding and says how often it failed; answers 1 if it did, 0 if it never
/// did, 2 if it could not be run. With a debugger, the program stops where it fails, with all threads held.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of the finding, or a schedule (as "t0:3 t1:2") of the recording that --recording names
    finding: PathBuf,
    /// The recording that the schedule is of
    #[arg(long, value_name = "DIR")]
    recording: Option<PathBuf>,
    /// How often
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// How long one run may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// Stop in gdb where it fails
    #[arg(long, conflicts_with = "lldb")]
    gdb: bool,
    /// Stop in lldb where it fails
    #[arg(long)]
    lldb: bool,
}

/// The runtime calls it when the program has failed.
const BREAKPOINT: &str = "__foretrace_failed";

/// Replays.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let kept = open(args)?;
    if args.gdb || args.lldb {
        return debug(args, &kept);
    }
    let mut failed = 0;
    for _ in 0..args.times {
        let scratch = kept.scratch()?;
        let run = kept.program.replay_file(scratch.path(), Precision::Each, Duration::from_secs(args.timeout))?;
        let same = kept.is_in(&run);
        failed += u32::from(same);
        if !same {
            eprintln!("foretrace: this time it did not fail: {}", instead(&run.outcome));
        }
    }
    let said = output::write(|out| Ok(writeln!(out, "{}: failed {failed} of {} times", kept.title, args.times)?));
    match said {
        Err(error) if !output::reader_left(&error) => Err(error),
        _ => Ok(ExitCode::from(u8::from(failed > 0))),
    }
}

/// What is to be seen again.
fn open(args: &Args) -> anyhow::Result<Kept> {
    let text = args.finding.to_str().unwrap_or_default();
    let pasted = !args.finding.exists() && text.parse::<Schedule>().is_ok_and(|schedule| !schedule.steps().is_empty());
    match &args.recording {
        Some(recording) => Kept::pasted(text, recording),
        None if pasted => bail!("of which recording is this schedule? Say it with --recording DIR"),
        None => Kept::open(&args.finding),
    }
}

fn instead(outcome: &Outcome) -> String {
    match (&outcome.diverged, &outcome.stalled) {
        (Some(diverged), _) => {
            format!(
                "at step {}, t{} came with {}, not {}",
                diverged.step, diverged.thread, diverged.got, diverged.expected
            )
        }
        (None, Some(stalled)) => format!("at step {}, t{} did not come", stalled.step, stalled.thread),
        (None, None) if outcome.ended => "the schedule was followed to its end".to_owned(),
        (None, None) => "the program ended before its schedule did".to_owned(),
    }
}

/// The debugger of this name, or the newest of those whose name goes on with a version, as Debian's `lldb-19` does.
fn debugger_named(name: &str) -> OsString {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let files = std::env::split_paths(&search).filter_map(|directory| directory.read_dir().ok()).flatten().flatten();
    let version = |file: &OsString| {
        let rest = file.to_str()?.strip_prefix(name)?;
        if rest.is_empty() { Some(u32::MAX) } else { rest.strip_prefix('-')?.parse().ok() }
    };
    let known = files.map(|file| file.file_name()).filter_map(|file| Some((version(&file)?, file)));
    known.max().map_or_else(|| name.into(), |(_, file)| file)
}

/// Becomes the debugger; returns only if that fails.
fn debug(args: &Args, kept: &Kept) -> anyhow::Result<ExitCode> {
    let scratch = kept.scratch()?.keep();
    let program = kept.program.under(&scratch, Precision::Each, true);
    let read_from = match &kept.program.input {
        Input::Nothing => None,
        Input::File(path, _) | Input::Piped(path) => Some(quoted(path.as_os_str())),
    };
    let mut debugger = if args.gdb {
        let mut gdb = Command::new(debugger_named("gdb"));
        gdb.args([
            "-q",
            "-ex",
            &format!("break {BREAKPOINT}"),
            "-ex",
            &format!("run{}", read_from.as_deref().map(|path| format!(" < {path}")).unwrap_or_default()),
            "-ex",
            "thread apply all backtrace",
            "--args",
        ]);
        gdb
    } else {
        let mut lldb = Command::new(debugger_named("lldb"));
        let run = read_from.map_or_else(|| "run".to_owned(), |path| format!("process launch -i {path}"));
        lldb.args(["-o", &format!("breakpoint set -n {BREAKPOINT}"), "-o", &run, "-o", "thread backtrace all", "--"]);
        lldb
    };
    debugger.arg(program.get_program()).args(program.get_args());
    debugger.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(directory) = program.get_current_dir() {
        debugger.current_dir(directory);
    }
    let error = debugger.exec();
    if error.kind() == std::io::ErrorKind::NotFound {
        bail!("{} is not installed", debugger.get_program().display());
    }
    Err(error).with_context(|| format!("cannot run {}", debugger.get_program().display()))
}
