//! The solver beside a naive search that was written apart from it, on random programs: an order in which a check fails, or a
//! branch goes the other way, is found by both or by neither.

use foretrace_cssa::{Analysis, Extent, Options, Verdict};
use foretrace_ctp::{Action, Ctp, text};
use foretrace_order::Budget;

mod naive;
#[path = "../../cssa/tests/random/mod.rs"]
mod random;

/// States of the naive search, at most.
const MOST: usize = 20_000;
/// Changes of threads, more than such a program can have.
const CHANGES: usize = 64;

/// The naive search knows straight threads, and only programs whose threads unlock what they have locked.
fn is_known(ctp: &Ctp) -> bool {
    !ctp.events().any(|(_, event)| matches!(event.action, Action::If(_)))
        && foretrace_cssa::goals::lock_errors(ctp).is_empty()
}

#[test]
fn both_find_the_same() {
    let mut random = random::Random(11);
    let mut tally = [0; 2];
    for round in 0..1_500 {
        let source = if round % 5 == 0 { random::counters(&mut random) } else { random::program(&mut random) };
        let ctp = text::parse(&source).unwrap();
        let Some(mut analysis) = is_known(&ctp).then(|| Analysis::new(&ctp, Options::default()).ok()).flatten() else {
            continue;
        };
        let conditions = random::questions(&ctp, Extent::Prefix).into_iter().filter(|goal| goal.done.is_empty());
        for (goal, id) in conditions.filter_map(|goal| goal.fails.map(|id| (goal, id))) {
            let Ok(expected) = naive::failing_order(&ctp, id, CHANGES, MOST) else { continue };
            let verdict = analysis.ask(&goal, &Budget::default());
            let is_found = matches!(verdict, Verdict::Yes(_));
            assert_eq!(is_found, expected.is_some(), "{id:?}: {expected:?} {verdict:?}\n{source}");
            tally[usize::from(is_found)] += 1;
        }
    }
    assert!(tally.iter().all(|count| *count > 100), "{tally:?}");
}
