//! The tools that are compared: how each is run on a program, and how its answer is read.

use super::others;
use crate::run::target;
use anyhow::ensure;
use foretrace_testkit::corpus::{Judgement, Level, Specimen, judge, judge_found};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A tool's errors about a program, none if it crashed or did not end; and the time it took.
pub struct Answer {
    pub judgement: Option<Judgement>,
    /// The ids of the findings that Foretrace confirmed.
    pub ids: BTreeSet<String>,
    pub time: Duration,
}

/// Runs a tool on a program, with a directory to build in.
pub type Tool = fn(&Specimen, &Path) -> anyhow::Result<Answer>;

pub const TOOLS: [(&str, Tool); 3] = [("Foretrace", foretrace), ("gcc ThreadSanitizer", tsan), ("Helgrind", helgrind)];

/// The time limit of each tool, in seconds.
const LIMIT: &str = "20";

/// The tool under test, as built in this workspace.
pub fn release() -> anyhow::Result<PathBuf> {
    let tool = target().join("release/foretrace");
    ensure!(tool.exists(), "{} was not built", tool.display());
    Ok(tool)
}

/// Compiles the program; the command begins with these words.
pub fn compile(mut compiler: Command, specimen: &Specimen, program: &Path, level: Level) -> anyhow::Result<()> {
    compiler.args(["-g", level.flag(), "-fno-omit-frame-pointer", "-pthread", "-w"]);
    let output = compiler.arg(&specimen.path).args(specimen.flags()?).arg("-o").arg(program).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn gcc(specimen: &Specimen) -> Command {
    Command::new(if specimen.is_cxx() { "g++" } else { "gcc" })
}

fn source(specimen: &Specimen) -> String {
    specimen.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A command with a time limit.
fn limited(words: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", LIMIT]).args(words);
    command
}

fn timed(command: &mut Command) -> anyhow::Result<(Output, Duration)> {
    let begin = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    Ok((output, begin.elapsed()))
}

/// The program, built by `foretrace cc`.
pub fn build(specimen: &Specimen, program: &Path) -> anyhow::Result<()> {
    let mut compiler = Command::new(release()?);
    compiler.arg(if specimen.is_cxx() { "c++" } else { "cc" });
    compile(compiler, specimen, program, Level::O0)
}

/// The same with a compiler and a level of optimisation.
pub fn build_at(specimen: &Specimen, program: &Path, compiler: Compiler, level: Level) -> anyhow::Result<()> {
    let mut words = Command::new(release()?);
    words.args([if specimen.is_cxx() { "c++" } else { "cc" }, "--compiler", compiler.of(specimen)]);
    compile(words, specimen, program, level)
}

/// The compilers that programs are built with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Compiler {
    Gcc,
    Clang,
}

impl Compiler {
    pub const ALL: [Self; 2] = [Self::Gcc, Self::Clang];

    pub fn of(self, specimen: &Specimen) -> &'static str {
        match (self, specimen.is_cxx()) {
            (Self::Gcc, false) => "gcc",
            (Self::Gcc, true) => "g++",
            (Self::Clang, false) => "clang-19",
            (Self::Clang, true) => "clang++-19",
        }
    }
}

/// How `foretrace check` watches accesses in its replays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// One by one, as is the default for programs as short as these.
    AsUsual,
    /// By segments first.
    Segments,
}

/// `foretrace check` on a program that was built.
pub fn check(specimen: &Specimen, program: &Path, findings: &Path, watch: Watch) -> anyhow::Result<Answer> {
    let mut command = limited(&[]);
    command.arg(release()?).args(["check", "--format", "json", "--findings"]).arg(findings);
    if watch == Watch::Segments {
        command.args(["--coarse-after", "0s"]);
    }
    command.arg("--").arg(program);
    let (output, time) = timed(&mut command)?;
    let report: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    let ids = report.as_ref().map(confirmed).unwrap_or_default();
    Ok(Answer { judgement: report.map(|report| judge(specimen, &report)), ids, time })
}

fn confirmed(report: &Value) -> BTreeSet<String> {
    let findings = report["findings"].as_array().into_iter().flatten();
    let confirmed = findings.filter(|finding| finding["status"] == "confirmed");
    confirmed.filter_map(|finding| finding["id"].as_str().map(str::to_owned)).collect()
}

fn foretrace(specimen: &Specimen, scratch: &Path) -> anyhow::Result<Answer> {
    let program = scratch.join("foretrace-program");
    build(specimen, &program)?;
    check(specimen, &program, &scratch.join("findings"), Watch::AsUsual)
}

fn tsan(specimen: &Specimen, scratch: &Path) -> anyhow::Result<Answer> {
    let program = scratch.join("tsan-program");
    let mut compiler = gcc(specimen);
    compiler.arg("-fsanitize=thread");
    compile(compiler, specimen, &program, Level::O0)?;
    let mut command = limited(&["setarch", "-R"]);
    let (output, time) = timed(command.arg(&program).env("TSAN_OPTIONS", "second_deadlock_stack=1"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let died = ["FATAL:", "DEADLYSIGNAL", "CHECK failed"].iter().any(|word| text.contains(word));
    let judgement = judge_found(specimen, &others::tsan(&text, &source(specimen)));
    Ok(Answer { judgement: (!died && output.status.code().is_some()).then_some(judgement), ids: BTreeSet::new(), time })
}

fn helgrind(specimen: &Specimen, scratch: &Path) -> anyhow::Result<Answer> {
    let program = scratch.join("plain-program");
    compile(gcc(specimen), specimen, &program, Level::O0)?;
    let mut command = limited(&["valgrind", "--tool=helgrind", "-q"]);
    let (output, time) = timed(command.arg(&program))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let judgement = judge_found(specimen, &others::helgrind(&text, &source(specimen)));
    Ok(Answer { judgement: output.status.code().map(|_| judgement), ids: BTreeSet::new(), time })
}
