//! `foretrace monitor`: a specification of streams over a trace, a recording, or a running program.

mod feed;
mod live;
mod pace;
mod places;
mod program;
mod queue;
mod recorded;
mod tail;
mod template;

use anyhow::{Context, bail};
use clap::ValueEnum;
use foretrace_stream::engine::{Engine, Time};
use foretrace_stream::input::{BinaryReader, CsvReader, TextReader, Undeclared, binary};
use foretrace_stream::output::{Format, Writer};
use foretrace_stream::{Dialect, Options, Spec, TimeUnit, compile};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Check a stream specification (TeSSLa) over a trace, a recording, or a running program.
///
/// The input is trace text (`time: stream = value`), CSV, a binary trace, or a recording; without one it is read from
/// standard input. With a program after `--`, the specification is evaluated while the program runs.
///
/// The exit code is 1 if a stream marked `@error` had an event (in the 2018 dialect: one whose name begins with
/// `error`), and 2 if the specification or the input is wrong.
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
    /// The unit of the timestamps, for specifications that use units of time (fs ps ns us ms s min h d)
    #[arg(long, value_name = "UNIT", value_parser = parse_unit)]
    base_time: Option<TimeUnit>,
    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    format: OutputForm,
    /// Stop at the first event of this output
    #[arg(long, value_name = "STREAM")]
    until: Option<String>,
    /// After the end of the input, let delays end up to this time
    #[arg(long, value_name = "TIME")]
    end: Option<Time>,
    /// Refuse events of streams that the specification does not declare, as the 2018 dialect does
    #[arg(long)]
    strict: bool,
    /// Read comma-separated values whatever the input's name
    #[arg(long)]
    csv: bool,
    /// Only check the specification; say which streams may grow without bound
    #[arg(long)]
    verify: bool,
    /// How much of the program's recording may wait to be evaluated; what does not fit is lost, and said (as 500M or 2G)
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = super::record::parse_size)]
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

#[derive(Clone, Copy, ValueEnum)]
enum OutputForm {
    Text,
    Json,
    Csv,
}

/// Standard output, buffered, with what came out counted.
type Out<'a> = Writer<'a, BufWriter<io::StdoutLock<'static>>>;

/// Checks the specification, feeds it the input, and answers whether an error stream had an event.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(template) = args.template {
        let text = template::generate(template, &args.sizes)?;
        io::stdout().write_all(text.as_bytes()).context("cannot write the specification")?;
        return Ok(ExitCode::SUCCESS);
    }
    let (spec, dialect) = load(args)?;
    if args.verify {
        return verify(&spec);
    }
    check_until(args, &spec)?;
    let format = match args.format {
        OutputForm::Text => Format::Text,
        OutputForm::Json => Format::Json,
        OutputForm::Csv => Format::Csv,
    };
    let mut engine = Engine::new(spec.plan.clone());
    let mut out = Writer::new(BufWriter::new(io::stdout().lock()), format, args.until.as_deref());
    let fed = feed_all(args, dialect, &mut engine, &mut out);
    // What was computed before an input went wrong is shown all the same.
    let finished = fed.and_then(|()| Ok(engine.finish(args.end, &mut out)?));
    write_out(&mut out)?;
    finished?;
    Ok(ExitCode::from(u8::from(out.tally.errors > 0)))
}

fn load(args: &Args) -> anyhow::Result<(Spec, Dialect)> {
    let path = args.spec.as_ref().context("a specification is needed")?;
    let text = foretrace_file::text(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut options = Options::for_text(&text);
    options.path = Some(path.clone());
    options.base_time = args.base_time;
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

fn feed_all(args: &Args, dialect: Dialect, engine: &mut Engine, out: &mut Out<'_>) -> anyhow::Result<()> {
    if !args.command.is_empty() {
        return live::run(&args.command, args.backlog, args.stats, engine, out);
    }
    let undeclared =
        if args.strict || dialect == Dialect::Tessla2018 { Undeclared::Reject } else { Undeclared::Ignore };
    match args.input.as_deref() {
        Some(path) if path != Path::new("-") => feed_file(path, args.csv, undeclared, engine, out),
        _ => feed_reader("<stdin>", io::stdin().lock(), args.csv, undeclared, engine, out),
    }
}

fn feed_file(
    path: &Path,
    csv: bool,
    undeclared: Undeclared,
    engine: &mut Engine,
    out: &mut Out<'_>,
) -> anyhow::Result<()> {
    if path.is_dir() || path.file_name().is_some_and(|name| name == "events") {
        return recorded::run(path, engine, out);
    }
    let name = &path.display().to_string();
    let file = BufReader::with_capacity(1 << 16, File::open(path).with_context(|| format!("cannot read {name}"))?);
    let csv = csv || path.extension().is_some_and(|extension| extension == "csv");
    feed_reader(name, file, csv, undeclared, engine, out)
}

fn feed_reader(
    name: &str,
    mut input: impl BufRead,
    csv: bool,
    undeclared: Undeclared,
    engine: &mut Engine,
    out: &mut Out<'_>,
) -> anyhow::Result<()> {
    let is_binary = input.fill_buf().is_ok_and(|bytes| bytes.starts_with(&binary::MAGIC));
    let read = match csv {
        _ if is_binary => BinaryReader { name, undeclared }.run(input, engine, out),
        true => CsvReader { name, undeclared }.run(input, engine, out),
        false => TextReader { name, undeclared }.run(input, engine, out),
    };
    read.map(drop).map_err(Into::into)
}

fn write_out(out: &mut Out<'_>) -> anyhow::Result<()> {
    match out.flush() {
        // Whoever reads our output may have seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        result => result.context("cannot write the output")?,
    }
    if out.tally.failures > 0 {
        eprintln!(
            "foretrace: {} events could not be computed; they are marked `error` or `unknown`",
            out.tally.failures
        );
    }
    Ok(())
}

fn parse_unit(text: &str) -> Result<TimeUnit, String> {
    TimeUnit::by_name(text).ok_or_else(|| "the units are fs, ps, ns, us, ms, s, min, h and d".to_owned())
}
