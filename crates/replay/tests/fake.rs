//! Replays of a shell script that answers as the runtime does.

use foretrace_finding::{Schedule, ScheduleText};
use foretrace_replay::{Input, Processes, Program, ReplayError};
use foretrace_run::{CutShort, Evidence, Precision, Run, Runner};
use foretrace_trace::Trace;
use std::path::Path;
use std::time::{Duration, Instant};

const RACE: &str = "race address=7f10 size=4
access thread=1 kind=write atomic=0 size=4 pc=401a stack=401a
access thread=0 kind=read atomic=0 size=4 pc=402a stack=402a
";

fn trace() -> Trace {
    foretrace_trace::text::parse("main fork t\nt write x\nmain read x").unwrap()
}

/// A program that gets the path of its schedule and answers with the file `answer`.
fn program(answer: &Path, seconds: u32) -> Program {
    let script = format!(
        "d=${{FORETRACE_RUNTIME##*dir=}}; test -s $d/schedule && cp {} $d/outcome; sleep {seconds}",
        answer.display()
    );
    Program {
        path: "/bin/sh".into(),
        command: ["sh", "-c", &script].map(Into::into).to_vec(),
        directory: None,
        input: Input::Nothing,
        environment: vec![],
        started_only: false,
        records: false,
        patience: Duration::ZERO,
        linger: Duration::ZERO,
        client: None,
    }
}

fn schedule(text: &str) -> Schedule {
    text.parse::<ScheduleText>().unwrap().of(|_| 9).unwrap()
}

/// What a run is when the runtime answers so.
fn run(answer: &str, seconds: u32) -> Result<Run, ReplayError> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("answer");
    std::fs::write(&path, answer).unwrap();
    let (program, trace) = (program(&path, seconds), trace());
    let time = Duration::from_millis(700).into();
    Processes::new(&program, &trace, scratch.path().into(), time).run(&schedule("t0:1 t1:1"), Precision::Each)
}

#[test]
fn what_the_runtime_answers_is_what_happened() {
    let raced = run(RACE, 0).unwrap();
    assert!(matches!(Evidence::all(&raced)[..], [Evidence::Race(_)]) && raced.ended.status.success());
    assert!(run("end\n", 0).unwrap().outcome.ended);
    assert_eq!(run("end\n", 5).unwrap().ended.cut_short, Some(CutShort::TimeUp));
    assert!(matches!(run("gibberish\n", 0), Err(ReplayError::Outcome { .. })));
}

#[test]
fn a_schedule_of_another_recording_is_refused_and_time_is_kept() {
    let (program, trace, scratch) = (program(Path::new("/none"), 0), trace(), tempfile::tempdir().unwrap());
    let processes = Processes::new(&program, &trace, scratch.path().into(), Duration::from_secs(1).into());
    assert!(matches!(processes.run(&schedule("t0:9"), Precision::Each), Err(ReplayError::Schedule(_))));
    assert!(processes.spent().is_none());
    assert!(processes.until(Instant::now()).spent().is_some_and(|why| why.contains("budget")));
}

#[test]
fn directories_are_used_again() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("answer");
    std::fs::write(&path, "end\n").unwrap();
    let (program, trace) = (program(&path, 0), trace());
    let processes = Processes::new(&program, &trace, scratch.path().into(), Duration::from_secs(5).into());
    for _ in 0..3 {
        processes.run(&schedule("t0:1"), Precision::Each).unwrap();
    }
    let made = std::fs::read_dir(scratch.path()).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(made.count(), 1);
}
