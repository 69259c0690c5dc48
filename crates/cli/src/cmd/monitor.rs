//! `foretrace monitor`: a specification of streams over a trace, a recording, or a running program.

mod clock;
mod coverage;
mod feed;
mod files;
mod groups;
mod input;
mod live;
mod naming;
mod out;
mod pace;
mod pipe;
mod places;
mod program;
mod queue;
mod recorded;
mod streams;
mod subject;
mod tail;
mod template;

use crate::cmd::events;
use crate::cmd::probes::{Join, Probes};
use anyhow::{Context, bail};
use clap::ValueEnum;
use coverage::Coverage;
use foretrace_stream::engine::{Engine, Time};
use foretrace_stream::output::{Failures, Format};
use foretrace_stream::{Dialect, Options, Spec, TimeBase, compile};
use out::Out;
use places::Places;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use subject::Subject;

/// Check a stream specification (TeSSLa) over a trace, a recording, or a running program.
///
/// The input is trace text (`time: stream = value`), CSV, the Common Trace Format, a binary trace, or a recording; without
/// an input, trace text is read from standard input. With a program after `--`, the specification is evaluated while the
/// program runs. Source files are compiled, with the events that annotations such as `@InstFunctionCall` ask for, and then
/// run.
///
/// The exit code is 1 if a stream marked `@error` had an event (in the 2018 dialect: one whose name begins with
/// `error`), 2 if the specification or the input is wrong or a value could not be computed, and 3 if no error was
/// found but not everything was checked.
#[derive(clap::Args)]
pub struct Args {
    /// The specification
    #[arg(required_unless_present = "template", value_name = "SPEC")]
    spec: Option<PathBuf>,
    /// The input, or source files to compile and run; `-` or nothing means standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Print a generated specification instead of checking one
    #[arg(long, value_enum, conflicts_with_all = ["spec", "inputs"])]
    template: Option<template::Template>,
    #[command(flatten)]
    sizes: template::Sizes,
    /// The dialect of the specification; the default is 1.2, unless the first line names another (`-- dialect: 2018`)
    #[arg(long, value_enum)]
    dialect: Option<Language>,
    /// The length of one timestamp unit, such as `ns` or `33333 µs`, for specifications that use units of time (fs ps ns us
    /// ms s min h d)
    #[arg(long, value_name = "UNIT", value_parser = parse_unit)]
    base_time: Option<TimeBase>,
    /// The format of the output
    #[arg(long, value_enum, default_value = "text")]
    format: OutputForm,
    /// Stop at the first event of this output stream
    #[arg(long, value_name = "STREAM")]
    until: Option<String>,
    /// After the end of the input, let time advance up to this timestamp, so that delays can expire
    #[arg(long, value_name = "TIME")]
    end: Option<Time>,
    /// Write the output to this file, so that standard output has only the program's own output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write an HTML page that shows all outputs on a time axis
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a VCD file for waveform viewers such as gtkwave
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// Whether strings are shown in quotes; by default only in the 2018 dialect
    #[arg(long, value_enum, value_name = "WHEN")]
    quotes: Option<Quotes>,
    /// Stop after this many output events
    #[arg(long, value_name = "COUNT")]
    abort_at: Option<u64>,
    /// Refuse events of streams that the specification does not declare (the default in the 2018 dialect), and stop at values
    /// that cannot be computed (always the default)
    #[arg(long, conflicts_with = "lenient")]
    strict: bool,
    /// Continue after a division by zero or a similar error; such values are shown as `error(…)`
    #[arg(long)]
    lenient: bool,
    /// If an input has several events at one timestamp, take the first instead of reporting an error
    #[arg(long)]
    ignore_repeated: bool,
    /// Read the input as comma-separated values, whatever its name
    #[arg(long)]
    csv: bool,
    /// Read the input directory as a Common Trace Format trace; the default if it contains a file `metadata`
    #[arg(long)]
    ctf: bool,
    /// Only check the specification, and report which streams may grow without bound
    #[arg(long)]
    verify: bool,
    /// Print the core specification that is evaluated
    #[arg(long)]
    print_core: bool,
    /// Timestamps of a program's events: the number of the event (count), or nanoseconds since 1970 (clock)
    #[arg(long, value_enum, value_name = "WHAT", default_value = "count")]
    time: Timestamps,
    /// Distinguish accesses by source line; the default if the specification uses lines
    #[arg(long)]
    locations: bool,
    /// Make every access an event, which is slow. Without this, all accesses of one thread to one variable from one place
    /// between two synchronisation operations are one event
    #[arg(long)]
    every_access: bool,
    /// Begin when the program starts, not when it creates its first thread; the default if the specification uses `pcreate`,
    /// `pcreateid` or `mutexlockini`, or annotations that ask for instrumentation
    #[arg(long)]
    from_start: bool,
    /// How much of the recording may wait to be evaluated (such as 500M or 2G); what does not fit is lost, and the loss is
    /// reported
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = crate::flags::size)]
    backlog: u64,
    /// Print how long the program ran and how much was evaluated
    #[arg(long)]
    stats: bool,
    /// Options for the compiler of source files, in one argument ("-O2 -DSIZE=3 -lm")
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    cflags: Option<String>,
    /// Run this program and evaluate while it runs; if source files are given, only its arguments
    #[arg(last = true, value_name = "PROG")]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Language {
    /// TeSSLa 1.2
    #[value(name = "1.2")]
    Current,
    /// TeSSLa 0.5, the language of the 2018 paper
    #[value(name = "2018")]
    Old,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Timestamps {
    Count,
    Clock,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Quotes {
    Always,
    Never,
}

#[derive(Clone, Copy, ValueEnum)]
enum OutputForm {
    Text,
    Json,
    Csv,
}

/// What is asked of a program or its recording.
struct Source<'a> {
    backlog: u64,
    stats: bool,
    locations: bool,
    every_access: bool,
    from_start: bool,
    clock: bool,
    variables: &'a [Rc<str>],
    spec: &'a Spec,
}

impl Source<'_> {
    /// A variable that the specification names must be there.
    fn watch(&self, places: &mut Places) -> anyhow::Result<()> {
        let missing = if self.variables.is_empty() { Vec::new() } else { places.watch(self.variables) };
        match missing.first() {
            Some(name) => bail!("the program has no variable `{name}`, which the specification looks at"),
            None => Ok(()),
        }
    }

    /// What the annotations of inputs ask for and the program does not have. It is an error if it has none of it.
    fn missing(&self, probes: &Probes, places: &Places) -> anyhow::Result<Vec<String>> {
        let emitted = if probes.is_empty() { BTreeSet::new() } else { events::emitted(places.files()) };
        let missing = probes.joins.iter().filter(|join| !emitted.contains(&join.order.event));
        let missing: Vec<&Join> = missing.collect();
        if let Some(first) = missing.first().filter(|_| missing.len() == probes.joins.len()) {
            bail!(
                "{}: the program emits no such event; name its source files in place of the program, or build it with \
                 `foretrace cc --events` and this specification, and look whether it has `{}`",
                first.asked,
                first.order.target.text()
            );
        }
        let say = |join: &&Join| format!("{}: the program has no such place ({})", join.asked, join.order);
        Ok(missing.iter().map(say).collect())
    }
}

/// Checks the specification, feeds it the input, and answers whether an error stream had an event.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(template) = args.template {
        let text = template::generate(template, &args.sizes)?;
        io::stdout().write_all(text.as_bytes()).context("cannot write the specification")?;
        return Ok(ExitCode::SUCCESS);
    }
    let (spec, dialect) = load(args)?;
    spec.warnings.iter().for_each(|warning| crate::output::show(&format!("{warning}\n")));
    if args.print_core {
        io::stdout().write_all(spec.graph.to_string().as_bytes()).context("cannot write the graph")?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.verify {
        return verify(&spec);
    }
    check_until(args, &spec)?;
    let mut engine = Engine::new(spec.plan.clone());
    engine.ignore_repeated = args.ignore_repeated;
    let mut out = Out::new(args, dialect, &spec)?;
    let fed = feed_all(args, dialect, &spec, &mut engine, &mut out);
    // The events computed before an error in the input are shown, too.
    let finished = fed.and_then(|coverage| {
        engine.finish(args.end, &mut out)?;
        Ok(coverage)
    });
    out.finish(engine.now())?;
    let coverage = finished?;
    if let Some(failure) = out.failure() {
        bail!("{failure}; --lenient goes on");
    }
    Ok(verdict(&out, coverage))
}

fn verdict(out: &Out<'_>, mut coverage: Coverage) -> ExitCode {
    let tally = out.tally();
    if tally.incomplete > 0 {
        coverage.misses("the program has more threads or locks than the specification is made for");
    }
    match coverage {
        _ if tally.errors > 0 => ExitCode::from(1),
        Coverage::Part => ExitCode::from(3),
        Coverage::Whole => ExitCode::SUCCESS,
    }
}

fn load(args: &Args) -> anyhow::Result<(Spec, Dialect)> {
    let path = args.spec.as_ref().context("a specification is needed")?;
    let text = foretrace_file::text(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut options = Options::for_text(&text);
    options.path = Some(path.clone());
    options.base_time = args.base_time.or_else(|| default_unit(args));
    match args.dialect {
        Some(Language::Current) => options.dialect = Dialect::Tessla12,
        Some(Language::Old) => options.dialect = Dialect::Tessla2018,
        None => {}
    }
    match compile(&path.display().to_string(), &text, &options) {
        Ok(spec) => Ok((spec, options.dialect)),
        Err(error) => bail!("the specification is wrong\n{}", error.rendered),
    }
}

/// The unit of timestamps that are time, or the one that the trace names.
fn default_unit(args: &Args) -> Option<TimeBase> {
    if args.time == Timestamps::Clock {
        return TimeBase::parse("ns");
    }
    input::unit(args.inputs.first()?)
}

fn verify(spec: &Spec) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    for growth in &spec.plan.growth {
        let place = spec.sources.position(growth.span);
        writeln!(out, "{place}: `{}` may grow without bound ({})", growth.stream, growth.by.name().replace('_', "."))?;
    }
    writeln!(
        out,
        "{} inputs, {} outputs, {} streams",
        spec.plan.inputs.len(),
        spec.plan.outputs.len(),
        spec.plan.steps.len()
    )?;
    Ok(ExitCode::SUCCESS)
}

fn check_until(args: &Args, spec: &Spec) -> anyhow::Result<()> {
    let Some(until) = &args.until else { return Ok(()) };
    if spec.plan.outputs.iter().any(|output| *output.name == **until) {
        return Ok(());
    }
    let names: Vec<&str> = spec.plan.outputs.iter().map(|output| &*output.name).collect();
    bail!("there is no output `{until}`; the outputs are {}", names.join(", "))
}

fn feed_all(
    args: &Args,
    dialect: Dialect,
    spec: &Spec,
    engine: &mut Engine,
    out: &mut Out<'_>,
) -> anyhow::Result<Coverage> {
    let source = Source {
        backlog: args.backlog,
        stats: args.stats,
        locations: args.locations,
        every_access: args.every_access,
        from_start: args.from_start,
        clock: args.time == Timestamps::Clock,
        variables: &spec.variables,
        spec,
    };
    match Subject::of(args, spec)? {
        Subject::Program(command, _scratch) => live::run(&command, &source, engine, out),
        Subject::Input(path) => input::feed(args, path, dialect, &source, engine, out),
    }
}

fn parse_unit(text: &str) -> Result<TimeBase, String> {
    TimeBase::parse(text).ok_or_else(|| "the units are fs, ps, ns, us, ms, s, min, h and d".to_owned())
}
