//! `foretrace check`: record, predict, replay, report.
//!
//! One file a step, in the order in which they are taken: [`subject`] builds and records, [`examine`] predicts and has the
//! predictions searched (`foretrace-search`), [`describe`] has them explained (`foretrace-explain`),
//! [`suppress`] leaves out what the user does not want to see, [`keep`] writes findings down.

mod describe;
mod examine;
pub(super) mod keep;
pub(super) mod subject;
pub mod suppress;

use super::interrupt;
use super::memory::{self, Memory};
use super::progress::Bar;
use crate::flags;
use crate::scratch::Scratch;
use crate::trust::Trust;
use anyhow::Context;
use clap::ValueEnum;
use console::Term;
use foretrace_report::{Format, Report, Style};
use foretrace_trace::Note;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Look for data races and deadlocks, and prove each by making it happen.
///
/// Source files are compiled first: `foretrace check bank.c -- ARGS`. A program is run as it is: `foretrace check --
/// ./prog ARGS`. Data races are found in programs built with `foretrace cc` or with gcc's -fsanitize=thread, deadlocks in
/// any program.
///
/// The exit code is 0 if nothing was found, 1 if something was, and 2 if the program could not be checked. The first Ctrl-C
/// ends the recorded run, and what it did so far is checked; the next one ends the check, and what was confirmed so far is
/// reported.
#[derive(clap::Args)]
pub struct Args {
    /// Source files to compile, or a program with its arguments
    #[arg(value_name = "FILES")]
    files: Vec<OsString>,
    /// The program and its arguments; after source files, the arguments alone
    #[arg(last = true, value_name = "PROG")]
    command: Vec<OsString>,
    /// Check this recording instead of making one
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "command", "cflags"])]
    recording: Option<PathBuf>,
    #[command(flatten)]
    trust: Trust,
    /// Options for the compiler, in one argument ("-O2 -DSIZE=3 -lm")
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    cflags: Option<String>,
    /// What to look for
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Look::Races, Look::Deadlocks, Look::Crashes])]
    look_for: Vec<Look>,
    /// Start nothing new after this time (30s, 5m), and end what is running [default: sixty times what the recorded run took,
    /// but 1m at least and 10m at most]
    #[arg(long, value_name = "TIME", value_parser = flags::time)]
    budget: Option<Duration>,
    /// If nothing was found when the budget was spent, exit with 0 instead of 2
    #[arg(long)]
    accept_partial: bool,
    /// End the recorded run after this time of the clock, not counting time in which it wants to run and gets no processor,
    /// and check what it did so far
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = flags::time)]
    timeout: Duration,
    /// Run this beside the recorded run and beside each replay, as the client of a server: a line for the shell. It is
    /// started when the program waits for it, and ended with the program; the program is ended soon after it
    #[arg(long, value_name = "CMD")]
    client: Option<String>,
    /// At the end of `main`, wait so long for threads that still run
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = flags::time, hide_short_help = true)]
    linger: Duration,
    #[command(flatten)]
    memory: Memory,
    /// Replay each candidate at most this often (findings are replayed some more, to see whether they come every time)
    #[arg(long, value_name = "N", default_value_t = 8)]
    replays: usize,
    /// Search in windows of this many events instead of the whole run
    #[arg(long, value_name = "EVENTS")]
    window: Option<u32>,
    /// How many searches and replays to run at a time; 0 for as many as suit the number of cores
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = flags::jobs)]
    jobs: usize,
    /// Watch programs that run longer than this by segments first, and access by access only where that shows something
    #[arg(long, value_name = "TIME", default_value = "200ms", value_parser = flags::time, hide_short_help = true)]
    coarse_after: Duration,
    /// Hide the findings this file lists, in ThreadSanitizer's syntax (race:FUNCTION)
    #[arg(long, value_name = "FILE")]
    suppressions: Vec<PathBuf>,
    /// Which findings make the exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Confirmed)]
    fail_on: FailOn,
    /// Also show what was predicted but not confirmed, and what is undecided
    #[arg(long)]
    all: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t = Form::Human)]
    format: Form,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    color: Colour,
    /// Write the report to this file instead of the terminal
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Where to keep the findings, each in a folder of its own
    #[arg(long, value_name = "DIR", default_value = "foretrace-findings")]
    findings: PathBuf,
}

/// Kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Look {
    Races,
    Deadlocks,
    Crashes,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Confirmed,
    Predicted,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

impl Colour {
    /// Whether colours are used on a terminal, or elsewhere, if the environment holds what `get` says.
    fn is_on(self, terminal: bool, get: impl Fn(&str) -> Option<String>) -> bool {
        let is = |name, value: &str| get(name).is_some_and(|found| found == value);
        let is_set = |name| get(name).is_some_and(|found| !found.is_empty());
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if is_set("NO_COLOR") => false,
            Self::Auto if is_set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0") => true,
            Self::Auto => terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Human,
    Json,
    Sarif,
    Tsan,
    Junit,
    Github,
}

impl Form {
    fn format(self) -> Format {
        match self {
            Self::Human => Format::Human,
            Self::Json => Format::Json,
            Self::Sarif => Format::Sarif,
            Self::Tsan => Format::Tsan,
            Self::Junit => Format::Junit,
            Self::Github => Format::Github,
        }
    }
}

/// Checks; the exit code says whether something was found.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let stop = interrupt::flag()?;
    let mut suppressions = suppress::Suppressions::read(&args.suppressions)?;
    let output = args.output.as_deref().map(open_output).transpose()?;
    let scratch = Scratch::new("check-")?;
    let mut subject = subject::Subject::new(args, scratch.path(), stop)?;
    if !args.look_for.contains(&Look::Crashes) && !subject.cut_short {
        subject.death = None;
    }
    let bar = Bar::new(false);
    let results = examine::examine(args, &subject, scratch.path(), (stop, &bar))?;
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
    suppressions.apply(&mut report);
    if report.counts().confirmed > 0 {
        let kept = keep::all(&args.findings, &subject, &failures, &mut report);
        kept.unwrap_or_else(|error| crate::output::say!("warning: not all findings are kept: {error:#}; {ELSEWHERE}"));
    }
    write(args, output, &report)?;
    Ok(ExitCode::from(match has_failed(args, &report) {
        true => FOUND,
        false if report.incomplete => UNKNOWN,
        false => 0,
    }))
}

const FOUND: u8 = 1;
const UNKNOWN: u8 = 2;
const ELSEWHERE: &str = "choose another place with --findings";

fn has_failed(args: &Args, report: &Report) -> bool {
    let counts = report.counts();
    counts.confirmed > 0 || args.fail_on == FailOn::Predicted && counts.predicted > 0
}

/// Opens the report's file before anything is run, and leaves what is in it until there is a report.
fn open_output(path: &Path) -> anyhow::Result<File> {
    let opened = File::options().write(true).create(true).truncate(false).open(path);
    opened.with_context(|| format!("cannot write {}", path.display()))
}

/// A file is emptied first; a pipe cannot be.
fn write_output(mut file: File, report: &Report, format: Format, style: Style) -> io::Result<()> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    foretrace_report::write(report, format, style, &mut file)
}

/// People read the report beside the program's own output, so theirs goes where the program's does not.
fn write(args: &Args, output: Option<File>, report: &Report) -> anyhow::Result<()> {
    let format = args.format.format();
    let written = match output {
        Some(file) => {
            let style = Style { colour: args.color == Colour::Always, ..Style::plain() };
            write_output(file, report, format, style)
        }
        None if format == Format::Human => {
            let mut text = Vec::new();
            foretrace_report::write(report, format, terminal_style(args.color), &mut text)?;
            io::stderr().lock().write_all(&text)
        }
        None => foretrace_report::write(report, format, Style::plain(), &mut io::stdout().lock()),
    };
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write the report"),
    }
}

fn terminal_style(colour: Colour) -> Style {
    let get = |name: &str| std::env::var(name).ok();
    let columns = get("COLUMNS").and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    let terminal = || Term::stderr().size_checked().map(|(_, columns)| usize::from(columns));
    let width = columns.or_else(terminal).unwrap_or(Style::plain().width);
    Style { colour: colour.is_on(io::stderr().is_terminal(), get), width }
}

#[cfg(test)]
mod tests {
    use super::Colour;

    #[test]
    fn colours_follow_the_flag_then_the_environment_then_the_terminal() {
        for (flag, terminal, set, on) in [
            (Colour::Auto, true, "", true),
            (Colour::Auto, false, "", false),
            (Colour::Auto, true, "NO_COLOR=1", false),
            (Colour::Auto, true, "NO_COLOR=", true),
            (Colour::Auto, true, "CLICOLOR=0", false),
            (Colour::Auto, true, "TERM=dumb", false),
            (Colour::Auto, false, "CLICOLOR_FORCE=1", true),
            (Colour::Auto, false, "CLICOLOR_FORCE=0", false),
            (Colour::Auto, false, "CLICOLOR_FORCE=1 NO_COLOR=1", false),
            (Colour::Always, false, "NO_COLOR=1", true),
            (Colour::Never, true, "CLICOLOR_FORCE=1", false),
        ] {
            let get = |name: &str| {
                let value = set.split(' ').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
                value.map(str::to_owned)
            };
            assert_eq!(flag.is_on(terminal, get), on, "{set} terminal={terminal}");
        }
    }
}
