//! Real programs: packages from Debian's sources, unmodified, built with `foretrace-cc` on gcc and on clang, and held against
//! a native build and ThreadSanitizer. It downloads their sources, so it is not part of `cargo xtask test`.
//!
//! Each package is built four ways. The builds of ours are recorded, must write what the native one writes, and are
//! checked. Every finding is printed; `docs/real-programs.md` explains each.

mod source;
mod table;

use crate::run::{cargo, check, exists, root, target};
use anyhow::{Context, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use table::{PACKAGES, Package};

/// Which packages.
#[derive(clap::Args)]
pub struct Args {
    /// Only packages of these names
    names: Vec<String>,
    /// The time that each check may take
    #[arg(long, default_value = "60s")]
    budget: String,
}

/// A way to build a package.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flavour {
    Native,
    ThreadSanitizer,
    Gcc,
    Clang,
}

impl Flavour {
    const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::ThreadSanitizer => "tsan",
            Self::Gcc => "gcc",
            Self::Clang => "clang",
        }
    }

    /// The compilers for C and for C++, as a shell's words, and what `foretrace-cc` is to call.
    fn compilers(self) -> ([String; 2], &'static str) {
        let ours = || ["foretrace-cc", "foretrace-cxx"].map(|name| tool(name).display().to_string());
        match self {
            Self::Native => (["gcc", "g++"].map(str::to_owned), ""),
            Self::ThreadSanitizer => (["gcc", "g++"].map(|name| format!("{name} -g -fsanitize=thread")), ""),
            Self::Gcc => (ours(), "gcc"),
            Self::Clang => (ours(), "clang-19"),
        }
    }
}

fn tool(name: &str) -> PathBuf {
    target().join("release").join(name)
}

/// Builds, runs and checks them; fails if one writes anything else than its native build, or cannot be checked.
pub fn run(args: &Args) -> anyhow::Result<()> {
    ensure!(exists("apt-get") && exists("make"), "missing: Debian's apt-get, and make");
    check(&mut cargo(&["build", "--quiet", "--release", "--package", "foretrace"]))?;
    let place = root().join(target()).join("packages");
    std::fs::create_dir_all(&place)?;
    let data = write_data(&place)?;
    let wanted = |package: &&Package| args.names.is_empty() || args.names.iter().any(|name| name == package.name);
    let mut failed = Vec::new();
    println!("| package | built by | output | recorded run | check | confirmed | predicted | ThreadSanitizer |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for package in PACKAGES.iter().filter(wanted) {
        let bench = Bench { package, place: &place, data: &data, budget: &args.budget };
        if let Err(error) = bench.all() {
            eprintln!("{}: {error:#}", package.name);
            failed.push(package.name);
        }
    }
    ensure!(failed.is_empty(), "not as they should be: {}", failed.join(", "));
    Ok(())
}

/// Some hundred kilobytes that compress, but not too well; the same each time.
fn write_data(place: &Path) -> anyhow::Result<PathBuf> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'a' + (state >> 24) as u8 % 16
    };
    let data: Vec<u8> = (0..1 << 20).map(|_| next()).collect();
    let path = place.join("data");
    std::fs::write(&path, data)?;
    Ok(path)
}

/// One package, and where its builds go.
struct Bench<'a> {
    package: &'a Package,
    place: &'a Path,
    data: &'a Path,
    budget: &'a str,
}

impl Bench<'_> {
    fn all(&self) -> anyhow::Result<()> {
        source::install(self.package.needs)?;
        let native = self.build(Flavour::Native)?;
        let expected = succeeded(self.command(&native, &[]), self.package.name)?.stdout;
        let tsan = self.build(Flavour::ThreadSanitizer)?;
        let warnings = warnings(&limited(self.command(&tsan, &[]))?);
        for flavour in [Flavour::Gcc, Flavour::Clang] {
            let built = self.build(flavour)?;
            let row = self.examine(&built, &expected)?;
            println!("| {} | {} | {row} | {warnings} |", self.package.name, flavour.name());
        }
        Ok(())
    }

    /// Unpacks and builds; the directory.
    fn build(&self, flavour: Flavour) -> anyhow::Result<PathBuf> {
        let directory = self.place.join(flavour.name()).join(self.package.name);
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory)?;
        source::unpack(self.package.source, self.place, &directory)?;
        let ([cc, cxx], real) = flavour.compilers();
        for line in self.package.build {
            let mut shell = Command::new("sh");
            shell.args(["-c", line]).current_dir(&directory).env("CC", &cc).env("CXX", &cxx);
            shell.env("OURS", root().join("tests/packages")).env("FORETRACE_CC", real);
            if real.is_empty() {
                shell.env_remove("FORETRACE_CC");
            }
            let output = shell.output().context("cannot run sh")?;
            let said = String::from_utf8_lossy(&output.stderr);
            let end = said.len().saturating_sub(2000);
            ensure!(output.status.success(), "{} build: {line}: {}", flavour.name(), said.get(end..).unwrap_or(&said));
        }
        Ok(directory)
    }

    /// The program, under `foretrace` with these arguments if there are any.
    fn command(&self, directory: &Path, under: &[&str]) -> Command {
        let ours = root().join("tests/packages").display().to_string();
        let data = self.data.display().to_string();
        let words = self.package.run.iter().map(|word| word.replace("DATA", &data).replace("OURS", &ours));
        let mut all: Vec<String> = Vec::new();
        if !under.is_empty() {
            all.push(tool("foretrace").display().to_string());
            all.extend(under.iter().copied().map(str::to_owned));
            all.push("--".to_owned());
        }
        all.extend(words);
        let mut command = Command::new(&all[0]);
        command.args(&all[1..]).current_dir(directory);
        command
    }

    /// Records and checks; the middle of its row.
    fn examine(&self, directory: &Path, expected: &[u8]) -> anyhow::Result<String> {
        let _ = std::fs::remove_dir_all(directory.join("recording.ft"));
        let started = Instant::now();
        let recorded = succeeded(self.command(directory, &["record", "-o", "recording.ft"]), "record")?;
        let took = started.elapsed();
        ensure!(recorded.stdout == expected, "the recorded program wrote something else than the native one");
        let report = directory.join("report.json");
        let report = report.to_str().context("a path that is not UTF-8")?;
        let started = Instant::now();
        let under = ["check", "--accept-partial", "--budget", self.budget, "--format", "json", "--output", report];
        let checked = limited(self.command(directory, &under))?;
        let time = started.elapsed();
        ensure!(matches!(checked.status.code(), Some(0 | 1)), "check: {}", String::from_utf8_lossy(&checked.stderr));
        let report: Value = serde_json::from_slice(&std::fs::read(report)?).context("the report is no JSON")?;
        let counts = |status: &str| findings(&report).filter(|one| one["status"] == status).count();
        findings(&report).filter(|one| one["status"] == "confirmed").for_each(|one| eprintln!("{}", describe(one)));
        let (recorded, checked) = (seconds(took), seconds(time));
        Ok(format!("same | {recorded} | {checked} | {} | {}", counts("confirmed"), counts("predicted")))
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn findings(report: &Value) -> impl Iterator<Item = &Value> {
    report["findings"].as_array().into_iter().flatten()
}

fn describe(finding: &Value) -> String {
    let sites = finding["sites"].as_array().into_iter().flatten();
    let places = sites.map(|site| {
        let frame = &site["stack"][0];
        format!("{}:{} in {}", frame["file"], frame["line"], frame["function"])
    });
    format!("  confirmed: {} {}: {}", finding["kind"], finding["memory"]["name"], Vec::from_iter(places).join(" and "))
}

/// No run may take longer.
const LONGEST: &str = "300";

/// Runs it with a limit of time.
fn limited(command: Command) -> anyhow::Result<Output> {
    let mut limited = Command::new("timeout");
    limited.arg(LONGEST).arg(command.get_program()).args(command.get_args());
    if let Some(directory) = command.get_current_dir() {
        limited.current_dir(directory);
    }
    limited.output().with_context(|| format!("cannot run {command:?}"))
}

fn succeeded(command: Command, what: &str) -> anyhow::Result<Output> {
    let output = limited(command)?;
    ensure!(output.status.success(), "{what}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    Ok(output)
}

fn warnings(output: &Output) -> usize {
    String::from_utf8_lossy(&output.stderr).matches("WARNING: ThreadSanitizer").count()
}
