//! Checks every program repeatedly, with the same findings each time, and replays every finding repeatedly, on a busy
//! machine if requested.

use super::tools::{self, Watch};
use anyhow::{Context, ensure};
use foretrace_testkit::corpus::{Judgement, Specimen};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often to check and to replay, and how accesses are watched.
#[derive(Clone, Copy)]
pub struct Times {
    pub checks: u32,
    pub replays: u32,
    pub watch: Watch,
}

/// How many were right, of how many.
#[derive(Default)]
struct Count {
    right: u32,
    all: u32,
}

impl Count {
    fn add(&mut self, right: u32, all: u32) {
        self.right += right;
        self.all += all;
    }
}

/// Checks and replays this often; fails if any answer was wrong.
pub fn run(specimens: &[Specimen], times: Times, load: bool) -> anyhow::Result<()> {
    let stop = AtomicBool::new(false);
    let (checks, replays) = std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        for _ in 0..if load { 2 * cores } else { 0 } {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let counts = all(specimens, times);
        stop.store(true, Ordering::Relaxed);
        counts
    })?;
    println!(
        "{} programs: {} of {} checks right, {} of {} replays failed as they should",
        specimens.len(),
        checks.right,
        checks.all,
        replays.right,
        replays.all
    );
    ensure!(checks.right == checks.all && replays.right == replays.all, "not all were right");
    Ok(())
}

fn all(specimens: &[Specimen], times: Times) -> anyhow::Result<(Count, Count)> {
    let (mut checks, mut replays) = (Count::default(), Count::default());
    for specimen in specimens {
        one(specimen, times, &mut checks, &mut replays).with_context(|| specimen.name.clone())?;
        eprint!(".");
    }
    eprintln!();
    Ok((checks, replays))
}

fn one(specimen: &Specimen, times: Times, checks: &mut Count, replays: &mut Count) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let program = scratch.path().join("program");
    tools::build(specimen, &program)?;
    let mut ids: Option<BTreeSet<String>> = None;
    for round in 0..times.checks {
        let findings = scratch.path().join(format!("findings-{round}"));
        let answer = tools::check(specimen, &program, &findings, times.watch)?;
        let same = *ids.get_or_insert_with(|| answer.ids.clone()) == answer.ids;
        if !same {
            println!("{}, round {round}: {:?}, and {ids:?} in round 0", specimen.name, answer.ids);
        }
        let right = same && answer.judgement.as_ref().is_some_and(Judgement::is_right);
        checks.add(right.into(), 1);
        if !right {
            println!("{}, round {round}: {:?}", specimen.name, answer.judgement);
        }
    }
    let first = scratch.path().join("findings-0");
    let folders = first.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    for folder in folders.filter(|folder| folder.join("finding").is_file()) {
        let (failed, said) = replay(&folder, times.replays)?;
        replays.add(failed, times.replays);
        if failed < times.replays {
            println!("{}: {said}", specimen.name);
        }
    }
    Ok(())
}

/// How often the finding failed, and the output of `foretrace replay`.
fn replay(folder: &Path, times: u32) -> anyhow::Result<(u32, String)> {
    let mut command = Command::new(tools::release()?);
    let output = command.arg("replay").arg(folder).args(["--times", &times.to_string()]).output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let failed = said.split(": failed ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    Ok((failed.unwrap_or(0), said))
}
