//! Executions that put memory back do what forked ones do: the same orders, the same findings.

use super::support::{Explored, Scratch, bugs};

/// What is found, where, and how many orders there are. What is said of a failing order depends on the time that is left to
/// minimise it.
fn lasting(explored: &Explored) -> (i32, Vec<String>) {
    let is_lasting = |line: &&str| ["error:", "   -->", "foretrace:"].iter().any(|begin| line.starts_with(begin));
    (explored.code, explored.text.lines().filter(is_lasting).map(str::to_owned).collect())
}

#[test]
fn both_ways_run_the_same_orders_and_find_the_same() {
    let scratch = Scratch::new();
    let both = |program: &std::path::Path, arguments: &[&str], flags: &[&str]| {
        let forked: Vec<&str> = flags.iter().chain(&["--fork"]).copied().collect();
        [scratch.explore(program, arguments, flags), scratch.explore(program, arguments, &forked)]
    };
    for (name, _) in bugs() {
        for flags in [&["-O0"][..], &["-O1", "-DFIXED"]] {
            let program = scratch.build(&format!("bugs/{name}"), flags);
            let [fast, forked] = both(&program, &[], &[]);
            assert_eq!(lasting(&fast), lasting(&forked), "{name} {flags:?}: {} {}", fast.text, forked.text);
        }
    }
    for (name, size) in [("readers", "6"), ("lastzero", "5"), ("indexer", "13")] {
        let program = scratch.build(&format!("programs/{name}.c"), &["-O1"]);
        let [fast, forked] = both(&program, &[size], &[]);
        assert_eq!(lasting(&fast), lasting(&forked), "{name}");
        assert!(!fast.text.contains("fork of the program"), "{name}: {}", fast.text);
    }
}

#[test]
fn memory_is_put_back_and_threads_are_whole() {
    let scratch = Scratch::new();
    for name in ["private", "prints"] {
        for compiler in ["gcc", "clang-19"] {
            let program = scratch.build_with(compiler, &format!("fast/{name}.c"), &["-O1"]);
            let explored = scratch.explore(&program, &[], &[]);
            assert_eq!(explored.code, 0, "{name}: {}", explored.text);
            assert!(!explored.text.contains("fork of the program"), "{name}: {}", explored.text);
        }
    }
}

/// libc loads a library when a thread first calls `pthread_exit`.
#[test]
fn a_thread_that_exits_by_a_call_is_whole() {
    let scratch = Scratch::new();
    let program = scratch.build("fast/private.c", &["-O1", "-DEXITS"]);
    let explored = scratch.explore(&program, &[], &[]);
    assert_eq!(explored.code, 0, "{}", explored.text);
}

#[test]
fn what_does_not_suit_is_forked_and_said_once() {
    let scratch = Scratch::new();
    for (name, why) in [
        ("opens", "the program calls `open` in its threads"),
        ("stack", "the program chooses the stacks of its threads"),
    ] {
        let program = scratch.build(&format!("fast/{name}.c"), &["-O1"]);
        let explored = scratch.explore(&program, &[], &[]);
        assert_eq!((explored.code, explored.orders()), (0, Some(2)), "{name}: {}", explored.text);
        assert_eq!(explored.text.matches(why).count(), 1, "{name}: {}", explored.text);
    }
}
