//! `foretrace cc` and `foretrace c++`: the compilers of a program that can be recorded.

mod over_text;
mod own;

use super::events;
use crate::assets;
use anyhow::{Context, bail};
use foretrace_cc::{Compiler, Driver, Family, Runtime, choose, plan};
use foretrace_llvm::{
    EmitEvents, FollowValues, HoistCountedLoops, MarkWaitLoops, MergeNeighbours, Pass, SummariseBranches,
};
use own::Own;
pub use own::{EVENTS, SYMBOLIC};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// Compile or link like the compiler, so that the program can be recorded.
///
/// Takes the arguments of gcc and clang. The compiler is the first of these that is given: `--compiler NAME` (which must come
/// first), FORETRACE_CC or FORETRACE_CXX, a compiler as the first argument (as CMake calls a launcher), CC or CXX, the
/// system's cc or c++. With `--version` alone, the last line of the output names it.
#[derive(clap::Args)]
#[command(disable_version_flag = true)]
pub struct Args {
    /// [--compiler NAME] and the compiler's own arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}

/// Becomes the real compiler; returns only if that fails.
pub fn run(driver: Driver, args: &[OsString]) -> anyhow::Result<ExitCode> {
    refuse_circle(driver)?;
    let by_default = args == ["--version"] && std::env::var_os(driver.variable()).is_none();
    let (own, args) = Own::take(args, || crate::project_events(driver))?;
    let args = &own.compiler_args(&args)[..];
    let emit = EmitEvents { orders: events::read(&own.events)? };
    let choice = choose(
        driver,
        args,
        |name| std::env::var(name).ok(),
        |name| (own.events.is_empty() || name.starts_with(CLANG)) && is_in_path(name),
    )?;
    let family = family(&choice.command)?;
    let compiler = Compiler { command: choice.command, family };
    let runtime = Runtime::in_directory(&assets::directory()?);
    if let Some(code) = over_text::compile(&compiler, &runtime, &choice.args, &passes(&own, &emit))? {
        if code == ExitCode::SUCCESS && !emit.orders.is_empty() {
            warn_of_unmatched(&choice.args, &emit)?;
        }
        return Ok(code);
    }
    let command = plan(&compiler, &runtime, &choice.args, &read)?;
    if by_default {
        return version(driver, &compiler);
    }
    let error = start(&command).exec();
    Err(error).with_context(|| format!("cannot run {}", command[0].display()))
}

/// What the passes need that emit events, where no compiler is named.
const CLANG: &str = "clang";

/// What is done to the text of a module.
fn passes<'p>(own: &Own, emit: &'p EmitEvents) -> Vec<&'p dyn Pass> {
    let others: &[&dyn Pass] = match own.symbolic {
        true => &[&FollowValues, &MarkWaitLoops, &MergeNeighbours, &HoistCountedLoops],
        false if is_to_be_explored() => &[&SummariseBranches],
        false if wants_fewer_calls() => &[&MarkWaitLoops, &MergeNeighbours, &HoistCountedLoops],
        false => &[],
    };
    let events: Option<&dyn Pass> = if emit.orders.is_empty() { None } else { Some(emit) };
    events.into_iter().chain(others.iter().copied()).collect()
}

/// Says which targets match nothing in what was linked; separately compiled parts may have them.
fn warn_of_unmatched(args: &[OsString], emit: &EmitEvents) -> anyhow::Result<()> {
    if foretrace_cc::links(args, &read)? {
        let words: Vec<String> = args.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        events::warn_of_unmatched(&emit.orders, &events::linked(&words));
    }
    Ok(())
}

/// `FORETRACE_LOOPS=0` leaves each access a call of its own.
fn wants_fewer_calls() -> bool {
    std::env::var_os("FORETRACE_LOOPS").is_none_or(|value| value != "0")
}

/// The variable that asks for what is said with `--verbose`.
pub const VERBOSE: &str = "FORETRACE_VERBOSE";

/// The variable that asks for what pruned exploration needs.
pub const BRANCHES: &str = "FORETRACE_BRANCHES";

/// `FORETRACE_BRANCHES=1` adds what branches not taken may do, for exploration with pruning.
fn is_to_be_explored() -> bool {
    std::env::var_os(BRANCHES).is_some_and(|value| value == "1")
}

/// The compiler's own answer, and then which compiler it is. Build systems read the first lines.
fn version(driver: Driver, compiler: &Compiler) -> anyhow::Result<ExitCode> {
    let mut command = compiler.command.clone();
    command.push("--version".into());
    let status = status_of(&command)?;
    crate::output::write(|out| Ok(writeln!(out, "foretrace: {}", introduction(driver, compiler))?))?;
    Ok(exit_code(status))
}

/// Which compiler stands behind the wrapper, and how to choose another.
fn introduction(driver: Driver, compiler: &Compiler) -> String {
    let command: Vec<_> = compiler.command.iter().map(|word| word.to_string_lossy()).collect();
    let family = match compiler.family {
        Family::Gcc => "gcc",
        Family::Clang => "clang",
    };
    let (command, variable) = (command.join(" "), driver.variable());
    format!("compiling with {command} ({family}); {variable} names another")
}

/// Is the compiler clang that a call without a choice of its own would use?
pub fn is_clang_default(driver: Driver) -> anyhow::Result<bool> {
    let choice = choose(driver, &[], |name| std::env::var(name).ok(), is_in_path)?;
    Ok(family(&choice.command)? == Family::Clang)
}

/// The compiler that a call without a choice of its own would use.
pub fn default_compiler(driver: Driver, emits_events: bool) -> anyhow::Result<String> {
    let allowed = |name: &str| (!emits_events || name.starts_with(CLANG)) && is_in_path(name);
    let choice = choose(driver, &[], |name| std::env::var(name).ok(), allowed)?;
    let family = family(&choice.command)?;
    Ok(introduction(driver, &Compiler { command: choice.command, family }))
}

fn status_of(command: &[OsString]) -> anyhow::Result<ExitStatus> {
    start(command).status().with_context(|| format!("cannot run {}", command[0].display()))
}

/// Counts how many wrappers there are above a compiler.
const NESTED: &str = "FORETRACE_NESTED";

fn nested() -> u32 {
    std::env::var(NESTED).ok().and_then(|count| count.parse().ok()).unwrap_or(0)
}

/// A compiler, which learns that a wrapper has started it.
fn start(command: &[OsString]) -> Command {
    let mut call = Command::new(&command[0]);
    call.args(&command[1..]).env(NESTED, (nested() + 1).to_string());
    call
}

/// Refuses to go on if the chosen compiler is a script that starts the wrapper again: the two would start each other without
/// end.
fn refuse_circle(driver: Driver) -> anyhow::Result<()> {
    if nested() > 1 {
        bail!("the compiler behind this wrapper starts the wrapper again; name the real one in {}", driver.variable());
    }
    Ok(())
}

fn exit_code(status: ExitStatus) -> ExitCode {
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

fn read(file: &Path) -> Option<String> {
    std::fs::read_to_string(file).ok()
}

/// Whose options the compiler takes: by its name, or by asking it.
fn family(command: &[OsString]) -> anyhow::Result<Family> {
    if let Some(family) = Family::of_name(command) {
        return Ok(family);
    }
    let answer = start(command)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", command[0].display()))?;
    Ok(Family::of_version(&String::from_utf8_lossy(&answer.stdout)))
}

/// Is there a program of this name?
pub fn is_in_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| crate::way::is_executable(&directory.join(name)))
}
