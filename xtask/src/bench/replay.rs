//! Replay against ThreadSanitizer: the kernels of `bench/kernels`, recorded once and then run again under the order of
//! their own run (every lock, wait and signal waits for its turn), and under a schedule that ends at once, which leaves
//! the race detector alone. Variants run in turn, round after round.

use super::measure::{Cost, Meter, geometric_mean, median};
use super::record::{FLAGS, KERNELS, source};
use crate::run::{cargo, check, target};
use anyhow::{Context, ensure};
use foretrace_finding::Schedule;
use foretrace_run::Enforced;
use foretrace_trace::Recording;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMPILER: &str = "clang-19";

/// The modes that are compared with ThreadSanitizer, as `check` runs them first for long-running programs: accesses are
/// watched by segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// The detector without a schedule.
    Free,
    /// The same under the whole order of the recorded run.
    Ordered,
}

const MODES: [Mode; 2] = [Mode::Free, Mode::Ordered];

/// A kernel's commands: the sanitizer's, then one for each mode.
struct Kernel {
    name: &'static str,
    steps: usize,
    lines: Vec<Vec<OsString>>,
    directories: Vec<PathBuf>,
}

/// Builds everything, runs it, prints the table.
pub fn run(rounds: usize) -> anyhow::Result<()> {
    ensure!(rounds > 0, "at least one round");
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let scratch = tempfile::tempdir().context("cannot make a scratch directory")?;
    let meter = Meter::build(scratch.path())?;
    let only = std::env::var("KERNEL").ok();
    let chosen = KERNELS.into_iter().filter(|name| only.as_ref().is_none_or(|only| only == name));
    println!("Medians of {rounds} runs, four threads, {COMPILER}; ratios are to ThreadSanitizer's time.\n");
    println!("| kernel | steps | TSan | detector alone | in recorded order | memory/TSan |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let mut ratios = MODES.map(|_| Vec::new());
    for name in chosen {
        eprintln!("xtask: {name}");
        let kernel = Kernel::prepare(name, scratch.path())?;
        let costs = kernel.costs(&meter, rounds)?;
        let row: Vec<f64> = costs[1..].iter().map(|cost| cost.seconds / costs[0].seconds).collect();
        row.iter().zip(&mut ratios).for_each(|(ratio, all)| all.push(*ratio));
        println!(
            "| {name} | {} | {:.3} s | {:.2} | {:.2} | {:.2} |",
            kernel.steps,
            costs[0].seconds,
            row[0],
            row[1],
            costs[2].megabytes / costs[0].megabytes
        );
    }
    let [free, ordered] = ratios.map(|all| geometric_mean(&all));
    println!("| geometric mean | | | {free:.2} | {ordered:.2} | |");
    Ok(())
}

impl Kernel {
    fn prepare(name: &'static str, scratch: &Path) -> anyhow::Result<Self> {
        let (tool, program) = (target().join("release/foretrace"), scratch.join(name));
        let sanitized = scratch.join(format!("{name}-tsan"));
        let mut wrapper = Command::new(&tool);
        check(wrapper.args(["cc", "--compiler", COMPILER]).args(FLAGS).arg(source(name)).arg("-o").arg(&program))?;
        let mut compiler = Command::new(COMPILER);
        compiler.args(FLAGS).arg("-fsanitize=thread").arg(source(name)).arg("-o").arg(&sanitized);
        check(compiler.arg("-lpthread"))?;
        let recording = scratch.join("recording.ft");
        check(Command::new(&tool).args(["record", "-o"]).arg(&recording).arg(&program).stdout(std::io::stderr()))?;
        let (whole, begin) = schedules(&recording)?;
        let mut kernel =
            Self { name, steps: whole.steps().len(), lines: vec![vec![sanitized.into()]], directories: vec![] };
        for mode in MODES {
            let directory = scratch.join(format!("{name}-{mode:?}"));
            fs::create_dir(&directory)?;
            let schedule = if mode == Mode::Ordered { &whole } else { &begin };
            fs::write(directory.join("schedule"), schedule.to_bytes())?;
            let mut settings = OsString::from("FORETRACE_RUNTIME=replay exact=0 loose=1 hold=0 dir=");
            settings.push(&directory);
            kernel.lines.push(vec!["env".into(), settings, program.clone().into()]);
            kernel.directories.push(directory);
        }
        Ok(kernel)
    }

    /// Runs all in turn. All must print the same, and each replay must reach the end of its schedule and find nothing.
    fn costs(&self, meter: &Meter, rounds: usize) -> anyhow::Result<Vec<Cost>> {
        let mut runs = vec![Vec::new(); self.lines.len()];
        let mut answer = None;
        for _ in 0..rounds {
            for (line, runs) in self.lines.iter().zip(&mut runs) {
                let (cost, output) = meter.run(line)?;
                let expected = answer.get_or_insert_with(|| output.clone());
                ensure!(output == *expected, "{}: {line:?} printed {output}, not {expected}", self.name);
                runs.push(cost);
            }
            for directory in &self.directories {
                let outcome = fs::read_to_string(directory.join("outcome"))?;
                let is_expected =
                    |line: &str| line == "end" || ["thread ", "created "].iter().any(|word| line.starts_with(word));
                let strange = outcome.lines().find(|line| !is_expected(line));
                ensure!(strange.is_none(), "{}: {outcome}", directory.display());
                ensure!(outcome.lines().any(|line| line == "end"), "{}: no end", directory.display());
                // A process that finds these files is not replayed.
                fs::remove_file(directory.join("outcome"))?;
                fs::remove_file(directory.join("progress"))?;
            }
        }
        Ok(runs.iter().map(|runs| median(runs)).collect())
    }
}

/// The order of a recorded run, and its first step alone.
fn schedules(recording: &Path) -> anyhow::Result<(Enforced, Enforced)> {
    let trace = Recording::open(recording)?.trace()?;
    let whole: Schedule = trace.observed().collect();
    let begin = Schedule::new(whole.steps()[..1].to_vec());
    Ok((Enforced::new(&trace, &whole)?, Enforced::new(&trace, &begin)?))
}
