//! Why a schedule fails, against programs of which it is known: they fail exactly when some orders hold.

use crate::script::{Answer, Script, aborts, parse, schedule, shows};
use foretrace_event::{EventId, Random, ThreadId};
use foretrace_finding::Schedule;
use foretrace_run::{Precision, Runner};
use foretrace_search::{Confirmed, Ordered, Why, why};
use foretrace_trace::Trace;
use std::sync::Arc;

/// Two threads store to the same atomic variables, one after the other.
fn stores(variables: usize) -> Trace {
    let own = |thread: &str| {
        (0..variables).map(|number| format!("{thread} astore a{number} seq_cst 1\n")).collect::<String>()
    };
    parse(&format!("main fork t1\nmain fork t2\n{}{}", own("t1"), own("t2")))
}

/// Before the stores of a thread there is its beginning.
fn store(thread: u32, variable: usize) -> EventId {
    EventId { thread: ThreadId(thread), index: 1 + variable as u32 }
}

/// For each variable, the thread that stores to it first when a program runs this and then goes on as recorded.
fn firsts(schedule: &Schedule, variables: usize) -> Vec<u32> {
    let place = |id| schedule.events().position(|event| event == id).unwrap_or(usize::MAX);
    let first = |variable| if place(store(2, variable)) < place(store(1, variable)) { 2 } else { 1 };
    (0..variables).map(first).collect()
}

/// A schedule of all events in which the threads come first as told.
fn with_firsts(trace: &Trace, firsts: &[u32]) -> Schedule {
    let mut text = String::from("t0:2 t1:1 t2:1");
    let mut done = [0usize; 3];
    let variables = firsts.len();
    while done[1] < variables || done[2] < variables {
        let may = |thread: usize| {
            let (own, other) = (done[thread], done[3 - thread]);
            own < variables && (firsts[own] == thread as u32 || other > own)
        };
        let thread = if may(1) { 1 } else { 2 };
        assert!(may(thread));
        done[thread] += 1;
        text += &format!(" t{thread}:1");
    }
    schedule(trace, &text)
}

fn ask(trace: &Trace, failing: &Schedule, answer: &(dyn Fn(&Schedule) -> Answer + Sync), most: usize) -> Option<Why> {
    let script = Script::new(answer);
    let run = Arc::new(script.run(failing, Precision::Each).unwrap_or_else(|never| match never {}));
    let failure = Confirmed::all(failing, &run).pop().expect("it fails");
    why(&script, trace, &failure, most).unwrap_or_else(|never| match never {})
}

#[test]
fn exactly_the_orders_are_found_that_the_program_fails_by() {
    let mut random = Random::new(7);
    for case in 0..1_000 {
        let variables = 1 + random.below(5) as usize;
        let trace = stores(variables);
        let orders: Vec<u32> = (0..variables).map(|_| 1 + random.below(2) as u32).collect();
        let matters: Vec<bool> = (0..variables).map(|_| random.below(2) == 0).collect();
        let fails = |schedule: &Schedule| {
            let firsts = firsts(schedule, variables);
            (0..variables).all(|variable| !matters[variable] || firsts[variable] == orders[variable])
        };
        let answer = |schedule: &Schedule| if fails(schedule) { aborts("4010") } else { shows("") };
        let failing = with_firsts(&trace, &orders);
        let found = ask(&trace, &failing, &answer, 100).unwrap_or_else(|| panic!("case {case}: nothing is answered"));
        let needed = (0..variables).filter(|variable| matters[*variable]);
        let needed: Vec<Ordered> = needed
            .map(|variable| Ordered {
                first: store(orders[variable], variable),
                second: store(3 - orders[variable], variable),
            })
            .collect();
        let mut orders = found.orders.clone();
        orders.sort_by_key(|order| order.first.index);
        assert_eq!(orders, needed, "case {case}: {failing}");
        assert_eq!(found.considered, variables);
        assert!(found.with.iter().all(fails), "case {case}");
        assert!(!found.turned.iter().any(fails), "case {case}");
    }
}

#[test]
fn one_of_two_causes_is_an_answer() {
    let trace = stores(2);
    let answer = |schedule: &Schedule| if firsts(schedule, 2).contains(&2) { aborts("4010") } else { shows("") };
    let found = ask(&trace, &with_firsts(&trace, &[2, 2]), &answer, 100);
    // Either order alone makes it fail: whenever one of them holds, and one is enough.
    let found = found.expect("it is answered");
    assert_eq!(found.orders.len(), 1, "{found:?}");
}

#[test]
fn what_comes_by_chance_is_not_answered() {
    let trace = stores(2);
    let count = std::sync::atomic::AtomicUsize::new(0);
    // It fails in every other run, whatever the order is.
    let answer = |_: &Schedule| match count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 2 {
        0 => aborts("4010"),
        _ => shows(""),
    };
    assert_eq!(ask(&trace, &with_firsts(&trace, &[2, 1]), &answer, 100), None);
}

#[test]
fn no_more_runs_than_allowed() {
    let trace = stores(5);
    let answer = |_: &Schedule| aborts("4010");
    assert_eq!(ask(&trace, &with_firsts(&trace, &[2; 5]), &answer, 7), None);
    let enough = ask(&trace, &with_firsts(&trace, &[2; 5]), &answer, 40).expect("it is answered");
    assert!(enough.orders.is_empty() && enough.runs <= 40);
}

#[test]
fn a_run_that_goes_another_way_before_the_orders_answers_nothing() {
    let trace = stores(1);
    let failing = with_firsts(&trace, &[2]);
    let answer = |schedule: &Schedule| match firsts(schedule, 1) == [2] {
        true => aborts("4010"),
        false => Answer {
            outcome: "diverged step=0 thread=1 got=lock expected=astore pc=0\nend\n".to_owned(),
            ..Answer::default()
        },
    };
    assert_eq!(ask(&trace, &failing, &answer, 100), None);
}
