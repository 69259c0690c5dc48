//! A recorded run as a picture: a timeline for Perfetto, a page with counts.

use super::{is_recording, refuse_empty};
use crate::{output, recording};
use anyhow::Context;
use foretrace_event::EventId;
use foretrace_predict::{Budget, Options, predict};
use foretrace_timeline::chrome;
use foretrace_trace::{Recording, Symbols, Trace, convert};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Write the run as a timeline in Chrome's trace-event format
///
/// Perfetto (ui.perfetto.dev) and chrome://tracing open it. Each thread is a track with its operations, critical sections,
/// waits and barriers; arrows lead from what releases a thread to what was released; predicted errors are marks. The time axis
/// is the order of the events, one unit for each: recordings have no clock.
#[derive(clap::Args)]
pub(super) struct Timeline {
    /// A recording, a text trace or an STD trace
    #[arg(default_value = recording::DEFAULT)]
    trace: PathBuf,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also show plain memory accesses
    #[arg(long)]
    accesses: bool,
    /// Do not predict races and deadlocks to mark them
    #[arg(long)]
    no_marks: bool,
    /// Show at most this many events, from the beginning of the run
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    most: usize,
}

/// Write a page about the run: its threads, its locks by how often they change hands, its shared memory
#[derive(clap::Args)]
pub(super) struct Overview {
    /// A recording, a text trace or an STD trace
    #[arg(default_value = recording::DEFAULT)]
    trace: PathBuf,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How many states each question of the marks may take: marks are hints, and the picture must come soon.
const STATES: u64 = 10_000;

impl Timeline {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let (trace, symbols) = open(&self.trace)?;
        let marks = if self.no_marks { Vec::new() } else { marks(&trace) };
        let place = |id: EventId| place(&trace, &symbols, id);
        let options = chrome::Options {
            program: &self.trace.display().to_string(),
            place: &place,
            marks: &marks,
            // A mark stands at its event, so accesses have to be there if one of them is marked.
            accesses: self.accesses || marks.iter().any(|(id, _)| trace.event(*id).is_access()),
            most: self.most,
        };
        let mut left_out = 0;
        write(self.output.as_deref(), |out| {
            left_out = chrome::write(&trace, &options, out)?;
            Ok(())
        })?;
        if left_out > 0 {
            output::say!("{left_out} events at the end of the run are not shown; --most shows more");
        }
        Ok(())
    }
}

impl Overview {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let (trace, _) = open(&self.trace)?;
        let page = foretrace_timeline::Overview::new(&trace).page(&format!("Run {}", self.trace.display()));
        write(self.output.as_deref(), |out| Ok(out.write_all(page.as_bytes())?))
    }
}

fn open(path: &Path) -> anyhow::Result<(Trace, Symbols)> {
    refuse_empty(path)?;
    if !is_recording(path) {
        return Ok((convert::open(path)?, Symbols::none()));
    }
    let recording = Recording::open(path)?;
    let symbols = Symbols::new(&recording);
    let mut trace = recording.trace()?;
    symbols.name(&mut trace);
    Ok((trace, symbols))
}

fn place(trace: &Trace, symbols: &Symbols, id: EventId) -> Option<String> {
    match (&trace.place(id).source, trace.pc(id)) {
        (Some(source), _) => Some(source.to_string()),
        (None, 0) => None,
        (None, pc) => Some(symbols.location(pc).to_string()),
    }
}

/// What is predicted from the run, at the events that it is about.
fn marks(trace: &Trace) -> Vec<(EventId, String)> {
    let prediction = predict(trace, &Options { budget: Budget::of_states(STATES), ..Options::default() }, &());
    let found = prediction.all();
    let marked = found.flat_map(|found| {
        let candidate = &found.witness.candidate;
        let title = match (candidate.interval(), candidate.violation()) {
            (Some(interval), _) => format!("predicted: data race on {}", trace.name(interval)),
            (None, Some(violation)) => format!("predicted: violation of {}", violation.monitor.name),
            (None, None) => "predicted: deadlock".to_owned(),
        };
        candidate.events().into_iter().map(move |event| (event, title.clone()))
    });
    marked.collect()
}

fn write(path: Option<&Path>, body: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let Some(path) = path else { return output::write(body) };
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut out = BufWriter::new(file);
    body(&mut out)?;
    out.flush().with_context(|| format!("cannot write {}", path.display()))
}
