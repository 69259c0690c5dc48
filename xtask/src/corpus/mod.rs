//! The corpus of programs: Foretrace against gcc's ThreadSanitizer and Helgrind, and repeated checks with Foretrace
//! alone.

mod levels;
mod others;
mod repeat;
mod score;
pub mod tools;

use crate::install;
use crate::run::{cargo, check, root};
use anyhow::ensure;
use foretrace_testkit::corpus::{Specimen, specimens};
use tools::Watch;

/// Which programs, and what to do with them.
#[derive(clap::Args)]
pub struct Args {
    /// Only programs whose names contain this
    only: Option<String>,
    /// Check each program and replay each finding this many times, with Foretrace alone
    #[arg(long, value_name = "N")]
    times: Option<u32>,
    /// Check each program this many times instead
    #[arg(long, value_name = "N", requires = "times")]
    checks: Option<u32>,
    /// Keep all cores busy with other work during the checks
    #[arg(long, requires = "times")]
    load: bool,
    /// Build each program with gcc and clang at -O0, -O1 and -O2, and check each build this many times
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5", conflicts_with = "times")]
    levels: Option<u32>,
    /// Watch accesses by segments first, as for long-running programs
    #[arg(long, requires = "times")]
    coarse: bool,
}

/// Compares the tools, or repeats the checks.
pub fn run(args: &Args) -> anyhow::Result<()> {
    check(&mut cargo(&["build", "--quiet", "--release", "-p", "foretrace"]))?;
    let mut all = specimens(&root().join("tests/programs"))?;
    all.retain(|specimen| args.only.as_ref().is_none_or(|only| specimen.name.contains(only.as_str())));
    ensure!(!all.is_empty(), "no program has a name with {:?} in it", args.only.as_deref().unwrap_or_default());
    if let Some(rounds) = args.levels {
        return levels::run(&all, rounds, args.only.is_none());
    }
    match args.times {
        Some(times) => {
            let watch = if args.coarse { Watch::Segments } else { Watch::AsUsual };
            repeat::run(&all, repeat::Times { checks: args.checks.unwrap_or(times), replays: times, watch }, args.load)
        }
        None => compare(&all, args.only.is_none()),
    }
}

/// Prints the table; the table of the whole corpus is also written to `docs/corpus.md`.
fn compare(all: &[Specimen], whole: bool) -> anyhow::Result<()> {
    install::run()?;
    let scores = score::all(all)?;
    let text = score::text(all, &scores);
    println!("{text}");
    if whole {
        std::fs::write(root().join("docs/corpus.md"), text)?;
    }
    Ok(())
}
