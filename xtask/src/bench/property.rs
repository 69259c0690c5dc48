//! Properties: one pass over ten million events, the search over cuts and an automaton, and the seven use cases of the thesis
//! from the command to the report.

use crate::run::{cargo, check, root, target};
use anyhow::{Context, ensure};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Those of `tests/properties` that are programs with events. The deadlock has none: it needs no property.
const CASES: [&str; 7] = ["file", "deadlock", "custom_race", "rover", "sqlite", "atomicity", "resources"];

/// Prints the tables.
pub fn run(rounds: usize) -> anyhow::Result<()> {
    use_cases(rounds)?;
    let mut example =
        cargo(&["run", "--quiet", "--release", "--package", "foretrace-predict", "--example", "properties"]);
    ensure!(example.status()?.success(), "the benchmark failed");
    Ok(())
}

/// The faulty and the corrected program of each use case: the median of so many checks, without compilation.
fn use_cases(rounds: usize) -> anyhow::Result<()> {
    ensure!(rounds > 0, "at least one round");
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let scratch = tempfile::tempdir().context("cannot make a scratch directory")?;
    let mut sum = 0.0;
    println!("| use case | faulty, ms | corrected, ms |\n| --- | ---: | ---: |");
    for case in CASES {
        let faulty = median(case, "fail.c", rounds, scratch.path())?;
        let corrected = median(case, "pass.c", rounds, scratch.path())?;
        println!("| {case} | {faulty:.0} | {corrected:.0} |");
        sum += faulty + corrected;
    }
    println!("| average of all 14 | {:.0} | |\n", sum / 14.0);
    Ok(())
}

fn median(case: &str, source: &str, rounds: usize, scratch: &Path) -> anyhow::Result<f64> {
    let directory = root().join("tests/properties").join(case);
    let (tool, program) = (target().join("release/foretrace"), scratch.join(source.trim_end_matches(".c")));
    let has_events = directory.join("events").exists();
    let mut compiler = Command::new(&tool);
    compiler.arg("cc").args(has_events.then_some("--events=events"));
    compiler.args(["-g", "-pthread", source, "-o"]).arg(&program).arg("-lsqlite3").current_dir(&directory);
    check(&mut compiler)?;
    let mut times = (0..rounds)
        .map(|_| {
            let mut command = Command::new(&tool);
            command.args(["check", "--quiet", "--format", "json", "--findings"]).arg(scratch.join("findings"));
            command.args(has_events.then_some("--property=property")).arg("--").arg(&program);
            let begin = Instant::now();
            let output = command.current_dir(&directory).stdin(Stdio::null()).output()?;
            let expected = i32::from(source == "fail.c");
            ensure!(output.status.code() == Some(expected), "{case}: {}", String::from_utf8_lossy(&output.stderr));
            Ok(begin.elapsed().as_secs_f64() * 1e3)
        })
        .collect::<anyhow::Result<Vec<f64>>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
