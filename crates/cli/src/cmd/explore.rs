//! `foretrace explore`: run the program through every order that matters.

use super::check::subject;
use super::interrupt;
use crate::flags;
use crate::scratch::Scratch;
use foretrace_explore::{Budget, Optimal, Goes, run as search};
use foretrace_replay::{Forked, Setup, TimeLimit};
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Run a program through every order of its threads that matters.
#[derive(clap::Args)]
pub struct Args {
    /// The program and its arguments
    #[arg(last = true, value_name = "PROG")]
    command: Vec<OsString>,
    /// Start nothing new after this time
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = flags::time)]
    budget: Duration,
    /// End an execution after this time
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = flags::time)]
    timeout: Duration,
}

/// Explores; the exit code says whether something was found.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let stop = interrupt::flag()?;
    let scratch = Scratch::new("explore-")?;
    let program = subject::program(&args.command)?;
    let limit = TimeLimit { stop: Some(stop), ..args.timeout.into() };
    let mut executor = Forked::new(&program, scratch.path(), Setup { limit, spurious: false, core: 0 })?;
    let mut budget = Budget::unlimited().until(Instant::now() + args.budget);
    let verbose = std::env::var_os("EXPLORE_VERBOSE").is_some();
    let begin = Instant::now();
    let mut ends = std::collections::BTreeMap::new();
    let finished = search(&mut Optimal::default(), &mut executor, &mut budget, |_, execution| {
        if verbose {
            for step in &execution.steps {
                eprintln!(
                    "  t{} {:?} {:x} {:x} {} of {:?}",
                    step.thread.0,
                    step.operation.kind,
                    step.operation.object.0,
                    step.operation.other.0,
                    step.operation.argument,
                    step.enabled
                );
            }
            eprintln!("{:?} pending {:?} races {:?}", execution.end, execution.pending, execution.races);
        }
        *ends.entry(format!("{:?}", execution.end)).or_insert(0u64) += 1;
        Goes::On
    })?;
    let time = begin.elapsed();
    eprintln!(
        "{finished:?} {} executions in {time:.2?}: {:.0} a second; {ends:?}",
        budget.done(),
        budget.done() as f64 / time.as_secs_f64()
    );
    Ok(ExitCode::SUCCESS)
}
