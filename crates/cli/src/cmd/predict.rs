//! `foretrace predict`: the data races and deadlocks that another order of the recorded run would have had.

mod print;

use super::interrupt;
use super::memory::{self, Memory};
use super::progress::Bar;
use super::properties;
use super::script;
use super::watchdog::watch;
use crate::{flags, output, recording};
use anyhow::{Context, bail};
use foretrace_judge::judge;
use foretrace_predict::{Budget, Detail, Options, Prediction, Watch, csp, predict, stream};
use foretrace_trace::{Limits, Note, Recording, Symbols, Trace, convert};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// Predict data races and deadlocks from one run.
///
/// Computes which other orders of the same events were possible and searches them. Each candidate comes with a schedule
/// that reaches it in the model of the run; only a replay shows whether the program follows the schedule. The exit code is 0
/// if nothing was found, 1 if there are candidates, and 2 if prediction failed, was stopped, or found nothing while events
/// are missing.
#[derive(clap::Args)]
pub struct Args {
    /// A recording, a text trace or an STD trace
    #[arg(default_value = recording::DEFAULT)]
    trace: PathBuf,
    /// Report every racing pair of code locations, not one for each group of memory intervals
    #[arg(long)]
    all_pairs: bool,
    /// Search in windows of this many events instead of the whole run
    #[arg(long, value_name = "N")]
    window: Option<u32>,
    /// Also predict violations of the properties in this file, of the assertions in a script in CSP_M (FILE.csp), or of a
    /// property of the library (see docs/properties.md); may be given several times
    #[arg(long, value_name = "FILE|NAME")]
    property: Vec<String>,
    /// Only predict violations of the properties, not data races and deadlocks
    #[arg(long, requires = "property")]
    only_properties: bool,
    /// Print how much each reduction removed
    #[arg(long)]
    stats: bool,
    /// Also write the model and its checks as CSP_M, for FDR or `foretrace csp`
    #[arg(long, value_name = "FILE")]
    emit_csp: Option<PathBuf>,
    /// Give up on a question after this many states
    #[arg(long, value_name = "N", default_value_t = Budget::default().states)]
    max_states: u64,
    #[command(flatten)]
    memory: Memory,
    /// Number of parallel searches; 0 means one for each core
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = flags::jobs)]
    jobs: usize,
    /// The format of the results
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Do not show progress
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Human,
    Json,
}

/// From this many bytes on, a recording is long.
const LONG: u64 = 64 << 20;

/// There are candidates.
const FOUND: u8 = 1;
/// Stopped before the end, or events are missing, with nothing found so far.
const STOPPED: u8 = 2;

/// Predicts, and prints what was found.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let stop = interrupt::flag()?;
    let bar = Bar::new(args.quiet);
    bar.phase("reading", 0);
    let watched = watch("reading and predicting", stop, None);
    let limits = Limits { stop: Some(stop), memory: Some(args.memory.watch()), deadline: None };
    let (scripts, rules): (Vec<String>, Vec<String>) =
        args.property.iter().cloned().partition(|name| script::is_script(name));
    let properties = properties::Asked::read(&rules)?.properties;
    let (trace, symbols, benign) = open(&args.trace, limits)?;
    if let Some(path) = &args.emit_csp {
        emit(&trace, path)?;
    }
    let properties = properties.templates().to_vec();
    properties::warn_of_unknown_events(&trace, &properties, &BTreeSet::new());
    let mut prediction = predict(&trace, &Options { benign, properties, ..options(args, &limits) }, &bar);
    for name in &scripts {
        bar.phase("checking a script", 0);
        let text = script::read(name)?;
        script::add(script::check(&trace, (name, &text), args.max_states, stop)?, &mut prediction);
    }
    bar.finish();
    drop(watched);
    assert_right(&trace, &prediction);
    let stopped = stop.load(Ordering::Relaxed) || memory::is_spent();
    if memory::is_spent() {
        output::say!("{}: not everything was examined", memory::SPENT);
    }
    let looks = print::Looks { errors: !args.only_properties, properties: !args.property.is_empty() };
    let view =
        print::View { trace: &trace, symbols: &symbols, prediction: &prediction, stats: args.stats, stopped, looks };
    output::write(|out| match args.format {
        Format::Human => Ok(view.human(out)?),
        Format::Json => Ok(writeln!(out, "{:#}", view.json())?),
    })?;
    Ok(ExitCode::from(match prediction.all().count() {
        0 if stopped || trace.notes().iter().any(Note::is_loss) => STOPPED,
        0 => 0,
        _ => FOUND,
    }))
}

fn options(args: &Args, limits: &Limits) -> Options {
    Options {
        races: !args.only_properties,
        deadlocks: !args.only_properties,
        detail: if args.all_pairs { Detail::Places } else { Detail::Intervals },
        window: args.window,
        budget: Budget { stop: limits.stop, memory: limits.memory, ..Budget::of_states(args.max_states) },
        jobs: args.jobs,
        ..Options::default()
    }
}

/// The trace, its names, and where races are harmless.
fn open(path: &Path, limits: Limits) -> anyhow::Result<(Trace, Symbols, Vec<Range<u64>>)> {
    if recording::is_without_events(path) {
        bail!("{}: the program made no thread that could be recorded; there are no events", path.display());
    }
    let is_recording = path.is_dir() || path.file_name().is_some_and(|name| name == "events");
    if !is_recording {
        return Ok((convert::open(path)?, Symbols::none(), Vec::new()));
    }
    let recording = Recording::open(path)?.within(limits);
    let symbols = Symbols::new(&recording);
    let mut trace = read(&recording).map_err(memory::explain)?;
    symbols.name(&mut trace);
    Ok((trace, symbols, recording.benign().to_vec()))
}

/// A long recording is first read as a stream: only memory that could race is kept.
fn read(recording: &Recording) -> anyhow::Result<Trace> {
    if recording.size() < LONG {
        return Ok(recording.trace()?);
    }
    let streamed = stream::candidates(recording)?;
    Ok(recording.trace_of_lines(streamed.lines.iter().map(|candidate| candidate.line))?)
}

fn emit(trace: &Trace, path: &Path) -> anyhow::Result<()> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut out = BufWriter::new(file);
    csp::emit(trace, &mut out)?;
    out.flush().with_context(|| format!("cannot write {}", path.display()))
}

/// Every witness passes the judge before it is shown.
fn assert_right(trace: &Trace, prediction: &Prediction) {
    for found in prediction.all() {
        if let Err(objection) = judge(trace, &found.witness) {
            panic!("a witness is wrong, which is our mistake: {objection}; schedule {}", found.witness.schedule);
        }
    }
}
