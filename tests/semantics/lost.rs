//! Nothing is lost: programs that die at any moment, and programs with more threads than most.

use crate::build::{Way, build};
use crate::expect::Program;
use crate::run::{open, record, recorded, wait};
use foretrace_event::Random;
use foretrace_event::wire::{Op, Record};
use foretrace_trace::Recording;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn program(name: &str, way: Way, scratch: &Path) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/semantics/lost").join(name);
    build(&Program::read(&path), way, scratch)
}

/// How often each thread did what.
fn counts(recording: &Recording) -> BTreeMap<(u32, Op), u64> {
    let mut counts = BTreeMap::new();
    for (index, thread) in recording.threads().enumerate() {
        for entry in recording.records(index) {
            if let Record::Sync(sync) = entry.unwrap_or_else(|error| panic!("{error}")).record {
                *counts.entry((thread.id, sync.op)).or_default() += 1;
            }
        }
    }
    counts
}

fn total(counts: &BTreeMap<(u32, Op), u64>, op: Op) -> u64 {
    counts.iter().filter(|((_, found), _)| *found == op).map(|(_, count)| count).sum()
}

/// The file in which the program counts: its process id, then for each thread locks, unlocks and posts.
struct Progress(PathBuf);

const THREADS: usize = 4;

impl Progress {
    fn create(path: PathBuf) -> Self {
        std::fs::write(&path, [0; 8 + THREADS * 24]).expect("a scratch file can be written");
        Self(path)
    }

    fn words(&self) -> Vec<u64> {
        let bytes = std::fs::read(&self.0).expect("it was written");
        bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect()
    }

    /// The process id, once all threads have done something.
    fn running(&self) -> u64 {
        let begin = Instant::now();
        loop {
            let words = self.words();
            if words[1..].iter().all(|count| *count > 0) {
                return words[0];
            }
            assert!(begin.elapsed() < Duration::from_secs(30), "the program does not begin");
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

/// Runs the program, kills it after a while, and holds what is recorded against what it has counted.
fn kill_after(executable: &Path, delay: Duration, scratch: &Path) {
    let progress = Progress::create(scratch.join("progress"));
    let directory = scratch.join("recording");
    let mut command = record(&directory);
    let mut child = command.arg(executable).arg(&progress.0).stderr(Stdio::null()).spawn().expect("the tool runs");
    let pid = progress.running();
    std::thread::sleep(delay);
    let killed = Command::new("kill").args(["-KILL", &pid.to_string()]).status().expect("there is a kill");
    assert!(killed.success());
    let status = wait(&mut child).expect("the tool ends with the program");
    assert_eq!(status.code(), Some(128 + 9));
    let counts = counts(&open(&directory));
    for (index, done) in progress.words()[1..].chunks(3).enumerate() {
        for (op, done) in [Op::Lock, Op::Unlock, Op::SemPost].into_iter().zip(done) {
            let recorded = counts.get(&(index as u32 + 1, op)).copied().unwrap_or(0);
            // The operation that was under way when the program died may or may not have been recorded.
            let allowed = *done..=*done + 1;
            assert!(allowed.contains(&recorded), "thread {}: {done} {op:?} done, {recorded} recorded", index + 1);
        }
    }
}

fn killed(way: Way, times: u64) {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    let executable = program("progress.c", way, scratch.path());
    let mut random = Random::new(7 + times);
    for _ in 0..times {
        kill_after(&executable, Duration::from_micros(random.below(4_000)), scratch.path());
    }
}

#[test]
fn killed_at_a_hundred_and_fifty_moments() {
    killed(Way::Gcc, 150);
}

#[test]
fn killed_at_fifty_moments_not_rebuilt() {
    killed(Way::Preload, 50);
}

fn recorded_program(name: &str, way: Way) -> BTreeMap<(u32, Op), u64> {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    let executable = program(name, way, scratch.path());
    let (recording, outcome) = recorded(&executable, &[], &scratch.path().join("recording"));
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{name}");
    assert!(recording.notes().is_empty(), "{name}: {:?}", recording.notes());
    counts(&recording)
}

#[test]
fn five_hundred_threads_at_once() {
    let counts = recorded_program("many.c", Way::Clang);
    for op in [Op::Fork, Op::Join, Op::End, Op::Lock, Op::Unlock, Op::BarrierEnter, Op::BarrierExit] {
        assert_eq!(total(&counts, op), 500, "{op:?}");
    }
}

#[test]
fn twenty_thousand_threads() {
    let counts = recorded_program("short.c", Way::Gcc);
    for op in [Op::Fork, Op::Join, Op::End, Op::Lock, Op::Unlock] {
        assert_eq!(total(&counts, op), 20_000, "{op:?}");
    }
}

#[test]
fn forks_while_threads_run() {
    let counts = recorded_program("forks.c", Way::Gcc);
    assert_eq!(total(&counts, Op::ProcessFork), 100);
    assert_eq!(total(&counts, Op::Lock), total(&counts, Op::Unlock));
    assert_eq!(total(&counts, Op::SignalEnter), total(&counts, Op::SignalExit));
}

#[test]
fn a_storm_of_signals() {
    let counts = recorded_program("storm.c", Way::Gcc);
    for op in [Op::SignalEnter, Op::SignalExit, Op::SemPost, Op::SemWait] {
        assert_eq!(total(&counts, op), 10_000, "{op:?}");
    }
}

/// Its lines went from the small table to the large one, and from there nowhere.
#[test]
fn killed_in_a_segment_of_forty_thousand_lines() {
    for way in [Way::Gcc, Way::Clang] {
        let scratch = tempfile::tempdir().expect("a scratch directory can be made");
        let executable = program("lines.c", way, scratch.path());
        let (recording, outcome) = recorded(&executable, &[], &scratch.path().join("recording"));
        assert_eq!(outcome.code(), 128 + 9);
        let first: u64 = outcome.stdout.trim().parse().expect("it prints where its lines begin");
        let mut seen = BTreeMap::new();
        for entry in recording.records(1) {
            if let Record::Access(access) = entry.unwrap_or_else(|error| panic!("{error}")).record
                && (first..first + 40_000).contains(&access.line)
            {
                let (reads, writes) = seen.entry(access.line).or_insert((0, 0));
                (*reads, *writes) = (*reads | access.reads, *writes | access.writes);
            }
        }
        assert_eq!(seen.len(), 40_000, "{way:?}");
        assert!(seen.values().all(|masks| *masks == (0xff, 0xff << 56)), "{way:?}");
    }
}
