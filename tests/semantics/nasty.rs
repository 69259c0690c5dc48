//! Programs that do everything that makes life hard for whoever watches them. Each must end and print as it does when nobody
//! watches, whether it was instrumented or the runtime was only preloaded, and its recording must have its events.

use crate::build::{Way, build};
use crate::expect::Program;
use crate::programs::sources;
use crate::run::{Outcome, finish, record};
use foretrace_event::wire::{Op, Record};
use foretrace_trace::{Note, Recording, check};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

/// Locks of the two threads that every program begins with.
const LOCKS: usize = 200;

/// The program that allows itself no file before its first thread cannot be recorded.
const UNRECORDED: &str = "no_files_at_all";
/// Programs of which a part happens where nobody sees it: in another process, or in a thread that libc makes for itself. Their
/// recordings are readable, but no history of their own.
const SEEN_IN_PART: [&str; 2] = ["shared_semaphore", "timer_threads"];

/// What a program does, as far as it must not depend on who watches. Lines of the tool are not the program's.
fn behaviour(outcome: &Outcome) -> (i32, String, String) {
    let own = |line: &&str| !line.starts_with("foretrace: ");
    let errors: String = outcome.stderr.lines().filter(own).map(|line| format!("{line}\n")).collect();
    (outcome.code(), outcome.stdout.clone(), errors)
}

fn locks(recording: &Recording) -> usize {
    let entries = (0..recording.threads().len()).flat_map(|index| recording.records(index));
    let is_lock = |record: &Record| matches!(record, Record::Sync(sync) if sync.op == Op::Lock);
    entries.filter(|entry| matches!(entry, Ok(entry) if is_lock(&entry.record))).count()
}

/// What is wrong with the recording, if anything.
fn missing(name: &str, directory: &Path) -> Option<String> {
    if name == UNRECORDED {
        return None;
    }
    match Recording::open(directory) {
        Ok(recording) => breach(name, &recording).or_else(|| too_few(&recording)),
        Err(error) => Some(error.to_string()),
    }
}

/// Why the recording could not have happened. One that says that it is cut short need not be a legal history.
fn breach(name: &str, recording: &Recording) -> Option<String> {
    let breaches = match check::recording(recording) {
        Ok(_) if SEEN_IN_PART.contains(&name) || recording.notes().contains(&Note::DiskFull) => return None,
        Ok(breaches) => breaches,
        Err(error) => return Some(error.to_string()),
    };
    breaches.first().map(|breach| format!("it could not have happened: {breach}"))
}

fn too_few(recording: &Recording) -> Option<String> {
    let found = locks(recording);
    (found < LOCKS).then(|| format!("{found} locks of at least {LOCKS} are in the recording"))
}

/// Runs a program by itself and recorded, and says what differs.
fn difference(path: &Path, way: Way) -> Option<String> {
    let name = path.file_stem().expect("a program has a name").to_string_lossy().into_owned();
    let [plain, watched] = [(); 2].map(|()| tempfile::tempdir().expect("a scratch directory can be made"));
    let program = Program::read(path);
    let native = finish(&mut Command::new(build(&program, Way::Preload, plain.path())), &plain.path().join("native"));
    let directory = watched.path().join("recording");
    let recorded = finish(record(&directory).arg(build(&program, way, watched.path())), &directory);
    let (before, after) = (behaviour(&native), behaviour(&recorded));
    let change = (before != after).then(|| format!("{before:?} became {after:?}\n{}", recorded.stderr));
    change.or_else(|| missing(&name, &directory)).map(|what| format!("{name}, {way:?}: {what}"))
}

/// All programs, in as many threads as there are cores.
fn all(way: Way) {
    let programs = sources("nasty");
    assert!(programs.len() >= 60, "{} programs", programs.len());
    let (left, wrong) = (Mutex::new(programs.iter()), Mutex::new(Vec::new()));
    let next = || left.lock().expect("nobody panics with it").next();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = next() {
                    wrong.lock().expect("nobody panics with it").extend(difference(path, way));
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("nobody panics with it");
    let (right, all) = (programs.len() - wrong.len(), programs.len());
    assert!(wrong.is_empty(), "{right} of {all} as natively\n{}", wrong.join("\n"));
    println!("{way:?}: {all} of {all} as natively");
}

#[test]
fn instrumented_by_gcc() {
    all(Way::Gcc);
}

#[test]
fn instrumented_by_clang() {
    all(Way::Clang);
}

#[test]
fn plain_with_the_runtime_preloaded() {
    all(Way::Preload);
}
