//! Replays of a shell script that answers as the runtime does.

use foretrace_finding::{Candidate, Race, Rung, ScheduleText, Verdict, Witness};
use foretrace_replay::{Input, Limits, Modules, Precision, Program, Runs, confirm};
use foretrace_trace::Trace;
use std::time::Duration;

const RACE: &str = "race address=7f10 size=4
access thread=1 kind=write atomic=0 size=4 pc=401a stack=401a
access thread=0 kind=read atomic=0 size=4 pc=402a stack=402a
";

fn trace() -> Trace {
    foretrace_trace::text::parse("main fork t\nt write x\nmain read x").unwrap()
}

/// What becomes of a witness of the one race when the runtime answers so, and how many failures are seen.
fn check(answer: &str, seconds: u32) -> (Verdict, usize) {
    let (verdict, seen, _) = check_times(1, answer, seconds);
    (verdict, seen)
}

/// The same, with so many equal witnesses; and how often the program was run.
fn check_times(witnesses: usize, answer: &str, seconds: u32) -> (Verdict, usize, usize) {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("answer"), answer).unwrap();
    let script = format!(
        "d=${{FORETRACE_RUNTIME##*dir=}}; test -s $d/schedule; cp $d/answer $d/outcome; echo >> $d/runs; sleep {seconds}"
    );
    let program = Program {
        path: "/bin/sh".into(),
        command: ["sh", "-c", &script].map(Into::into).to_vec(),
        directory: None,
        input: Input::Nothing,
        environment: vec![],
        started_only: false,
        patience: std::time::Duration::ZERO,
        linger: std::time::Duration::ZERO,
        client: None,
    };
    let trace = trace();
    let event = |text: &str, index| foretrace_event::EventId {
        thread: trace.threads().find(|thread| trace.name(*thread) == text).unwrap(),
        index,
    };
    let race = Race::new(foretrace_event::IntervalId(0), event("main", 1), event("t", 1));
    let schedule = "t0:1 t1:1".parse::<ScheduleText>().unwrap().of(|_| 1).unwrap();
    let witness = Witness { candidate: Candidate::Race(race), rung: Rung::Segments, schedule };
    let time = Duration::from_millis(700).into();
    let limits = Limits { time, replays: 3, precision: Precision::Each, until: None };
    let recorded = (&trace, &Modules::default());
    let mut ladder = std::iter::repeat_n(witness, witnesses);
    let (finding, seen) = confirm(&Runs::new(&program), recorded, &mut ladder, scratch.path(), limits).unwrap();
    let runs = std::fs::read(scratch.path().join("runs")).unwrap().len();
    (finding.unwrap().verdict, seen.len(), runs)
}

#[test]
fn verdicts() {
    assert_eq!(check(RACE, 0), (Verdict::Confirmed, 1));
    assert_eq!(check("end\n", 0), (Verdict::NotSeen, 0));
    assert!(matches!(check("", 0).0, Verdict::Diverged(divergence) if divergence.came == "the program ended"));
    let diverged = "diverged step=1 thread=1 expected=start got=lock pc=0\n";
    assert!(matches!(check(diverged, 0).0, Verdict::Diverged(divergence) if divergence.came.contains("lock")));
    assert!(matches!(check("stalled step=0 thread=0\n", 0).0, Verdict::Diverged(_)));
    assert!(matches!(check("end\n", 5).0, Verdict::Unknown { why } if why.contains("no end within")));
}

#[test]
fn another_failure_is_seen_but_confirms_nothing() {
    let other = RACE.replace("thread=1", "thread=2");
    assert!(matches!(check(&other, 0), (Verdict::Unknown { why }, 1) if why.contains("another")));
}

#[test]
fn a_schedule_is_run_once() {
    assert_eq!(check_times(3, "end\n", 0), (Verdict::NotSeen, 0, 1));
}
