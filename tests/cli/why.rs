//! Why programs of the corpus fail: programs with a mark `// fails whenever: 6 before 15, 14 before 7` say which operations, by
//! their lines, have to come in which order for their first finding. What is found must be that, and both sides of it are
//! replayed twenty times. To save time, every third of them is checked; `CORPUS=/` checks all.

use crate::support::Scratch;
use serde_json::Value;
use std::path::{Path, PathBuf};

const TIMES: usize = 20;

/// Programs with a mark, and what it says.
fn marked() -> Vec<(PathBuf, Vec<(u64, u64)>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/fail").canonicalize();
    let themes = std::fs::read_dir(root.expect("the corpus is there")).expect("it can be read");
    let files = themes.flat_map(|theme| std::fs::read_dir(theme.expect("a theme").path()).expect("it can be read"));
    let mut found: Vec<_> = files
        .filter_map(|file| {
            let path = file.expect("a program").path();
            let text = std::fs::read_to_string(&path).ok()?;
            let mark = text.lines().find_map(|line| line.strip_prefix("// fails whenever: "))?;
            Some((path, orders(mark)))
        })
        .collect();
    found.sort();
    found
}

/// `nothing`, or orders.
fn orders(mark: &str) -> Vec<(u64, u64)> {
    if mark == "nothing" {
        return Vec::new();
    }
    let line = |text: &str| text.trim().parse().unwrap_or_else(|_| panic!("no line: {text} in {mark}"));
    let order = |text: &str| {
        let (first, second) = text.split_once(" before ").unwrap_or_else(|| panic!("no order: {text}"));
        (line(first), line(second))
    };
    let mut orders: Vec<_> = mark.split(", ").map(order).collect();
    orders.sort_unstable();
    orders
}

fn lines_of(needs: &Value) -> Vec<(u64, u64)> {
    let line = |moment: &Value| moment["place"]["line"].as_u64().unwrap_or(0);
    let orders = needs["orders"].as_array().expect("orders");
    let mut lines: Vec<_> = orders.iter().map(|order| (line(&order["first"]), line(&order["second"]))).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn constraint_sets_of_the_corpus_are_as_small_as_expected() {
    let programs = marked();
    assert!(programs.len() >= 75, "{} programs are marked", programs.len());
    let every = if std::env::var_os("CORPUS").is_some() { 1 } else { 3 };
    let wrong: Vec<String> =
        programs.iter().step_by(every).filter_map(|(path, expected)| complaint(path, expected)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with what is found for a program.
fn complaint(path: &Path, expected: &[(u64, u64)]) -> Option<String> {
    let scratch = Scratch::new();
    let ran = scratch.run(&format!("foretrace check --format json {}", path.display()));
    let report: Value =
        serde_json::from_str(&ran.out()).unwrap_or_else(|_| panic!("{}: {}", path.display(), ran.err()));
    let findings = report["findings"].as_array().expect("findings");
    // A forced end of a wait is a cause of its own.
    let Some(first) = findings.iter().find(|finding| finding["kind"] != "wait-not-in-loop") else {
        return Some(format!("{} shows nothing", path.display()));
    };
    let needs = &first["needs"];
    let name = path.file_name().expect("a name").to_string_lossy();
    if needs.is_null() {
        return Some(format!("{name}: nothing was found out"));
    }
    let found = lines_of(needs);
    if found != expected {
        return Some(format!("{name}: {found:?} instead of {expected:?}"));
    }
    both_sides(&scratch, needs).map(|what| format!("{name}: {what}"))
}

/// Each schedule with the orders fails every time, and each in which one is turned round never does.
fn both_sides(scratch: &Scratch, needs: &Value) -> Option<String> {
    let runs = std::fs::read_dir(scratch.path("foretrace-findings/runs")).expect("the run is kept");
    let recording = runs.map(|run| run.expect("a run").path().join("recording.ft")).next().expect("one run");
    let count = |schedule: &Value| {
        let schedule = schedule.as_str().expect("a schedule");
        let line = format!("foretrace replay '{schedule}' --recording {} --times {TIMES}", recording.display());
        let said = scratch.shell(&line).out();
        let times = said.split_once("failed ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<usize>().ok());
        times.unwrap_or_else(|| panic!("{line}: {said}"))
    };
    let [with, turned] = ["with", "turned"].map(|side| needs["shown_by"][side].as_array().expect("schedules").clone());
    assert!(!with.is_empty());
    let failing = with.iter().find(|schedule| count(schedule) < TIMES);
    let failing = failing.map(|schedule| format!("{schedule} does not fail every time"));
    failing.or_else(|| {
        let passing = turned.iter().find(|schedule| count(schedule) > 0)?;
        Some(format!("{passing} fails, though an order is turned round"))
    })
}
