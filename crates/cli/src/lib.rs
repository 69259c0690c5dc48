//! The command line: flags, wiring, exit codes. What is done is decided in the other crates; what is said to the user
//! is said here.
//!
//! One file a subcommand under `cmd`, each with the arguments it takes and a `run` that answers with an exit code: 0
//! for success, 1 for findings, 2 for what could not be done. `record` answers with the code of the program it ran.

#![forbid(unsafe_code)]

mod assets;
mod cmd;
mod environment;
mod flags;
mod identity;
mod lines;
mod output;
mod project;
mod quote;
#[doc(hidden)]
pub mod readers;
mod recording;
mod run;
mod scratch;
mod trust;
mod way;

use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Foretrace predicts concurrency errors in C and C++ programs from one passing run.
///
/// `foretrace check prog.c` compiles a program, runs it once, predicts which data races and deadlocks other interleavings
/// have, and reports those it made happen. To check a program of your own build, build it with `foretrace cc` (or
/// `CC=foretrace-cc`) and say `foretrace check -- ./prog`; `foretrace replay` makes a finding happen again.
#[derive(Parser)]
#[command(name = "foretrace", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Cc(cmd::cc::Args),
    #[command(name = "c++", visible_alias = "cxx")]
    Cxx(cmd::cc::Args),
    Record(cmd::record::Args),
    Predict(cmd::predict::Args),
    Trace(cmd::trace::Args),
    Csp(cmd::csp::Args),
    Symbolic(cmd::questions::Args),
    Monitor(cmd::monitor::Args),
    Check(cmd::check::Args),
    Explore(cmd::explore::Args),
    Replay(cmd::replay::Args),
    Report(cmd::report::Args),
    Explain(cmd::explain::Args),
    Doctor(cmd::doctor::Args),
    IncludeDir(cmd::include_dir::Args),
    Completions(cmd::shell::Completions),
    Man(cmd::shell::Man),
}

/// What could not be done at all.
const FAILED: u8 = 2;

/// The program under its own name, or under the name it was called by.
pub fn main() -> ExitCode {
    let called = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&called).file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    main_as(&name)
}

/// The stack that the tool runs on at least, in bytes.
const STACK: usize = 8 << 20;

/// The program under the given name. Where the first thread has little stack (`ulimit -s`), on a thread with more.
pub fn main_as(name: &str) -> ExitCode {
    foretrace_replay::share_one_arena();
    let limit = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    if limit.is_none_or(|limit| limit >= STACK as u64) {
        return run_as(name);
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || run_as(name));
        thread.map_or_else(|_| run_as(name), |thread| thread.join().unwrap_or(ExitCode::from(FAILED)))
    })
}

fn run_as(name: &str) -> ExitCode {
    outlive_full_files();
    warn_of_unknown_variables();
    let args = std::env::args_os();
    let outcome = match name {
        "foretrace-cc" => cmd::cc::run(foretrace_cc::Driver::C, &compiler_args(args)),
        "foretrace-c++" | "foretrace-cxx" => cmd::cc::run(foretrace_cc::Driver::Cxx, &compiler_args(args)),
        _ => completed(args.collect()).and_then(|args| dispatch(Cli::parse_from(args).command)),
    };
    outcome.unwrap_or_else(|error| {
        if output::reader_left(&error) {
            return ExitCode::SUCCESS;
        }
        output::say!("{}", in_one_line(&error));
        ExitCode::from(FAILED)
    })
}

/// The arguments with what the project's file says besides.
fn completed(args: Vec<OsString>) -> anyhow::Result<Vec<OsString>> {
    let commands = Cli::command();
    match project::Project::find(&commands)? {
        Some(project) => project.complete(&commands, args),
        None => Ok(args),
    }
}

/// The specifications of events that the project's file names for the compiler wrapper.
pub(crate) fn project_events(driver: foretrace_cc::Driver) -> anyhow::Result<Vec<std::path::PathBuf>> {
    let wrapper = if driver == foretrace_cc::Driver::C { "cc" } else { "c++" };
    Ok(project::Project::find(&Cli::command())?.map(|project| project.events(wrapper)).unwrap_or_default())
}

/// A file that may not become so large (`ulimit -f`) is an error of a write, not the end of the tool. The signal is caught
/// rather than ignored, because programs that we start inherit what is ignored.
fn outlive_full_files() {
    let nobody_looks = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, nobody_looks);
}

/// The error and its causes; many errors repeat their cause themselves.
fn in_one_line(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |line, cause| match line.as_str() {
        "" => cause,
        said if said.contains(&cause) => line,
        said => format!("{said}: {cause}"),
    })
}

fn dispatch(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Cc(args) => cmd::cc::run(foretrace_cc::Driver::C, &args.args),
        Command::Cxx(args) => cmd::cc::run(foretrace_cc::Driver::Cxx, &args.args),
        Command::Record(args) => cmd::record::run(&args),
        Command::Csp(args) => cmd::csp::run(&args),
        Command::Symbolic(args) => cmd::questions::run(&args),
        Command::Monitor(args) => cmd::monitor::run(&args),
        Command::Predict(args) => cmd::predict::run(&args),
        Command::Trace(args) => cmd::trace::run(&args),
        Command::Check(args) => cmd::check::run(&args, (cmd::besides::add, cmd::besides::ruled_out)),
        Command::Explore(args) => cmd::explore::run(&args),
        Command::Replay(args) => cmd::replay::run(&args),
        Command::Report(args) => cmd::report::run(&args),
        Command::Explain(args) => cmd::explain::run(&args),
        Command::Doctor(args) => cmd::doctor::run(&args),
        Command::IncludeDir(_) => cmd::include_dir::run(),
        Command::Completions(args) => cmd::shell::completions(&args, Cli::command()),
        Command::Man(args) => cmd::shell::man(&args, Cli::command()),
    }
}

fn compiler_args(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    args.skip(1).collect()
}

fn warn_of_unknown_variables() {
    let names: Vec<String> = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
    for name in foretrace_cc::unknown_variables(names.iter().map(String::as_str)) {
        let known: Vec<_> = foretrace_cc::VARIABLES.iter().map(|(name, _)| *name).collect();
        crate::output::say!("{name} is not a variable of Foretrace; there are {}", known.join(", "));
    }
}
