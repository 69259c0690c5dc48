//! Threads that wait for files, messages and signals: the gate decides when they go on, so all orders are explored, and no
//! execution is ended by its time limit.

use crate::support::Scratch;

/// The program is proved, and with its bug the order is found in which what comes second comes first.
fn both_orders(source: &str, flags: &[&str]) {
    let scratch = Scratch::new();
    let twin = scratch.explore(&scratch.build(source, &[&["-O1"], flags].concat()), &[], &[]);
    assert_eq!(twin.code, 0, "{source} {flags:?}: {}", twin.text);
    assert!(twin.orders().is_some_and(|orders| orders > 1), "{source} {flags:?}: {}", twin.text);
    let explored = scratch.explore(&scratch.build(source, &[&["-O1", "-DBUG"], flags].concat()), &[], &[]);
    assert_eq!(explored.code, 1, "{source} {flags:?}: {}", explored.text);
    assert!(explored.text.contains("error: failed assertion"), "{source} {flags:?}: {}", explored.text);
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

#[test]
fn signals_that_are_waited_for() {
    both_orders("waits/signals.c", &[]);
}
