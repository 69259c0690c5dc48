//! `foretrace explore`: run the program through every order that matters.
//!
//! One file a step: [`hunt`] has a search (`foretrace-explore`) run the program in forks and keeps what fails, [`confirm`]
//! runs each failing plan once more, recorded and watched, and has it explained, [`statement`] says how far the search came.
//! [`executors`] starts the program on each core, [`minimised`] finds out what of a failing order matters, which [`needs`] puts into
//! the report, and [`unfinished`] keeps a search that was interrupted.

mod again;
mod confirm;
mod executors;
mod failure;
mod hunt;
mod minimised;
mod needs;
mod round;
mod searching;
mod statement;
mod unfinished;

use super::interrupt;
use super::progress::View;
use super::reporting::{ELSEWHERE, Reporting};
use super::sources::{Build, Sources, program};
use crate::quote::quoted;
use crate::scratch::Scratch;
use anyhow::bail;
pub use confirm::{Confirming, all as confirm_all, rerun};
pub use failure::Kind as FailureKind;
use foretrace_explore::Finished;
use foretrace_replay::{ExploreError, Input, LINGER, Program};
use foretrace_report::{Finding, Report};
pub use hunt::Found as FoundFailure;
use hunt::Hunted;
use searching::Searching;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use unfinished::Unfinished;

/// Run a program under every order of its threads that matters.
///
/// One thread runs at a time. At every lock, signal, atomic operation and similar operation, Foretrace decides which one. Of
/// all orders that the program cannot tell apart, it runs one, and looks in each run for data races, deadlocks, failed
/// assertions and crashes. If no order is left to run, it says that no order of this input fails.
///
/// Source files are compiled first: `foretrace explore bank.c -- ARGS`. A program that was built with `foretrace cc` is run
/// as it is: `foretrace explore -- ./prog ARGS`. The program is run many times, so it should not modify the files it reads.
///
/// The exit code is 0 if all orders were run and none failed, 1 if one failed, and 2 if the program could not be explored, or
/// not completely. Ctrl-C ends the search: findings so far are reported, and --resume continues it.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    sources: Sources,
    #[command(flatten)]
    searching: Searching,
    /// Continue the search that was saved in this folder when it was interrupted or its budget was spent; the rest of the
    /// command line must be the same as before
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    #[command(flatten)]
    reporting: Reporting,
    #[command(flatten)]
    view: View,
}

const FOUND: u8 = 1;
const UNKNOWN: u8 = 2;

/// Explores; the exit code says whether something was found.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let stop = interrupt::flag()?;
    let output = args.reporting.open()?;
    let scratch = Scratch::new("explore-")?;
    let build = Build {
        reporting: Some(&args.reporting),
        quiet: args.view.quiet,
        verbose: args.view.verbose,
        branches: args.searching.prune.is_some(),
        events: Vec::new(),
    };
    let (command, compiled) = args.sources.command(scratch.path(), &build)?;
    let (input, copied) = Input::own(&scratch.path().join("input"))?;
    let program = Program { input, linger: LINGER, ..program(&command)? };
    let hunted = hunt::hunt(&args.searching, (&program, args.earlier()?), (args.view, stop)).map_err(explained)?;
    let confirming = Confirming {
        program: (&program, compiled),
        findings: &args.reporting.findings,
        timeout: args.searching.timeout,
        scratch: scratch.path(),
        stop,
    };
    let confirmed = confirm::all(&confirming, (&hunted.failures, hunted.interrupted), &mut |_| {})?;
    let notes = statement::input(copied).into_iter().chain(statement::notes(&hunted)).chain(confirmed.notes);
    let notes = notes.chain(args.keep(&hunted));
    let mut report = Report {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program: confirm::command_line(&program, compiled),
        exit: statement::of(&hunted),
        exploration: Some(statement::numbers(&hunted)),
        findings: confirmed.findings,
        notes: notes.collect(),
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

impl Args {
    /// The search to go on with.
    fn earlier(&self) -> anyhow::Result<Option<Unfinished>> {
        let Some(folder) = &self.resume else { return Ok(None) };
        if !self.searching.can_go_on() {
            bail!("--resume goes on with the strategies climb, complete, random, pct, pos and surw alone");
        }
        Unfinished::read(folder, &self.searching.strategy.name(), self.searching.spurious).map(Some)
    }

    /// Keeps a search that is not at its end, and says how to go on; one that has come to its end is no longer kept.
    fn keep(&self, hunted: &Hunted) -> Option<String> {
        if let Some(folder) = self.resume.as_ref().filter(|_| hunted.finished == Finished::Exhausted) {
            Unfinished::remove(folder);
        }
        match hunted.unfinished.as_ref()?.write(&self.reporting.findings) {
            Ok(folder) => Some(format!("to go on, give the same command with --resume {}", quoted(folder))),
            Err(error) => {
                crate::output::say!("warning: the search is not kept: {error:#}; {ELSEWHERE}");
                None
            }
        }
    }
}

/// Explores the program of a check for so long: what is found, and what is to be said about it. A program that cannot be
/// explored is no error.
pub fn for_check(
    confirming: &Confirming<'_>,
    (budget, jobs): (Duration, usize),
    view: View,
    hide: &mut dyn FnMut(&mut Report),
) -> anyhow::Result<(Vec<Finding>, Vec<String>)> {
    let searching = Searching::usual(budget, confirming.timeout, jobs);
    match hunt::hunt(&searching, (confirming.program.0, None), (view, confirming.stop)) {
        Err(error) => Ok((Vec::new(), vec![format!("the program could not be explored: {:#}", explained(error))])),
        Ok(hunted) => {
            let confirmed = confirm::all(confirming, (&hunted.failures, hunted.interrupted), hide)?;
            let statement = format!("explored besides: {}", statement::of(&hunted));
            Ok((confirmed.findings, std::iter::once(statement).chain(confirmed.notes).collect()))
        }
    }
}

/// Why nothing could be explored, in words for the user.
fn explained(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref::<ExploreError>() {
        Some(ExploreError::NoThread(status)) => anyhow::anyhow!("{}", statement::no_thread(*status)),
        _ => error,
    }
}
