//! Foretrace against gcc's ThreadSanitizer and Helgrind over the corpus: right and wrong answers, and time.

use crate::run::{cargo, check, exists, root};
use anyhow::{Context, ensure};
use foretrace_testkit::corpus::{Expected, Specimen, judge, specimens};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Which programs.
#[derive(clap::Args)]
pub struct Args {
    /// Only those whose names contain this
    only: Option<String>,
}

/// What a tool says of a program: the kinds of errors it reports, or that it failed to run.
type Answer = Option<Vec<Expected>>;

/// Runs a tool on a program, with a directory to build in.
type Tool = fn(&Specimen, &Path) -> anyhow::Result<(Answer, Duration)>;

const TOOLS: [Tool; 3] = [foretrace, tsan, helgrind];

/// What a tool got right and wrong over all programs.
#[derive(Default)]
struct Score {
    true_positives: usize,
    false_positives: usize,
    true_negatives: usize,
    false_negatives: usize,
    crashes: usize,
    time: Duration,
}

impl Score {
    fn count(&mut self, specimen: &Specimen, answer: &Answer, time: Duration) {
        self.time += time;
        let Some(said) = answer else {
            self.crashes += 1;
            return;
        };
        let strange = said.iter().any(|kind| !specimen.marks.iter().any(|mark| mark.what == *kind));
        let missing = specimen.marks.iter().any(|mark| !said.contains(&mark.what));
        match (strange, missing) {
            (true, _) => self.false_positives += 1,
            (false, true) => self.false_negatives += 1,
            (false, false) if specimen.marks.is_empty() => self.true_negatives += 1,
            (false, false) => self.true_positives += 1,
        }
    }

    fn row(&self, name: &str, programs: usize) -> String {
        format!(
            "| {name} | {} | {} | {} | {} | {} | {:.0} ms |",
            self.true_positives,
            self.true_negatives,
            self.false_positives,
            self.false_negatives,
            self.crashes,
            self.time.as_secs_f64() * 1e3 / programs.max(1) as f64
        )
    }
}

/// Prints the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    for tool in ["g++", "valgrind"] {
        ensure!(exists(tool), "{tool} is not installed; cargo xtask install brings it");
    }
    check(&mut cargo(&["build", "--quiet", "--release", "-p", "foretrace"]))?;
    let mut all = specimens(&root().join("tests/programs"))?;
    all.retain(|specimen| args.only.as_ref().is_none_or(|only| specimen.name.contains(only.as_str())));
    let scratch = tempfile::tempdir()?;
    let mut scores = [(); 3].map(|()| Score::default());
    for specimen in &all {
        for (tool, score) in TOOLS.iter().zip(&mut scores) {
            let (answer, time) = tool(specimen, scratch.path()).with_context(|| specimen.name.clone())?;
            score.count(specimen, &answer, time);
        }
        eprint!(".");
    }
    eprintln!();
    println!(
        "Over {} programs, {} of them with errors. Time without compilation, the mean.\n",
        all.len(),
        failing(&all)
    );
    println!("| tool | true positives | true negatives | false positives | false negatives | crashes | time |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, score) in ["Foretrace", "gcc ThreadSanitizer", "Helgrind"].iter().zip(&scores) {
        println!("{}", score.row(name, all.len()));
    }
    Ok(())
}

fn failing(all: &[Specimen]) -> usize {
    all.iter().filter(|specimen| !specimen.marks.is_empty()).count()
}

fn release() -> anyhow::Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let tool = target.join("release/foretrace");
    ensure!(tool.exists(), "{} was not built", tool.display());
    Ok(tool)
}

/// A line that compiles the program, with these flags.
fn compile(mut compiler: Command, specimen: &Specimen, program: &Path) -> anyhow::Result<()> {
    compiler
        .args(["-g", "-O0", "-fno-omit-frame-pointer", "-pthread", "-w"])
        .arg(&specimen.path)
        .arg("-o")
        .arg(program);
    let output = compiler.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn gcc(specimen: &Specimen) -> Command {
    Command::new(if is_cxx(specimen) { "g++" } else { "gcc" })
}

fn is_cxx(specimen: &Specimen) -> bool {
    specimen.path.extension().is_some_and(|ending| ending == "cc")
}

fn timed(command: &mut Command) -> anyhow::Result<(Output, Duration)> {
    let begin = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    Ok((output, begin.elapsed()))
}

fn foretrace(specimen: &Specimen, scratch: &Path) -> anyhow::Result<(Answer, Duration)> {
    let program = scratch.join("foretrace-program");
    let mut compiler = Command::new(release()?);
    compiler.arg(if is_cxx(specimen) { "c++" } else { "cc" });
    compile(compiler, specimen, &program)?;
    let mut command = Command::new(release()?);
    command.args(["check", "--format", "json", "--findings"]).arg(scratch.join("findings")).arg("--").arg(&program);
    let (output, time) = timed(&mut command)?;
    let Ok(report) = serde_json::from_slice(&output.stdout) else { return Ok((None, time)) };
    let judgement = judge(specimen, &report);
    let mut said: Vec<Expected> = specimen.marks.iter().map(|mark| mark.what).collect();
    said.retain(|kind| !judgement.misses.iter().any(|mark| mark.what == *kind));
    let strange = [Expected::Race, Expected::Deadlock]
        .into_iter()
        .find(|kind| !specimen.marks.iter().any(|mark| mark.what == *kind));
    said.extend(strange.filter(|_| !judgement.false_alarms.is_empty()));
    Ok((Some(said), time))
}

fn tsan(specimen: &Specimen, scratch: &Path) -> anyhow::Result<(Answer, Duration)> {
    let program = scratch.join("tsan-program");
    let mut compiler = gcc(specimen);
    compiler.arg("-fsanitize=thread");
    compile(compiler, specimen, &program)?;
    let mut command = Command::new("timeout");
    command.args(["20", "setarch", "-R"]).arg(&program).env("TSAN_OPTIONS", "second_deadlock_stack=1");
    let (output, time) = timed(&mut command)?;
    let text = String::from_utf8_lossy(&output.stderr);
    let died = text.contains("FATAL:") || text.contains("DEADLYSIGNAL") || text.contains("CHECK failed");
    Ok(((!died).then(|| kinds(&text, "ThreadSanitizer: data race", "lock-order-inversion")), time))
}

fn helgrind(specimen: &Specimen, scratch: &Path) -> anyhow::Result<(Answer, Duration)> {
    let program = scratch.join("plain-program");
    compile(gcc(specimen), specimen, &program)?;
    let mut command = Command::new("timeout");
    command.args(["60", "valgrind", "--tool=helgrind", "-q"]).arg(&program);
    let (output, time) = timed(&mut command)?;
    let text = String::from_utf8_lossy(&output.stderr);
    Ok((Some(kinds(&text, "Possible data race", "lock order")), time))
}

fn kinds(text: &str, race: &str, deadlock: &str) -> Vec<Expected> {
    let races = text.contains(race).then_some(Expected::Race);
    races.into_iter().chain(text.contains(deadlock).then_some(Expected::Deadlock)).collect()
}
