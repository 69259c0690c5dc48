//! Memory and time in proportion: traces with very many locks and threads, each read and predicted within a limit of memory
//! and of processor time. Ten times as many take at most fifteen times the memory, and not the square of the time.

#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::process::{Command, Output};

/// Seconds after which a command is taken to hang.
const TIME: &str = "300";
/// What the tool takes whatever it reads, most of it its program.
const BASE: u64 = 64 << 20;

/// Seconds of processor time that any of these traces may take.
const PROCESSOR: &str = "60";
/// How many times the processor time ten times the work may take. In proportion it takes ten times as much and its square a
/// hundred times; this lies between the two, far enough from both that a busy machine does not decide.
const GROWTH: f64 = 40.0;
/// Less processor time than this, in seconds, is mostly the start of the tool.
const LITTLE: f64 = 0.2;

/// Predicts from a trace within so many bytes of address space, on one core. The last line of standard error is the
/// processor time.
fn predict(trace: &str, bytes: u64) -> Output {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let path = scratch.path().join("scale.trace");
    std::fs::write(&path, trace).expect("a file can be written");
    let mut command = Command::new("bash");
    command.args(["-c", "TIMEFORMAT=%U; time \"$@\"", "bash", "timeout", TIME, "prlimit"]);
    command.args([&format!("--as={bytes}"), &format!("--cpu={PROCESSOR}")]).arg(env!("CARGO_BIN_EXE_foretrace"));
    command.args(["predict", "--quiet", "--jobs", "1"]).arg(path).output().expect("the tool runs")
}

/// Predicts from a trace of this size, and from one that is ten times as large; both must answer with this exit code.
fn grows(make: impl Fn(u32) -> String, size: u32, bytes: u64, code: i32) {
    let seconds = [(size / 10, bytes / 15), (size, bytes)].map(|(size, bytes)| {
        let output = predict(&make(size), BASE + bytes);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{size} within {} MB: {said}", bytes >> 20);
        said.lines().last().and_then(|line| line.parse::<f64>().ok()).unwrap_or_else(|| panic!("no time: {said}"))
    });
    assert!(seconds[1] <= GROWTH * seconds[0].max(LITTLE), "{size}: from {} s to {} s", seconds[0], seconds[1]);
}

fn trace(lines: impl Fn(&mut String) -> std::fmt::Result) -> String {
    let mut text = String::new();
    lines(&mut text).expect("memory takes all writes");
    text
}

/// Each of so many mutexes guards one section of one of two threads.
fn mutexes(count: u32) -> String {
    trace(|text| {
        writeln!(text, "main fork a\nmain fork b")?;
        (0..count).try_for_each(|m| {
            let t = if m % 2 == 0 { 'a' } else { 'b' };
            writeln!(text, "{t} lock m{m}\n{t} write x{}\n{t} unlock m{m}", m % 51)
        })
    })
}

/// One thread holds so many locks at once.
fn nested(count: u32) -> String {
    trace(|text| {
        writeln!(text, "main fork a\nmain fork b")?;
        (0..count).try_for_each(|m| writeln!(text, "a lock m{m}"))?;
        (0..count).try_for_each(|m| writeln!(text, "a unlock m{m}"))?;
        writeln!(text, "b lock m0\nb lock m1\nb unlock m1\nb unlock m0")
    })
}

/// So many threads, joined by nobody, write one variable.
fn unjoined(count: u32) -> String {
    trace(|text| {
        (0..count).try_for_each(|t| writeln!(text, "main fork t{t}"))?;
        (0..count).try_for_each(|t| writeln!(text, "t{t} write x"))
    })
}

/// So many threads, one after the other.
fn in_turn(count: u32) -> String {
    trace(|text| (0..count).try_for_each(|t| writeln!(text, "main fork t{t}\nt{t} write x\nt{t} end\nmain join t{t}")))
}

#[test]
fn a_hundred_thousand_mutexes_take_memory_in_proportion() {
    grows(mutexes, 100_000, 400 << 20, 1);
}

#[test]
fn sixteen_thousand_held_locks_take_memory_in_proportion() {
    grows(nested, 16_000, 400 << 20, 0);
}

#[test]
fn four_thousand_threads_that_write_one_variable_take_memory_in_proportion() {
    grows(unjoined, 4_000, 400 << 20, 1);
}

#[test]
fn twenty_thousand_threads_in_turn_take_memory_in_proportion() {
    grows(in_turn, 20_000, 400 << 20, 0);
}

#[test]
fn a_semaphore_with_an_impossible_value_is_refused() {
    let output = predict("sem s = 18446744073709551615\nmain sem_post s\n", BASE);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("line 1, column 9") && said.contains("18446744073709551615"), "{said}");
}
