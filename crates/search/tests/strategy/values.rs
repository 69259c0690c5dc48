//! Delay points: reads that see other values.

use crate::script::{Script, aborts, parse, race, search_with, shows};
use foretrace_finding::Schedule;
use foretrace_run::Evidence;
use foretrace_search::{Effort, Found, Repeats};

const RACE: &str = "main fork t\nt write x\nmain read x\n";

/// Where the access reads, and where it writes, as delay points.
const READ: &str = "prog+0x2a";
const WRITE: &str = "prog+0x1a";

fn delays(schedule: &Schedule) -> Vec<String> {
    let place = |late: &foretrace_finding::DelayPoint| match late.rounds() {
        u32::MAX => format!("({}+{:#x})", late.file(), late.address()),
        0 => format!("{}+{:#x}", late.file(), late.address()),
        rounds => format!("{}+{:#x}/{rounds}", late.file(), late.address()),
    };
    schedule.delays().iter().map(place).collect()
}

fn deaths(found: &Found) -> Vec<(Vec<String>, Option<Repeats>)> {
    let is_death = |one: &&foretrace_search::Confirmed| matches!(one.evidence, Evidence::Death(_));
    found.confirmed.iter().filter(is_death).map(|one| (delays(&one.schedule), one.repeats)).collect()
}

fn seen() -> String {
    race((1, "write", "401a"), (0, "read", "402a"))
}

#[test]
fn the_access_that_came_first_is_delayed_and_the_other_one_counted() {
    let script = Script::new(&|_| shows(&seen()));
    search_with(&script, &parse(RACE), Effort::default());
    let delayed: Vec<Vec<String>> = script.asked().iter().map(delays).filter(|delays| !delays.is_empty()).collect();
    assert_eq!(delayed, [vec![READ.to_owned(), format!("({WRITE})")]], "nothing else showed, so no more is tried");
}

#[test]
fn a_failure_behind_a_delayed_read_is_found_and_kept_with_its_delay_point() {
    let answer = |schedule: &Schedule| match delays(schedule).first().map(String::as_str) {
        Some(READ) => aborts("4050"),
        _ => shows(&seen()),
    };
    let found = search_with(&Script::new(&answer), &parse(RACE), Effort::default());
    assert_eq!(deaths(&found), [(vec![READ.to_owned()], Some(Repeats { seen: 8, of: 8 }))]);
}

#[test]
fn if_something_else_shows_the_other_access_is_delayed_too() {
    // The death comes only if the reads wait for the write and see what was there before it.
    let answer = |schedule: &Schedule| match &delays(schedule).iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [READ, WRITE] => aborts("4050"),
        [] => shows(&seen()),
        _ => shows(""),
    };
    let found = search_with(&Script::new(&answer), &parse(RACE), Effort::default());
    assert_eq!(deaths(&found), [(vec![READ.to_owned(), WRITE.to_owned()], Some(Repeats { seen: 8, of: 8 }))]);
}

#[test]
fn reads_are_placed_between_two_rounds_of_a_write() {
    let answer = |schedule: &Schedule| match &delays(schedule)[..] {
        [] => shows(&seen()),
        [_, write] if write == &format!("{WRITE}/2") => aborts("4050"),
        _ => shows(&format!("passed place=1 count=3\n{}", seen())),
    };
    let script = Script::new(&answer);
    let found = search_with(&script, &parse(RACE), Effort::default());
    assert_eq!(deaths(&found).len(), 1);
    let rounds: Vec<Vec<String>> =
        script.asked().iter().map(delays).filter(|all| all.iter().any(|one| one.contains('/'))).collect();
    assert!(rounds.contains(&vec![READ.to_owned(), format!("{WRITE}/1")]), "{rounds:?}");
    assert!(rounds.contains(&vec![READ.to_owned(), format!("{WRITE}/2")]), "{rounds:?}");
}
