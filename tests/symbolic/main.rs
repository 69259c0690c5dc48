//! `foretrace check` with values: programs whose check fails only in another order of what one passing run did, and their
//! correct twins. Ten of them fail only if two threads take paths that the passing run does not take together. And programs
//! with regions that another thread breaks, with twins whose locks, order or data keep it away.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn programs(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/symbolic").join(kind);
    let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// What a check says about a program.
struct Checked {
    code: Option<i32>,
    report: serde_json::Value,
    text: String,
}

impl Checked {
    fn of(program: &Path, look_for: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let output = Command::new("timeout")
            .args(["120", env!("CARGO_BIN_EXE_foretrace"), "check", "--look-for", look_for, "--format", "json"])
            .arg("--findings")
            .arg(scratch.path())
            .args([
                "--cflags",
                if program.extension().is_some_and(|ending| ending == "cc") { "-std=c++20" } else { "" },
            ])
            .args(options(program))
            .arg(program)
            .env("FORETRACE_CC", "clang-19")
            .env("FORETRACE_CXX", "clang++-19")
            .env("TMPDIR", scratch.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let report = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{said}"));
        Self { code: output.status.code(), report, text: text + &said }
    }

    fn crashes(&self) -> Vec<&serde_json::Value> {
        let findings = self.report["findings"].as_array().map_or(&[][..], Vec::as_slice);
        findings.iter().filter(|finding| finding["status"] == "confirmed" || finding["confirmed"] == true).collect()
    }
}

/// Runs a test for each program, two at a time; what is wrong, by program.
fn each(programs: &[PathBuf], test: impl Fn(&Path) -> Option<String> + Sync) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let why = test(program).map(|why| format!("{}: {why}", program.display()));
                    wrong.lock().unwrap().extend(why);
                }
            });
        }
    });
    wrong.into_inner().unwrap()
}

/// The words after // flags: in the first line.
fn options(program: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(program).unwrap();
    let words = text.lines().next().and_then(|line| line.strip_prefix("// flags:"));
    words.into_iter().flat_map(str::split_whitespace).map(str::to_owned).collect()
}

/// The line that says what is expected: `// expect: crash`.
fn marked(program: &Path, rule: &str) -> usize {
    let text = std::fs::read_to_string(program).unwrap();
    text.lines().position(|line| line.ends_with(&format!("// expect: {rule}"))).unwrap() + 1
}

#[test]
fn what_fails_in_another_order_is_found_and_confirmed() {
    let programs = programs("fail");
    assert_eq!(programs.len(), 36);
    let wrong = each(&programs, |program| {
        let (checked, line) = (Checked::of(program, "crashes"), marked(program, "crash"));
        let place = format!("\"line\":{line}");
        let compact: String = checked.text.split_whitespace().collect();
        let is_found = checked.code == Some(1) && !checked.crashes().is_empty() && compact.contains(&place);
        (!is_found).then(|| checked.text.clone())
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
}

#[test]
fn correct_twins_are_left_alone() {
    let programs = programs("pass");
    assert_eq!(programs.len(), 36);
    let wrong = each(&programs, |program| {
        let checked = Checked::of(program, "crashes");
        (checked.code != Some(0) || !checked.crashes().is_empty()).then(|| checked.text.clone())
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
}

#[test]
fn broken_regions_are_found_and_confirmed() {
    let programs = programs("regions/fail");
    assert_eq!(programs.len(), 6);
    let wrong = each(&programs, |program| {
        let (checked, line) = (Checked::of(program, "atomicity"), marked(program, "atomicity-violation"));
        let compact: String = checked.text.split_whitespace().collect();
        let has = |text: &str| compact.contains(text);
        let is_found = checked.code == Some(1) && has(&format!("\"line\":{line}")) && has("\"atomicity-violation\"");
        (!is_found).then(|| checked.text.clone())
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
}

#[test]
fn regions_that_hold_are_left_alone() {
    let programs = programs("regions/pass");
    assert_eq!(programs.len(), 7);
    let wrong = each(&programs, |program| {
        let checked = Checked::of(program, "atomicity");
        (checked.code != Some(0) || checked.text.contains("regions were not checked")).then(|| checked.text.clone())
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
}

/// What `foretrace symbolic` says about a program of the paper's tables.
fn table(program: &str, flags: &str, find: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/symbolic/tables");
    let output = Command::new("timeout")
        .args(["120", env!("CARGO_BIN_EXE_foretrace"), "symbolic", "--cflags", flags, "--find", find])
        .arg(folder.join(program))
        .env("FORETRACE_CC", "clang-19")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.lines().filter(|line| !line.contains("happen: ")).collect::<Vec<_>>().join("; ")
        + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn table_1_of_the_paper() {
    let answer = |program: &str, flags: &str| {
        let said = table(program, flags, "assertions");
        !said.contains(" 0 can happen") && said.contains("can happen") && said.ends_with(" 0 not decided")
    };
    for threads in [2, 5, 10] {
        assert!(!answer("banking.c", &format!("-DTHREADS={threads}")), "{threads}");
        assert!(answer("banking.c", &format!("-DTHREADS={threads} -DERROR")), "{threads}");
    }
    for threads in [10, 15, 20, 25] {
        assert!(!answer("indexer.c", &format!("-DTHREADS={threads}")), "{threads}");
    }
    for threads in [15, 20, 25] {
        assert!(answer("indexer.c", &format!("-DTHREADS={threads} -DERROR")), "{threads}");
    }
}

/// Regions, triples of accesses, those that nothing orders, those that no lock prevents; and those that can happen.
#[test]
fn table_2_of_the_paper() {
    let expect = |program: &str, flags: &str, [regions, all, ordered, left, found]: [usize; 5]| {
        let no = left - found;
        let expected = format!(
            "{regions} regions: {all} triples of accesses, {ordered} that nothing orders, {left} that no lock prevents; \
             {left} questions: {found} can happen, {no} cannot, 0 not decided"
        );
        assert_eq!(table(program, flags, "atomicity"), expected, "{program} {flags}");
    };
    expect("atom.c", "-DREMOTE=2 -DLATER=6", [1, 8, 2, 1, 1]);
    expect("atom.c", "-DREMOTE=2 -DLATER=6 -DFIXED", [1, 8, 2, 1, 0]);
    expect("atom.c", "-DREMOTE=34 -DLATER=178", [1, 212, 34, 33, 33]);
    expect("atom.c", "-DREMOTE=34 -DLATER=178 -DFIXED", [1, 212, 34, 33, 0]);
    for threads in [2, 4, 6, 8] {
        for (protected, found) in [(0, 4 * threads), (2, 2 * threads), (4, 0)] {
            let flags = format!("-DTHREADS={threads} -DPROTECTED={protected}");
            expect("bank.c", &flags, [threads, 12 * threads, 4 * threads, 4 * threads, found]);
        }
    }
}
