//! Recording against ThreadSanitizer: the kernels of `bench/kernels`, built natively, with each compiler's sanitizer,
//! with `foretrace cc`, and with empty hooks, which no recorder behind hooks can beat. All variants of a kernel run in
//! turn, round after round, so that a slow minute of the machine affects all of them.

use super::measure::{Cost, Meter, geometric_mean, median};
use crate::run::{cargo, check, root, target};
use anyhow::{Context, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The kernels.
pub const KERNELS: [&str; 5] = ["lu", "sort", "hash", "buffer", "chase"];
/// Kernels whose bytes of trace an access are measured.
const WEIGHED: [&str; 2] = ["lu", "sort"];
const COMPILERS: [&str; 2] = ["clang-19", "gcc"];
/// The flags of all builds.
pub const FLAGS: [&str; 2] = ["-O2", "-g"];

/// How a kernel is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variant {
    Native,
    Sanitizer,
    Recorded,
    Floor,
}

const VARIANTS: [Variant; 4] = [Variant::Native, Variant::Sanitizer, Variant::Recorded, Variant::Floor];

/// Where kernels are built, and with which compiler.
struct Bench {
    scratch: tempfile::TempDir,
    foretrace: PathBuf,
    meter: Meter,
}

/// The costs of one compiler's builds of a kernel, in the order of [`VARIANTS`].
struct Row {
    kernel: &'static str,
    costs: [Cost; VARIANTS.len()],
}

/// Builds everything, runs it, prints the tables.
pub fn run(rounds: usize) -> anyhow::Result<()> {
    ensure!(rounds > 0, "at least one round");
    let bench = Bench::prepare()?;
    println!("Medians of {rounds} runs, four threads.");
    for compiler in COMPILERS {
        let mut rows = Vec::new();
        for kernel in KERNELS {
            eprintln!("xtask: {compiler}: {kernel}");
            rows.push(Row { kernel, costs: bench.costs(kernel, compiler, rounds)? });
        }
        print_table(compiler, &rows);
        bench.print_weights(compiler)?;
    }
    Ok(())
}

impl Bench {
    fn prepare() -> anyhow::Result<Self> {
        check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
        let scratch = tempfile::tempdir().context("cannot make a scratch directory")?;
        let meter = Meter::build(scratch.path())?;
        Ok(Self { foretrace: target().join("release/foretrace"), meter, scratch })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// Builds the variants, runs them in turn, and compares their output.
    fn costs(&self, kernel: &str, compiler: &str, rounds: usize) -> anyhow::Result<[Cost; VARIANTS.len()]> {
        let mut lines = Vec::new();
        for variant in VARIANTS {
            lines.push(self.build(kernel, compiler, variant)?);
        }
        let mut runs = [const { Vec::new() }; VARIANTS.len()];
        let mut answer = None;
        for _ in 0..rounds {
            for (line, runs) in lines.iter().zip(&mut runs) {
                let (cost, output) = self.meter.run(line)?;
                let expected = answer.get_or_insert_with(|| output.clone());
                ensure!(output == *expected, "{line:?} printed {output}, not {expected}");
                runs.push(cost);
            }
        }
        let mut costs = runs.map(|runs| median(&runs));
        costs[VARIANTS.iter().position(|variant| *variant == Variant::Recorded).expect("it is one of them")]
            .megabytes = self.memory(kernel, compiler)?;
        Ok(costs)
    }

    /// The memory of the recorded program itself. Under `foretrace record`, the largest process would be counted
    /// instead.
    fn memory(&self, kernel: &str, compiler: &str) -> anyhow::Result<f64> {
        let directory = self.path("memory.ft");
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir(&directory)?;
        let mut settings = OsString::from("FORETRACE_RUNTIME=record limit=0 locations=0 follow=0 dir=");
        settings.push(&directory);
        let program = self.program(kernel, compiler, Variant::Recorded);
        Ok(self.meter.run(&["env".into(), settings, program.into()])?.0.megabytes)
    }

    fn program(&self, kernel: &str, compiler: &str, variant: Variant) -> PathBuf {
        self.path(&format!("{kernel}-{compiler}-{variant:?}"))
    }

    /// Builds one variant; returns the command that runs it.
    fn build(&self, kernel: &str, compiler: &str, variant: Variant) -> anyhow::Result<Vec<OsString>> {
        let program = self.program(kernel, compiler, variant);
        match variant {
            Variant::Native => self.compile(compiler, kernel, &[], &program)?,
            Variant::Sanitizer => self.compile(compiler, kernel, &["-fsanitize=thread"], &program)?,
            Variant::Floor => self.link_hooks(compiler, kernel, &[], &program)?,
            Variant::Recorded => {
                let mut wrapper = self.wrapper(compiler);
                check(wrapper.args(FLAGS).arg(source(kernel)).arg("-o").arg(&program))?;
                let recording = self.path("recording.ft");
                return Ok(vec![
                    self.foretrace.clone().into(),
                    "record".into(),
                    "-o".into(),
                    recording.into(),
                    program.into(),
                ]);
            }
        }
        Ok(vec![program.into()])
    }

    fn wrapper(&self, compiler: &str) -> Command {
        let mut wrapper = Command::new(&self.foretrace);
        wrapper.args(["cc", "--compiler", compiler]);
        wrapper
    }

    fn compile(&self, compiler: &str, kernel: &str, flags: &[&str], program: &Path) -> anyhow::Result<()> {
        let mut command = Command::new(compiler);
        check(command.args(FLAGS).args(flags).arg(source(kernel)).arg("-o").arg(program).arg("-lpthread"))
    }

    /// The kernel as `foretrace cc` compiles it, linked with the hooks of `bench/support/hooks.c`.
    fn link_hooks(&self, compiler: &str, kernel: &str, flags: &[&str], program: &Path) -> anyhow::Result<()> {
        let (object, hooks) = (self.path("kernel.o"), self.path("hooks.o"));
        let mut wrapper = self.wrapper(compiler);
        // Accesses are counted one by one.
        wrapper.env("FORETRACE_LOOPS", if flags.is_empty() { "1" } else { "0" });
        check(wrapper.args(FLAGS).arg("-c").arg(source(kernel)).arg("-o").arg(&object))?;
        let hooks_source = root().join("bench/support/hooks.c");
        check(Command::new("gcc").arg("-O2").args(flags).arg("-c").arg(hooks_source).arg("-o").arg(&hooks))?;
        check(Command::new(compiler).arg(object).arg(hooks).arg("-o").arg(program).arg("-lpthread"))
    }

    fn print_weights(&self, compiler: &str) -> anyhow::Result<()> {
        println!("\n| {compiler} | accesses | trace bytes | bytes an access |\n| --- | ---: | ---: | ---: |");
        for kernel in WEIGHED {
            let accesses = self.accesses(kernel, compiler)?;
            let line = self.build(kernel, compiler, Variant::Recorded)?;
            self.meter.run(&line)?;
            let bytes = self.path("recording.ft/events").metadata().context("nothing was recorded")?.len();
            println!("| {kernel} | {accesses} | {bytes} | {:.3} |", bytes as f64 / accesses as f64);
        }
        Ok(())
    }

    /// How many hooks a kernel calls.
    fn accesses(&self, kernel: &str, compiler: &str) -> anyhow::Result<u64> {
        let (program, result) = (self.path("counting"), self.path("counted"));
        self.link_hooks(compiler, kernel, &["-DCOUNT"], &program)?;
        check(Command::new(program).env("COUNT_FILE", &result).stdout(std::process::Stdio::null()))?;
        Ok(std::fs::read_to_string(result)?.trim().parse()?)
    }
}

/// The source of a kernel.
pub fn source(kernel: &str) -> PathBuf {
    root().join(format!("bench/kernels/{kernel}.c"))
}

fn print_table(compiler: &str, rows: &[Row]) {
    println!("\n| {compiler} | native | TSan | recorded | floor | recorded/TSan | floor/TSan | memory/TSan |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut ratios = [const { Vec::new() }; 3];
    for Row { kernel, costs: [native, sanitizer, recorded, floor] } in rows {
        let times = |cost: &Cost| cost.seconds / native.seconds;
        let row = [
            recorded.seconds / sanitizer.seconds,
            floor.seconds / sanitizer.seconds,
            recorded.megabytes / sanitizer.megabytes,
        ];
        row.iter().zip(&mut ratios).for_each(|(ratio, all)| all.push(*ratio));
        let [sanitizer, recorded, floor] = [sanitizer, recorded, floor].map(times);
        let [time, least, memory] = row;
        let native = native.seconds;
        println!(
            "| {kernel} | {native:.3} s | {sanitizer:.1} x | {recorded:.1} x | {floor:.1} x | {time:.2} | {least:.2} | {memory:.2} |"
        );
    }
    let [time, least, memory] = ratios.map(|all| geometric_mean(&all));
    println!("| geometric mean | | | | | {time:.2} | {least:.2} | {memory:.2} |");
}
