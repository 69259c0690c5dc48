//! `foretrace check`: record, predict, replay, report.
//!
//! One file a step, in the order in which they are taken: [`subject`] builds and records, [`examine`] predicts and has the
//! predictions searched (`foretrace-search`), [`describe`] has them explained (`foretrace-explain`), [`needs`] asks why they fail,
//! [`suppress`] leaves out what the user does not want to see, [`saved`] saves findings. What explores the program, if that is
//! asked for, and what asks about values ([`RuledOut`]) are given by the caller ([`Besides`]).

pub(super) mod describe;
pub(super) mod examine;
pub mod known;
mod needs;
pub(super) mod saved;
pub(super) mod subject;
pub mod suppress;

use super::interrupt;
use super::memory::{self, Memory};
use super::progress::{Bar, View};
use super::reporting::{ELSEWHERE, Reporting};
use super::sources::Sources;
use crate::flags;
use crate::scratch::Scratch;
use crate::trust::Trust;
use clap::ValueEnum;
use foretrace_report::Report;
use foretrace_trace::Note;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Look for data races, deadlocks and crashes, and prove each by making it happen.
///
/// Source files are compiled first: `foretrace check bank.c -- ARGS`. A program is run as it is: `foretrace check --
/// ./prog ARGS`. Data races are found in programs built with `foretrace cc` or with gcc's -fsanitize=thread, deadlocks in
/// any program.
///
/// The exit code is 0 if nothing was found, 1 if something was found, and 2 if the program could not be checked, or not
/// completely, and nothing was found. The first Ctrl-C ends the recorded run, and what the run did until then is checked.
/// The second ends the check, and what was confirmed until then is reported.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub(super) sources: Sources,
    /// Let the program emit the events of this specification (see docs/events.md); may be given several times
    #[arg(long, value_name = "FILE")]
    events: Vec<PathBuf>,
    /// Also look for violations of the properties in this file, or of a property of the library (see docs/properties.md); may
    /// be given several times
    #[arg(long, value_name = "FILE|NAME")]
    property: Vec<String>,
    /// Calls of this function are meant to be atomic, as are regions that the program marks (see `foretrace explain
    /// atomicity-violation`); may be given several times. The program is compiled with clang
    #[arg(long, value_name = "FUNCTION")]
    pub(super) atomic: Vec<String>,
    /// Critical sections are meant to be atomic, too
    #[arg(long)]
    pub(super) atomic_sections: bool,
    /// Check this recording instead of making one
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "command", "cflags"])]
    recording: Option<PathBuf>,
    #[command(flatten)]
    trust: Trust,
    /// What to look for
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = ErrorClass::ALL)]
    pub(super) look_for: Vec<ErrorClass>,
    /// Start nothing new after this time (such as 30s or 5m), and stop what is running [default: sixty times the recorded run,
    /// at least 1m and at most 10m]
    #[arg(long, value_name = "TIME", value_parser = flags::time)]
    budget: Option<Duration>,
    /// If nothing was found when the budget was spent, exit with 0 instead of 2
    #[arg(long)]
    accept_partial: bool,
    /// End the recorded run after this wall-clock time, not counting time in which it was ready to run but had no processor,
    /// and check what it did until then
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = flags::time)]
    timeout: Duration,
    /// Run this shell command as a client beside the recorded run and each replay, for programs that are servers. It is
    /// started when the program waits for it, and ended with the program; the program is ended soon after the client ends
    #[arg(long, value_name = "CMD")]
    client: Option<String>,
    /// At the end of `main`, wait up to this time for threads that still run
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = flags::time, hide_short_help = true)]
    linger: Duration,
    #[command(flatten)]
    memory: Memory,
    /// Replay each candidate at most this many times (findings are replayed more often, to see whether they show every time)
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(super) replays: usize,
    /// Search in windows of this many events instead of the whole run
    #[arg(long, value_name = "EVENTS")]
    window: Option<u32>,
    /// Number of parallel searches and replays; 0 chooses it by the number of cores
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = flags::jobs)]
    pub(super) jobs: usize,
    /// In replays of programs that run longer than this, check accesses when their segment ends first, and one by one only
    /// where that shows something
    #[arg(long, value_name = "TIME", default_value = "200ms", value_parser = flags::time, hide_short_help = true)]
    coarse_after: Duration,
    /// Afterwards, explore other orders as `foretrace explore` does, for up to this time and within the budget. This also finds
    /// errors behind branches that the recorded run did not take. 0 turns it off [default: if nothing was found until then,
    /// about as long as the check has taken, at least 125ms and at most 5s; nothing with --replays 0]
    #[arg(long, value_name = "TIME", value_parser = flags::time)]
    pub(super) explore: Option<Duration>,
    /// Find out which orders of operations each finding needs to fail, with at most this many more replays of each. 0 turns
    /// it off
    #[arg(long, value_name = "N", default_value_t = 40)]
    why: usize,
    /// Hide the findings that this file lists, in ThreadSanitizer's syntax (race:FUNCTION)
    #[arg(long, value_name = "FILE")]
    suppressions: Vec<PathBuf>,
    /// Which findings make the exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Confirmed)]
    fail_on: FailOn,
    /// Also show what was predicted but not confirmed, and what is undecided
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    pub view: View,
    #[command(flatten)]
    pub(super) reporting: Reporting,
}

/// The kinds of errors to look for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ErrorClass {
    Races,
    Deadlocks,
    Crashes,
    Properties,
    Atomicity,
}

impl ErrorClass {
    const ALL: [Self; 5] = [Self::Races, Self::Deadlocks, Self::Crashes, Self::Properties, Self::Atomicity];
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Confirmed,
    Predicted,
}

/// Adds to the report what an exploration of the program shows.
pub type Besides = fn(
    &Args,
    &subject::Subject,
    (&Path, &'static AtomicBool),
    (&mut suppress::Suppressions, &mut Report),
) -> anyhow::Result<()>;

/// For each of these predicted races, whether the values of a run rule it out.
pub type RuledOut =
    fn(&Args, &subject::Subject, &[foretrace_predict::Predicted], (&Path, &'static AtomicBool)) -> Vec<bool>;

/// Checks; the exit code says whether something was found.
pub fn run(args: &Args, (besides, ruled_out): (Besides, RuledOut)) -> anyhow::Result<ExitCode> {
    let stop = interrupt::flag()?;
    let mut suppressions = suppress::Suppressions::read(&args.suppressions)?;
    let output = args.reporting.open()?;
    let scratch = Scratch::new("check-")?;
    let mut subject = subject::Subject::new(args, scratch.path(), stop)?;
    if !args.look_for.contains(&ErrorClass::Crashes) && !subject.cut_short {
        subject.death = None;
    }
    let bar = Bar::of_check(args.view, examine::until(args, &subject));
    let results = examine::examine(args, &subject, scratch.path(), (stop, &bar), ruled_out)?;
    bar.finish();
    let interrupted = stop.load(Ordering::Relaxed);
    let (mut report, failures) = describe::report(&subject, &results);
    let spent = results.spent();
    report.notes.extend(spent.map(|why| format!("{why}: not everything was checked")));
    if memory::is_spent() {
        report.notes.push(format!("{}: not everything was checked", memory::SPENT));
    }
    let losses = subject.trace.notes().iter().any(Note::is_loss);
    let out_of_time = spent.is_some() && !args.accept_partial;
    report.incomplete = interrupted || losses || out_of_time || memory::is_spent() || subject.is_partial();
    report.fail_on_predicted = args.fail_on == FailOn::Predicted;
    report.show_predicted = args.all || report.fail_on_predicted;
    known::hide(&mut report);
    suppressions.apply(&mut report);
    needs::add(args, &subject, (&failures, scratch.path(), stop), &mut report)?;
    if report.counts().confirmed > 0 {
        let kept = saved::all(&args.reporting.findings, &subject, &failures, &mut report);
        kept.unwrap_or_else(|error| crate::output::say!("warning: not all findings are kept: {error:#}; {ELSEWHERE}"));
    }
    if !interrupted {
        besides(args, &subject, (scratch.path(), stop), (&mut suppressions, &mut report))?;
        report.incomplete |= stop.load(Ordering::Relaxed);
    }
    args.reporting.write(output, &report)?;
    Ok(ExitCode::from(match has_failed(args, &report) {
        true => FOUND,
        false if report.incomplete => UNKNOWN,
        false => 0,
    }))
}

const FOUND: u8 = 1;
const UNKNOWN: u8 = 2;

fn has_failed(args: &Args, report: &Report) -> bool {
    let counts = report.counts();
    counts.confirmed > 0 || args.fail_on == FailOn::Predicted && counts.predicted > 0
}
