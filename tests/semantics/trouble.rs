//! Trouble around the program: no room, no directory, a signal from the terminal.

use crate::build::{Way, build};
use crate::expect::Program;
use crate::run::{finish, foretrace, open, record, wait};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a scratch directory can be made")
}

fn program(name: &str, scratch: &TempDir) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/semantics").join(name);
    build(&Program::read(&path), Way::Gcc, scratch.path())
}

#[test]
fn a_value_that_means_nothing_turns_the_runtime_off() {
    let scratch = scratch();
    let executable = program("threads/create_join.c", &scratch);
    for value in ["", "record", "record dir=", "\u{1f600}", "record limit=-1 dir=/tmp", "record dir=/proc/nothing"] {
        let outcome = finish(Command::new(&executable).env("FORETRACE_RUNTIME", value), &scratch.path().join("run"));
        assert_eq!(outcome.code(), 0, "{value:?}: {}", outcome.stderr);
    }
}

#[test]
fn the_recordings_directory_goes_away_while_the_program_runs() {
    let scratch = scratch();
    let executable = program("lost/progress.c", &scratch);
    let directory = scratch.path().join("recording");
    let progress = scratch.path().join("progress");
    std::fs::write(&progress, [0; 104]).expect("a scratch file can be written");
    let mut child =
        record(&directory).arg(&executable).arg(&progress).stderr(Stdio::null()).spawn().expect("the tool runs");
    await_progress(&progress);
    std::fs::remove_dir_all(&directory).expect("it is there");
    std::thread::sleep(Duration::from_millis(50));
    let pid = pid(&progress);
    send("TERM", pid);
    assert_eq!(wait(&mut child).expect("it ends").code(), Some(128 + 15));
}

#[test]
fn signals_to_the_tool_reach_the_program() {
    for (signal, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        let scratch = scratch();
        let executable = program("lost/progress.c", &scratch);
        let directory = scratch.path().join("recording");
        let progress = scratch.path().join("progress");
        std::fs::write(&progress, [0; 104]).expect("a scratch file can be written");
        let mut child =
            record(&directory).arg(&executable).arg(&progress).stderr(Stdio::null()).spawn().expect("the tool runs");
        await_progress(&progress);
        send(signal, u64::from(child.id()));
        assert_eq!(wait(&mut child).expect("it ends").code(), Some(128 + number), "{signal}");
        assert!(open(&directory).threads().len() > 1);
    }
}

#[test]
fn a_directory_that_cannot_be_written_to() {
    let scratch = scratch();
    let executable = program("threads/create_join.c", &scratch);
    let mut command = foretrace(&["record", "-o", "/proc/recording", "--"]);
    let outcome = finish(command.arg(executable), &scratch.path().join("run"));
    assert_eq!(outcome.code(), 2);
    assert!(outcome.stderr.starts_with("foretrace: ") && outcome.stderr.lines().count() == 1, "{}", outcome.stderr);
}

fn word(progress: &Path, index: usize) -> u64 {
    let bytes = std::fs::read(progress).expect("it was written");
    u64::from_le_bytes(bytes[8 * index..8 * index + 8].try_into().expect("eight bytes"))
}

fn pid(progress: &Path) -> u64 {
    word(progress, 0)
}

fn await_progress(progress: &Path) {
    for _ in 0..30_000 {
        if word(progress, 1) > 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("the program does not begin");
}

fn send(signal: &str, pid: u64) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &pid.to_string()]).status();
    assert!(sent.expect("there is a kill").success());
}
