//! Executions a second of `foretrace explore`: programs of `tests/explore` in random orders for some seconds, on one core.

use crate::run::{cargo, check, target};
use anyhow::{Context, ensure};
use std::path::Path;
use std::process::Command;

/// A program, its argument, and how many threads it has besides the main one.
const PROGRAMS: [(&str, &str, u32); 4] =
    [("readers", "2", 3), ("readers", "13", 14), ("lastzero", "12", 13), ("indexer", "15", 15)];
/// Seconds for each.
const BUDGET: &str = "3s";

/// Builds everything, runs it, prints the table.
pub fn run(rounds: usize) -> anyhow::Result<()> {
    ensure!(rounds > 0, "at least one round");
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let foretrace = target().join("release/foretrace");
    let scratch = tempfile::tempdir().context("cannot make a scratch directory")?;
    println!("Medians of {rounds} runs of {BUDGET}, random orders, one core.\n");
    println!("| program | threads | executions a second |");
    println!("| --- | ---: | ---: |");
    for (name, argument, threads) in PROGRAMS {
        let program = scratch.path().join(name);
        let source = format!("tests/explore/programs/{name}.c");
        check(Command::new(&foretrace).args(["cc", "-O2", "-pthread", &source, "-o"]).arg(&program))?;
        let mut rates = Vec::new();
        for _ in 0..rounds {
            rates.push(rate(&foretrace, &program, argument, scratch.path())?);
        }
        rates.sort_unstable();
        println!("| {name}({argument}) | {threads} | {} |", rates[rounds / 2]);
    }
    Ok(())
}

/// Explores, and reads what that says: `9,132 orders explored in 3.0s (3044 a second)`.
fn rate(foretrace: &Path, program: &Path, argument: &str, scratch: &Path) -> anyhow::Result<u64> {
    let mut command = Command::new(foretrace);
    command.args(["explore", "--strategy", "random", "--budget", BUDGET, "--"]).arg(program).arg(argument);
    let output = command.current_dir(scratch).output().context("cannot explore")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let rate = text.rsplit_once(" a second").and_then(|(before, _)| before.rsplit_once('('));
    rate.and_then(|(_, rate)| rate.parse().ok()).with_context(|| format!("no rate in: {text}"))
}
