//! Threads that are cancelled: the search decides when, and they end where they wait.

use crate::support::{Explored, Scratch};

fn explore(scratch: &Scratch, flags: &[&str]) -> Explored {
    let program = scratch.build("cancel/waits.c", &[&["-O1"], flags].concat());
    scratch.explore(&program, &[], &["--budget", "5s", "--strategy", "complete"])
}

/// A thread that is cancelled in a wait has its lock there, and keeps it if it does not give it back.
#[test]
fn a_cancelled_thread_that_keeps_its_lock_is_found() {
    let scratch = Scratch::new();
    for wait in [&[][..], &["-DSEMAPHORE"], &["-DJOIN"], &["-DPIPE"], &["-DSLEEP"], &["-DLOOK"]] {
        let twin = explore(&scratch, wait);
        assert!(!twin.text.contains("error:"), "{wait:?}: {}", twin.text);
        assert!(twin.text.contains("the program cancels threads"), "{wait:?}: {}", twin.text);
        let explored = explore(&scratch, &[wait, &["-DBUG"]].concat());
        assert!(explored.text.contains("error: deadlock"), "{wait:?}: {}", explored.text);
        for finding in explored.findings() {
            assert_eq!(scratch.replay(&finding), 1, "{wait:?}: {finding} does not fail again");
        }
    }
}
