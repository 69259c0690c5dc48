//! Waits in loops: no lost signal where the signaller changes the condition under the lock.

use foretrace_predict::{Options, predict};
use foretrace_trace::text;

/// One thread waits until another has set a variable. The parts of the signaller are given.
fn deadlocks(wait: &str, signaller: &str) -> usize {
    let waiter = ["lock m", "read ready", "unlock m", wait, "lock m", "read ready", "unlock m"];
    let (begins, ends) = (waiter[..3].iter(), waiter[3..].iter());
    let lines =
        |events: &mut dyn Iterator<Item = &str>| events.map(|event| format!("t1 {event}\n")).collect::<String>();
    let signaller: String = signaller.split("; ").map(|event| format!("t0 {event}\n")).collect();
    let begins = lines(&mut begins.copied());
    let ends = lines(&mut ends.copied());
    let trace = text::parse(&format!("t0 fork t1\n{begins}{signaller}{ends}t0 join t1\n")).expect("a trace");
    let found = predict(&trace, &Options::default(), &());
    assert!(found.undecided.is_empty(), "{:?}", found.undecided);
    found.deadlocks.len()
}

const LOOP: &str = "wait c m loop";
const GOOD: [&str; 3] = [
    "lock m; write ready; signal c; unlock m",
    "lock m; write ready; unlock m; signal c",
    "lock m; write ready; unlock m; broadcast c",
];

#[test]
fn a_condition_that_changes_under_the_lock_cannot_be_missed() {
    for signaller in GOOD {
        assert_eq!(deadlocks(LOOP, signaller), 0, "{signaller}");
        // Without a loop that checks, the signal can be lost.
        assert_eq!(deadlocks("wait c m", signaller), 1, "{signaller}");
    }
}

#[test]
fn other_signals_can_be_lost_in_a_loop() {
    for signaller in [
        // The change comes without the lock, or under another one.
        "write ready; signal c",
        "write ready; lock m; signal c; unlock m",
        "lock n; write ready; unlock n; signal c",
        // What changes is not what is checked.
        "lock m; write other; unlock m; signal c",
        "signal c; lock m; write ready; unlock m",
    ] {
        assert_eq!(deadlocks(LOOP, signaller), 1, "{signaller}");
    }
}

#[test]
fn the_text_form_keeps_what_is_known_of_a_wait() {
    let written = "thread t0\nthread t1\nmutex m\ncond c\nt0 start\nt0 fork t1\nt1 start\nt1 lock m\nt1 unlock m\nt0 signal c\nt1 wait c m loop\nt1 lock m\n";
    let trace = text::parse(written).expect("a trace");
    let mut out = Vec::new();
    text::print(&trace, &mut out).expect("memory takes all writes");
    let printed = String::from_utf8(out).expect("text");
    assert!(printed.contains("t1 wait c m loop"), "{printed}");
}
