//! Ladders, budgets, forced failures, and what stays open.

use crate::script::{Answer, Script, aborts, parse, race, schedule, search_for, search_with, shows};
use foretrace_finding::{Candidate, Race, Rung, Schedule, Witness};
use foretrace_predict::{Options, Predicted, Prediction, Predictor};
use foretrace_run::{CutShort, Evidence};
use foretrace_search::{Effort, Instead, Looks, Reason, Recorded};
use foretrace_trace::Trace;
use std::collections::BTreeSet;

/// Two writes of `x` that can be brought side by side on every rung, by ever more distant schedules.
const RUNGS: &str = "main fork t
main lock m
main write y
main unlock m
main write x
t lock m
t write y
t unlock m
t write x
";

fn effort() -> Effort {
    Effort { replays: 100, ..Effort::default() }
}

/// The races alone, without other pairs: each schedule of the candidate's own ladder once.
fn own_ladder(trace: &Trace) -> Vec<Witness> {
    let options = Options::default();
    let predictor = Predictor::new(trace, &options);
    let prediction = predictor.predict(&());
    let mut known = BTreeSet::new();
    let all: Vec<Witness> = predictor.witnesses(&prediction.races[0].witness).collect();
    all.into_iter().filter(|witness| known.insert(witness.schedule.to_string())).collect()
}

fn texts(schedules: &[Schedule]) -> Vec<String> {
    schedules.iter().map(Schedule::to_string).collect()
}

fn any_race() -> String {
    race((1, "write", "401a"), (0, "write", "402a"))
}

#[test]
fn each_rung_is_tried_in_turn_until_one_shows_the_race() {
    let trace = parse(RUNGS);
    let ladder = own_ladder(&trace);
    let rungs: BTreeSet<Rung> = ladder.iter().map(|witness| witness.rung).collect();
    assert!(rungs.len() >= 2, "{rungs:?}");
    for (number, witness) in ladder.iter().enumerate() {
        let answer = |asked: &Schedule| {
            let is_it = asked.to_string() == witness.schedule.to_string();
            if is_it { shows(&any_race()) } else { shows("") }
        };
        let script = Script::new(&answer);
        let found = search_with(&script, &trace, effort());
        let expected: Vec<Schedule> = ladder[..=number].iter().map(|witness| witness.schedule.clone()).collect();
        assert_eq!(texts(&script.asked()[..=number]), texts(&expected), "rung {}", witness.rung);
        let [confirmed] = &found.confirmed[..] else { panic!("{:?}", found.confirmed) };
        assert!(confirmed.schedule.steps() == witness.schedule.steps() && found.open.is_empty(), "{:?}", found.open);
    }
}

#[test]
fn a_schedule_that_two_witnesses_share_is_run_once() {
    let trace = parse("main fork t\nt write x\nmain read x\n");
    let script = Script::new(&|_| shows(""));
    let found = search_with(&script, &trace, effort());
    let asked = script.asked();
    // The recorded order comes last, for the race that stays open.
    let recorded: Schedule = trace.observed().collect();
    assert_eq!(asked.iter().filter(|one| one.steps() != recorded.steps()).count(), 1, "{:?}", texts(&asked));
    assert_eq!(found.open[0].reason, Reason::NotSeen);
}

#[test]
fn what_stays_open_says_why() {
    let trace = parse("main fork t\nt write x\nmain read x\n");
    let line = |text: &str| Answer { outcome: format!("{text}\n"), ..Answer::default() };
    let ended = |cut_short| Answer { cut_short: Some(cut_short), wait_status: 9, ..Answer::default() };
    let operation = |got: &str| Instead::Operation { thread: 1, got: got.into(), expected: "start".into() };
    for (answer, expected) in [
        (shows(""), Reason::NotSeen),
        (
            line("diverged step=9 thread=1 expected=start got=lock pc=0"),
            Reason::Diverged { expected: None, instead: operation("lock") },
        ),
        (
            line("stalled step=9 thread=2"),
            Reason::Diverged { expected: None, instead: Instead::NeverArrived { thread: 2 } },
        ),
        (ended(CutShort::Outside), Reason::Outside),
        (ended(CutShort::Stopped), Reason::Spent("interrupted")),
        (ended(CutShort::TimeUp), Reason::TimeUp(std::time::Duration::ZERO)),
        (Answer { wait_status: 9, ..Answer::default() }, Reason::Killed(9)),
        (shows(&any_race().replace("thread=1", "thread=2")), Reason::OtherError),
    ] {
        let found = search_with(&Script::new(&|_| answer.clone()), &trace, effort());
        assert_eq!(found.open.iter().map(|open| &open.reason).collect::<Vec<_>>(), [&expected]);
    }
}

#[test]
fn nothing_begins_when_the_budget_is_spent() {
    let trace = parse(RUNGS);
    for most in 0..4 {
        let script = Script::new(&|_| shows("")).at_most(most);
        let found = search_with(&script, &trace, effort());
        assert_eq!((script.asked().len(), found.spent), (most, Some("spent")));
        assert_eq!(found.open.len(), 1, "the candidate is not lost");
    }
    let found = search_with(&Script::new(&|_| shows("")).at_most(0), &trace, effort());
    assert_eq!(found.open[0].reason, Reason::Spent("spent"));
}

#[test]
fn without_replays_nothing_is_run() {
    let script = Script::new(&|_| shows(""));
    let found = search_with(&script, &parse(RUNGS), Effort { replays: 0, ..Effort::default() });
    assert!(script.asked().is_empty() && found.open[0].reason == Reason::NotReplayed);
}

#[test]
fn a_try_lock_is_made_to_fail_while_another_thread_holds_the_lock() {
    let trace = parse("main fork t\nt lock m\nt unlock m\nmain lock m try\nmain unlock m\n");
    let fails = |schedule: &Schedule| schedule.steps().iter().any(|step| step.fails);
    let answer = |schedule: &Schedule| if fails(schedule) { aborts("4030") } else { shows("") };
    let script = Script::new(&answer);
    let found = search_with(&script, &trace, effort());
    let forced: Vec<String> = texts(&script.asked().into_iter().filter(fails).collect::<Vec<_>>());
    assert_eq!(forced, ["t0:1 t1:2 t0:1!"]);
    let [confirmed] = &found.confirmed[..] else { panic!("{:?}", found.confirmed) };
    assert!(matches!(confirmed.evidence, Evidence::Death(_)) && confirmed.schedule.to_string() == forced[0]);
}

#[test]
fn failures_that_nobody_looks_for_are_not_reported() {
    let trace = parse("main fork t\nt lock m\nt unlock m\nmain lock m try\nmain unlock m\n");
    let looks = Looks { without: vec!["crash"] };
    let found = search_with(&Script::new(&|_| aborts("4030")), &trace, Effort { looks, ..effort() });
    assert!(found.confirmed.is_empty());
}

#[test]
fn a_run_that_had_to_be_ended_is_repeated_first() {
    let trace = parse("main fork t\nt lock m\nt unlock m\nmain lock m\nmain unlock m\n");
    let stuck = "deadlock\nstuck thread=1 op=lock object=10 owner=0 pc=4010 stack=4010\n";
    let answer = |_: &Schedule| Answer { outcome: stuck.to_owned(), ..Answer::default() };
    let script = Script::new(&answer);
    let found = search_with(&script, &trace, Effort { recorded: Recorded::First, ..effort() });
    let recorded: Schedule = trace.observed().collect();
    assert_eq!(script.asked()[0], recorded);
    assert!(matches!(found.confirmed[..], [ref one] if matches!(one.evidence, Evidence::Deadlock(_))));
}

#[test]
fn the_recorded_order_shows_the_races_of_a_long_run_first() {
    let trace = parse(RUNGS);
    let script = Script::new(&|_| shows(&any_race()));
    let found = search_with(&script, &trace, Effort { recorded: Recorded::FirstForRaces, ..effort() });
    let recorded: Schedule = trace.observed().collect();
    assert_eq!(script.asked()[0], recorded);
    assert!(found.open.is_empty() && found.confirmed.len() == 1, "{found:?}");
    let calm = parse("main fork t\nt lock m\nt unlock m\nmain lock m\nmain unlock m\n");
    let script = Script::new(&|_| shows(""));
    search_with(&script, &calm, Effort { recorded: Recorded::FirstForRaces, ..effort() });
    assert!(script.asked().is_empty(), "nothing is predicted, so nothing is run");
}

/// Two races whose ladders have several schedules each.
const TWO_RACES: &str = "main fork t
main lock m
main write y
main unlock m
main write x
main lock m
main write y
main unlock m
main write z
t lock m
t write y
t unlock m
t write z
t lock m
t write y
t unlock m
t write x
";

#[test]
fn no_candidate_takes_more_than_a_share_of_the_time() {
    let trace = parse(TWO_RACES);
    let unlimited = Script::new(&|_| shows(""));
    let found = search_with(&unlimited, &trace, effort());
    assert_eq!(found.open.len(), 2, "{:?}", found.open);
    let [first, again, second, ..] = &texts(&unlimited.asked())[..] else { panic!("{:?}", unlimited.asked()) };
    // With time for three runs, a candidate gets one, and the first goes on with what is left.
    let script = Script::new(&|_| shows("")).at_most(3);
    search_with(&script, &trace, effort());
    assert_eq!(texts(&script.asked()), [first.as_str(), second, again]);
}

#[test]
fn of_candidates_that_are_alike_three_are_run() {
    let rounds: String = (0..6)
        .map(|_| "main write x @ a.c:1\nmain lock m\nmain unlock m\nt write x @ a.c:2\nt lock n\nt unlock n\n")
        .collect();
    let trace = parse(&format!("main fork t\n{rounds}"));
    let predict = |predictor: &Predictor<'_>| {
        let prediction = predictor.predict(&());
        let one = prediction.races[0].clone();
        Prediction { races: vec![one; 6], ..prediction }
    };
    let found = search_for(&Script::new(&|_| shows("")), &trace, effort(), predict);
    let alike = found.open.iter().filter(|open| open.reason == Reason::Alike(3)).count();
    assert_eq!((found.open.len(), alike), (6, 3));
}

#[test]
fn so_many_runs_at_a_time_and_no_more() {
    let accesses: String = (0..12)
        .map(|number| {
            format!("main write x{number}\nt write x{number}\nmain lock m\nmain unlock m\nt lock n\nt unlock n\n")
        })
        .collect();
    let trace = parse(&format!("main fork t\n{accesses}"));
    for jobs in [1, 3] {
        let script = Script::new(&|_| shows(""));
        search_with(&script, &trace, Effort { jobs, at_once: jobs, ..effort() });
        assert!(script.busiest() <= jobs, "{} at a time", script.busiest());
    }
}

#[test]
#[should_panic(expected = "this is a bug of Foretrace: prediction made an illegal witness")]
fn a_witness_that_the_judge_rejects_is_our_bug() {
    let trace = parse("main fork t\nt write x\nmain read x\n");
    let predict = |predictor: &Predictor<'_>| {
        let prediction = predictor.predict(&());
        let Candidate::Race(race) = prediction.races[0].witness.candidate else { panic!("a race") };
        let candidate = Candidate::Race(Race::new(race.interval, race.first, race.second));
        // The thread writes before it was created.
        let witness = Witness { candidate, rung: Rung::Free, schedule: schedule(&trace, "t1:1") };
        Prediction { races: vec![Predicted { witness, also: Vec::new() }], ..prediction }
    };
    search_for(&Script::new(&|_| shows("")), &trace, effort(), predict);
}
