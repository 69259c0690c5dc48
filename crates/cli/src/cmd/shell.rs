//! `foretrace completions` and `foretrace man`: what a shell and its manual know of the command line.

use crate::output;
use anyhow::Context;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man as Page;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print completions for a shell.
///
/// For example `foretrace completions bash > ~/.local/share/bash-completion/completions/foretrace`.
#[derive(clap::Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Write the manual pages, one for each command.
#[derive(clap::Args)]
pub struct Man {
    /// The directory to write them to, for example ~/.local/share/man/man1
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Prints completions.
pub fn completions(args: &Completions, mut command: Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "foretrace", &mut script);
    output::write(|out| Ok(out.write_all(&script)?))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the pages.
pub fn man(args: &Man, mut command: Command) -> anyhow::Result<ExitCode> {
    let directory = &args.directory;
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    command.build();
    pages(&command, "", &mut |name, page| {
        let path = directory.join(format!("{name}.1"));
        fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The page of a command and those of its subcommands, each under its whole name.
fn pages(
    command: &Command,
    above: &str,
    write: &mut dyn FnMut(&str, &[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let name = format!("{above}{}", command.get_name());
    let mut page = Vec::new();
    Page::new(command.clone()).title(name.to_uppercase()).render(&mut page)?;
    write(&name, &page)?;
    let below = command.get_subcommands().filter(|below| below.get_name() != "help");
    below.into_iter().try_for_each(|below| pages(below, &format!("{name}-"), write))
}
