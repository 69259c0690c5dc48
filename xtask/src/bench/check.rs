//! How long `foretrace check` takes for a small program, from the command to the report and without compilation: every
//! program of `tests/programs`.

use crate::corpus::tools::compile;
use crate::run::{cargo, check, root, target};
use anyhow::{Context, ensure};
use foretrace_testkit::corpus::{Level, Specimen, specimens};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The aim for each program.
const AIM: f64 = 150.0;
/// How many of the slowest are listed by name.
const SHOWN: usize = 20;

/// Compiles, checks, prints the table.
pub fn run(rounds: usize) -> anyhow::Result<()> {
    ensure!(rounds > 0, "at least one round");
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let scratch = tempfile::tempdir().context("cannot make a scratch directory")?;
    let all = specimens(&root().join("tests/programs"))?;
    let tool = target().join("release/foretrace");
    let mut rows = Vec::new();
    for specimen in &all {
        let program = scratch.path().join("program");
        let mut compiler = Command::new(&tool);
        compiler.arg(if specimen.is_cxx() { "c++" } else { "cc" });
        compile(compiler, specimen, &program, Level::O0)?;
        let mut times = (0..rounds)
            .map(|_| milliseconds(&tool, &program, &scratch.path().join("findings")))
            .collect::<anyhow::Result<Vec<f64>>>()
            .with_context(|| specimen.name.clone())?;
        times.sort_by(f64::total_cmp);
        rows.push((times[times.len() / 2], times[times.len() - 1], specimen));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    print(&rows, rounds);
    Ok(())
}

fn milliseconds(tool: &Path, program: &Path, findings: &Path) -> anyhow::Result<f64> {
    let mut command = Command::new(tool);
    command.args(["check", "--format", "json", "--findings"]).arg(findings).arg("--").arg(program);
    let begin = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    let time = begin.elapsed().as_secs_f64() * 1e3;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(matches!(output.status.code(), Some(0 | 1)), "{}: {errors}", output.status);
    Ok(time)
}

fn print(rows: &[(f64, f64, &Specimen)], rounds: usize) {
    let over = rows.iter().filter(|row| row.0 > AIM).count();
    println!("{} programs, median of {rounds} checks of each, in milliseconds without compilation.\n", rows.len());
    println!("| | ms |\n| --- | ---: |");
    println!("| median | {:.0} |", rows[rows.len() / 2].0);
    println!("| 90th percentile | {:.0} |", rows[rows.len() / 10].0);
    println!("| slowest | {:.0} |", rows[0].0);
    println!("| slowest single check | {:.0} |", rows.iter().map(|row| row.1).fold(0.0, f64::max));
    println!("| programs above {AIM:.0} ms | {over} |");
    println!("\n| slowest | median, ms | most, ms |\n| --- | ---: | ---: |");
    for (median, most, specimen) in rows.iter().take(SHOWN) {
        println!("| `{}` | {median:.0} | {most:.0} |", specimen.name);
    }
}
