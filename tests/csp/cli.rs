//! `foretrace csp` as a program: exit codes, the readable and the machine-readable form, state spaces.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(args: &[&str], script: &str) -> (Output, tempfile::TempDir) {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let file = scratch.path().join("model.csp");
    std::fs::write(&file, script).expect("the script can be written");
    let output = Command::new(Path::new(env!("CARGO_BIN_EXE_foretrace"))).arg("csp").args(args).arg(&file).output();
    (output.expect("foretrace can be run"), scratch)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const VENDING: &str = "channel coin, choc\nV = coin -> choc -> V\nB = coin -> (choc -> B |~| B)\n";

#[test]
fn exit_codes_tell_how_it_went() {
    let holds = run(&[], &format!("{VENDING}assert V [T= V\n")).0;
    assert_eq!(holds.status.code(), Some(0), "{}", said(&holds));
    let fails = run(&[], &format!("{VENDING}assert V [T= V\nassert V [T= B\n")).0;
    assert_eq!(fails.status.code(), Some(1), "{}", said(&fails));
    assert!(said(&fails).contains("after <coin>"), "{}", said(&fails));
    assert!(said(&fails).contains("then does coin, which the specification does not allow"));
    let wrong = run(&[], "P = \n").0;
    assert_eq!(wrong.status.code(), Some(2));
    let endless = "channel up : {0,1}\nP(n) = up.n%2 -> P(n+1)\nassert P(0) :[deadlock free]\n";
    let undecided = run(&["--max-states", "1000"], endless).0;
    assert_eq!(undecided.status.code(), Some(2));
    assert!(said(&undecided).contains("raise --max-states"), "{}", said(&undecided));
}

#[test]
fn json_has_stable_fields() {
    let output = run(&["--format", "json"], &format!("{VENDING}assert V [F= B\n")).0;
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let one = &value["scripts"][0]["assertions"][0];
    assert_eq!(value["version"], 1);
    assert_eq!(one["result"], "fails");
    assert_eq!(one["counterexample"]["kind"], "trace");
    assert_eq!(one["counterexample"]["trace"][0], "coin");
    assert_eq!(one["counterexample"]["event"], "coin");
    assert!(one["statistics"]["states"].as_u64().is_some_and(|n| n > 0));
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().expect("an object").keys().cloned().collect::<BTreeSet<_>>().into_iter().collect()
    };
    assert_eq!(keys(&value), ["scripts", "version"]);
    assert_eq!(keys(&value["scripts"][0]), ["assertions", "file"]);
    assert_eq!(keys(one), ["assertion", "counterexample", "file", "line", "result", "statistics", "why"]);
    assert_eq!(keys(&one["statistics"]), ["bytes", "depth", "seconds", "states", "transitions"]);
    assert_eq!(keys(&one["counterexample"]), ["components", "demanded", "event", "kind", "offered", "steps", "trace"]);
    let wrong = run(&["--format", "json"], "P = Q\n").0;
    let value: serde_json::Value = serde_json::from_slice(&wrong.stdout).expect("it is JSON");
    assert_eq!(value["scripts"][0]["errors"][0]["line"], 1);
}

#[test]
fn state_spaces_can_be_printed_and_drawn() {
    let aut = run(&["--explore", "V", "--graph", "aut"], VENDING).0;
    assert_eq!(said(&aut), "des (0,2,2)\n(0,\"coin\",1)\n(1,\"choc\",0)\n");
    let dot = run(&["--explore", "V", "--graph", "dot"], VENDING).0;
    assert!(said(&dot).starts_with("digraph") && said(&dot).contains("0 -> 1 [label = \"coin\"];"));
    let text = run(&["--explore", "B \\ {coin}"], VENDING).0;
    assert!(said(&text).contains("-τ->"), "{}", said(&text));
}

/// Runs with a standard output that nobody reads: the exit code, and what was complained about.
fn unread(args: &[&str], script: &str) -> (Option<i32>, String) {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let file = scratch.path().join("model.csp");
    std::fs::write(&file, script).expect("the script can be written");
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_foretrace")));
    let output = command.args(args).arg(&file).stdout(writer).stderr(Stdio::piped()).output();
    let output = output.expect("foretrace can be run");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_reader_that_has_left_is_no_error() {
    let quiet = |code| (Some(code), String::new());
    let fails = format!("{VENDING}print 1\nassert V [T= B\nassert V [T= V\n");
    // The first value printed ends it; without one, the first assertion does.
    assert_eq!(unread(&["csp"], &fails), quiet(0));
    assert_eq!(unread(&["csp"], &fails.replace("print 1\n", "")), quiet(1));
    assert_eq!(unread(&["csp", "--format", "json"], &fails), quiet(1));
    for graph in ["text", "dot", "aut"] {
        assert_eq!(unread(&["csp", "--explore", "V", "--graph", graph], VENDING), quiet(0));
    }
    assert_eq!(unread(&["trace", "info"], "main write x\n"), quiet(0));
    assert_eq!(unread(&["trace", "dump"], "main write x\n"), quiet(0));
}
