//! Every program of the corpus and every example, checked as a user does.
//!
//! Each program is one test, named after its file: `cargo test -p foretrace --test programs fail/locks` checks the programs
//! whose names contain that. The tests whose names begin with `segments/` watch the program by segments, those that begin
//! with `built/` build it in another way.

use foretrace_testkit::corpus::{Judgement, Level, Specimen, judge, specimens};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

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
    let output = command.output().expect("foretrace runs");
    if scratch.path().join("findings").is_dir() {
        makes_a_page(scratch.path());
    }
    output
}

/// The saved findings can be shown as a page, which leads nowhere.
fn makes_a_page(scratch: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foretrace"));
    let made =
        command.current_dir(scratch).args(["report", "findings", "-o", "page.html"]).output().expect("foretrace runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let page = std::fs::read_to_string(scratch.join("page.html")).expect("the page was written");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "the page is whole");
    assert!(page.contains("class=\"card finding\""), "the page has a finding");
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

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let all = specimens(&root().join("tests/programs")).expect("the corpus is there");
    assert!(!all.is_empty(), "the corpus is empty");
    let mut tests = vec![
        Trial::test("examples_say_what_is_written_beside_them", || passes(examples_say_what_is_written_beside_them)),
        Trial::test("several_lines_are_one_finding", || passes(several_lines_are_one_finding)),
    ];
    tests.extend(all.iter().step_by(EVERY).enumerate().map(|(number, specimen)| built(number, specimen)));
    for specimen in all {
        tests.push(shows_the_same(format!("segments/{}", specimen.name), specimen.clone(), &["--coarse-after", "0s"]));
        tests.push(shows_the_same(specimen.name.clone(), specimen, &[]));
    }
    libtest_mimic::run(&arguments, tests).exit_code()
}

/// A program shows what it is expected to, and nothing else.
fn shows_the_same(name: String, specimen: Specimen, arguments: &'static [&'static str]) -> Trial {
    Trial::test(name, move || is_right(examine(&specimen, arguments)))
}

fn is_right(judgement: Result<Judgement, String>) -> Result<(), Failed> {
    match judgement {
        Ok(judgement) if judgement.is_right() => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn passes(test: fn()) -> Result<(), Failed> {
    test();
    Ok(())
}

/// The examples: with the bug the report is the one beside the program, with the fix there is none.
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

/// Of every program the same is said when it is built by the other compiler and at other levels: here of one in so many, each
/// in one of the other builds; `cargo xtask corpus --levels` does it for all.
const EVERY: usize = 6;
const BUILDS: [(&str, &str, Level); 5] = [
    ("gcc", "g++", Level::O0),
    ("gcc", "g++", Level::O1),
    ("gcc", "g++", Level::O2),
    ("clang-19", "clang++-19", Level::O1),
    ("clang-19", "clang++-19", Level::O2),
];

fn built(number: usize, specimen: &Specimen) -> Trial {
    let (c, cxx, level) = BUILDS[number % BUILDS.len()];
    let compiler = if specimen.is_cxx() { cxx } else { c };
    let (name, specimen) = (format!("built/{} {compiler} {level:?}", specimen.name), specimen.at(level));
    Trial::test(name, move || is_right(examine_with(&specimen, &[], Some((compiler, level)))))
}

/// A variable that is raced for by two functions at several lines is reported once.
fn several_lines_are_one_finding() {
    let output = check(&["--format", "json"], &root().join("tests/programs/fail/plain/several_lines.c"));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let findings = report["findings"].as_array().expect("findings");
    assert_eq!(findings.len(), 1, "{report}");
    assert!(!findings[0]["also"].as_array().expect("pairs").is_empty(), "{report}");
}
