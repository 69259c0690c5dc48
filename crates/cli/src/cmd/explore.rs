//! `foretrace explore`: run the program through every order that matters.
//!
//! One file a step: [`hunt`] has a search (`foretrace-explore`) run the program in forks and keeps what fails, [`confirm`]
//! runs each failing plan once more, recorded and watched, and has it explained, [`statement`] says how far the search came.

mod confirm;
mod hunt;
mod statement;

use super::interrupt;
use super::reporting::Reporting;
use super::sources::{Sources, program};
use crate::flags;
use crate::scratch::Scratch;
use anyhow::bail;
use clap::ValueEnum;
use foretrace_explore::Cost;
use foretrace_replay::{ExploreError, Input, LINGER, Program};
use foretrace_report::Report;
use std::process::ExitCode;
use std::time::Duration;

/// Run a program through every order of its threads that matters.
///
/// One thread runs at a time, and Foretrace decides which, at every lock, signal, atomic operation and the like. It runs one
/// order of each class of orders that differ in nothing the program could notice, and looks in each for data races,
/// deadlocks, failed assertions and crashes. If nothing is left to run, it says so: no order of this input fails.
///
/// Source files are compiled first: `foretrace explore bank.c -- ARGS`. A program that was built with `foretrace cc` is run
/// as it is: `foretrace explore -- ./prog ARGS`. The program is run many times, so it should not change what it reads.
///
/// The exit code is 0 if all orders were run and none failed, 1 if one did, and 2 if the program could not be explored, or
/// not to the end. Ctrl-C ends the search, and what was found is reported.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    sources: Sources,
    /// Begin no execution after this time (30s, 5m)
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = flags::time)]
    budget: Duration,
    /// End an execution after this time
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = flags::time)]
    timeout: Duration,
    /// How to choose the orders
    #[arg(long, value_enum, default_value_t = Strategy::Climb)]
    strategy: Strategy,
    /// Run all orders in which at most so many threads that would be next are passed over, fewest first
    #[arg(long, value_name = "K", conflicts_with_all = ["strategy", "preemptions"])]
    delays: Option<u32>,
    /// Run all orders in which a thread that could go on is left at most so often, fewest first
    #[arg(long, value_name = "K", conflicts_with = "strategy")]
    preemptions: Option<u32>,
    /// Where random choices begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Waits on condition variables may end without a signal, as the standard allows
    #[arg(long)]
    spurious: bool,
    #[command(flatten)]
    reporting: Reporting,
}

impl Args {
    /// What is counted and how far, if the search has a bound.
    fn bound(&self) -> Option<(Cost, u32, &'static str)> {
        let delays = self.delays.map(|most| (Cost::Delays, most, "delays"));
        delays.or(self.preemptions.map(|most| (Cost::Preemptions, most, "preemptions")))
    }
}

/// How orders are chosen.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Strategy {
    /// Simple orders, then one of each class, then random ones until the budget is spent
    Climb,
    /// One of each class, until none is left
    Complete,
    /// Every order, without reduction
    Every,
    /// Each thread that can go on is as likely
    Random,
    /// Random priorities of threads
    Pct,
    /// Random priorities of operations
    Pos,
    /// Uniformly over the orders of one object at a time
    Surw,
}

const FOUND: u8 = 1;
const UNKNOWN: u8 = 2;

/// Explores; the exit code says whether something was found.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let stop = interrupt::flag()?;
    let output = args.reporting.open()?;
    let scratch = Scratch::new("explore-")?;
    let (command, compiled) = args.sources.command(scratch.path(), &args.reporting)?;
    let input = Input::own(&scratch.path().join("input"))?;
    let program = Program { input, linger: LINGER, ..program(&command)? };
    let hunted = match hunt::hunt(args, &program, scratch.path(), stop) {
        Err(ExploreError::NoThread(status)) => bail!("{}", statement::no_thread(status)),
        hunted => hunted?,
    };
    let confirmed = confirm::all(args, (&program, compiled), &hunted, scratch.path(), stop)?;
    let mut report = Report {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program: confirm::command_line(&program, compiled),
        exit: statement::of(&hunted),
        findings: confirmed.findings,
        notes: statement::notes(&hunted).into_iter().chain(confirmed.notes).collect(),
        incomplete: !hunted.is_complete() || confirmed.unconfirmed > 0,
        ..Report::default()
    };
    report.show_predicted = false;
    args.reporting.write(output, &report)?;
    Ok(ExitCode::from(match report.counts().confirmed {
        1.. => FOUND,
        0 if report.incomplete => UNKNOWN,
        0 => 0,
    }))
}
