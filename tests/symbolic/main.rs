//! `foretrace check` with values: programs whose check fails only in another order of what one passing run did, and their
//! correct twins. Ten of them fail only if two threads take paths that the passing run does not take together.

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
    fn of(program: &Path) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let output = Command::new("timeout")
            .args(["120", env!("CARGO_BIN_EXE_foretrace"), "check", "--look-for", "crashes", "--format", "json"])
            .arg("--findings")
            .arg(scratch.path())
            .args([
                "--cflags",
                if program.extension().is_some_and(|ending| ending == "cc") { "-std=c++20" } else { "" },
            ])
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

/// The line that says `// expect: crash`.
fn marked(program: &Path) -> usize {
    let text = std::fs::read_to_string(program).unwrap();
    text.lines().position(|line| line.ends_with("// expect: crash")).unwrap() + 1
}

#[test]
fn what_fails_in_another_order_is_found_and_confirmed() {
    let programs = programs("fail");
    assert_eq!(programs.len(), 35);
    let wrong = each(&programs, |program| {
        let (checked, line) = (Checked::of(program), marked(program));
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
    assert_eq!(programs.len(), 35);
    let wrong = each(&programs, |program| {
        let checked = Checked::of(program);
        (checked.code != Some(0) || !checked.crashes().is_empty()).then(|| checked.text.clone())
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
}
