//! Stream monitors: the lockset specification with sets over ten million events, from a binary trace and from text,
//! against the RTLola interpreter on an equivalent specification. The outputs are discarded; the peer's events never
//! leave memory. Then live monitoring: what it costs the monitored program, compared with recording it.

use super::measure::{Cost, Meter, median};
use crate::run::{cargo, check, root, target};
use anyhow::{Context, ensure};
use foretrace_stream::input::{BinaryWriter, Form};
use foretrace_stream::templates::{Fixed, WITH_MAPS, with_sets};
use foretrace_stream::value::Value;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

const EVENTS: u64 = 10_000_000;
/// The number of events for the second measurement of memory: a tenth.
const FEW: u64 = EVENTS / 10;
/// Four events a timestamp: the thread, the function, the line, and the operation.
const STREAMS: [(&str, Form); 7] = [
    ("threadid", Form::Int),
    ("function", Form::Str),
    ("line", Form::Int),
    ("mutexlockaddr", Form::Int),
    ("mutexunlockaddr", Form::Int),
    ("readvar", Form::Str),
    ("writevar", Form::Str),
];

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
    let peer = |words: &[&str]| {
        let words = words.iter().map(OsString::from);
        [peer.clone().into(), EVENTS.to_string().into()].into_iter().chain(words).collect::<Vec<OsString>>()
    };
    let lines: [Vec<OsString>; 5] =
        [monitor("all.bin"), monitor("all.log"), peer(&[]), peer(&["fixed"]), monitor("few.bin")];
    let mut costs = [const { Vec::new() }; 5];
    for _ in 0..rounds {
        for (line, costs) in lines.iter().zip(&mut costs) {
            costs.push(meter.run(line)?.0);
        }
    }
    print_table(rounds, &costs.map(|costs| median(&costs)));
    live(&Live { foretrace: &foretrace, scratch: scratch.path(), meter: &meter })
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

fn print_table(rounds: usize, [binary, text, peer, fixed, few]: &[Cost; 5]) {
    println!("The lockset specification with sets, {EVENTS} events, medians of {rounds} runs.\n");
    println!("| | seconds | million events a second | to RTLola | megabytes |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let rows = [
        ("binary trace", binary),
        ("trace text", text),
        ("RTLola interpreter, from memory", peer),
        ("the same, threads and lock written into the specification", fixed),
    ];
    for (name, cost) in rows {
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
            writeln!(out, "{}: {} = {value}", step + 1, STREAMS[stream].0)?;
        }
    }
    Ok(out.flush()?)
}

/// Where kernels are built and run.
struct Live<'a> {
    foretrace: &'a Path,
    scratch: &'a Path,
    meter: &'a Meter,
}

/// Rounds of live monitoring.
const LIVE_ROUNDS: usize = 5;
/// The size of the ring in these rounds. It overflows, which ends the evaluation soon and does not change the program's
/// time.
const RING: &str = "4M";
/// A ring so large that nothing is lost.
const ROOM: &str = "4G";
/// After how many seconds the evaluation is interrupted: the program has ended long before. An uninterrupted run takes
/// a minute.
const ENOUGH: &str = "6";

/// The cost of live monitoring for the program, compared with recording: the program's own time in both, from its start
/// to its end. Then, once, how long the evaluation of everything goes on.
fn live(bench: &Live<'_>) -> anyhow::Result<()> {
    let rounds = LIVE_ROUNDS;
    println!("\nLive, gcc, medians of {rounds} runs; the last column of one run in which everything was evaluated.\n");
    println!("| kernel | native | recorded | monitored | monitored/recorded | all kept/recorded | evaluated after |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    std::fs::write(bench.scratch.join("maps.tessla"), WITH_MAPS)?;
    for kernel in ["lu", "hash"] {
        let (native, program) = bench.build(kernel)?;
        let mut seconds = [const { Vec::new() }; 4];
        for _ in 0..rounds {
            seconds[0].push(bench.meter.run(&[native.clone().into()])?.0.seconds);
            seconds[1].push(bench.recorded(&program)?);
            seconds[2].push(bench.monitored(&program, RING, "0")?.0);
            seconds[3].push(bench.monitored(&program, ROOM, ENOUGH)?.0);
        }
        let [native, recorded, monitored, kept] = seconds.map(|mut seconds| {
            seconds.sort_by(f64::total_cmp);
            seconds[rounds / 2]
        });
        let (_, after) = bench.monitored(&program, ROOM, "0")?;
        let (ratio, kept) = (monitored / recorded, kept / recorded);
        println!(
            "| {kernel} | {native:.3} s | {recorded:.3} s | {monitored:.3} s | {ratio:.2} | {kept:.2} | {after:.1} s |"
        );
    }
    Ok(())
}

impl Live<'_> {
    /// The kernel built natively and for recording.
    fn build(&self, kernel: &str) -> anyhow::Result<(PathBuf, PathBuf)> {
        let source = root().join(format!("bench/kernels/{kernel}.c"));
        let (native, program) = (self.scratch.join(format!("{kernel}-native")), self.scratch.join(kernel));
        let flags = ["-O2", "-g", "-pthread"];
        check(Command::new("gcc").args(flags).arg(&source).arg("-o").arg(&native))?;
        check(
            Command::new(self.foretrace)
                .args(["cc", "--compiler", "gcc"])
                .args(flags)
                .arg(&source)
                .arg("-o")
                .arg(&program),
        )?;
        Ok((native, program))
    }

    /// The time of the program while it is recorded.
    fn recorded(&self, program: &Path) -> anyhow::Result<f64> {
        let directory = self.scratch.join("recorded.ft");
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir(&directory)?;
        let mut settings = OsString::from("FORETRACE_RUNTIME=record limit=0 locations=0 follow=0 dir=");
        settings.push(&directory);
        Ok(self.meter.run(&["env".into(), settings, program.into()])?.0.seconds)
    }

    /// The time of the program while it is monitored, and how long the evaluation went on. With zero seconds, it is not
    /// interrupted.
    fn monitored(&self, program: &Path, backlog: &str, interrupted: &str) -> anyhow::Result<(f64, f64)> {
        let mut command = Command::new("timeout");
        command
            .args(["--signal=INT", interrupted])
            .arg(self.foretrace)
            .args(["monitor", "--stats", "--backlog", backlog])
            .arg(self.scratch.join("maps.tessla"))
            .arg("--")
            .arg(program);
        let output = command.output().context("cannot run the monitor")?;
        let said = String::from_utf8_lossy(&output.stderr);
        let number = |mark: &str| said.split_once(mark)?.1.split_whitespace().next()?.parse().ok();
        let times = number("the program ran for ").zip(number("evaluated, the last "));
        times.with_context(|| format!("the monitor said {said}"))
    }
}
