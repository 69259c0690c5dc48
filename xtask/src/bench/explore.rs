//! Executions a second of `foretrace explore`: programs of `tests/explore` in random orders for some seconds, on one core,
//! with and without forks; and the same programs in Rust under loom and shuttle.

use crate::run::{cargo, check, target};
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program, its argument, and how many threads it has besides the main one.
const PROGRAMS: [(&str, &str, u32); 4] =
    [("readers", "2", 3), ("readers", "13", 14), ("lastzero", "12", 13), ("indexer", "15", 15)];
/// Seconds for each.
const BUDGET: &str = "3s";
/// loom has no more threads than this, besides the main one.
const LOOM: u32 = 4;

/// Builds everything, runs it, prints the table.
pub fn run(rounds: usize) -> anyhow::Result<()> {
    ensure!(rounds > 0, "at least one round");
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let bench = Bench {
        foretrace: target().join("release/foretrace"),
        peer: peer()?,
        scratch: tempfile::tempdir().context("cannot make a scratch directory")?,
    };
    println!("Medians of {rounds} runs of {BUDGET}, random orders, one core: executions a second.\n");
    println!("| program | threads | | forked | loom | shuttle |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (name, argument, threads) in PROGRAMS {
        let program = bench.build(name)?;
        let mut rates = [const { Vec::new() }; 4];
        for _ in 0..rounds {
            rates[0].push(bench.rate(&program, argument, &[])?);
            rates[1].push(bench.rate(&program, argument, &["--fork"])?);
            if threads <= LOOM {
                rates[2].push(bench.peer_rate("loom", name, argument)?);
            }
            rates[3].push(bench.peer_rate("shuttle", name, argument)?);
        }
        let [fast, forked, loom, shuttle] = rates.map(median);
        println!("| {name}({argument}) | {threads} | {fast} | {forked} | {loom} | {shuttle} |");
    }
    whole(&bench, rounds)
}

/// Whole searches, on one core and on two.
fn whole(bench: &Bench, rounds: usize) -> anyhow::Result<()> {
    println!("\nWhole searches, medians of {rounds} runs; memory of the tool.\n");
    println!("| program | orders | orders a second, one core | two cores | ratio | memory |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (name, argument, _) in &PROGRAMS[1..] {
        let program = bench.build(name)?;
        let mut runs = [const { Vec::new() }; 2];
        for _ in 0..rounds {
            for (jobs, runs) in ["1", "2"].into_iter().zip(&mut runs) {
                runs.push(bench.search(&program, argument, jobs)?);
            }
        }
        let [one, two] = runs.map(middle);
        let ratio = two.rate / one.rate;
        println!(
            "| {name}({argument}) | {} | {:.0} | {:.0} | {ratio:.2} | {:.1} MB, {:.1} MB |",
            one.orders, one.rate, two.rate, one.megabytes, two.megabytes
        );
    }
    Ok(())
}

/// A whole search.
struct Whole {
    orders: u64,
    rate: f64,
    megabytes: f64,
}

fn middle(mut runs: Vec<Whole>) -> Whole {
    runs.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    runs.remove(runs.len() / 2)
}

fn median(mut rates: Vec<u64>) -> String {
    rates.sort_unstable();
    rates.get(rates.len() / 2).map_or_else(|| "–".to_owned(), u64::to_string)
}

/// Builds the programs of loom and shuttle.
fn peer() -> anyhow::Result<PathBuf> {
    let built = target().join("peers");
    let manifest = "bench/peers/models/Cargo.toml";
    let build = ["build", "--quiet", "--release", "--locked", "--manifest-path", manifest];
    check(cargo(&build).env("CARGO_TARGET_DIR", &built))?;
    Ok(built.join("release/models-peer"))
}

struct Bench {
    foretrace: PathBuf,
    peer: PathBuf,
    scratch: tempfile::TempDir,
}

impl Bench {
    fn build(&self, name: &str) -> anyhow::Result<PathBuf> {
        let program = self.scratch.path().join(name);
        let source = format!("tests/explore/programs/{name}.c");
        check(Command::new(&self.foretrace).args(["cc", "-O2", "-pthread", &source, "-o"]).arg(&program))?;
        Ok(program)
    }

    /// Explores, and reads what that says: `9,132 orders explored in 3.0s (3044 a second)`.
    fn rate(&self, program: &Path, argument: &str, flags: &[&str]) -> anyhow::Result<u64> {
        let mut command = Command::new(&self.foretrace);
        command.args(["explore", "--jobs", "1", "--strategy", "random", "--budget", BUDGET]).args(flags);
        command.arg("--").arg(program).arg(argument).current_dir(self.scratch.path());
        let output = command.output().context("cannot explore")?;
        let text = String::from_utf8_lossy(&output.stderr);
        let rate = text.rsplit_once(" a second").and_then(|(before, _)| before.rsplit_once('('));
        rate.and_then(|(_, rate)| rate.parse().ok()).with_context(|| format!("no rate in: {text}"))
    }

    /// Explores everything, and reads the report in JSON.
    fn search(&self, program: &Path, argument: &str, jobs: &str) -> anyhow::Result<Whole> {
        let mut command = Command::new("/usr/bin/env");
        command.arg("time").args(["-f", "%M"]).arg(&self.foretrace);
        command.args(["explore", "--jobs", jobs, "--strategy", "complete", "--format", "json", "--output"]);
        let report = self.scratch.path().join("report.json");
        command.arg(&report).arg("--").arg(program).arg(argument).current_dir(self.scratch.path());
        let output = command.output().context("cannot explore")?;
        let said = String::from_utf8_lossy(&output.stderr);
        let memory = said.lines().last().and_then(|line| line.trim().parse::<f64>().ok());
        let text = std::fs::read_to_string(&report).with_context(|| format!("no report: {said}"))?;
        let number = |name: &str| {
            let (_, rest) = text.split_once(&format!("\"{name}\":"))?;
            rest.trim_start().split(|byte: char| !byte.is_ascii_digit()).next()?.parse::<u64>().ok()
        };
        let (orders, time) = number("executions").zip(number("milliseconds")).context("no numbers in the report")?;
        let rate = orders as f64 / (time.max(1) as f64 / 1000.0);
        Ok(Whole { orders, rate, megabytes: memory.context("`time` says no memory")? / 1024.0 })
    }

    /// The peer says how many executions it ran, and how many a second.
    fn peer_rate(&self, peer: &str, name: &str, argument: &str) -> anyhow::Result<u64> {
        let mut command = Command::new("taskset");
        let output = command.args(["-c", "0"]).arg(&self.peer).args([peer, name, argument]).output();
        let output = output.with_context(|| format!("cannot run {peer}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let rate = text.split_whitespace().nth(1).and_then(|rate| rate.parse().ok());
        rate.with_context(|| format!("{peer} says no rate: {text}"))
    }
}
