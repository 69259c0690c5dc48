//! Failures that do not show every time.

use crate::script::{Script, parse, race, search_with, shows};
use foretrace_finding::Schedule;
use foretrace_search::{Effort, Repeats};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Two variables that two threads race for.
const TWO: &str =
    "main fork t\nt write x\nmain write x\nmain lock m\nmain unlock m\nt lock n\nt unlock n\nt write y\nmain write y\n";

fn first() -> String {
    race((1, "write", "4010"), (0, "write", "4020"))
}

/// Of threads that the prediction knows nothing of: seen incidentally.
fn incidental() -> String {
    race((2, "write", "4030"), (3, "write", "4040"))
}

fn repeats(found: &foretrace_search::Found, pc: u64) -> Option<Repeats> {
    let is_it = |one: &&foretrace_search::Confirmed| one.spots().iter().any(|(_, address)| *address == pc);
    found.confirmed.iter().find(is_it).expect("it was seen").repeats
}

#[test]
fn an_incidental_failure_is_counted_in_eight_more_runs() {
    let runs = AtomicUsize::new(0);
    let answer = |_: &Schedule| {
        let number = runs.fetch_add(1, Ordering::SeqCst);
        if number.is_multiple_of(2) { shows(&format!("{}{}", first(), incidental())) } else { shows(&first()) }
    };
    let found = search_with(&Script::new(&answer), &parse(TWO), Effort { at_once: 1, ..Effort::default() });
    let often = repeats(&found, 0x30).expect("it was counted");
    assert!(often.of == 8 && !often.is_always() && often.seen >= 3, "{often:?}");
    assert!(repeats(&found, 0x10).is_none_or(Repeats::is_always));
}

#[test]
fn a_failure_that_was_aimed_at_and_is_alone_is_not_run_again() {
    let script = Script::new(&|_| shows(&race((1, "write", "0"), (0, "read", "0"))));
    let found = search_with(&script, &parse("main fork t\nt write x\nmain read x\n"), Effort::default());
    assert_eq!((script.asked().len(), found.confirmed[0].aimed_at, found.confirmed[0].repeats), (1, true, None));
}

#[test]
fn more_is_a_larger_part() {
    let often = |seen, of| Repeats { seen, of };
    assert!(often(8, 8).is_always() && !often(7, 8).is_always());
    assert!(often(2, 2).is_more_than(often(7, 8)) && !often(4, 8).is_more_than(often(1, 2)));
}
