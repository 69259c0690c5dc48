//! Reports as pages, reports of saved findings, and reports against their schema.

use crate::support::Scratch;
use serde_json::Value;

const RACE: &str = r"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance;
static void *pay(void *unused) {
    pthread_mutex_lock(&m);
    balance++;
    pthread_mutex_unlock(&m);
    return unused;
}
static void *audit(void *unused) {
    int seen = balance;
    pthread_mutex_lock(&m);
    balance = seen;
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, pay, 0);
    pthread_create(&other, 0, audit, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
";

/// Nothing in a page leads out of it.
fn assert_closed(page: &str) {
    for word in ["http:", "https:", "src=", "@import", "url(", "fetch(", "XMLHttpRequest"] {
        assert!(!page.contains(word), "{word} is in the page");
    }
}

#[test]
fn a_page_is_written_and_made_again() {
    let scratch = Scratch::with(&[("bank.c", RACE)]);
    assert_eq!(scratch.run("foretrace check --format html -o page.html bank.c").code(), Some(1));
    let page = std::fs::read_to_string(scratch.path("page.html")).expect("it was written");
    assert!(page.starts_with("<!doctype html>") && page.contains("data race on <code>balance</code>"), "{page}");
    assert!(page.len() < 300_000, "{} bytes", page.len());
    assert_closed(&page);
    scratch.run("foretrace report foretrace-findings -o again.html").succeeds();
    let again = std::fs::read_to_string(scratch.path("again.html")).expect("it was written");
    assert_eq!(again.replace("foretrace-findings/", ""), page.replace("foretrace-findings/", ""));
    let human = scratch.run("foretrace report foretrace-findings --format human").succeeds().out();
    assert!(human.contains("error: data race on `balance`"), "{human}");
    let colours = scratch.run("foretrace report foretrace-findings --format human --color always").succeeds().out();
    assert!(colours.contains("\x1b[") && !human.contains('\x1b'), "{colours:?}");
}

#[test]
fn what_is_no_report_is_refused() {
    let scratch = Scratch::with(&[("bank.c", RACE)]);
    scratch.run("foretrace report nowhere -o page.html").refuses("nowhere");
    std::fs::create_dir_all(scratch.path("empty")).expect("a folder can be made");
    scratch.run("foretrace report empty -o page.html").refuses("holds no findings");
    scratch.run("foretrace check --format json -o report.json bank.c");
    let good = std::fs::read_to_string(scratch.path("report.json")).expect("it was written");
    for (from, to) in [("\"thread\": 0", "\"thread\": 99"), ("\"data-race\"", "\"no-kind\""), ("{", "[")] {
        let bad = good.replacen(from, to, if from == "{" { 1 } else { usize::MAX });
        assert_ne!(bad, good, "{from}");
        std::fs::write(scratch.path("empty/report.json"), bad).expect("a file can be written");
        scratch.run("foretrace report empty -o page.html").refuses("report.json");
    }
    std::fs::write(scratch.path("empty/report.json"), good).expect("a file can be written");
    std::fs::write(scratch.path("empty/picture.json"), r#"{"threads":[],"steps":[],"left_out":0,"links":[{"from":7,"to":8,"how":"wakes"}],"bars":[],"recorded":[],"sources":[]}"#)
        .expect("a file can be written");
    scratch.run("foretrace report empty -o page.html").refuses("picture.json is damaged");
}

#[test]
fn real_reports_are_as_the_schema_says() {
    let schema = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/report-3.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).expect("it is there")).expect("JSON");
    let scratch = Scratch::with(&[("bank.c", RACE)]);
    let check = |line: &str| {
        let report: Value = serde_json::from_str(&scratch.run(line).out()).expect("JSON");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let objections: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert_eq!(objections, Vec::<String>::new(), "{line}");
        report
    };
    check("foretrace check --all --format json bank.c");
    check("foretrace explore --format json bank.c");
    for rule in ["deadlock", "lost-signal", "wait-not-in-loop", "crash"] {
        let page = scratch.run(&format!("foretrace explain {rule}")).succeeds().out();
        let example = page.split_once("```c\n").and_then(|(_, rest)| rest.split_once("```")).expect("an example").0;
        std::fs::write(scratch.path("example.c"), example).expect("a file can be written");
        check("foretrace check --all --format json example.c");
    }
}

#[test]
fn what_would_mend_it_is_said() {
    let scratch = Scratch::with(&[("bank.c", RACE)]);
    let said = scratch.run("foretrace check bank.c").err();
    assert!(said.contains("help: move the read of `balance` at line 12 behind the lock of `m` at line 13"), "{said}");
}

#[test]
fn quiet_and_verbose() {
    let scratch = Scratch::with(&[("bank.c", RACE)]);
    let verbose = scratch.run("foretrace check --verbose bank.c").err();
    assert!(verbose.contains("replaying: ") && verbose.contains("a replay failed: data-race"), "{verbose}");
    let quiet = scratch.run("foretrace check --quiet bank.c").err();
    assert!(!quiet.contains("a replay failed") && quiet.starts_with("error: data race"), "{quiet}");
    let verbose = scratch.run("foretrace explore --verbose bank.c").err();
    assert!(verbose.contains(" s] order ") && verbose.contains("has a data race"), "{verbose}");
    assert!(verbose.contains("the search begins again: accesses to the memory that raced are steps now"), "{verbose}");
    let quiet = scratch.run("foretrace explore --quiet bank.c").err();
    assert!(!quiet.contains(" s] ") && quiet.starts_with("error: data race"), "{quiet}");
    assert_eq!(scratch.run("foretrace explore --quiet --verbose bank.c").code(), Some(2));
}
