//! Gate, sink and watch in one run: a steered run that is recorded, and a recorded run that is watched.

use crate::build::{Way, build};
use crate::expect::Program;
use crate::run::{finish, open, recorded};
use foretrace_event::wire::{Op, Record};
use foretrace_event::{Event, EventId, ThreadId};
use foretrace_finding::Schedule;
use foretrace_run::Enforced;
use foretrace_trace::{Recording, Trace};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn program(way: Way, scratch: &Path) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/semantics/axes/counters.c");
    build(&Program::read(&path), way, scratch)
}

/// Runs a program with these settings of the runtime and a directory for what it writes.
fn run(program: &Path, settings: &str, directory: &Path) -> Recording {
    fs::create_dir_all(directory).expect("a scratch directory can be made");
    let mut command = Command::new(program);
    command.env("FORETRACE_RUNTIME", format!("{settings} linger=1000 dir={}", directory.display()));
    command.env("FORETRACE_TOOL", std::process::id().to_string());
    let outcome = finish(&mut command, directory);
    assert_eq!(outcome.code(), 0, "{settings}: {}", outcome.stderr);
    open(directory)
}

/// What the watch and the gate say.
fn answer(directory: &Path) -> String {
    fs::read_to_string(directory.join("outcome")).expect("there is an answer")
}

/// The operations of each thread, without memory that comes and goes.
fn operations(recording: &Recording) -> BTreeMap<u32, Vec<Op>> {
    let mut operations: BTreeMap<u32, Vec<Op>> = BTreeMap::new();
    for (index, thread) in recording.threads().enumerate() {
        for entry in recording.records(index) {
            if let Record::Sync(sync) = entry.expect("a record").record
                && !matches!(sync.op, Op::Alloc | Op::Free)
            {
                operations.entry(thread.id).or_default().push(sync.op);
            }
        }
    }
    operations
}

/// All accesses: each thread's bytes read and written.
fn bytes(recording: &Recording) -> BTreeMap<u32, (u32, u32)> {
    let mut bytes: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for (index, thread) in recording.threads().enumerate() {
        for entry in recording.records(index) {
            if let Record::Access(access) = entry.expect("a record").record {
                let (reads, writes) = bytes.entry(thread.id).or_default();
                *reads += access.reads.count_ones();
                *writes += access.writes.count_ones();
            }
        }
    }
    bytes
}

#[test]
fn a_recorded_run_can_be_watched() {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    for way in [Way::Gcc, Way::Clang] {
        let program = program(way, scratch.path());
        for watch in ["segments", "accesses"] {
            let directory = scratch.path().join(format!("{}-{watch}", way.name()));
            let settings = format!("record watch={watch}");
            let recording = run(&program, &settings, &directory);
            let answer = answer(&directory);
            assert!(answer.lines().any(|line| line.starts_with("race ")), "{way:?} {watch}: {answer}");
            let operations = operations(&recording);
            assert_eq!(operations.len(), 3, "{way:?} {watch}");
            assert_eq!(operations[&0], [Op::Start, Op::Fork, Op::Fork, Op::Join, Op::Join, Op::Exit]);
            assert_eq!(operations[&1].iter().filter(|op| **op == Op::AtomicRmw).count(), 1);
            let bytes = bytes(&recording);
            assert!([1, 2].iter().all(|thread| bytes[thread].1 >= 8), "{way:?} {watch}: both counters, {bytes:?}");
        }
    }
}

/// A thread's events up to the one that is the last of `count` of this kind.
fn up_to(trace: &Trace, thread: usize, count: usize, is_one: impl Fn(Event) -> bool) -> Vec<EventId> {
    let thread = ThreadId::from_index(thread);
    let events = (0..trace.len(thread)).map(|index| EventId { thread, index });
    let found = events.clone().filter(|event| is_one(trace.event(*event))).nth(count - 1);
    let last = found.expect("there are as many").index;
    events.take_while(|event| event.index <= last).collect()
}

/// Both threads are created, and then the second one takes the lock first.
fn second_first(trace: &Trace) -> Schedule {
    let mut order = up_to(trace, 0, 2, |event| matches!(event, Event::Fork(_)));
    order.extend(up_to(trace, 2, 1, |event| matches!(event, Event::Lock(..))));
    order.into_iter().collect()
}

#[test]
fn a_steered_run_can_be_recorded() {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    for way in [Way::Gcc, Way::Clang] {
        let program = program(way, scratch.path());
        let (recording, _) = recorded(&program, &[], &scratch.path().join(format!("{}-free", way.name())));
        let trace = recording.trace().expect("a trace");
        let enforced = Enforced::new(&trace, &second_first(&trace)).expect("it can be enforced");
        for (number, exact) in [(0, 1), (1, 0), (2, 1)] {
            let directory = scratch.path().join(format!("{}-steered-{number}", way.name()));
            fs::create_dir_all(&directory).expect("a scratch directory can be made");
            fs::write(directory.join("schedule"), enforced.to_bytes()).expect("a schedule can be written");
            let settings = format!("replay exact={exact} loose=0 only_started=1 sink=recording");
            let steered = run(&program, &settings, &directory).trace().expect("a trace");
            let answer = answer(&directory);
            assert!(answer.lines().any(|line| line == "end"), "{way:?}: {answer}");
            let lock = |thread| up_to(&steered, thread, 1, |event| matches!(event, Event::Lock(..))).pop();
            let first = |thread| steered.stamp(lock(thread).expect("a lock"));
            assert!(first(2) < first(1), "{way:?}: the second thread takes the lock first");
        }
    }
}
