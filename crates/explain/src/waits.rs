//! Waits that are not in a loop: what fails only because a wait ended without a signal has that wait for its cause.
//!
//! The standard lets a wait end at any time. A program that looks at its condition again then waits on, and nothing comes of
//! it. All races and deadlocks that replays showed after such a wait, and no other, are one finding, placed at the wait.

use foretrace_report::{Finding, Kind};
use foretrace_search::Confirmed;

/// Confirmed findings, with the failures they are of. Those that have one wait for their cause become one.
pub(crate) fn fold(findings: Vec<(Finding, &Confirmed)>) -> Vec<(Finding, &Confirmed)> {
    let mut folded: Vec<(Finding, &Confirmed)> = Vec::new();
    for (finding, confirmed) in findings {
        let same = folded.iter_mut().find(|(known, _)| known.kind == Kind::WaitNotInLoop && known.id == finding.id);
        match same {
            Some((known, _)) => known.sites[0].doing = join(&known.sites[0].doing, &finding.sites[0].doing),
            None => folded.push((finding, confirmed)),
        }
    }
    folded
}

/// What comes before the list of what follows from the wait.
pub(crate) const THEN: &str = "; then: ";

/// Adds what follows in one sentence to what follows in another.
fn join(one: &str, other: &str) -> String {
    match other.split_once(THEN) {
        Some((_, more)) if !one.split(THEN).nth(1).is_some_and(|known| known.split(", ").any(|it| it == more)) => {
            format!("{one}, {more}")
        }
        _ => one.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn each_consequence_is_named_once() {
        let one = join("waits; then: data race on `x`", "waits; then: deadlock of one thread");
        assert_eq!(one, "waits; then: data race on `x`, deadlock of one thread");
        assert_eq!(join(&one, "waits; then: data race on `x`"), one);
    }
}
