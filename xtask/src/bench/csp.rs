//! Checks CSP_M against spin on the same state spaces, on one core; then on two cores, with bytes a state, and
//! reductions.

use super::measure::Meter;
use crate::run::{cargo, check, exists, root, target};
use anyhow::{Context, bail};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The cost of one search.
struct Rate {
    states: f64,
    seconds: f64,
    bytes: f64,
}

impl Rate {
    fn millions(&self) -> f64 {
        self.states / self.seconds / 1e6
    }
}

/// A model in both languages; the flags set its size for spin's compiler.
struct Model {
    name: &'static str,
    size: &'static [&'static str],
}

const MODELS: [Model; 2] =
    [Model { name: "philosophers", size: &["-DN=8"] }, Model { name: "locks", size: &["-DLEN=1500"] }];

pub fn run(rounds: usize) -> anyhow::Result<()> {
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let scratch = tempfile::tempdir()?;
    if !exists("spin") {
        println!("spin is not installed (apt-get install spin): the peer's column is empty");
    }
    println!("| model | states | spin M states/s | foretrace M states/s | ratio | two cores | bytes a state |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for model in &MODELS {
        row(model, rounds, scratch.path())?;
    }
    ten_million(scratch.path())?;
    bisimulation()?;
    fifty()
}

/// Alternates the variants, so that other load on the machine affects all of them, and prints medians.
fn row(model: &Model, rounds: usize, scratch: &Path) -> anyhow::Result<()> {
    let pan = if exists("spin") { Some(compile_spin(model, scratch)?) } else { None };
    let (mut spin, mut one, mut two) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        if let Some(pan) = &pan {
            spin.push(run_spin(pan)?);
        }
        one.push(run_ours(model.name, 1)?);
        two.push(run_ours(model.name, 2)?);
    }
    let (ours, both) = (median(&mut one), median(&mut two));
    let peer = (!spin.is_empty()).then(|| median(&mut spin).millions());
    let ratio = peer.map_or("-".into(), |p| format!("{:.2}", ours.millions() / p));
    let peer = peer.map_or("-".into(), |p| format!("{p:.2}"));
    println!(
        "| {} | {} | {peer} | {:.2} | {ratio} | {:.2} | {:.1} |",
        model.name,
        ours.states,
        ours.millions(),
        ours.seconds / both.seconds,
        ours.bytes / ours.states
    );
    Ok(())
}

fn median(rates: &mut [Rate]) -> &Rate {
    rates.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    &rates[rates.len() / 2]
}

fn compile_spin(model: &Model, scratch: &Path) -> anyhow::Result<std::path::PathBuf> {
    let folder = scratch.join(model.name);
    std::fs::create_dir_all(&folder)?;
    let source = root().join("bench/csp").join(format!("{}.pml", model.name));
    check(Command::new("spin").arg("-a").args(model.size).arg(&source).current_dir(&folder))?;
    let flags = ["-O2", "-DNOREDUCE", "-DSAFETY", "-DMEMLIM=4096", "-DXUSAFE", "-w", "-o", "pan", "pan.c"];
    check(Command::new("gcc").args(flags).current_dir(&folder))?;
    Ok(folder.join("pan"))
}

fn run_spin(pan: &Path) -> anyhow::Result<Rate> {
    let begin = Instant::now();
    let folder = pan.parent().context("pan lies in a folder")?;
    let output = Command::new(pan).args(["-m4000000", "-w26", "-E"]).current_dir(folder).output()?;
    let seconds = begin.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|l| l.contains("states, stored")).with_context(|| format!("spin said {text}"))?;
    let states = line.split_whitespace().next().and_then(|n| n.parse().ok()).context("spin counts its states")?;
    Ok(Rate { states, seconds, bytes: 0.0 })
}

fn foretrace(file: &str, threads: usize) -> anyhow::Result<Value> {
    let mut ours = Command::new(target().join("release/foretrace"));
    let path = root().join(file);
    let output = ours.args(["csp", "--format", "json", "--jobs", &threads.to_string()]).arg(path).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text).with_context(|| format!("{file}: {text}"))
}

fn run_ours(name: &str, threads: usize) -> anyhow::Result<Rate> {
    let result = foretrace(&format!("bench/csp/{name}.csp"), threads)?;
    let one = &result["scripts"][0]["assertions"][0];
    if one["result"] != "holds" {
        bail!("{name} should hold: {one}");
    }
    let number = |key: &str| one["statistics"][key].as_f64().unwrap_or(0.0);
    Ok(Rate { states: number("states"), seconds: number("seconds"), bytes: number("bytes") })
}

/// The peak memory of a whole run over ten million states.
fn ten_million(scratch: &Path) -> anyhow::Result<()> {
    let meter = Meter::build(scratch)?;
    let file = root().join("bench/csp/ten_million.csp");
    let line = [
        target().join("release/foretrace").into_os_string(),
        "csp".into(),
        "--jobs".into(),
        "1".into(),
        file.into_os_string(),
    ];
    let (cost, _) = meter.run(&line)?;
    println!("\n11 529 602 states: {:.2} s, peak memory {:.0} MB", cost.seconds, cost.megabytes);
    Ok(())
}

/// Writing out, compressing and searching a million states, all different.
fn bisimulation() -> anyhow::Result<()> {
    for threads in [1, 2] {
        let result = foretrace("bench/csp/bisimulation.csp", threads)?;
        let part = &result["scripts"][0]["assertions"][0];
        let s = &part["statistics"];
        println!(
            "sbisim of {} states and {} transitions on {threads} thread(s): {} in {:.2} s",
            s["states"],
            s["transitions"],
            part["result"],
            s["seconds"].as_f64().unwrap_or(0.0)
        );
    }
    Ok(())
}

fn fifty() -> anyhow::Result<()> {
    let begin = Instant::now();
    let result = foretrace("tests/csp/classic/philosophers50.csp", 1)?;
    let parts = result["scripts"][0]["assertions"].as_array().context("three assertions")?;
    for part in parts {
        let s = &part["statistics"];
        println!(
            "fifty philosophers: {} in {:.2} s, {} states: {}",
            part["result"],
            s["seconds"].as_f64().unwrap_or(0.0),
            s["states"],
            part["assertion"]
        );
    }
    println!("fifty philosophers, all three: {:.2} s", begin.elapsed().as_secs_f64());
    Ok(())
}
