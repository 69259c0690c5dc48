//! Developer commands: `cargo xtask help` lists them. One file each.

#![forbid(unsafe_code)]

mod attack;
mod bench;
mod bystanders;
mod corpus;
mod fuzz;
mod install;
mod lint;
mod miri;
mod packages;
mod run;
mod test;
mod tidy;

use clap::{Parser, Subcommand};

/// Developer commands of Foretrace.
#[derive(Parser)]
#[command(name = "cargo xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what is missing, then run everything that continuous integration checks
    Test,
    /// Run rustfmt and clippy
    Lint,
    /// Check what compilers do not: dependencies between crates, import cycles, lengths, licences, stray words
    Tidy,
    /// Run the tests and accept their output as the new golden files
    Bless,
    /// Run a benchmark and print its table
    Bench(bench::Args),
    /// Compare Foretrace, ThreadSanitizer and Helgrind over the programs of the corpus
    Corpus(corpus::Args),
    /// Attack the tool with broken files, limits, signals, kills and faults of the environment
    Attack(attack::Args),
    /// Feed random input to a reader for some time
    Fuzz(fuzz::Args),
    /// Build Debian packages with foretrace-cc, record them, and compare with native builds (downloads them)
    Packages(packages::Args),
    /// Run the programs of a directory under the preloaded runtime, and compare with native runs
    Bystanders(bystanders::Args),
    /// Run the runtime's tests of memory and tables under Miri, if a nightly toolchain has it
    Miri,
    /// Install the compilers and tools that tests and benchmarks run
    Install,
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Test => test::run(),
        Command::Lint => lint::run(),
        Command::Tidy => tidy::run(),
        Command::Bless => test::bless(),
        Command::Bench(args) => bench::run(&args),
        Command::Corpus(args) => corpus::run(&args),
        Command::Attack(args) => attack::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Packages(args) => packages::run(&args),
        Command::Bystanders(args) => bystanders::run(&args),
        Command::Miri => miri::run(),
        Command::Install => install::run(),
    }
}
