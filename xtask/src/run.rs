//! Running other programs from the root of the workspace.

use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// A command in the root of the workspace.
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    command
}

/// The cargo that runs this command.
pub fn cargo(args: &[&str]) -> Command {
    command(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()), args)
}

/// Prints the command, runs it, and fails if it fails.
pub fn check(command: &mut Command) -> anyhow::Result<()> {
    let words: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    let line = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    eprintln!("xtask: {line}");
    let status = command.status().with_context(|| format!("cannot run {line}"))?;
    ensure!(status.success(), "{line}: {status}");
    Ok(())
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Is there a program of this name?
pub fn exists(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// The files that git tracks or would add.
pub fn files() -> anyhow::Result<Vec<PathBuf>> {
    let mut git = command("git", &["ls-files", "--cached", "--others", "--exclude-standard"]);
    let output = git.output().context("cannot run git")?;
    ensure!(output.status.success(), "git ls-files: {}", output.status);
    let names = String::from_utf8(output.stdout).context("a file's name is not UTF-8")?;
    Ok(names.lines().map(PathBuf::from).filter(|file| root().join(file).is_file()).collect())
}
