//! `foretrace trace timeline` and `overview`, `explain`, `completions`, `man` and `doctor`, as a user calls them.

use crate::support::{COUNTER, Scratch};

#[test]
fn a_timeline_and_an_overview() {
    let scratch = Scratch::with(&[("a.c", COUNTER)]);
    scratch.run("foretrace-cc --compiler=gcc a.c -o prog").succeeds();
    scratch.records("./prog", "2000\n");
    scratch.run("foretrace trace timeline out.ft -o run.json").succeeds();
    let timeline = std::fs::read_to_string(scratch.path("run.json")).expect("it was written");
    let timeline: serde_json::Value = serde_json::from_str(&timeline).expect("good JSON");
    let items = timeline["traceEvents"].as_array().expect("a list");
    let named = |name: &str| items.iter().filter(|item| item["name"] == name).count();
    assert_eq!((named("holds lock"), named("thread_name")), (2000, 3));
    assert!(items.iter().any(|item| item["args"]["place"].as_str().is_some_and(|place| place.starts_with("a.c:"))));
    let page = scratch.run("foretrace trace overview out.ft").succeeds().out();
    assert!(page.starts_with("<!doctype html>") && page.contains("<td>counter</td>"), "{page}");
}

#[test]
fn a_timeline_marks_what_is_predicted() {
    let scratch = Scratch::with(&[("race.trace", "main fork t\nt write x\nmain write x\n")]);
    let timeline = scratch.run("foretrace trace timeline race.trace").succeeds().out();
    assert_eq!(timeline.matches("predicted: data race on x").count(), 2, "{timeline}");
    let limited = scratch.run("foretrace trace timeline --most 2 race.trace").succeeds();
    assert!(limited.err().contains("are not shown"), "{}", limited.err());
}

/// The example of each page fails as the page says.
#[test]
fn examples_of_errors_fail() {
    let scratch = Scratch::new();
    let list = scratch.run("foretrace explain").succeeds().out();
    let rules: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(rules.contains(&"lost-signal") && rules.contains(&"data-race"), "{list}");
    for rule in rules {
        let page = scratch.run(&format!("foretrace explain {rule}")).succeeds().out();
        assert_example_fails(&scratch, rule, &page);
    }
}

/// Comments in the example name the rule that is reported, the flags of the check, and the compiler if it must be clang.
fn assert_example_fails(scratch: &Scratch, rule: &str, page: &str) {
    let example = page.split_once("```c\n").and_then(|(_, rest)| rest.split_once("```")).expect("an example").0;
    let comment = |name: &str| example.lines().find_map(|line| line.strip_prefix(&format!("// {name}: ")));
    let (expected, flags) = (comment("expect").expect("a rule"), comment("flags").unwrap_or_default());
    std::fs::write(scratch.path("example.c"), example).expect("a scratch file can be written");
    write_files(scratch, page);
    let compiler = if comment("compiler").is_some() { "FORETRACE_CC=clang-19" } else { "" };
    let ran = scratch.shell(&format!("{compiler} foretrace check {flags} --format json example.c"));
    let report: serde_json::Value = serde_json::from_str(&ran.out()).unwrap_or_else(|_| panic!("{}", ran.err()));
    let findings = report["findings"].as_array().expect("findings");
    let shows = |finding: &serde_json::Value| finding["rule"] == expected || finding["kind"] == expected;
    assert!(findings.iter().any(shows), "{rule}: {report:#}");
}

/// Writes the other files of an example: a block of text after a line that begins with the file's name.
fn write_files(scratch: &Scratch, page: &str) {
    for (before, block) in page.split("\n\n```text\n").zip(page.split("\n\n```text\n").skip(1)) {
        let line = before.lines().last().unwrap_or_default();
        let name = line.strip_prefix('`').and_then(|rest| rest.split_once('`')).map(|(name, _)| name);
        if let Some(name) = name.filter(|name| name.contains('.') && !name.contains([' ', '/'])) {
            let text = block.split_once("```").map_or(block, |(text, _)| text);
            std::fs::write(scratch.path(name), text).expect("a scratch file can be written");
        }
    }
}

#[test]
fn unknown_rules_are_refused() {
    Scratch::new().run("foretrace explain no-such-rule").refuses("there are data-race");
}

#[test]
fn completions_and_manual_pages() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(scratch.run(&format!("foretrace completions {shell}")).succeeds().out().contains("predict"));
    }
    scratch.run("foretrace man pages").succeeds();
    for page in ["foretrace.1", "foretrace-check.1", "foretrace-trace-timeline.1"] {
        assert!(scratch.path("pages").join(page).exists(), "{page}");
    }
}

#[test]
fn the_doctor_tries_every_way() {
    let said = Scratch::new().run("foretrace doctor").succeeds().out();
    for way in ["yes foretrace cc with gcc", "yes foretrace cc with clang", "yes any program, not rebuilt"] {
        assert!(said.contains(way), "{said}");
    }
}
