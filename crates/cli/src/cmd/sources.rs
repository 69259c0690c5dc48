//! What is checked, as the command line names it: source files to compile, or a program as it is.

use super::cc::{BRANCHES, EVENTS, SYMBOLIC, VERBOSE, default_compiler, is_clang_default};
use super::reporting::Reporting;
use crate::environment::Environment;
use crate::way::{find_program, way_into};
use anyhow::{Context, bail};
use foretrace_cc::Driver;
use foretrace_replay::{Input, LINGER, Program};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What is checked.
#[derive(clap::Args)]
pub struct Sources {
    /// Source files to compile, or a program with its arguments
    #[arg(value_name = "FILES")]
    pub files: Vec<OsString>,
    /// The program and its arguments, or only the arguments if source files are given
    #[arg(last = true, value_name = "PROG")]
    pub command: Vec<OsString>,
    /// Options for the compiler, in one argument ("-O2 -DSIZE=3 -lm")
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Option<String>,
}

/// How a program is compiled for a command.
pub struct Build<'a> {
    /// Where the compiler's output goes; standard output if there is none.
    pub reporting: Option<&'a Reporting>,
    /// Do not say which compiler is used.
    pub quiet: bool,
    /// Say which waits are not recognised as loops.
    pub verbose: bool,
    /// Let the program say what its branches may do, for pruned exploration.
    pub branches: bool,
    /// Let the program emit the events of these specifications.
    pub events: Vec<PathBuf>,
}

impl Sources {
    /// The command to run, and whether its program was compiled for it, into `scratch`.
    pub fn command(&self, scratch: &Path, build: &Build<'_>) -> anyhow::Result<(Vec<OsString>, bool)> {
        command(self, scratch, build)
    }

    /// Are there source files to compile?
    pub fn are_compiled(&self) -> bool {
        self.files.first().is_some_and(|first| is_source(first))
    }

    /// The same program, compiled so that its values can be followed and calls of these functions are regions; none if it is
    /// not compiled here, or not with clang.
    pub fn followed(&self, scratch: &Path, atomic: &[String]) -> anyhow::Result<Option<Vec<OsString>>> {
        let Some(first) = self.files.first().filter(|first| is_source(first)) else { return Ok(None) };
        let (driver, language) = driver(self);
        if !is_clang_default(language)? {
            return Ok(None);
        }
        let stem = Path::new(first).file_stem().unwrap_or(OsStr::new("program"));
        let program = scratch.join(stem);
        let command =
            || std::iter::once(program.clone().into_os_string()).chain(self.command.iter().cloned()).collect();
        if program.exists() {
            return Ok(Some(command()));
        }
        let mut words = [driver, SYMBOLIC].map(str::to_owned).to_vec();
        if !atomic.is_empty() {
            let regions = scratch.join("regions.events");
            std::fs::write(&regions, atomic.iter().map(|function| region(function)).collect::<String>())?;
            words.push(format!("{EVENTS}={}", regions.display()));
        }
        let mut compiler = compiler(self, &words, &program)?;
        // What the compiler says about the program, it has said before.
        let output = compiler.output().context("cannot run the compiler")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("{}", said.lines().last().unwrap_or("the compiler failed"));
        }
        Ok(Some(command()))
    }
}

/// The events that make calls of a function regions.
fn region(function: &str) -> String {
    format!("enter(\"{function}\") before body {function}\nexit(\"{function}\") after body {function}\n")
}

/// The program that a command starts, with the runtime in it.
pub fn program(command: &[OsString]) -> anyhow::Result<Program> {
    let path = find_program(command.first().context("no program was named; say `foretrace check -- ./prog`")?)?;
    let environment = Environment::own();
    let variables = way_into(&path)?.environment(&environment)?;
    let environment = environment.with(variables);
    Ok(Program {
        path,
        command: command.to_vec(),
        directory: None,
        input: Input::Nothing,
        environment,
        started_only: false,
        patience: Duration::ZERO,
        linger: LINGER,
        client: None,
        records: false,
    })
}

/// The command to run, and whether its program was compiled for it.
fn command(args: &Sources, scratch: &Path, build: &Build<'_>) -> anyhow::Result<(Vec<OsString>, bool)> {
    let Some(first) = args.files.first() else {
        refuse_events(build)?;
        return Ok((args.command.clone(), false));
    };
    if !is_source(first) {
        refuse_events(build)?;
        return Ok((args.files.iter().chain(&args.command).cloned().collect(), false));
    }
    let stem = Path::new(first).file_stem().unwrap_or(OsStr::new("program"));
    let program = scratch.join(stem);
    compile(args, &program, build)?;
    Ok((std::iter::once(program.into_os_string()).chain(args.command.iter().cloned()).collect(), true))
}

/// Events are put into a program where it is compiled.
fn refuse_events(build: &Build<'_>) -> anyhow::Result<()> {
    match build.events.first() {
        None => Ok(()),
        Some(file) => bail!(
            "--events needs source files: name them, or build the program with `foretrace cc --events {}`",
            file.display()
        ),
    }
}

const C: [&str; 1] = ["c"];
const CXX: [&str; 6] = ["cc", "cpp", "cxx", "c++", "C", "CC"];

fn has_ending(file: &OsStr, endings: &[&str]) -> bool {
    Path::new(file).extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
}

pub fn is_source(file: &OsStr) -> bool {
    has_ending(file, &C) || has_ending(file, &CXX)
}

fn driver(args: &Sources) -> (&'static str, Driver) {
    let is_cxx = args.files.iter().any(|file| has_ending(file, &CXX));
    if is_cxx { ("c++", Driver::Cxx) } else { ("cc", Driver::C) }
}

/// The call of the compiler, by the tool itself.
fn compiler(args: &Sources, command: &[String], program: &Path) -> anyhow::Result<Command> {
    let tool = std::env::current_exe().context("cannot find the file of foretrace itself")?;
    let mut compiler = Command::new(tool);
    compiler.args(command).args(["-g", "-O0", "-fno-omit-frame-pointer", "-pthread", "-o"]).arg(program);
    compiler.args(&args.files).args(args.cflags.iter().flat_map(|flags| flags.split_whitespace()));
    Ok(compiler)
}

/// Compiles without optimisation, so that no access is gone that the source has; what the user says comes last and counts.
fn compile(args: &Sources, program: &Path, build: &Build<'_>) -> anyhow::Result<()> {
    let (driver, language) = driver(args);
    if build.reporting.is_none_or(Reporting::is_human) && !build.quiet {
        crate::output::say!("{}", default_compiler(language, !build.events.is_empty())?);
    }
    let events = build.events.iter().map(|file| format!("{EVENTS}={}", file.display()));
    let words: Vec<String> = std::iter::once(driver.to_owned()).chain(events).collect();
    let mut compiler = compiler(args, &words, program)?;
    if build.verbose {
        compiler.env(VERBOSE, "1");
    }
    if build.branches {
        compiler.env(BRANCHES, "1");
    }
    let output = build.reporting.map_or_else(Stdio::inherit, Reporting::output_of_program);
    let status = compiler.stdout(output).status().context("cannot run the compiler")?;
    if !status.success() {
        bail!("the compiler failed; nothing was checked");
    }
    Ok(())
}
