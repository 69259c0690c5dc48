//! The traces under `tests/traces/figures` and `tests/traces/predict`, each with its expected answer.
//!
//! A file states it in comments: `# expect: race x y`, `# expect: deadlock t1 t2`, `# expect: nothing`, and `# expect:
//! rung free` for the rung of all its witnesses. The whole answer is in `NAME.predicted` beside it; `cargo xtask bless`
//! writes it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use foretrace_event::EventId;
use foretrace_finding::{Candidate, Witness};
use foretrace_judge::judge;
use foretrace_predict::{Options, Prediction, Predictor, predict};
use foretrace_trace::{Trace, text};

/// The expectations that a file states.
#[derive(Default, Debug, PartialEq, Eq)]
struct Expected {
    races: BTreeSet<String>,
    deadlocks: BTreeSet<BTreeSet<String>>,
    rung: Option<String>,
}

fn expected(source: &str) -> Expected {
    let mut expected = Expected::default();
    for line in source.lines().filter_map(|line| line.strip_prefix("# expect: ")) {
        for part in line.split('|') {
            let words: Vec<String> = part.split_whitespace().map(str::to_owned).collect();
            let rest = words[1..].iter().cloned();
            match words[0].as_str() {
                "race" => expected.races.extend(rest),
                "deadlock" => drop(expected.deadlocks.insert(rest.collect())),
                "rung" => expected.rung = words.get(1).cloned(),
                "nothing" => {}
                other => panic!("unknown expectation {other}"),
            }
        }
    }
    expected
}

fn found(trace: &Trace, prediction: &Prediction, rung: Option<String>) -> Expected {
    let mut found = Expected { rung, ..Expected::default() };
    for race in &prediction.races {
        let Candidate::Race(candidate) = &race.witness.candidate else { panic!("not a race") };
        let intervals = std::iter::once(candidate.interval).chain(race.also.iter().copied());
        found.races.extend(intervals.map(|interval| trace.name(interval)));
    }
    for deadlock in &prediction.deadlocks {
        let Candidate::Deadlock(candidate) = &deadlock.witness.candidate else { panic!("not a deadlock") };
        found.deadlocks.insert(candidate.events().map(|id| trace.name(id.thread)).collect());
    }
    found
}

fn spelled(trace: &Trace, id: EventId) -> String {
    format!("{}[{}] {:?}", trace.name(id.thread), id.index, trace.event(id))
}

fn describe(trace: &Trace, out: &mut String, witness: &Witness) {
    match &witness.candidate {
        Candidate::Race(race) => {
            let (one, other) = (spelled(trace, race.first), spelled(trace, race.second));
            writeln!(out, "race on {}: {one}, {other}", trace.name(race.interval)).unwrap();
        }
        Candidate::Violation(violation) => writeln!(out, "violation of {}", violation.monitor.name).unwrap(),
        Candidate::Deadlock(deadlock) => {
            writeln!(out, "deadlock").unwrap();
            for stuck in deadlock.stuck() {
                writeln!(out, "  {} waits for {}", spelled(trace, stuck.at), stuck.waits_for).unwrap();
            }
        }
    }
}

/// The whole answer, with all rungs.
fn answer(trace: &Trace, prediction: &Prediction) -> String {
    let mut out = String::new();
    for found in prediction.races.iter().chain(&prediction.deadlocks) {
        describe(trace, &mut out, &found.witness);
        for witness in Predictor::new(trace, &Options::default()).witnesses(&found.witness) {
            judge(trace, &witness).expect("every witness passes the judge");
            writeln!(out, "  {}: {}", witness.rung, witness.schedule).unwrap();
        }
    }
    for undecided in &prediction.undecided {
        writeln!(out, "undecided: {:?}: {}", undecided.question, undecided.why).unwrap();
    }
    if out.is_empty() {
        out.push_str("nothing, in any reordering\n");
    }
    out
}

fn check(path: &Path) {
    let source = std::fs::read_to_string(path).unwrap();
    let trace = text::parse(&source).unwrap_or_else(|errors| panic!("{}: {errors}", path.display()));
    let prediction = predict(&trace, &Options::default(), &());
    let expected = expected(&source);
    assert_eq!(found(&trace, &prediction, expected.rung.clone()), expected, "{}", path.display());
    if let Some(rung) = expected.rung {
        for found in prediction.races.iter().chain(&prediction.deadlocks) {
            assert_eq!(found.witness.rung.name(), rung, "{}", path.display());
        }
    }
    expect_test::expect_file![path.with_extension("predicted")].assert_eq(&answer(&trace, &prediction));
}

fn check_folder(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traces").join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "trace"));
    files.sort();
    assert!(!files.is_empty());
    let wrong = files.iter().filter(|path| std::panic::catch_unwind(|| check(path)).is_err()).count();
    assert_eq!(wrong, 0, "{wrong} of {} traces under {name} gave something else", files.len());
}

#[test]
fn the_figures_of_the_thesis() {
    check_folder("figures");
}

#[test]
fn what_gets_stuck_and_what_races() {
    check_folder("predict");
}
