//! What it costs that a program's values can be followed, when they are not: the kernels of `bench/kernels`, recorded as
//! `foretrace cc` builds them and as `foretrace cc --symbolic` does, in turn.

use super::measure::{Meter, geometric_mean, median};
use super::record::{FLAGS, KERNELS, source};
use crate::run::{cargo, check, target};
use anyhow::{Context, ensure};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// What comes before the compiler's options.
const BUILDS: [&[&str]; 2] = [&["cc"], &["cc", "--symbolic"]];

pub fn run(rounds: usize) -> anyhow::Result<()> {
    ensure!(rounds > 0, "at least one round");
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let scratch = tempfile::tempdir().context("cannot make a scratch directory")?;
    let meter = Meter::build(scratch.path())?;
    println!("Medians of {rounds} runs, four threads, clang 19.\n");
    println!("| kernel | recorded s | recorded, values could be followed s | ratio |\n| --- | ---: | ---: | ---: |");
    let mut ratios = Vec::new();
    for kernel in KERNELS {
        let lines = [build(kernel, BUILDS[0], scratch.path())?, build(kernel, BUILDS[1], scratch.path())?];
        let mut runs = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            let mut printed = Vec::new();
            for (line, runs) in lines.iter().zip(&mut runs) {
                let (cost, output) = meter.run(line)?;
                runs.push(cost);
                printed.push(output);
            }
            ensure!(printed[0] == printed[1], "{kernel} prints something else when values can be followed");
        }
        let [plain, followed] = runs.map(|runs| median(&runs).seconds);
        ratios.push(followed / plain);
        println!("| {kernel} | {plain:.3} | {followed:.3} | {:.2} |", followed / plain);
    }
    println!("\nGeometric mean of the ratios: {:.2}.", geometric_mean(&ratios));
    Ok(())
}

/// Builds a kernel; answers with the command that records it.
fn build(kernel: &str, words: &[&str], scratch: &Path) -> anyhow::Result<Vec<OsString>> {
    let foretrace = target().join("release/foretrace");
    let program = scratch.join(format!("{kernel}-{}", words.len()));
    let mut compiler = Command::new(&foretrace);
    compiler.env("FORETRACE_CC", "clang-19").args(words).args(FLAGS).arg(source(kernel)).arg("-o").arg(&program);
    check(compiler.arg("-lpthread"))?;
    let recording = scratch.join("recording.ft");
    Ok(vec![foretrace.into(), "record".into(), "-o".into(), recording.into(), program.into()])
}
