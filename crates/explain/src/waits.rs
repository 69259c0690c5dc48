//! Waits that are not in a loop: what fails only because a wait ended without a signal has that wait for its cause.
//!
//! The standard lets a wait end at any time. A program that looks at its condition again then waits on, and nothing comes of
//! it. All races and deadlocks that replays showed after such a wait, and no other, are one finding, placed at the wait.

use foretrace_report::{Act, Finding, Kind};
use foretrace_search::Confirmed;

/// Confirmed findings, with the failures they are of. Those that have one wait for their cause become one.
pub(crate) fn fold(findings: Vec<(Finding, &Confirmed)>) -> Vec<(Finding, &Confirmed)> {
    let mut folded: Vec<(Finding, &Confirmed)> = Vec::new();
    for (finding, confirmed) in findings {
        let same = folded.iter_mut().find(|(known, _)| known.kind == Kind::WAIT_NOT_IN_LOOP && known.id == finding.id);
        match same {
            Some((known, _)) => join(&mut known.sites[0].does, &finding.sites[0].does),
            None => folded.push((finding, confirmed)),
        }
    }
    folded
}

/// Adds what follows from a wait to what is known to follow from it.
fn join(known: &mut Act, other: &Act) {
    if let (Act::Unsignalled { then }, Act::Unsignalled { then: more }) = (known, other) {
        let fresh: Vec<String> = more.iter().filter(|title| !then.contains(title)).cloned().collect();
        then.extend(fresh);
    }
}

#[cfg(test)]
mod tests {
    use super::join;
    use foretrace_report::Act;

    #[test]
    fn each_consequence_is_named_once() {
        let then =
            |titles: &[&str]| Act::Unsignalled { then: titles.iter().map(|title| (*title).to_owned()).collect() };
        let mut known = then(&["data race on `x`"]);
        join(&mut known, &then(&["deadlock of one thread"]));
        join(&mut known, &then(&["data race on `x`"]));
        assert_eq!(known, then(&["data race on `x`", "deadlock of one thread"]));
    }
}
