//! The case studies of `tests/csp/studies`: models of the kind that books on CSP are made of, each assertion with an answer
//! that was worked out by hand. Marks are as in `scripts.rs`.

mod common;

use common::{described, expectations, files, fits};
use foretrace_csp::budget::Budget;
use foretrace_csp::script::{Script, Verdict, with_stack};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// What one assertion may take.
const LIMIT: Duration = Duration::from_secs(20);

#[derive(Default)]
struct Tally {
    assertions: usize,
    undecided: Vec<String>,
    wrong: Vec<String>,
}

fn study(path: &Path, tally: &Mutex<Tally>) {
    let text = std::fs::read_to_string(path).expect("it can be read");
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    let script = Script::load(&name, &text, Vec::new()).unwrap_or_else(|e| panic!("{e}"));
    let (marks, assertions) = (expectations(&text), script.assertions());
    assert_eq!(marks.len(), assertions.len(), "{name}: one mark an assertion");
    for word in ["holds", "fails"] {
        assert!(marks.iter().any(|m| m.starts_with(word)), "{name}: some assertion {word}");
    }
    let budget = Budget { timeout: Some(LIMIT), ..Budget::default() };
    for (wanted, assertion) in marks.iter().zip(assertions) {
        let report = script.check(&assertion, &budget, &|_| {});
        let found = described(&report);
        let line = format!("{}: {}\n  expected {wanted}\n  found    {found}", report.at, report.text);
        let mut tally = tally.lock().expect("no study has panicked");
        tally.assertions += 1;
        match report.verdict {
            Verdict::Unknown(_) => tally.undecided.push(line),
            _ if !fits(&found, wanted) => tally.wrong.push(line),
            _ => {}
        }
    }
}

#[test]
fn every_study_is_decided_as_worked_out_by_hand() {
    let files = files("studies");
    let tally = Mutex::new(Tally::default());
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    with_stack(|| study(path, &tally));
                }
            });
        }
    });
    let Tally { assertions, undecided, wrong } = tally.into_inner().expect("no study has panicked");
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
    let decided = assertions - undecided.len();
    assert!(decided * 100 >= assertions * 98, "{decided} of {assertions} decided:\n{}", undecided.join("\n"));
    assert!(files.len() >= 60 && assertions >= 400, "{} scripts, {assertions} assertions", files.len());
}
