//! Programs unrelated to Foretrace behave the same with and without the preloaded runtime: every program of a directory
//! is asked for its version and its help, and must give the same output and exit code.

use crate::run::{cargo, check, target};
use anyhow::{Context, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The time limit of a program; programs that take longer natively are left out.
const SECONDS: &str = "5";
/// Address space of a program, in kilobytes.
const MEMORY: &str = "4000000";

/// What a program printed, and its exit code.
#[derive(PartialEq, Eq)]
struct Ran {
    code: Option<i32>,
    out: Vec<u8>,
    err: String,
}

#[derive(clap::Args)]
pub struct Args {
    /// Where the programs are
    #[arg(default_value = "/usr/bin")]
    directory: PathBuf,
    /// How many of the programs to run
    #[arg(long)]
    most: Option<usize>,
}

/// Runs them all.
pub fn run(args: &Args) -> anyhow::Result<()> {
    check(&mut cargo(&["build", "--quiet", "--package", "foretrace"]))?;
    let foretrace = target().join("debug/foretrace");
    let mut programs: Vec<PathBuf> = fs::read_dir(&args.directory)?.flatten().map(|entry| entry.path()).collect();
    programs.sort();
    programs.retain(|program| is_native(program));
    programs.truncate(args.most.unwrap_or(usize::MAX));
    let mut wrong = Vec::new();
    let (mut compared, mut unsteady, mut refused) = (0, 0, 0);
    for program in &programs {
        for question in ["--version", "--help"] {
            match compare(&foretrace, program, question)? {
                Verdict::Same => compared += 1,
                Verdict::Unsteady => unsteady += 1,
                Verdict::Refused => refused += 1,
                Verdict::Differs => wrong.push(format!("{} {question}", program.display())),
            }
        }
    }
    println!("{} programs: {compared} runs the same, {refused} refused", programs.len());
    println!("{unsteady} runs left out, because they differ from one native run to the next");
    match wrong.is_empty() {
        true => Ok(()),
        false => bail!("{} runs differ:\n{}", wrong.len(), wrong.join("\n")),
    }
}

enum Verdict {
    Same,
    Unsteady,
    Refused,
    Differs,
}

fn compare(foretrace: &Path, program: &Path, question: &str) -> anyhow::Result<Verdict> {
    let native = || ran(&[program.as_os_str().to_str().context("a plain name")?, question]);
    let (one, two) = (native()?, native()?);
    if one != two || one.code == Some(124) || one.code == Some(137) {
        return Ok(Verdict::Unsteady);
    }
    let scratch = tempfile::tempdir()?;
    let recording = scratch.path().join("r.ft");
    let words = [foretrace.to_str(), Some("record"), Some("-o"), recording.to_str(), Some("--"), program.to_str()];
    let mut words = words.into_iter().collect::<Option<Vec<_>>>().context("plain names")?;
    words.push(question);
    let mut recorded = ran(&words)?;
    if recorded.code == Some(2) && recorded.err.contains("cannot record ") {
        return Ok(Verdict::Refused);
    }
    recorded.err =
        recorded.err.lines().filter(|line| !line.starts_with("foretrace: ")).map(|line| format!("{line}\n")).collect();
    Ok(if recorded == one { Verdict::Same } else { Verdict::Differs })
}

/// Runs a command in its own directory, without input, with limits of time and memory.
fn ran(words: &[&str]) -> anyhow::Result<Ran> {
    let home = tempfile::tempdir()?;
    let script = format!("ulimit -v {MEMORY}; exec timeout -k 1 {SECONDS} \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).args(words).current_dir(home.path()).stdin(Stdio::null());
    command.env("HOME", "/nonexistent").env("LC_ALL", "C").env_remove("DISPLAY").env_remove("PAGER");
    let output = command.output()?;
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Ran { code: output.status.code(), out: output.stdout, err })
}

/// A program of this machine that the runtime can be preloaded into.
fn is_native(program: &Path) -> bool {
    let bytes = fs::read(program).unwrap_or_default();
    let is_elf = bytes.starts_with(b"\x7fELF\x02");
    // Programs that ask for a terminal, or that start and stop others.
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    is_elf && !["systemctl", "init", "dbus-launch", "foretrace"].contains(&name)
}
