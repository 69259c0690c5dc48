//! Threads that wait for files, messages and signals: the gate decides when they go on, so all orders are explored, and no
//! execution is ended by its time limit.

use crate::support::Scratch;

/// The program is proved, and with its bug the order is found in which what comes second comes first.
fn both_orders(source: &str, flags: &[&str]) {
    fails(source, flags, "error: failed assertion");
}

/// The same with another error.
fn fails(source: &str, flags: &[&str], error: &str) {
    let scratch = Scratch::new();
    let twin = scratch.explore(&scratch.build(source, &[&["-O1"], flags].concat()), &[], &[]);
    assert_eq!(twin.code, 0, "{source} {flags:?}: {}", twin.text);
    assert!(twin.orders().is_some_and(|orders| orders > 1), "{source} {flags:?}: {}", twin.text);
    let explored = scratch.explore(&scratch.build(source, &[&["-O1", "-DBUG"], flags].concat()), &[], &[]);
    assert_eq!(explored.code, 1, "{source} {flags:?}: {}", explored.text);
    assert!(explored.text.contains(error), "{source} {flags:?}: {}", explored.text);
    assert!(!explored.text.contains("took too long"), "{source} {flags:?}: {}", explored.text);
    for finding in explored.findings() {
        assert_eq!(scratch.replay(&finding), 1, "{source} {flags:?}: {finding} does not fail again");
    }
}

#[test]
fn select_poll_and_epoll() {
    for flags in [&[][..], &["-DPOLL"], &["-DEPOLL"]] {
        both_orders("waits/files.c", flags);
    }
}

#[test]
fn message_queues() {
    both_orders("waits/queue.c", &[]);
    both_orders("waits/queue.c", &["-DPOSIX"]);
}

/// Waits that have a limit end by it in some orders.
#[test]
fn messages_and_signals_that_may_not_come() {
    both_orders("waits/timed.c", &[]);
    both_orders("waits/timed.c", &["-DQUEUE"]);
}

/// Which threads a call of `futex` wakes is followed, so a wake-up that reaches too few is a deadlock in some order.
#[test]
fn futexes() {
    for flags in [&[][..], &["-DLOCK"]] {
        fails("waits/futex.c", flags, "error: deadlock");
    }
    let scratch = Scratch::new();
    let timed = scratch.explore(&scratch.build("waits/futex.c", &["-O1", "-DTIMED", "-DBUG"]), &[], &[]);
    assert_eq!(timed.code, 0, "{}", timed.text);
    assert!(timed.orders().is_some_and(|orders| orders > 4), "{}", timed.text);
}

/// C++'s own waits first look a number of times, and go to the futex only when nobody else can go on.
#[test]
fn atomic_waits() {
    let scratch = Scratch::new();
    let program = scratch.build_with("g++", "waits/atomic_wait.cc", &["-O1", "-std=c++20"]);
    let explored = scratch.explore(&program, &[], &["--budget", "5s"]);
    assert!(!explored.text.contains("error:"), "{}", explored.text);
}

#[test]
fn signals_that_are_waited_for() {
    both_orders("waits/signals.c", &[]);
}
