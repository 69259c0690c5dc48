//! The candidate lines of a recording miss no race: whatever prediction finds in the whole trace, it finds in the trace
//! of these lines.

use std::collections::BTreeSet;

use foretrace_finding::Candidate;
use foretrace_predict::{Options, predict, stream};
use foretrace_testkit::Random;
use foretrace_testkit::generate::{self, Shape};
use foretrace_trace::convert::{self, Form};
use foretrace_trace::{Recording, Trace};

/// The first bytes of the racy intervals.
fn racy(trace: &Trace) -> BTreeSet<u64> {
    let options = Options { deadlocks: false, jobs: 1, ..Options::default() };
    let prediction = predict(trace, &options, &());
    let intervals = prediction.races.iter().flat_map(|found| match &found.witness.candidate {
        Candidate::Race(race) => std::iter::once(race.interval).chain(found.also.iter().copied()).collect::<Vec<_>>(),
        Candidate::Deadlock(_) | Candidate::Violation(_) => Vec::new(),
    });
    intervals.map(|interval| trace.interval(interval).address).collect()
}

#[test]
fn no_race_is_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let mut with_races = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let shape = Shape { events: 10 + random.below(40), intervals: 4, ..Shape::default() };
        let path = directory.path().join(format!("{seed}.ft"));
        convert::write(&generate::trace(&mut random, &shape), Form::Binary, &path).unwrap();
        let recording = Recording::open(&path).unwrap();
        let all = racy(&recording.trace().unwrap());
        let streamed = stream::candidates(&recording).unwrap();
        let lines: Vec<u64> = streamed.lines.iter().map(|candidate| candidate.line).collect();
        let some = racy(&recording.trace_of_lines(lines.iter().copied()).unwrap());
        assert_eq!(some, all, "seed {seed}, candidate lines {lines:x?}");
        with_races += usize::from(!all.is_empty());
    }
    assert!(with_races > 100, "{with_races}");
}
