//! Traces as input: files and standard input.

use super::coverage::Coverage;
use super::out::{Out, Shared};
use super::{Args, Source, recorded};
use anyhow::Context;
use foretrace_stream::engine::Engine;
use foretrace_stream::input::ctf::{CtfReader, is_trace};
use foretrace_stream::input::{BinaryReader, CsvReader, TextReader, Undeclared, binary, time_unit};
use foretrace_stream::{Dialect, TimeBase};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;

/// How much is read at once.
const PIECE: usize = 1 << 16;

/// How a trace is read.
#[derive(Clone, Copy)]
struct Form {
    csv: bool,
    undeclared: Undeclared,
}

/// Feeds the input to the engine.
pub fn feed(
    args: &Args,
    path: Option<&Path>,
    dialect: Dialect,
    source: &Source<'_>,
    engine: &mut Engine,
    out: &mut Out<'_>,
) -> anyhow::Result<Coverage> {
    let strict = args.strict || dialect == Dialect::Tessla2018;
    let undeclared = if strict { Undeclared::Reject } else { Undeclared::Ignore };
    let form = Form { csv: args.csv, undeclared };
    let Some(path) = path.filter(|path| *path != Path::new("-")) else {
        let input = Patient { input: io::stdin(), out: out.shared() };
        return feed_reader("<stdin>", BufReader::with_capacity(PIECE, input), form, engine, out);
    };
    if args.ctf || (is_trace(path) && !path.join("events").exists()) {
        return feed_ctf(path, undeclared, engine, out);
    }
    if path.is_dir() || path.file_name().is_some_and(|name| name == "events") {
        return recorded::run(path, source, engine, out);
    }
    let name = &path.display().to_string();
    let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    let input = BufReader::with_capacity(PIECE, Patient { input: file, out: out.shared() });
    let csv = form.csv || path.extension().is_some_and(|extension| extension == "csv");
    feed_reader(name, input, Form { csv, ..form }, engine, out)
}

/// Feeds a trace in the Common Trace Format.
fn feed_ctf(path: &Path, undeclared: Undeclared, engine: &mut Engine, out: &mut Out<'_>) -> anyhow::Result<Coverage> {
    let read = CtfReader { undeclared }.run(path, engine, out);
    let summary = read.map_err(|(name, problem)| anyhow::anyhow!("{name}: {problem}"))?;
    let mut coverage = Coverage::Whole;
    if summary.discarded > 0 {
        coverage.misses(&format!("the tracer discarded {} events", summary.discarded));
    }
    Ok(coverage)
}

fn feed_reader(
    name: &str,
    mut input: impl BufRead,
    Form { csv, undeclared }: Form,
    engine: &mut Engine,
    out: &mut Out<'_>,
) -> anyhow::Result<Coverage> {
    let is_binary = input.fill_buf().is_ok_and(|bytes| bytes.starts_with(&binary::MAGIC));
    let read = match csv {
        _ if is_binary => BinaryReader { name, undeclared }.run(input, engine, out),
        true => CsvReader { name, undeclared }.run(input, engine, out),
        false => TextReader { name, undeclared }.run(input, engine, out),
    };
    read.map(|_| Coverage::Whole).map_err(Into::into)
}

/// The unit that the first line of a trace names.
pub fn unit(path: &Path) -> Option<TimeBase> {
    let mut line = String::new();
    BufReader::new(foretrace_file::open(path).ok()?.take(256)).read_line(&mut line).ok()?;
    time_unit(&line).and_then(TimeBase::parse)
}

/// An input that may take its time: before it is waited for, what has been computed is shown.
struct Patient<R> {
    input: R,
    out: Shared,
}

impl<R: Read + AsFd> Read for Patient<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let ready = poll(&mut [PollFd::new(&self.input, PollFlags::IN)], Some(&now));
        if !matches!(ready, Ok(1..)) {
            self.out.flush()?;
        }
        self.input.read(buffer)
    }
}
