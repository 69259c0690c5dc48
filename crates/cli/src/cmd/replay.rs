//! `foretrace replay`: makes a finding happen again.

mod debugger;

use super::check::saved::SavedFinding;
use super::interrupt;
use crate::flags;
use crate::output;
use crate::run::announce;
use crate::trust::Trust;
use anyhow::bail;
use debugger::Debugger;
use foretrace_finding::ScheduleText;
use foretrace_replay::TimeLimit;
use foretrace_run::{CutShort, Outcome};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Make a finding happen again.
///
/// Runs the program under the schedule of the finding and prints how often it failed. The exit code is 1 if it failed, 0 if
/// it never did, and 2 if it could not be run. With a debugger, the program stops where it fails, with all threads stopped.
/// Ctrl-C ends the replays, and the failures so far are reported.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of the finding, or a schedule (such as "t0:3 t1:2") for the recording given by --recording
    finding: PathBuf,
    /// The recording that the schedule belongs to
    #[arg(long, value_name = "DIR")]
    recording: Option<PathBuf>,
    #[command(flatten)]
    trust: Trust,
    /// Number of replays
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// Time limit of one run
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = flags::time)]
    timeout: Duration,
    /// Run under gdb and stop where the program fails
    #[arg(long, conflicts_with_all = ["lldb", "times", "timeout"])]
    gdb: bool,
    /// With a debugger, also stop before the operation after which the failure is certain, if exploration has found out
    /// which that is; `continue` goes on to the failure
    #[arg(long)]
    certain: bool,
    /// Run under lldb and stop where the program fails
    #[arg(long, conflicts_with_all = ["times", "timeout"])]
    lldb: bool,
}

impl Args {
    fn debugger(&self) -> Option<Debugger> {
        match (self.gdb, self.lldb) {
            (true, _) => Some(Debugger::Gdb),
            (false, true) => Some(Debugger::Lldb),
            (false, false) => None,
        }
    }
}

/// Replays.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let saved = open(args)?;
    if let Some(debugger) = args.debugger() {
        return debugger.run(&saved, args.certain);
    }
    announce(&saved.program);
    let count = replay(args, &saved)?;
    let interrupted = if count.interrupted { "; interrupted" } else { "" };
    let (failed, runs) = (count.failed, count.runs);
    let said = output::write(|out| Ok(writeln!(out, "{}: failed {failed} of {runs} times{interrupted}", saved.title)?));
    match said {
        Err(error) if !output::reader_left(&error) => Err(error),
        _ if failed > 0 => Ok(ExitCode::from(1)),
        _ if count.interrupted => Ok(ExitCode::from(crate::FAILED)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// How often it failed.
#[derive(Default)]
struct Count {
    failed: u32,
    runs: u32,
    interrupted: bool,
}

/// Runs it as often as was asked for, or until Ctrl-C. A run that was cut off has not shown that it does not fail.
fn replay(args: &Args, saved: &SavedFinding) -> anyhow::Result<Count> {
    let limit = TimeLimit { stop: Some(interrupt::flag()?), ..args.timeout.into() };
    let mut count = Count::default();
    while count.runs < args.times && !count.interrupted {
        let scratch = saved.scratch()?;
        let run = saved.replay(&scratch, limit)?;
        let same = saved.is_in(&run);
        count.interrupted = limit.is_stopped();
        count.failed += u32::from(same);
        count.runs += u32::from(same || run.ended.cut_short != Some(CutShort::Stopped));
        if !same && !count.interrupted {
            crate::output::say!("this time it did not fail: {}", instead(&run.outcome));
        }
    }
    count.interrupted &= count.runs < args.times;
    Ok(count)
}

/// What is to be seen again.
fn open(args: &Args) -> anyhow::Result<SavedFinding> {
    let text = args.finding.to_str().unwrap_or_default();
    let pasted = !args.finding.exists() && text.parse::<ScheduleText>().is_ok_and(|text| !text.is_empty());
    match &args.recording {
        Some(recording) => SavedFinding::pasted(text, recording, args.trust),
        None if pasted => bail!("a schedule belongs to a recording: name it with --recording DIR"),
        None => SavedFinding::open(&args.finding, args.trust),
    }
}

fn instead(outcome: &Outcome) -> String {
    match (&outcome.diverged, &outcome.stalled) {
        (Some(diverged), _) => format!("at step {}, {diverged}", diverged.step),
        (None, Some(stalled)) => format!("at step {}, {stalled}", stalled.step),
        (None, None) if outcome.ended => "the schedule was followed to its end".to_owned(),
        (None, None) => "the program ended before its schedule did".to_owned(),
    }
}
