//! Property-driven pruning: the programs of the paper's Table 1 (Wang and others, ATVA'08), with and without it.

use crate::run::{cargo, check, target};
use anyhow::{Context, ensure};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// A program of `tests/explore/pruning`, how it is called in the table, and its macros. The test `table_1` holds their counts.
const PROGRAMS: [(&str, &str, &[&str]); 15] = [
    ("fdrd", "fdrd, 2 rounds", &["-DROUNDS=2"]),
    ("fdrd", "fdrd, 3 rounds", &["-DROUNDS=3"]),
    ("fdrd", "fdrd, 4 rounds", &["-DROUNDS=4"]),
    ("fdrd", "fdrd, 4 rounds, without the race", &["-DROUNDS=4", "-DFIXED"]),
    ("qsort", "qsort", &[]),
    ("pfscan", "pfscan", &[]),
    ("pfscan", "pfscan, with the bug", &["-DBUG"]),
    ("aget", "aget, 3 threads", &["-DTHREADS=2"]),
    ("aget", "aget, 4 threads", &["-DTHREADS=3"]),
    ("aget", "aget, 5 threads", &["-DTHREADS=4"]),
    ("bzip2smp", "bzip2smp, 3 threads", &["-DTHREADS=2"]),
    ("bzip2smp", "bzip2smp, 4 threads", &["-DTHREADS=3"]),
    ("bzip2smp", "bzip2smp, 5 threads", &["-DTHREADS=4"]),
    ("bzip2smp", "bzip2smp, 6 threads", &["-DTHREADS=5"]),
    ("bzip2smp", "bzip2smp, 10 threads", &["-DTHREADS=9"]),
];
/// The time for each.
const BUDGET: &str = "20s";

/// What an exploration said.
struct Said {
    orders: String,
    finished: bool,
    steps: String,
    counts: [String; 3],
    first: String,
    time: f64,
    races: bool,
}

/// Builds everything, runs it, prints the table.
pub fn run(rounds: usize) -> anyhow::Result<()> {
    ensure!(rounds > 0, "at least one round");
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let foretrace = target().join("release/foretrace");
    let scratch = tempfile::tempdir().context("cannot make a scratch directory")?;
    println!("Orders and steps with reduction alone and with pruning, at most {BUDGET} each (> : not finished).\n");
    println!(
        "| program | races | orders | pruned | first race | pruned | steps | pruned | checks | yes | skipped | time | pruned |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (source, name, macros) in PROGRAMS {
        let [all, pruned] = ["nothing", "races"].map(|what| explore(&foretrace, source, macros, what, scratch.path()));
        let (all, pruned) = (all?, pruned?);
        let verdict = match (all.races, pruned.races) {
            (true, true) => "1",
            (false, false) => "0",
            _ => "differ",
        };
        let orders = |said: &Said| format!("{}{}", if said.finished { "" } else { ">" }, said.orders);
        let [checks, yes, skipped] = &pruned.counts;
        println!(
            "| {name} | {verdict} | {} | {} | {} | {} | {} | {} | {checks} | {yes} | {skipped} | {:.2}s | {:.2}s |",
            orders(&all),
            orders(&pruned),
            all.first,
            pruned.first,
            all.steps,
            pruned.steps,
            all.time,
            pruned.time
        );
    }
    Ok(())
}

fn explore(foretrace: &Path, source: &str, macros: &[&str], what: &str, scratch: &Path) -> anyhow::Result<Said> {
    let source = std::fs::canonicalize(format!("tests/explore/pruning/{source}.c")).context("a program is missing")?;
    let mut command = Command::new(foretrace);
    command.arg("explore").arg(source).args(["--color", "never", "--budget", BUDGET, "--jobs", "1"]);
    command.arg(format!("--prune={what}")).args(["--cflags", &format!("-O1 {}", macros.join(" "))]);
    let begin = Instant::now();
    let output = command.current_dir(scratch).env("FORETRACE_CC", "clang-19").output().context("cannot explore")?;
    let time = begin.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let before = |end: &str| {
        let (before, _) = text.split_once(end)?;
        Some(before.rsplit([' ', '\n']).next()?.to_owned())
    };
    let after = |start: &str| {
        let (_, after) = text.split_once(start)?;
        Some(after.split(|c: char| !c.is_ascii_digit() && c != ',').next()?.to_owned())
    };
    let counts = [before(" checks of states"), before(" of them found nothing"), before(" reversals skipped")];
    let [checks, yes, skipped] = counts.map(Option::unwrap_or_default);
    Ok(Said {
        orders: [" orders explored", " orders of this input explored", " order explored"]
            .into_iter()
            .find_map(before)
            .or_else(|| text.contains("one order that matters").then(|| "1".to_owned()))
            .with_context(|| text.clone())?,
        finished: !text.contains("and there are more"),
        steps: before(" steps").unwrap_or_default(),
        counts: [checks, yes, skipped],
        first: after("the first failure in order ").unwrap_or_else(|| "–".to_owned()).trim_end_matches(',').to_owned(),
        time,
        races: output.status.code() == Some(1),
    })
}
