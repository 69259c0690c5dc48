//! What is checked: a program that was compiled, or one as it is, and a recording of it.

use super::Args;
use crate::cmd::interrupt;
use crate::cmd::memory;
use crate::cmd::progress::Later;
use crate::cmd::properties::Asked;
use crate::cmd::sources::{Build, program};
use crate::cmd::watchdog::{Watched, watch};
use crate::quote::quoted_all;
use crate::recording;
use crate::run::{Run, announce, recorded_program};
use crate::way::way_into;
use anyhow::{Context, bail};
use foretrace_event::layout::Flags;
use foretrace_predict::stream;
use foretrace_replay::{Input, PlanText, Program, TimeLimit, run_beside};
use foretrace_run::{CutShort, Death, Ended, Modules, Outcome};
use foretrace_trace::{Limits, Module, Recording, RecordingWriter, Symbols, Trace};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::ops::Range;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// What is checked.
pub struct Subject {
    /// How to run it.
    pub program: Program,
    /// Where the recording is.
    pub recording: PathBuf,
    /// What it says.
    pub trace: Trace,
    /// Where files were mapped in it.
    pub modules: Modules,
    /// Where it has declared races to be harmless.
    pub benign: Vec<Range<u64>>,
    /// The names of its addresses.
    pub symbols: Symbols,
    /// How the recorded run ended, in words.
    pub exit: String,
    /// It was ended because it took too long, or could not go on, or by Ctrl-C.
    pub cut_short: bool,
    /// It crashed, or could not go on.
    pub death: Option<String>,
    /// It was killed from outside, for example by the kernel when memory was short, so what it would have done is unknown.
    pub killed: bool,
    /// When the reading of the recording began; the budget counts from then.
    pub began: Instant,
    /// How long it took.
    pub time: Duration,
    /// The program was compiled for this check and goes away with it.
    pub compiled: bool,
    /// Why races cannot be looked for, if so.
    pub blind: Option<&'static str>,
    /// What is left out of a long recording, if anything.
    pub left_out: Option<String>,
    /// The plan of an exploration that was run, if it was one.
    pub plan: Option<PlanText>,
    /// The user's own properties.
    pub properties: Asked,
}

/// From this many bytes on, a recording is long.
const LONG: u64 = 1 << 20;
/// Lines of memory that are looked at, of those that are used at the same places.
const LINES: usize = 64;

/// The trace of a recording, and what it leaves out. A long recording is first read as a stream: only memory that could race
/// is kept, and of memory that is used at the same places, some.
pub fn read(recording: &Recording) -> anyhow::Result<(Trace, Option<String>)> {
    if recording.size() < LONG {
        return Ok((recording.trace()?, None));
    }
    let streamed = stream::candidates(recording)?;
    let (lines, all) = (streamed.some_of_each_kind(LINES), streamed.lines.len());
    let left_out = (lines.len() < all).then(|| {
        let looked_at = lines.len();
        format!("of {all} lines of memory that could race, {looked_at} were examined: {LINES} for each pair of places")
    });
    Ok((recording.trace_of_lines(lines)?, left_out))
}

/// How long a replay may take no step while its threads run, after a run that took so long.
fn patience(run: Duration) -> Duration {
    const LEAST: Duration = Duration::from_millis(250);
    const MOST: Duration = Duration::from_secs(120);
    (run.min(MOST) * 4).clamp(LEAST, MOST)
}

impl Subject {
    /// Builds and records as the arguments say.
    pub fn new(args: &Args, scratch: &Path, stop: &'static AtomicBool) -> anyhow::Result<Self> {
        let properties = Asked::read(&args.property)?;
        let records = !properties.is_empty();
        if let Some(directory) = &args.recording {
            let recording = Recording::open(directory)?.within(limits(args, stop));
            let program = Program { records, ..recorded_program(directory, args.trust)? };
            announce(&program);
            let _watched = reading(args, stop);
            return Ok(Self { properties, ..Self::of(program, recording, directory.clone(), None)? });
        }
        let events = if args.sources.are_compiled() { properties.write_events(scratch)? } else { Vec::new() };
        let events = args.events.iter().cloned().chain(events).collect();
        let build = Build {
            reporting: Some(&args.reporting),
            quiet: args.view.quiet,
            verbose: args.view.verbose,
            branches: false,
            events,
        };
        let (command, compiled) = args.sources.command(scratch, &build)?;
        let mut program = Program { linger: args.linger, client: args.client.clone(), records, ..program(&command)? };
        let (directory, ended) = record(args, &mut program, &scratch.join("recording.ft"), stop)?;
        let _watched = reading(args, stop);
        let recording = Recording::open(&directory)?.within(limits(args, stop));
        program.started_only = recording.header().pid == u64::from(ended.process);
        Ok(Self { compiled, properties, ..Self::of(program, recording, directory, Some(ended))? })
    }

    /// Of a recording that has been made.
    pub fn of(program: Program, recording: Recording, path: PathBuf, ended: Option<Ended>) -> anyhow::Result<Self> {
        let began = Instant::now();
        let (mut trace, left_out) = read(&recording).map_err(memory::explain)?;
        let symbols = Symbols::new(&recording);
        symbols.name(&mut trace);
        let number = |key: &str| recording.run().get(key).and_then(|value| value.parse::<u64>().ok());
        let time = ended.map_or(Duration::from_millis(number("milliseconds").unwrap_or(0)), |ended| ended.time);
        Ok(Self {
            program: Program { patience: patience(time), ..program },
            recording: path,
            modules: Modules::new(recording.modules().to_vec()),
            benign: recording.benign().to_vec(),
            exit: ended.as_ref().map_or_else(String::new, how),
            death: ended.as_ref().and_then(death),
            killed: ended.as_ref().is_some_and(was_killed),
            cut_short: ended.is_some_and(|ended| ended.cut_short.is_some()),
            time,
            compiled: false,
            began,
            blind: blind(&recording),
            left_out,
            plan: None,
            properties: Asked::default(),
            trace,
            symbols,
        })
    }

    /// Was the run ended before there was anything to check?
    pub fn is_ended_early(&self) -> bool {
        self.cut_short && self.trace.threads().len() < 2
    }

    /// Threads that were created and of which nothing was seen before the program ended, by name.
    pub fn never_ran(&self) -> Vec<String> {
        let idle = self.trace.threads().filter(|thread| self.trace.len(*thread) == 0);
        idle.map(|thread| self.trace.name(thread)).collect()
    }

    /// Would the program have done something that was not recorded?
    pub fn is_partial(&self) -> bool {
        self.killed || self.is_ended_early() || !self.never_ran().is_empty()
    }

    /// Where relative names of source files are looked for.
    pub fn base(&self) -> PathBuf {
        self.program.directory.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default()
    }

    /// What was run, as a shell reads it; a program compiled for the check goes by its name alone.
    pub fn command_line(&self) -> String {
        let mut words: Vec<&OsStr> = self.program.command.iter().map(AsRef::as_ref).collect();
        if let Some(first) = words.first_mut().filter(|_| self.compiled) {
            let whole: &OsStr = first;
            *first = Path::new(whole).file_name().unwrap_or(whole);
        }
        quoted_all(words)
    }
}

/// What ends the reading of a recording: a signal, or too much memory.
fn limits(args: &Args, stop: &'static AtomicBool) -> Limits {
    Limits { stop: Some(stop), memory: Some(args.memory.watch()), deadline: None }
}

/// Reading is held to the budget, which begins here, and to signals.
fn reading(args: &Args, stop: &'static AtomicBool) -> Watched {
    watch("reading the recording", stop, args.budget.map(|budget| Instant::now() + budget))
}

/// Why races cannot be found in a recording, if so: its accesses were not recorded, or what orders them was not.
fn blind(recording: &Recording) -> Option<&'static str> {
    let is_openmp = |module: &Module| {
        let name = module.path.file_name().map(OsStr::as_encoded_bytes).unwrap_or_default();
        OPENMP.iter().any(|library| name.starts_with(library.as_bytes()))
    };
    if !recording.header().flags.has(Flags::ACCESSES) {
        Some("the program was built neither with foretrace cc nor with gcc's -fsanitize=thread")
    } else if recording.modules().iter().any(is_openmp) {
        Some("the program uses OpenMP, whose runtime synchronises where it cannot be seen")
    } else {
        None
    }
}

/// The runtimes of gcc, clang and Intel's compilers.
const OPENMP: [&str; 3] = ["libgomp.so", "libomp.so", "libiomp5.so"];

fn how(ended: &Ended) -> String {
    let time = ended.time;
    match (ended.cut_short, ended.status.code(), ended.status.signal()) {
        (Some(CutShort::TimeUp), ..) => format!("the program was ended after {time:.0?}"),
        (Some(CutShort::Stuck), ..) => format!("the program could not go on and was ended after {time:.0?}"),
        (Some(CutShort::Outside), ..) => format!("the program waited for input and was ended after {time:.0?}"),
        (Some(CutShort::Served), ..) => "the program was ended after its client".to_owned(),
        (Some(CutShort::Stopped), ..) => format!("the program was interrupted after {time:.0?}"),
        (None, Some(code), _) => format!("the program ended with {code}"),
        (None, None, signal) => format!("the program was killed by signal {}", signal.unwrap_or_default()),
    }
}

const SIGKILL: i32 = 9;

/// Was it ended from outside by SIGKILL?
fn was_killed(ended: &Ended) -> bool {
    ended.cut_short.is_none() && ended.status.signal() == Some(SIGKILL)
}

/// The cause of death of the recorded run, as far as its exit status shows it.
fn death(ended: &Ended) -> Option<String> {
    if ended.cut_short == Some(CutShort::Stuck) {
        return Some("the program stood still".to_owned());
    }
    Death::of(ended, &Outcome::default(), "").map(|death| death.cause.name().to_owned())
}

/// Records a run; where, and how it ended.
fn record(
    args: &Args,
    program: &mut Program,
    directory: &Path,
    stop: &'static AtomicBool,
) -> anyhow::Result<(PathBuf, Ended)> {
    let directory = recording::prepare(directory)?;
    let linger = program.linger.as_millis();
    let mut settings = OsString::from(format!("record limit=0 linger={linger} locations=0 follow=0 dir="));
    settings.push(&directory);
    let started = SystemTime::now();
    let mut command = program.with_settings(&settings);
    let copy = directory.with_extension("input");
    program.input = Input::first(&mut command, &copy).context("cannot save the input of the program")?;
    let limit = TimeLimit { stop: Some(stop), standstill: true, ..args.timeout.into() };
    let news = (!args.view.quiet)
        .then(|| Later::new(|| crate::output::say!("recording; Ctrl-C ends the program, and what it did is checked")));
    let ended =
        run_beside(command.stdout(args.reporting.output_of_program()), limit, &|| false, program.client.as_deref())
            .with_context(|| format!("cannot run {}", program.path.display()))?;
    drop(news);
    // Ctrl-C has ended the recording; the next one ends the check. Other signals mean all of it.
    if interrupt::was_ctrl_c() {
        stop.store(false, Ordering::Relaxed);
    }
    let way = way_into(&program.path)?.name();
    let input = program.input.clone();
    let (process, ended_so) = (Some(ended.process), Some((ended.status, ended.time)));
    let client = program.client.clone();
    let run = Run {
        program: &program.path,
        command: &program.command,
        way,
        started,
        input,
        client,
        process,
        ended: ended_so,
    };
    let directory = recording::of_process(&directory, ended.process);
    run.write(&directory)?;
    foretrace_trace::fold(&directory)?;
    if !recording::has_events(&directory) {
        let events = directory.join("events");
        if let Some(error) = recording::unwritten(&directory) {
            bail!("nothing could be recorded, and nothing was checked: {error}");
        }
        if events.exists() {
            bail!("not even the first events could be written to {}", directory.display());
        }
        // It has made no thread.
        RecordingWriter::new(File::create(&events)?, 0)?.finish()?;
    }
    Ok((directory, ended))
}
