//! What is checked, as the command line names it: source files to compile, or a program as it is.

use super::cc::default_compiler;
use super::reporting::Reporting;
use crate::environment::Environment;
use crate::way::{find_program, way_into};
use anyhow::{Context, bail};
use foretrace_cc::Driver;
use foretrace_replay::{Input, LINGER, Program};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
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
    cflags: Option<String>,
}

impl Sources {
    /// The command to run, and whether its program was compiled for it, into `scratch`.
    pub fn command(&self, scratch: &Path, reporting: &Reporting) -> anyhow::Result<(Vec<OsString>, bool)> {
        command(self, scratch, reporting)
    }
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
    })
}

/// The command to run, and whether its program was compiled for it.
fn command(args: &Sources, scratch: &Path, reporting: &Reporting) -> anyhow::Result<(Vec<OsString>, bool)> {
    let Some(first) = args.files.first() else { return Ok((args.command.clone(), false)) };
    if !is_source(first) {
        return Ok((args.files.iter().chain(&args.command).cloned().collect(), false));
    }
    let stem = Path::new(first).file_stem().unwrap_or(OsStr::new("program"));
    let program = scratch.join(stem);
    compile(args, &program, reporting)?;
    Ok((std::iter::once(program.into_os_string()).chain(args.command.iter().cloned()).collect(), true))
}

const C: [&str; 1] = ["c"];
const CXX: [&str; 6] = ["cc", "cpp", "cxx", "c++", "C", "CC"];

fn has_ending(file: &OsStr, endings: &[&str]) -> bool {
    Path::new(file).extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
}

fn is_source(file: &OsStr) -> bool {
    has_ending(file, &C) || has_ending(file, &CXX)
}

/// Compiles without optimisation, so that no access is gone that the source has; what the user says comes last and counts.
fn compile(args: &Sources, program: &Path, reporting: &Reporting) -> anyhow::Result<()> {
    let is_cxx = args.files.iter().any(|file| has_ending(file, &CXX));
    let (driver, language) = if is_cxx { ("c++", Driver::Cxx) } else { ("cc", Driver::C) };
    if reporting.is_human() {
        crate::output::say!("{}", default_compiler(language)?);
    }
    let tool = std::env::current_exe().context("cannot find the file of foretrace itself")?;
    let mut compiler = Command::new(tool);
    compiler.args([driver, "-g", "-O0", "-fno-omit-frame-pointer", "-pthread", "-o"]).arg(program).args(&args.files);
    compiler.args(args.cflags.iter().flat_map(|flags| flags.split_whitespace()));
    let status = compiler.stdout(reporting.output_of_program()).status().context("cannot run the compiler")?;
    if !status.success() {
        bail!("the compiler failed; nothing was checked");
    }
    Ok(())
}
