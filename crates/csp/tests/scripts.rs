//! Scripts with their answers beside them: `-- expect: holds` or `-- expect: fails KIND <trace>` before an assertion.

mod common;

use common::{described, expectations, files, fits};
use foretrace_csp::budget::Budget;
use foretrace_csp::script::{Script, with_stack};
use std::path::Path;

fn check(path: &Path) {
    let text = std::fs::read_to_string(path).expect("it can be read");
    let script = Script::load(&path.display().to_string(), &text, Vec::new()).unwrap_or_else(|e| panic!("{e}"));
    let expected = expectations(&text);
    let assertions = script.assertions();
    assert_eq!(expected.len(), assertions.len(), "{}: one expectation an assertion", path.display());
    for (wanted, assertion) in expected.iter().zip(assertions) {
        for threads in [1, 2] {
            let report = script.check(&assertion, &Budget { threads, ..Budget::default() }, &|_| {});
            let slow = report.statistics.time > std::time::Duration::from_secs(1);
            let found = described(&report);
            assert!(fits(&found, wanted), "{}: {}\nexpected {wanted}\nfound    {found}", report.at, report.text);
            if slow {
                break;
            }
        }
    }
}

#[test]
fn the_models_of_the_thesis() {
    with_stack(|| files("thesis").iter().for_each(|f| check(f)));
    assert_eq!(files("thesis").len(), 10);
}

#[test]
fn puzzles_and_protocols() {
    with_stack(|| files("classic").iter().for_each(|f| check(f)));
}

#[test]
fn language() {
    with_stack(|| files("language").iter().for_each(|f| check(f)));
}
