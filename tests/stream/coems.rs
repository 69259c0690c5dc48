//! Specifications in the style of the COEMS project, unmodified, over a program that is right and one that is not: generic
//! macros without result types, aliases of them, `Events[Unit]` inputs, and what happens before the first thread.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/stream/coems")
}

fn foretrace(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foretrace"));
    command.current_dir(directory).args(arguments);
    command.env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.output().expect("the tool runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Builds the bank, and says where it is. gcc tells a read and a write of one variable apart.
fn build(flags: &[&str]) -> tempfile::TempDir {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    let source = folder().join("bank.c");
    let mut arguments = vec!["cc", "--compiler", "gcc", "-g", "-O0", "-pthread"];
    arguments.extend(flags);
    arguments.extend([source.to_str().expect("a plain name"), "-o", "bank"]);
    let built = foretrace(scratch.path(), &arguments);
    assert!(built.status.success(), "{}", text(&built));
    scratch
}

/// The lines of `thief` that access the account without its lock.
fn unprotected() -> BTreeSet<i64> {
    let source = std::fs::read_to_string(folder().join("bank.c")).expect("the program is there");
    let marks = ["long seen = accts", "    accts[0].balance =\n"];
    marks.map(|mark| source[..source.find(mark).expect("the line is there")].matches('\n').count() as i64 + 1).into()
}

/// The values of the streams that begin with a name.
fn values(output: &Output, stream: &str) -> BTreeSet<String> {
    let shown = text(output);
    let events = shown.lines().filter_map(|line| line.split_once(": ")?.1.split_once(" = "));
    events.filter(|(name, _)| name.starts_with(stream)).map(|(_, value)| value.to_owned()).collect()
}

fn monitor(directory: &Path, specification: &str) -> Output {
    let specification = folder().join(specification);
    foretrace(directory, &["monitor", specification.to_str().expect("a plain name"), "--", "./bank"])
}

#[test]
fn the_full_lockset_names_the_lines_of_the_race() {
    let scratch = build(&["-DRACY"]);
    let output = monitor(scratch.path(), "full_lockset.tessla");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let lines: BTreeSet<i64> = values(&output, "error_line").iter().map(|line| line.parse().unwrap()).collect();
    assert!(unprotected().is_subset(&lines), "{}", text(&output));
    let first = text(&output).lines().find_map(|line| Some(line.split_once("error_line = ")?.1.to_owned()));
    assert_eq!(first.as_deref(), unprotected().first().map(i64::to_string).as_deref(), "{}", text(&output));
    assert!(values(&output, "error_function").contains("thief"), "{}", text(&output));
}

#[test]
fn the_banker_names_thread_and_line() {
    let scratch = build(&["-DRACY"]);
    let output = monitor(scratch.path(), "banker.tessla");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let found: BTreeSet<i64> =
        values(&output, "error_first").iter().map(|packed| packed.parse::<i64>().unwrap() % 32768).collect();
    assert_eq!(found, unprotected(), "{}", text(&output));
    assert!(values(&output, "error_second").is_empty(), "{}", text(&output));
}

#[test]
fn the_right_program_is_right() {
    let scratch = build(&[]);
    for specification in ["full_lockset.tessla", "banker.tessla"] {
        let output = monitor(scratch.path(), specification);
        assert_eq!(output.status.code(), Some(0), "{specification}: {}", text(&output));
    }
}
