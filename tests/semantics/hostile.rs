//! Programs that do not make it easy: they close descriptors, set limits, bring allocators, are built strangely.

use crate::build::{Way, build};
use crate::expect::Program;
use crate::run::{Outcome, finish, foretrace, open, record};
use foretrace_event::wire::{Op, Record};
use foretrace_trace::{Note, Recording, RecordingError};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A program, and with what it is compiled.
fn program(name: &str, flags: &[&str]) -> Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/semantics").join(name);
    let mut program = Program::read(&path);
    program.flags.extend(flags.iter().map(|flag| (*flag).to_owned()));
    program
}

/// Builds a program, records it, and says where.
fn run(name: &str, flags: &[&str], args: &[&str], scratch: &TempDir) -> (PathBuf, Outcome) {
    let executable = build(&program(name, flags), Way::Gcc, scratch.path());
    let directory = scratch.path().join("recording");
    let outcome = finish(record(&directory).arg(executable).args(args), &directory);
    (directory, outcome)
}

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a scratch directory can be made")
}

fn locks(recording: &Recording) -> usize {
    let entries = (0..recording.threads().len()).flat_map(|index| recording.records(index));
    entries.filter(|entry| matches!(entry, Ok(entry) if is_lock(&entry.record))).count()
}

fn is_lock(record: &Record) -> bool {
    matches!(record, Record::Sync(sync) if sync.op == Op::Lock)
}

#[test]
fn descriptors_are_closed_and_used_for_other_files() {
    let scratch = scratch();
    let place = scratch.path().to_str().expect("scratch directories have plain names").to_owned();
    let (directory, outcome) = run("hostile/closes.c", &[], &[&place], &scratch);
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""));
    let recording = open(&directory);
    assert_eq!(locks(&recording), 200_000);
    assert_eq!(recording.notes(), []);
}

#[test]
fn first_calls_in_several_threads() {
    let scratch = scratch();
    let executable = build(&program("hostile/first_calls.c", &[]), Way::Gcc, scratch.path());
    let outcome = finish(&mut Command::new(executable), &scratch.path().join("run"));
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""));
}

/// Whichever function is called first, and wherever: the program does what it does without the runtime.
#[test]
fn first_calls_in_every_place() {
    let places = ["preinit", "constructor", "main", "handler", "child", "thread", "thread's end", "exit", "destructor"];
    let scratch = scratch();
    for way in [Way::Preload, Way::Gcc, Way::Clang, Way::Tsan] {
        let executable = build(&program("hostile/earliest.c", &["-ldl"]), way, scratch.path());
        for place in places {
            let directory = scratch.path().join("recording");
            let outcome = finish(record(&directory).arg(&executable).arg(place), &directory);
            let said = format!("called in {place}\n");
            assert_eq!((outcome.code(), outcome.stdout, outcome.stderr.as_str()), (0, said, ""), "{way:?} {place}");
            if way != Way::Tsan {
                let outcome = finish(Command::new(&executable).arg(place), &directory);
                assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{way:?} {place}, not recorded");
            }
        }
    }
}

/// The loader asks a library which variant of its function it wants, and that library calls functions that the runtime
/// stands in front of, before the runtime has been relocated.
#[test]
fn calls_before_relocation() {
    let scratch = scratch();
    let path = scratch.path().to_str().expect("scratch directories have plain names").to_owned();
    let resolver = program("hostile/resolver.c", &["-shared", "-fPIC", "-O1", "-Wl,-z,lazy"]);
    let library = build(&resolver, Way::Preload, scratch.path());
    std::fs::rename(library, scratch.path().join("libresolver.so")).expect("it was built");
    for way in [Way::Preload, Way::Gcc, Way::Clang, Way::Tsan] {
        for kind in ["-pie", "-no-pie"] {
            let flags = [kind, "-L", &path, "-lresolver", "-Wl,-rpath", &format!("-Wl,{path}")];
            let executable = build(&program("hostile/resolved.c", &flags), way, scratch.path());
            let directory = scratch.path().join("recording");
            let outcome = finish(record(&directory).arg(&executable), &directory);
            assert_eq!((outcome.code(), outcome.stdout.as_str(), outcome.stderr.as_str()), (0, "42\n", ""), "{way:?}");
        }
    }
}

#[test]
fn little_address_space() {
    let scratch = scratch();
    let (directory, outcome) = run("hostile/limits.c", &[], &["memory", "400000000"], &scratch);
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""));
    assert_eq!(locks(&open(&directory)), 200_000);
}

#[test]
fn files_may_not_grow() {
    let scratch = scratch();
    let (directory, outcome) = run("hostile/limits.c", &[], &["files", "1500000"], &scratch);
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""));
    // It says that it is not whole, so it need not be a legal history.
    let recording = Recording::open(&directory).expect("it opens");
    assert!(recording.notes().contains(&Note::DiskFull), "{:?}", recording.notes());
}

#[test]
fn files_may_not_be_at_all() {
    let scratch = scratch();
    let (directory, outcome) = run("hostile/limits.c", &[], &["files", "1000"], &scratch);
    assert_eq!(outcome.code(), 0);
    assert!(outcome.stderr.contains("runs on unrecorded"), "{}", outcome.stderr);
    assert!(!directory.join("events").exists());
}

#[test]
fn strange_builds() {
    let builds: [&[&str]; 6] =
        [&["-O0"], &["-O3", "-march=native"], &["-no-pie"], &["-fPIE", "-pie"], &["-static-libstdc++"], &["-fno-plt"]];
    for flags in builds {
        let scratch = scratch();
        let (directory, outcome) = run("hostile/own_memory.cc", flags, &[], &scratch);
        assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{flags:?}");
        assert!(locks(&open(&directory)) > 0, "{flags:?}");
    }
}

/// How often `sandbox.c` locks in each of its two halves.
const LOCKS: usize = 200_000;

#[test]
fn system_calls_are_given_up() {
    for way in [Way::Gcc, Way::Preload] {
        for args in [["kill", "late"].as_slice(), &["error", "late"], &["kill", "early"], &["kill", "late", "all"]] {
            let scratch = scratch();
            let executable = build(&program("hostile/sandbox.c", &[]), way, scratch.path());
            let directory = scratch.path().join("recording");
            let outcome = finish(record(&directory).arg(executable).args(args), &directory);
            assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""), "{way:?} {args:?}");
            let recording = open(&directory);
            let expected = if args[1] == "late" { 2 * LOCKS } else { LOCKS };
            assert_eq!((locks(&recording), recording.notes()), (expected, &[][..]), "{way:?} {args:?}");
        }
    }
}

/// There is less room than it needs: what is missing is told.
#[test]
fn system_calls_are_given_up_and_room_is_little() {
    let scratch = scratch();
    let executable = build(&program("hostile/sandbox.c", &[]), Way::Gcc, scratch.path());
    let directory = scratch.path().join("recording");
    let mut command = foretrace(&["record", "--limit", "1500K", "-o"]);
    let outcome = finish(command.arg(&directory).arg("--").arg(executable).args(["kill", "early"]), &directory);
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""));
    let recording = Recording::open(&directory).expect("it opens");
    assert!(recording.notes().iter().any(|note| matches!(note, Note::Lost(_))), "{:?}", recording.notes());
    let found = locks(&recording);
    assert!(found > 0 && found < LOCKS, "{found}");
    for thread in 0..recording.threads().len() {
        assert!(recording.records(thread).all(|entry| entry.is_ok()));
    }
}

/// Only the program that the tool starts is recorded before it has threads: another might never have any.
#[test]
fn system_calls_are_given_up_by_a_program_of_a_script() {
    let scratch = scratch();
    let executable = build(&program("hostile/sandbox.c", &[]), Way::Gcc, scratch.path());
    let directory = scratch.path().join("recording");
    let script = format!("{0} kill early && {0} error late", executable.display());
    let outcome = finish(record(&directory).args(["sh", "-c", &script]), &directory);
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (0, ""));
    assert_eq!(locks(&open(&directory)), 2 * LOCKS);
}

/// Opens a recording that a process may still be writing; while it does, the recording must say so.
fn open_when_ended(directory: &Path, process: &str) -> Recording {
    for _ in 0..30_000 {
        match Recording::open(directory) {
            Err(RecordingError::BeingWritten { process: writer, .. }) => assert_eq!(writer.to_string(), process),
            _ => return open(directory),
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("the daemon does not end");
}

fn record_daemon(when: &str, flags: &[&str], scratch: &TempDir) -> (PathBuf, Outcome, PathBuf) {
    let executable = build(&program("hostile/daemon.c", &[]), Way::Gcc, scratch.path());
    let (directory, end) = (scratch.path().join("recording"), scratch.path().join("end"));
    let mut command = foretrace(&["record"]);
    command.args(flags).arg("-o").arg(&directory).arg("--").arg(executable).arg(when).arg(&end);
    let outcome = finish(&mut command, &directory);
    assert_eq!(outcome.code(), 0, "{}", outcome.stderr);
    (directory, outcome, end)
}

#[test]
fn a_daemon_writes_on_when_the_tool_has_ended() {
    let scratch = scratch();
    let (directory, outcome, end) = record_daemon("early", &[], &scratch);
    let daemon = outcome.stdout.trim();
    let told = format!("process {daemon} still runs and writes this recording");
    assert!(outcome.stderr.contains(&told) && outcome.stderr.lines().count() == 1, "{}", outcome.stderr);
    assert!(matches!(Recording::open(&directory), Err(RecordingError::BeingWritten { .. })));
    std::fs::write(end, "").expect("a scratch file can be written");
    let recording = open_when_ended(&directory, daemon);
    assert_eq!((locks(&recording), recording.notes()), (80_000, &[][..]));
    // Only now it is folded.
    foretrace_trace::fold(&directory).expect("the daemon has ended");
    assert!(!directory.join("open").exists());
    assert_eq!(locks(&open(&directory)), 80_000);
}

#[test]
fn a_daemon_with_a_recording_of_its_own() {
    let scratch = scratch();
    let (directory, outcome, end) = record_daemon("late", &["--follow-fork"], &scratch);
    let daemon = outcome.stdout.trim();
    assert_eq!(locks(&open(&directory)), 40_000);
    let child = directory.join("children").join(daemon);
    assert!(matches!(Recording::open(&child), Err(RecordingError::BeingWritten { .. })));
    std::fs::write(end, "").expect("a scratch file can be written");
    let recording = open_when_ended(&child, daemon);
    assert_eq!((locks(&recording), recording.notes()), (80_000, &[][..]));
    assert_eq!(locks(&open(&directory)), 40_000);
}

/// Records into a file system of its own with so little room; `None` where none can be mounted.
fn on_a_small_disk(kilobytes: u32, scratch: &TempDir) -> Option<(PathBuf, Outcome)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/semantics/hostile/limits.c");
    let executable = build(&Program::read(&path), Way::Gcc, scratch.path());
    let (disk, directory) = (scratch.path().join("disk"), scratch.path().join("recording"));
    std::fs::create_dir(&disk).expect("a scratch directory can be made");
    let mut shell = std::process::Command::new("unshare");
    // What is mounted goes with the namespace, so the recording is copied out of it.
    let script = "mount -t tmpfs -o size=$1k tmpfs $2 || exit 99; $3 record -o $2/r -- $4 files 100000000; \
                  code=$?; cp -r $2/r $5; exit $code";
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", &kilobytes.to_string()]);
    shell.arg(&disk).arg(env!("CARGO_BIN_EXE_foretrace")).arg(executable).arg(&directory);
    shell.env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    let outcome = finish(&mut shell, &directory);
    if !directory.exists() && outcome.code() != 0 {
        eprintln!("not tried, no file system can be mounted here: {}", outcome.stderr);
        return None;
    }
    Some((directory, outcome))
}

#[test]
fn the_disk_is_full() {
    let scratch = scratch();
    let Some((directory, outcome)) = on_a_small_disk(1500, &scratch) else { return };
    assert_eq!(outcome.code(), 0);
    assert!(outcome.stderr.lines().count() <= 1, "{}", outcome.stderr);
    let recording = Recording::open(&directory).expect("it opens");
    assert!(recording.notes().contains(&Note::DiskFull));
    for thread in 0..recording.threads().len() {
        assert!(recording.records(thread).all(|entry| entry.is_ok()));
    }
}

#[test]
fn the_disk_was_full_before() {
    let scratch = scratch();
    let Some((_, outcome)) = on_a_small_disk(24, &scratch) else { return };
    assert_eq!(outcome.code(), 0);
    assert!(outcome.stderr.contains("nothing could be recorded: No space left on device"), "{}", outcome.stderr);
}
