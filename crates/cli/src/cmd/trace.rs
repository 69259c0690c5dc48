//! `foretrace trace`: what is in a recording or a trace, for people and for other tools.

mod pictures;

use crate::{output, recording};
use anyhow::{Context, bail};
use foretrace_report::Visible;
use foretrace_trace::convert::{self, Form};
use foretrace_trace::{Info, Note, Recording, Symbols, Trace, dump};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Show what a recording or a trace contains, or convert it.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Show sizes, threads, counts by kind of event, and what is missing
    Info {
        /// A recording, a text trace or an STD trace
        #[arg(default_value = recording::DEFAULT)]
        trace: PathBuf,
    },
    /// List the events in the order in which they happened, with files and lines
    Dump {
        /// A recording, a text trace or an STD trace
        #[arg(default_value = recording::DEFAULT)]
        trace: PathBuf,
        /// List the records as the program wrote them, before they are normalised
        #[arg(long)]
        raw: bool,
    },
    /// Convert between the binary format, text, and the STD format of the RAPID tools
    Convert {
        /// A recording, a text trace or an STD trace
        trace: PathBuf,
        /// The format to convert to
        #[arg(long, value_name = "FORM")]
        to: Form,
        /// Write to this path; without it, text and STD go to standard output
        #[arg(short, long, value_name = "PATH")]
        output: Option<PathBuf>,
    },
    Timeline(pictures::Timeline),
    Overview(pictures::Overview),
}

/// Prints or writes what was asked for.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.action {
        Action::Info { trace } => output::write(|out| info(trace, out))?,
        Action::Dump { trace, raw: true } => output::write(|out| dump_records(trace, out))?,
        Action::Dump { trace, raw: false } => output::write(|out| dump_events(trace, out))?,
        Action::Convert { trace, to, output } => convert(trace, *to, output.as_deref())?,
        Action::Timeline(timeline) => timeline.run()?,
        Action::Overview(overview) => overview.run()?,
    }
    Ok(ExitCode::SUCCESS)
}

fn info(path: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    if recording::is_without_events(path) {
        let run = foretrace_file::text(&path.join("run")).with_context(|| format!("{}", path.display()))?;
        writeln!(out, "{run}the program made no thread that could be recorded")?;
    } else if is_recording(path) {
        write!(out, "{}", Info::new(&Recording::open(path)?)?)?;
    } else {
        trace_info(&convert::open(path)?, out)?;
    }
    for child in recording::children(path) {
        writeln!(out, "forked process {}", child.display())?;
    }
    Ok(())
}

fn is_recording(path: &Path) -> bool {
    path.is_dir() || path.file_name().is_some_and(|name| name == "events")
}

fn trace_info(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let stats = trace.stats();
    writeln!(out, "{:<14}{}", "threads", trace.threads().len())?;
    writeln!(out, "{:<14}{}", "events", stats.events)?;
    for (kind, count) in &stats.kinds {
        writeln!(out, "  {:<16}{count:>12}", format!("{kind:?}"))?;
    }
    notes(trace.notes(), out)
}

fn notes(notes: &[Note], out: &mut dyn Write) -> io::Result<()> {
    notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
}

fn dump_records(path: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    refuse_empty(path)?;
    if !is_recording(path) {
        bail!("{}: only a recording has records; leave out --raw", path.display());
    }
    let recording = Recording::open(path)?;
    dump::recording(&recording, &Symbols::new(&recording), out)?;
    Ok(())
}

fn dump_events(path: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    refuse_empty(path)?;
    let symbols = if is_recording(path) { Symbols::new(&Recording::open(path)?) } else { Symbols::none() };
    dump::trace(&convert::open(path)?, &symbols, out)?;
    Ok(())
}

fn convert(path: &Path, form: Form, output: Option<&Path>) -> anyhow::Result<()> {
    refuse_empty(path)?;
    if output.is_none() && form == Form::Binary {
        bail!("a recording is a directory: name one with -o");
    }
    let trace = convert::open(path)?;
    let mut left_out = Vec::new();
    match output {
        None => output::write(|out| {
            left_out = convert::print(&trace, form, out)?;
            Ok(())
        })?,
        Some(output) => {
            if form == Form::Binary {
                recording::prepare(output)?;
            }
            left_out = convert::write(&trace, form, output)?;
        }
    }
    notes(&left_out, &mut Visible::new(io::stderr()))?;
    Ok(())
}

fn refuse_empty(path: &Path) -> anyhow::Result<()> {
    if recording::is_without_events(path) {
        bail!("{}: the program made no thread that could be recorded; there are no events", path.display());
    }
    Ok(())
}
