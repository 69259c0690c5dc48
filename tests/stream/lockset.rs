//! The lockset algorithm over every program of the corpus: the native analysis, the specification without parameters, with
//! and without Eraser's states, and the paper's templates with and without sets must agree on every address.
//!
//! `CORPUS=fail/locks` checks only the programs whose names contain that. Without it, every third program is checked, to save
//! time; `CORPUS=/` checks all of them.

#![forbid(unsafe_code)]

use foretrace_causality::{Discipline, Eraser};
use foretrace_event::wire::{Op, Record};
use foretrace_stream::templates::{Fixed, WITH_MAPS, WITH_STATES, with_sets, without_sets};
use foretrace_testkit::corpus::{Specimen, specimens};
use foretrace_trace::Recording;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Seconds after which a program is taken to hang.
const LIMIT: &str = "60";
/// Addresses of each verdict for which the templates are unfolded.
const SOME: usize = 4;

type Addresses = BTreeSet<u64>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace has a root")
}

/// A scratch directory with a recording of one program.
struct Subject {
    scratch: tempfile::TempDir,
}

impl Subject {
    fn foretrace(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("timeout");
        command.arg(LIMIT).arg(env!("CARGO_BIN_EXE_foretrace")).args(arguments).current_dir(self.scratch.path());
        command.env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        command.output().expect("the tool runs")
    }

    fn record(specimen: &Specimen) -> Result<Subject, String> {
        let subject = Subject { scratch: tempfile::tempdir().expect("a scratch directory can be made") };
        let source = specimen.path.to_str().ok_or("a strange name")?;
        let driver = if specimen.is_cxx() { "c++" } else { "cc" };
        let flags = specimen.flags().map_err(|error| error.to_string())?;
        let own = [driver, "-g", "-O0", "-pthread", source, "-o", "prog"];
        let built = subject.foretrace(&own.into_iter().chain(flags.iter().map(String::as_str)).collect::<Vec<_>>());
        if !built.status.success() {
            return Err(said(&built));
        }
        // What the program answers is its own matter; it is the recording that counts.
        let run = subject.foretrace(&["record", "-o", "run.ft", "./prog"]);
        subject.scratch.path().join("run.ft/events").exists().then_some(subject).ok_or_else(|| said(&run))
    }

    /// The values of the events of some streams, with a specification over the recording.
    fn monitor(&self, spec: &str, streams: &[String]) -> Result<Vec<Addresses>, String> {
        std::fs::write(self.scratch.path().join("spec.tessla"), spec).expect("a file can be written");
        let output = self.foretrace(&["monitor", "spec.tessla", "run.ft"]);
        if !matches!(output.status.code(), Some(0 | 1)) {
            return Err(said(&output));
        }
        let mut found = vec![Addresses::new(); streams.len()];
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Some((name, value)) = line.split_once(": ").and_then(|(_, event)| event.split_once(" = ")) else {
                continue;
            };
            if let Some(at) = streams.iter().position(|stream| stream == name) {
                found[at].insert(value.parse().map_err(|_| line.to_owned())?);
            }
        }
        Ok(found)
    }
}

fn said(output: &Output) -> String {
    format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr))
}

/// What a recording has: its threads besides the main one, and its locks.
fn sizes(recording: &Recording) -> (usize, usize) {
    let mut locks = BTreeSet::new();
    for (_, entry) in recording.merged().flatten() {
        if let Record::Sync(sync) = entry.record
            && matches!(sync.op, Op::Lock | Op::RdLock)
        {
            locks.insert(sync.object);
        }
    }
    (recording.threads().len().saturating_sub(1), locks.len())
}

/// Compares all verdicts on one program; says how many addresses were unguarded.
fn compare(specimen: &Specimen) -> Result<usize, String> {
    let subject = Subject::record(specimen)?;
    let recording = Recording::open(&subject.scratch.path().join("run.ft")).map_err(|error| error.to_string())?;
    let native = |discipline| Eraser::unguarded(&recording, discipline).map_err(|error| error.to_string());

    let streams = ["address".to_owned(), "error_address".to_owned()];
    let found = subject.monitor(&format!("{WITH_MAPS}out address\n"), &streams)?;
    let (addresses, maps) = (&found[0], &found[1]);
    // The specifications know variables by their first byte, the native analysis knows every byte.
    let of = |bytes: Addresses| bytes.intersection(addresses).copied().collect::<Addresses>();
    equal("the specification with maps", maps, &of(native(Discipline::Shared)?))?;
    let states = subject.monitor(WITH_STATES, &streams)?.swap_remove(1);
    equal("the specification with states", &states, &of(native(Discipline::States)?))?;

    let every = of(native(Discipline::Every)?);
    let (threads, locks) = sizes(&recording);
    let some = every.iter().take(SOME).chain(addresses.difference(&every).take(SOME));
    let variables: Vec<String> = some.map(u64::to_string).collect();
    if variables.is_empty() {
        return Ok(0);
    }
    let lines: Vec<String> = variables.iter().map(|address| format!("error_{address}_in_line")).collect();
    let fixed = Fixed { threads, variables: variables.clone() };
    for (what, spec) in [("with sets", with_sets(&fixed)), ("without sets", without_sets(&fixed, locks))] {
        for (address, events) in variables.iter().zip(subject.monitor(&spec, &lines)?) {
            let expected = every.contains(&address.parse().expect("it was a number"));
            if events.is_empty() == expected {
                return Err(format!("the template {what} says {} of {address}", !expected));
            }
        }
    }
    Ok(every.len())
}

fn equal(what: &str, found: &Addresses, expected: &Addresses) -> Result<(), String> {
    let odd: Vec<_> = found.symmetric_difference(expected).take(5).map(|address| format!("{address:#x}")).collect();
    if odd.is_empty() { Ok(()) } else { Err(format!("{what} and the native analysis differ at {}", odd.join(", "))) }
}

#[test]
fn every_form_of_the_lockset_algorithm_says_the_same_of_every_program() {
    let only = std::env::var("CORPUS").unwrap_or_default();
    let mut all = specimens(&root().join("tests/programs")).expect("the corpus is there");
    let mut number = 0;
    all.retain(|specimen| {
        number += 1;
        if only.is_empty() { number % 3 == 0 } else { specimen.name.contains(&only) }
    });
    let (next, unguarded) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(specimen) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match compare(specimen) {
                        Ok(count) => drop(unguarded.fetch_add(count.min(1), Ordering::Relaxed)),
                        Err(why) => wrong.lock().unwrap().push(format!("{}: {why}", specimen.name)),
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    // Both verdicts occur: most programs of either kind have data that no lock guards, initialisation included.
    assert!(!only.is_empty() || unguarded.into_inner() > 30, "hardly any program has an unguarded address");
}
