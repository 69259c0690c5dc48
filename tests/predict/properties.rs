//! `foretrace predict --property`: rules, scripts and the library, as a user calls them.

#![forbid(unsafe_code)]

mod use_cases;
mod waits;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace has a root")
}

fn predict(arguments: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    command.args(["60", env!("CARGO_BIN_EXE_foretrace"), "predict", "--quiet"]).args(arguments);
    command.current_dir(root().join("tests/properties")).output().expect("the tool runs")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The use cases that also have a script: it fails for the faulty trace and holds for the correct one.
#[test]
fn scripts_and_rules_agree_on_the_use_cases() {
    for case in ["file", "atomicity", "custom_race"] {
        for ending in ["", ".csp"] {
            for (trace, code) in [("fail", 1), ("pass", 0)] {
                let (property, trace) = (format!("{case}/property{ending}"), format!("{case}/{trace}.trace"));
                let output = predict(&[&trace, "--property", &property, "--only-properties"]);
                assert_eq!(output.status.code(), Some(code), "{property} {trace}: {}", out(&output));
                assert_eq!(out(&output).contains(" is violated: "), code == 1, "{property} {trace}: {}", out(&output));
            }
        }
    }
}

#[test]
fn a_violation_is_shown_with_its_events() {
    let output = predict(&["file/fail.trace", "--property", "file/property", "--only-properties"]);
    let said = out(&output);
    for line in [
        "property opened is violated: open(f) before access(f)",
        "  with f = 7",
        "  access 7 in worker at file.c:15, which violates it",
        "1 violation of a property predicted",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let output = predict(&["file/fail.trace", "--property", "file/property", "--only-properties", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("good JSON");
    let claim = &report["candidates"][0]["claim"];
    assert_eq!((claim["kind"].as_str(), claim["with"]["f"].as_str()), (Some("property"), Some("7")), "{claim:#}");
}

#[test]
fn the_library_and_unknown_events() {
    let output = predict(&["sqlite/fail.trace", "--property", "sqlite", "--only-properties"]);
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    let output = predict(&["sqlite/fail.trace", "--property", "sockets", "--only-properties"]);
    assert!(out(&output).contains("the run has no event `socket_use`; it has bind, column"), "{}", out(&output));
}

#[test]
fn mistakes_are_refused() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let file = |name: &str, text: &str| {
        let path = scratch.path().join(name);
        std::fs::write(&path, text).expect("a file can be written");
        path.display().to_string()
    };
    for (property, expected) in [
        ("no-such".to_owned(), "the library has atomic-regions, file-handles"),
        (file("bad", "never use(x"), "line 1, column 12: expected `,` or `)`"),
        (file("empty", "# nothing\n"), "there is no property in this file"),
        (file("bad.csp", "assert STOP [T= PROGRAMM\n"), "PROGRAMM"),
        (file("none.csp", "P = STOP\n"), "there is no assertion"),
    ] {
        let output = predict(&["file/fail.trace", "--property", &property]);
        assert_eq!(output.status.code(), Some(2), "{property}: {}", out(&output));
        assert!(out(&output).contains(expected), "{property}: {}", out(&output));
    }
}
