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
mod tail;
mod template;

use anyhow::{Context, bail};
use clap::ValueEnum;
use coverage::Coverage;
use foretrace_stream::engine::{Engine, Time};
use foretrace_stream::output::{Failures, Format};
use foretrace_stream::{Dialect, Options, Spec, TimeBase, compile};
use out::Out;
use places::Places;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

/// Check a stream specification (TeSSLa) over a trace, a recording, or a running program.
///
/// The input is trace text (`time: stream = value`), CSV, the Common Trace Format, a binary trace, or a recording; without one it is read from
/// standard input. With a program after `--`, the specification is evaluated while the program runs.
///
/// The exit code is 1 if a stream marked `@error` had an event (in the 2018 dialect: one whose name begins with
/// `error`), 2 if the specification or the input is wrong or a value could not be computed, and 3 if no error was
/// found but not everything was checked.
#[derive(clap::Args)]
pub struct Args {
    /// The specification
    #[arg(required_unless_present = "template", value_name = "SPEC")]
    spec: Option<PathBuf>,
    /// What to check it on; `-` or nothing for standard input
    #[arg(value_name = "INPUT")]
    input: Option<PathBuf>,
    /// Print a generated specification instead
    #[arg(long, value_enum, conflicts_with_all = ["spec", "input"])]
    template: Option<template::Template>,
    #[command(flatten)]
    sizes: template::Sizes,
    /// The language of the specification; by default 1.2, or what its first line says (`-- dialect: 2018`)
    #[arg(long, value_enum)]
    dialect: Option<Language>,
    /// What a step of the timestamps stands for, as `ns` or `33333 µs`, for specifications that use units of time (fs ps
    /// ns us ms s min h d)
    #[arg(long, value_name = "UNIT", value_parser = parse_unit)]
    base_time: Option<TimeBase>,
    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    format: OutputForm,
    /// Stop at the first event of this output
    #[arg(long, value_name = "STREAM")]
    until: Option<String>,
    /// After the end of the input, let delays end up to this time
    #[arg(long, value_name = "TIME")]
    end: Option<Time>,
    /// Write the output to this file; standard output is the program's alone then
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write a page that shows all outputs on an axis of time, for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a file that viewers of waveforms such as gtkwave read
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// Whether strings are shown in quotes; by default in the 2018 dialect only
    #[arg(long, value_enum, value_name = "WHEN")]
    quotes: Option<Quotes>,
    /// Stop after so many output events
    #[arg(long, value_name = "COUNT")]
    abort_at: Option<u64>,
    /// Refuse events of streams that the specification does not declare, as the 2018 dialect does, and stop at values that
    /// cannot be computed, which is the default
    #[arg(long, conflicts_with = "lenient")]
    strict: bool,
    /// Go on after a division by zero and the like; such values are shown as `error(…)`
    #[arg(long)]
    lenient: bool,
    /// Of several events of an input at one time take the first, instead of refusing the others
    #[arg(long)]
    ignore_repeated: bool,
    /// Read comma-separated values whatever the input's name
    #[arg(long)]
    csv: bool,
    /// Read the input, a directory, as a trace in the Common Trace Format; the default for one with `metadata` in it
    #[arg(long)]
    ctf: bool,
    /// Only check the specification; say which streams may grow without bound
    #[arg(long)]
    verify: bool,
    /// Print what the specification was compiled to
    #[arg(long)]
    print_core: bool,
    /// What the timestamps of a program's events are: they count the events, or are nanoseconds since 1970
    #[arg(long, value_enum, value_name = "WHAT", default_value = "count")]
    time: Timestamps,
    /// Keep accesses apart by the line they are made from; the default where a specification looks at lines
    #[arg(long, requires = "command")]
    locations: bool,
    /// Make an event of every single access; slow. Otherwise accesses of a thread to one variable from one place between
    /// two synchronisations are one event
    #[arg(long, requires = "command")]
    every_access: bool,
    /// Begin with the program, not with its first thread; the default where a specification looks at `pcreate`, `pcreateid`
    /// or `mutexlockini`
    #[arg(long, requires = "command")]
    from_start: bool,
    /// How much of the program's recording may wait to be evaluated; what does not fit is lost, and said (as 500M or 2G)
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = crate::flags::size)]
    backlog: u64,
    /// Say how long the program ran and how much was evaluated
    #[arg(long, requires = "command")]
    stats: bool,
    /// Run this program and evaluate while it runs
    #[arg(last = true, value_name = "PROG", conflicts_with = "input")]
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
    input::unit(args.input.as_deref()?)
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
    };
    if !args.command.is_empty() {
        return live::run(&args.command, &source, engine, out);
    }
    input::feed(args, dialect, &source, engine, out)
}

fn parse_unit(text: &str) -> Result<TimeBase, String> {
    TimeBase::parse(text).ok_or_else(|| "the units are fs, ps, ns, us, ms, s, min, h and d".to_owned())
}
