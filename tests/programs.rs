//! Every program of the corpus and every example, checked as a user does.
//!
//! `CORPUS=fail/locks` checks only the programs whose names contain that.

use foretrace_testkit::corpus::{Judgement, Level, Specimen, judge, specimens};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace has a root")
}

fn check(arguments: &[&str], path: &Path) -> Output {
    check_with(arguments, path, None)
}

fn check_with(arguments: &[&str], path: &Path, compiler: Option<&str>) -> Output {
    let scratch = tempfile::tempdir().expect("a scratch directory can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_foretrace"));
    command.current_dir(root()).arg("check").arg(path.strip_prefix(root()).unwrap_or(path)).args(arguments);
    command.arg("--findings").arg(scratch.path().join("findings"));
    command.env("FORETRACE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    if let Some(compiler) = compiler {
        command.env("FORETRACE_CC", compiler).env("FORETRACE_CXX", compiler);
    }
    command.output().expect("foretrace runs")
}

fn examine(specimen: &Specimen, arguments: &[&str]) -> Result<Judgement, String> {
    examine_with(specimen, arguments, None)
}

/// The same with another compiler and level.
fn examine_with(specimen: &Specimen, arguments: &[&str], build: Option<(&str, Level)>) -> Result<Judgement, String> {
    let level = build.map_or("", |(_, level)| level.flag());
    let flags = specimen.flags().map_err(|error| error.to_string())?.join(" ");
    let flags = format!("--cflags={flags} {level}");
    let arguments = [&["--format", "json", &flags], arguments].concat();
    let output = check_with(&arguments, &specimen.path, build.map(|(compiler, _)| compiler));
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))?;
    Ok(judge(specimen, &report))
}

#[test]
fn every_program_shows_what_it_is_expected_to_and_nothing_else() {
    examine_all(&[]);
}

/// As with programs that take their time: the fast detector and the loose order first.
#[test]
fn every_program_shows_the_same_when_it_is_watched_by_segments() {
    examine_all(&["--coarse-after", "0s"]);
}

fn examine_all(arguments: &[&str]) {
    let only = std::env::var("CORPUS").unwrap_or_default();
    let mut all = specimens(&root().join("tests/programs")).expect("the corpus is there");
    all.retain(|specimen| specimen.name.contains(&only));
    assert!(!all.is_empty(), "no program has a name with {only:?} in it");
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(specimen) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let judgement = examine(specimen, arguments);
                    if !judgement.as_ref().is_ok_and(Judgement::is_right) {
                        wrong.lock().unwrap().push(format!("{}: {judgement:?}", specimen.name));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// The examples: with the bug the report is the one beside the program, with the fix there is none.
#[test]
fn examples_say_what_is_written_beside_them() {
    for name in ["transfer.c", "cache.c", "logger.cc", "work_queue.c", "lazy.c"] {
        let path = root().join("examples").join(name);
        let fixed = check(&["--cflags=-DFIXED"], &path);
        let said = String::from_utf8_lossy(&fixed.stderr).into_owned();
        assert_eq!(fixed.status.code(), Some(0), "{name}, fixed: {said}");
        let broken = check(&[], &path);
        assert_eq!(broken.status.code(), Some(1), "{name}: {}", String::from_utf8_lossy(&broken.stderr));
        expect_test::expect_file![path.with_extension("expected")]
            .assert_eq(&shapes(&String::from_utf8_lossy(&broken.stderr)));
    }
}

/// The lines that are the same in every run: which thread comes first may differ.
fn shapes(report: &str) -> String {
    let mut lines: Vec<&str> = report.lines().filter(|line| line.starts_with("error: ")).collect();
    lines.sort_unstable();
    lines.dedup();
    lines.join("\n") + "\n"
}

/// Of every program the same is said when it is built by the other compiler and at other levels: here of a part of them, each
/// in one of the other builds; `cargo xtask corpus --levels` does it for all.
#[test]
fn some_programs_show_the_same_when_they_are_built_in_another_way() {
    const BUILDS: [(&str, &str, Level); 5] = [
        ("gcc", "g++", Level::O0),
        ("gcc", "g++", Level::O1),
        ("gcc", "g++", Level::O2),
        ("clang-19", "clang++-19", Level::O1),
        ("clang-19", "clang++-19", Level::O2),
    ];
    const EVERY: usize = 6;
    let all = specimens(&root().join("tests/programs")).expect("the corpus is there");
    let mut wrong = Vec::new();
    for (number, specimen) in all.iter().step_by(EVERY).enumerate() {
        let (c, cxx, level) = BUILDS[number % BUILDS.len()];
        let compiler = if specimen.is_cxx() { cxx } else { c };
        let judgement = examine_with(&specimen.at(level), &[], Some((compiler, level)));
        if !judgement.as_ref().is_ok_and(Judgement::is_right) {
            wrong.push(format!("{} {compiler} {level:?}: {judgement:?}", specimen.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A variable that is raced for by two functions at several lines is reported once.
#[test]
fn several_lines_are_one_finding() {
    let output = check(&["--format", "json"], &root().join("tests/programs/fail/plain/several_lines.c"));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let findings = report["findings"].as_array().expect("findings");
    assert_eq!(findings.len(), 1, "{report}");
    assert!(!findings[0]["also"].as_array().expect("pairs").is_empty(), "{report}");
}
