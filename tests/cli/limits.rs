//! Time and memory in proportion: programs that poll, with very many locks, threads, loads or blocks. No test looks at the
//! clock: the tool is given a budget and a limit of memory, and must get along with them.

use super::support::{COUNTER, Ran, Scratch, compilers};

/// What a check of any of these programs may take. The budget is wide, because tests run side by side, in unoptimised builds.
const LIMITS: &str = "--budget 120s --max-memory 1G";

fn built(source: &str, flags: &str) -> Scratch {
    let scratch = Scratch::with(&[("prog.c", source)]);
    scratch.run(&format!("foretrace-cc {flags} -g -pthread prog.c -o prog")).succeeds();
    scratch
}

/// Checks within the limits; nothing was left out for want of time or memory.
fn checks(source: &str) -> Ran {
    let scratch = built(source, "-O0");
    let ran = scratch.run(&format!("foretrace check {LIMITS} -- ./prog"));
    assert!(!ran.err().contains("not everything was checked"), "{}", ran.err());
    ran
}

#[test]
fn rounds_of_polling_that_repeat_are_no_events() {
    let source = include_str!("limits/polling.c");
    for compiler in compilers() {
        for level in ["-O0", "-O2"] {
            let scratch = Scratch::with(&[("prog.c", source)]);
            let mut build = scratch.command(super::support::FORETRACE_CC);
            build.env("FORETRACE_CC", compiler).args([level, "-g", "-pthread", "prog.c", "-o", "prog"]);
            assert!(build.status().expect("the compiler runs").success());
            for way in ["loads", "yields", "sleeps", "exchanges", "tries"] {
                scratch.run(&format!("foretrace record -o {way}.ft -- ./prog {way}")).succeeds();
                let dump = scratch.run(&format!("foretrace trace dump {way}.ft")).succeeds().out();
                let lines = dump.lines().count();
                assert!(
                    lines < 60,
                    "{compiler} {level} {way}: {lines} lines, of which the first are\n{}",
                    first(&dump)
                );
            }
        }
    }
}

fn first(text: &str) -> String {
    text.lines().take(40).collect::<Vec<_>>().join("\n")
}

#[test]
fn programs_that_poll_are_checked() {
    let scratch = built(include_str!("limits/polling.c"), "-O0");
    for way in ["loads", "exchanges", "tries"] {
        let ran = scratch.run(&format!("foretrace check {LIMITS} -- ./prog {way}"));
        assert_eq!(ran.code(), Some(0), "{way}: {}", ran.err());
        assert!(!ran.err().contains("not everything was checked"), "{way}: {}", ran.err());
    }
}

#[test]
fn two_hundred_thousand_locks_are_checked() {
    let scratch = built(include_str!("limits/locks.c"), "-O0");
    let ran = scratch.run(&format!("foretrace check {LIMITS} -- ./prog"));
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    assert!(ran.err().contains("data race on `counter`"), "{}", ran.err());
}

#[test]
fn twenty_thousand_short_threads_are_checked() {
    let ran = checks(include_str!("limits/threads.c"));
    assert_eq!(ran.code(), Some(0), "{}", ran.err());
}

#[test]
fn two_and_a_half_million_atomic_loads_are_checked() {
    let ran = checks(include_str!("limits/loads.c"));
    assert_eq!(ran.code(), Some(0), "{}", ran.err());
}

#[test]
fn blocks_that_are_published_through_plain_pointers_are_checked() {
    let ran = checks(include_str!("limits/published.c"));
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    assert!(ran.err().contains("data race"), "{}", ran.err());
}

#[test]
fn too_little_memory_is_said_and_is_no_success() {
    let scratch = built(COUNTER, "-O0");
    scratch.run("foretrace record -o out.ft -- ./prog").succeeds();
    for command in ["predict -q --max-memory 1M out.ft", "check --max-memory 1M -- ./prog"] {
        let ran = scratch.run(&format!("foretrace {command}"));
        assert_eq!(ran.code(), Some(2), "{command}: {}", ran.err());
        assert!(ran.err().contains("--max-memory"), "{command}: {}", ran.err());
    }
    let enough = scratch.run("foretrace check --max-memory 1G -- ./prog");
    assert_eq!(enough.code(), Some(0), "{}", enough.err());
}
