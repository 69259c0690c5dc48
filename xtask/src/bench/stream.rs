//! Stream monitors: the lockset specification with sets over ten million events, from a binary trace and from text,
//! against the RTLola interpreter on an equivalent specification. The outputs go nowhere; the peer's events never
//! leave memory.

use super::measure::{Cost, Meter, median};
use crate::run::{cargo, check, root, target};
use anyhow::{Context, ensure};
use foretrace_stream::input::BinaryWriter;
use foretrace_stream::templates::{Fixed, with_sets};
use foretrace_stream::value::Value;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

const EVENTS: u64 = 10_000_000;
/// For the memory that a tenth of the events takes.
const FEW: u64 = EVENTS / 10;
/// Four events a timestamp: the thread, the function, the line, and what it does.
const STREAMS: [&str; 7] = ["threadid", "function", "line", "mutexlockaddr", "mutexunlockaddr", "readvar", "writevar"];

/// Writes the traces, builds both programs, runs them in turn, prints the table.
pub fn run(rounds: usize) -> anyhow::Result<()> {
    ensure!(rounds > 0, "at least one round");
    let scratch = tempfile::tempdir().context("cannot make a scratch directory")?;
    let path = |name: &str| scratch.path().join(name);
    std::fs::write(path("spec.tessla"), with_sets(&Fixed { threads: 2, variables: vec!["x".to_owned()] }))?;
    write_binary(&path("few.bin"), FEW)?;
    write_binary(&path("all.bin"), EVENTS)?;
    write_text(&path("all.log"), EVENTS)?;
    let (foretrace, peer) = build()?;
    let meter = Meter::build(scratch.path())?;
    let monitor =
        |input: &str| vec![foretrace.clone().into(), "monitor".into(), path("spec.tessla").into(), path(input).into()];
    let lines: [Vec<OsString>; 4] =
        [monitor("all.bin"), monitor("all.log"), vec![peer.into(), EVENTS.to_string().into()], monitor("few.bin")];
    let mut costs = [const { Vec::new() }; 4];
    for _ in 0..rounds {
        for (line, costs) in lines.iter().zip(&mut costs) {
            costs.push(meter.run(line)?.0);
        }
    }
    print_table(rounds, &costs.map(|costs| median(&costs)));
    Ok(())
}

fn build() -> anyhow::Result<(PathBuf, PathBuf)> {
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let manifest = "bench/peers/rtlola/Cargo.toml";
    let built = target().join("peers");
    check(
        cargo(&["build", "--quiet", "--release", "--locked", "--manifest-path", manifest])
            .env("CARGO_TARGET_DIR", &built),
    )?;
    Ok((root().join(target().join("release/foretrace")), root().join(built.join("release/rtlola-peer"))))
}

fn print_table(rounds: usize, [binary, text, peer, few]: &[Cost; 4]) {
    println!("The lockset specification with sets, {EVENTS} events, medians of {rounds} runs.\n");
    println!("| | seconds | million events a second | to RTLola | megabytes |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for (name, cost) in [("binary trace", binary), ("trace text", text), ("RTLola interpreter, from memory", peer)] {
        let rate = EVENTS as f64 / cost.seconds / 1e6;
        let ratio = peer.seconds / cost.seconds;
        println!("| {name} | {:.2} | {rate:.2} | {ratio:.1} | {:.0} |", cost.seconds, cost.megabytes);
    }
    println!("\nA tenth of the events, binary: {:.0} megabytes.", few.megabytes);
}

/// The events of one timestamp: threads take turns to lock, read, write and unlock.
fn events(step: u64) -> [(usize, Value); 4] {
    let x = || Value::str("x");
    let action = match step % 4 {
        0 => (3, Value::Int(6_308_096)),
        1 => (5, x()),
        2 => (6, x()),
        _ => (4, Value::Int(6_308_096)),
    };
    let thread = Value::Int(100 + (step / 4 % 3) as i64);
    [(0, thread), (1, Value::str("f")), (2, Value::Int(10 + (step % 4) as i64)), action]
}

fn write_binary(path: &Path, count: u64) -> anyhow::Result<()> {
    let mut out = BinaryWriter::new(BufWriter::new(File::create(path)?), &STREAMS)?;
    for step in 0..count / 4 {
        for (stream, value) in events(step) {
            out.event(u128::from(step + 1), stream, &value)?;
        }
    }
    Ok(out.finish()?)
}

fn write_text(path: &Path, count: u64) -> anyhow::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for step in 0..count / 4 {
        for (stream, value) in events(step) {
            writeln!(out, "{}: {} = {value}", step + 1, STREAMS[stream])?;
        }
    }
    Ok(out.flush()?)
}
