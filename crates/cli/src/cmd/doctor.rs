//! `foretrace doctor`: what is installed, and what each way into a program can do on this machine.

mod trial;

use crate::{assets, cmd, output};
use foretrace_cc::Driver;
use std::io::{self, Write};
use std::process::ExitCode;
use trial::{Trial, Way};

/// Show what is installed, what is missing, and what Foretrace can do on this machine.
///
/// Builds a small program in each way that Foretrace supports, and records it. The exit code is 0 if at least one compiler
/// can be used, and 2 otherwise.
#[derive(clap::Args)]
pub struct Args {}

/// A program that something needs, and what for.
const TOOLS: [(&str, &str); 6] = [
    ("gcc", "a compiler for `foretrace cc`"),
    ("clang", "a compiler for `foretrace cc`, with fewer and cheaper calls"),
    ("clang-19", "the same, under the name that Debian gives it"),
    ("gdb", "`foretrace replay --gdb`"),
    ("lldb", "`foretrace replay --lldb`"),
    ("dot", "pictures of CSP processes"),
];

/// Looks, tries, and prints.
pub fn run(_: &Args) -> anyhow::Result<ExitCode> {
    let trial = Trial::new()?;
    let results: Vec<_> = Way::ALL.iter().map(|way| (way, trial.run(*way))).collect();
    let usable = results.iter().any(|(way, result)| way.sees_memory() && result.is_ok());
    output::write(|out| {
        Ok(print(out).and_then(|()| {
            writeln!(out, "\nways into a program")?;
            results.iter().try_for_each(|(way, result)| match result {
                Ok(()) => row(out, true, way.name(), way.gives()),
                Err(why) => row(out, false, way.name(), why),
            })
        })?)
    })?;
    Ok(ExitCode::from(if usable { 0 } else { crate::FAILED }))
}

fn print(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "foretrace {}", env!("CARGO_PKG_VERSION"))?;
    match assets::directory() {
        Ok(directory) => row(out, true, "runtime", &format!("unpacked in {}", directory.display()))?,
        Err(error) => row(out, false, "runtime", &format!("{error:#}"))?,
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    row(out, true, "processors", &cores.to_string())?;
    match cmd::cc::default_compiler(Driver::C, false) {
        Ok(compiler) => row(out, true, "compiler", &compiler)?,
        Err(error) => row(out, false, "compiler", &format!("{error:#}"))?,
    }
    writeln!(out, "\nprograms")?;
    TOOLS.iter().try_for_each(|(name, what)| row(out, cmd::cc::is_in_path(name), name, what))
}

/// One line: whether it is there, what it is, what it is for or why it is not.
fn row(out: &mut dyn Write, is_there: bool, name: &str, what: &str) -> io::Result<()> {
    writeln!(out, "  {:<4}{name:<28}{what}", if is_there { "yes" } else { "no" })
}
