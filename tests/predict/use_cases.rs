//! The seven use cases of the thesis (6.4) as programs: the faulty ones fail, and every replay shows it; the corrected ones
//! do not.

use crate::{out, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

/// How often each finding is replayed.
const TIMES: usize = 5;

const CASES: [&str; 7] = ["file", "deadlock", "custom_race", "rover", "sqlite", "atomicity", "resources"];

fn foretrace(words: &[&str], directory: &Path) -> Output {
    let mut command = Command::new("timeout");
    command.args(["120", env!("CARGO_BIN_EXE_foretrace")]).args(words).current_dir(directory);
    command.env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.output().expect("the tool runs")
}

/// The words behind this at the beginning of a line.
fn noted(source: &str, what: &str) -> Vec<String> {
    let lines = source.lines().filter_map(|line| line.strip_prefix(what));
    lines.flat_map(|words| words.split([',', ' '])).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Checks a program of a use case, and keeps the findings here.
fn check(case: &str, program: &str, findings: &Path) -> (Output, Vec<String>) {
    let directory = root().join("tests/properties").join(case);
    let source = std::fs::read_to_string(directory.join(program)).expect("a program");
    let cflags = format!("--cflags={}", noted(&source, "// flags:").join(" "));
    let findings = findings.display().to_string();
    let mut words =
        vec!["check", program, &cflags, "--quiet", "--format", "json", "--findings", &findings, "--why", "0"];
    if directory.join("events").exists() {
        words.extend(["--look-for", "properties", "--events", "events", "--property", "property"]);
    }
    (foretrace(&words, &directory), noted(&source, "// fails:"))
}

/// The confirmed findings: what each is of, and its folder.
fn confirmed(output: &Output) -> Vec<(String, String)> {
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", out(output)));
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let confirmed = findings.iter().filter(|finding| finding["status"] == "confirmed");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of = |finding: &Value| text(finding["broken"].get("name").unwrap_or(&finding["kind"]));
    confirmed.map(|finding| (of(finding), text(&finding["folder"]))).collect()
}

#[test]
fn faulty_programs_fail_and_every_replay_shows_it() {
    for case in CASES {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let (output, expected) = check(case, "fail.c", scratch.path());
        assert_eq!(output.status.code(), Some(1), "{case}: {}", out(&output));
        let found = confirmed(&output);
        let names: BTreeSet<String> = found.iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(names, expected.into_iter().collect(), "{case}: {}", out(&output));
        for (name, folder) in found {
            check_automaton(&name, &folder);
            let replayed = foretrace(&["replay", &folder, "--times", &TIMES.to_string()], &root());
            let all = format!("failed {TIMES} of {TIMES} times");
            assert!(out(&replayed).contains(&all), "{case}, {name}: {}", out(&replayed));
        }
    }
}

/// The page of a violated property has its automaton, and the state after each step that changes it; the last step violates
/// it.
fn check_automaton(name: &str, folder: &str) {
    let text = std::fs::read_to_string(Path::new(folder).join("picture.json")).expect("a picture");
    let picture: Value = serde_json::from_str(&text).expect("a picture is JSON");
    let automaton = &picture["automaton"];
    if automaton.is_null() {
        assert!(!folder.contains("/property-"), "{name} has no automaton");
        return;
    }
    let count = |value: &Value| value.as_array().map_or(0, Vec::len) as u64;
    let (states, steps) = (count(&automaton["states"]), count(&picture["steps"]));
    assert!(count(&automaton["edges"]) > 0, "{automaton}");
    let after: Vec<(u64, u64)> = serde_json::from_value(automaton["after"].clone()).expect("pairs");
    assert_eq!(after.last(), Some(&(steps - 1, states - 1)), "{name}: {automaton}");
    let bad = after.iter().filter(|(_, state)| *state == states - 1).count();
    assert_eq!(bad, 1, "{name}: {automaton}");
}

#[test]
fn corrected_programs_do_not_fail() {
    for case in CASES {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let (output, _) = check(case, "pass.c", scratch.path());
        assert_eq!(output.status.code(), Some(0), "{case}: {}", out(&output));
        assert_eq!(confirmed(&output), [], "{case}");
    }
}

/// The custom events of a program's recording, one a line.
fn emitted(source: &str, level: &str) -> String {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let directory = root().join("tests/properties/emit");
    let driver = if source.ends_with(".cpp") { "c++" } else { "cc" };
    let (events, program) = (format!("--events={source}.events"), scratch.path().join("program"));
    let program = program.display().to_string();
    let built = foretrace(&[driver, &events, level, "-pthread", source, "-o", &program], &directory);
    assert!(built.status.success() && built.stderr.is_empty(), "{source} {level}: {}", out(&built));
    let recording = scratch.path().join("run.ft").display().to_string();
    let ran = foretrace(&["record", "-o", &recording, "--", &program], &directory);
    assert!(ran.status.success(), "{source} {level}: {}", out(&ran));
    let dump = foretrace(&["trace", "dump", &recording], &directory);
    let text = String::from_utf8_lossy(&dump.stdout).into_owned();
    let lines = text.lines().filter_map(|line| line.split_once(" custom ")?.1.split(" @ ").next());
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn events_are_the_same_at_every_level() {
    for source in ["all.c", "all.cpp"] {
        let expected = root().join(format!("tests/properties/emit/{source}.expected"));
        let expected = std::fs::read_to_string(expected).expect("the events are there");
        for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
            assert_eq!(emitted(source, level), expected, "{source} {level}");
        }
    }
}

#[test]
fn a_target_that_matches_nothing_is_a_warning_with_the_nearest_names() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    std::fs::write(scratch.path().join("bad.events"), "added(#0) before call ad\n").expect("a file");
    let source = root().join("tests/properties/emit/all.c").display().to_string();
    let built = foretrace(&["cc", "--events", "bad.events", "-pthread", &source, "-o", "program"], scratch.path());
    let said = out(&built);
    assert!(built.status.success() && said.contains("`ad` (line 1 of the specification) matches nothing"), "{said}");
    assert!(said.contains("the nearest names are add"), "{said}");
    std::fs::write(scratch.path().join("bad.events"), "\nadded(#x) before call add\n").expect("a file");
    let refused = foretrace(&["cc", "--events", "bad.events", &source], scratch.path());
    assert!(!refused.status.success() && out(&refused).contains("bad.events:2:7: "), "{}", out(&refused));
}

/// The lines of a program that begin like this, without that.
fn lines_of(source: &str, what: &str) -> String {
    source.lines().filter_map(|line| line.strip_prefix(what)).map(|line| format!("{line}\n")).collect()
}

/// Programs in C++ with their events and properties in comments.
#[test]
fn programs_in_cpp_fail_or_do_not() {
    let directory = root().join("tests/properties/cpp");
    let files = std::fs::read_dir(&directory).expect("the programs are there");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    assert!(paths.len() >= 16, "{}", paths.len());
    for path in paths {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let source = std::fs::read_to_string(&path).expect("a program");
        for (name, what) in [("events", "// event: "), ("property", "// property: ")] {
            std::fs::write(scratch.path().join(name), lines_of(&source, what)).expect("a file");
        }
        let flags = format!("--cflags={}", noted(&source, "// flags:").join(" "));
        let program = path.display().to_string();
        let words = ["check", &program, &flags, "--quiet", "--format", "json", "--why", "0", "--findings", "found"];
        let more = ["--look-for", "properties", "--events", "events", "--property", "property"];
        let output = foretrace(&[&words[..], &more].concat(), scratch.path());
        let expected: BTreeSet<String> = noted(&source, "// fails:").into_iter().collect();
        let found: BTreeSet<String> = confirmed(&output).into_iter().map(|(name, _)| name).collect();
        assert_eq!(found, expected, "{program}: {}", out(&output));
        assert_eq!(output.status.code(), Some(i32::from(!expected.is_empty())), "{program}: {}", out(&output));
    }
}
