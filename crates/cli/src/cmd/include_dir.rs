//! `foretrace include-dir`: where `foretrace.h` is.

use crate::{assets, output};
use std::process::ExitCode;

/// Print the directory with `foretrace.h`.
///
/// `foretrace cc` finds the header by itself; other compilers need this directory: `cc -I"$(foretrace include-dir)" prog.c`.
#[derive(clap::Args)]
pub struct Args {}

/// Prints it.
pub fn run() -> anyhow::Result<ExitCode> {
    let directory = assets::directory()?.join(assets::INCLUDE);
    output::write(|out| Ok(writeln!(out, "{}", directory.display())?))?;
    Ok(ExitCode::SUCCESS)
}
