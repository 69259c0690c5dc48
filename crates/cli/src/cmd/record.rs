//! `foretrace record`: runs a program and writes down what its threads do.

use crate::environment::Environment;
use crate::flags;
use crate::recording;
use crate::run::Run;
use crate::way::{Way, find_program, way_into};
use anyhow::Context;
use foretrace_replay::{Input, spawn};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::{SignalsInfo, exfiltrator::WithOrigin};
use signal_hook::low_level::siginfo::Cause;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant, SystemTime};

/// Run a program and record what its threads do.
///
/// The program keeps its own input and output, and its exit code is passed on (128 plus the signal's number if a signal
/// killed it). A program built with `foretrace cc` or with gcc's -fsanitize=thread is recorded in full; of any other
/// dynamically linked program, only the synchronisation is recorded. If `foretrace` itself is killed, so is the program.
///
/// When `main` returns while other threads still run, the program waits for them for a while (--linger).
#[derive(clap::Args)]
pub struct Args {
    /// Write the recording to this directory; an older recording there is replaced
    #[arg(short, long, value_name = "DIR", default_value = recording::DEFAULT)]
    output: PathBuf,
    /// Stop recording at this size (such as 500M or 2G); the program runs on
    #[arg(long, value_name = "SIZE", value_parser = flags::size)]
    limit: Option<u64>,
    /// Record every code location of a memory access; the recording is larger, and the program slower
    #[arg(long)]
    locations: bool,
    /// Record the time of day for `foretrace monitor --time clock`; takes 4 ms when the first thread is created
    #[arg(long)]
    clock: bool,
    /// At the end of `main`, wait up to this time for threads that still run (such as 500ms or 2s)
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = flags::time)]
    linger: Duration,
    /// Also record processes that the program forks
    #[arg(long)]
    follow_fork: bool,
    /// The program and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "PROG")]
    command: Vec<OsString>,
}

/// Runs the program; the exit code is its own.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let program = find_program(&args.command[0])?;
    let way = way_into(&program)?;
    let directory = recording::prepare(&args.output)?;
    let mut run = Run {
        program: &program,
        command: &args.command,
        way: way.name(),
        started: SystemTime::now(),
        input: Input::own_file(),
        client: None,
        process: None,
        ended: None,
    };
    run.write(&directory)?;
    let status = execute(args, &program, way, &directory, &mut run)?;
    fold(&directory);
    let own = run.process.map_or(directory.clone(), |process| recording::of_process(&directory, process));
    if own != directory {
        run.write(&own)?;
        crate::output::say!(
            "a forked process made threads before the program did, and was recorded in its place; the program's"
        );
        crate::output::say!("own recording is {}", own.display());
    }
    if !recording::has_events(&directory) {
        let why = match recording::unwritten(&directory) {
            Some(error) => format!("nothing could be recorded: {error}"),
            None if directory.join("events").exists() => "not even its first events could be written".to_owned(),
            None => "the program made no thread that could be recorded".to_owned(),
        };
        crate::output::say!("{why}; {} holds no events", args.output.display());
    }
    Ok(exit_code(status))
}

/// Puts what the program left open into its recordings, but for those that daemons are writing. The program's exit code
/// stands, whatever comes of it.
fn fold(directory: &Path) {
    let recordings = std::iter::once(directory.to_owned()).chain(recording::children(directory));
    for recording in recordings.filter(|recording| recording::has_events(recording)) {
        if let Err(error) = foretrace_trace::fold(&recording) {
            crate::output::say!("{error}");
        }
    }
}

fn execute(args: &Args, program: &Path, way: Way, directory: &Path, run: &mut Run) -> anyhow::Result<ExitStatus> {
    let signals = signals()?;
    let begin = Instant::now();
    let mut child = start(args, program, way, directory)?;
    run.process = Some(child.id());
    let handle = signals.handle();
    let forwarder = forward(signals, &child);
    let status = child.wait().context("cannot wait for the program")?;
    handle.close();
    let _ = forwarder.join();
    run.ended = Some((status, begin.elapsed()));
    // The program's exit code stands, even if its directory has gone away meanwhile.
    if let Err(error) = run.write(directory) {
        crate::output::say!("{error:#}");
    }
    Ok(status)
}

/// Holds back signals that may be meant for the program.
pub fn signals() -> anyhow::Result<SignalsInfo<WithOrigin>> {
    SignalsInfo::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]).context("cannot handle signals")
}

fn start(args: &Args, program: &Path, way: Way, directory: &Path) -> anyhow::Result<Child> {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(program);
    command.arg0(&args.command[0]).args(&args.command[1..]);
    command.env("FORETRACE_RUNTIME", settings(args, directory)).env("FORETRACE_TOOL", std::process::id().to_string());
    command.envs(way.environment(&Environment::own())?);
    // The program ends when we do: nobody would record how it ends.
    spawn(&mut command).with_context(|| format!("cannot run {}", program.display()))
}

/// What the runtime is told. The directory comes last because it takes the rest of the line.
fn settings(args: &Args, directory: &Path) -> OsString {
    let mut settings = OsString::from(format!(
        "record limit={} linger={} locations={} clock={} follow={} dir=",
        args.limit.unwrap_or(0),
        args.linger.as_millis(),
        u8::from(args.locations),
        u8::from(args.clock),
        u8::from(args.follow_fork)
    ));
    settings.push(directory);
    settings
}

/// Passes on the signals that were sent to us alone. Those of the terminal reach the program by themselves.
pub fn forward(mut signals: SignalsInfo<WithOrigin>, child: &Child) -> std::thread::JoinHandle<()> {
    let child = rustix::process::Pid::from_child(child);
    std::thread::spawn(move || {
        for origin in signals.forever().filter(|origin| matches!(origin.cause, Cause::Sent(_))) {
            if let Some(signal) = rustix::process::Signal::from_named_raw(origin.signal) {
                let _ = rustix::process::kill_process(child, signal);
            }
        }
    })
}

fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}
