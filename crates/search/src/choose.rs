//! Which of many predictions are run.

use std::collections::{BTreeMap, BTreeSet};

use foretrace_finding::Candidate;
use foretrace_predict::{Predicted, spread};
use foretrace_trace::Trace;

/// Of candidates of one kind, so many are run.
pub(crate) const OF_ONE_KIND: usize = 3;

/// The candidates that are run, and the others. Of those that differ in nothing but the time and the block that they are
/// about, a few are, from the first to the last. Those nearest to the recorded run come first: they are the likeliest to
/// happen, and the time may not suffice for all.
pub(crate) fn choose<'a>(trace: &Trace, all: &[&'a Predicted]) -> (Vec<&'a Predicted>, Vec<&'a Predicted>) {
    let mut kinds: BTreeMap<Alike, Vec<usize>> = BTreeMap::new();
    for (number, one) in all.iter().enumerate() {
        kinds.entry(alike(trace, &one.witness.candidate)).or_default().push(number);
    }
    let chosen: BTreeSet<usize> = kinds.values().flat_map(|kind| spread(kind, OF_ONE_KIND)).copied().collect();
    let (chosen, others): (Vec<_>, Vec<_>) = all.iter().enumerate().partition(|(number, _)| chosen.contains(number));
    let plain = |numbered: Vec<(usize, &&'a Predicted)>| numbered.into_iter().map(|(_, one)| *one).collect();
    let mut chosen: Vec<&Predicted> = plain(chosen);
    chosen.sort_by_key(|one| one.witness.rung);
    (chosen, plain(others))
}

/// What a candidate is about: a variable, or all blocks that come from one place, and where in the program it is.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Alike {
    block: Option<u64>,
    variable: Option<u64>,
    places: Vec<u64>,
    property: Option<Box<str>>,
}

fn alike(trace: &Trace, candidate: &Candidate) -> Alike {
    let (interval, events) = (candidate.interval(), candidate.events());
    let block = interval.and_then(|id| trace.allocation(id)).map(|allocation| allocation.pc);
    let variable = interval.filter(|_| block.is_none()).map(|id| trace.interval(id).address);
    let mut places: Vec<u64> = events.iter().map(|id| trace.pc(*id)).collect();
    places.sort_unstable();
    if places.first() == Some(&0) {
        // Nobody knows where that is, so no other is like it.
        places.extend(events.iter().flat_map(|id| [u64::from(id.thread.0), u64::from(id.index)]));
    }
    let property = match candidate {
        Candidate::Violation(violation) => Some(violation.monitor.name.clone()),
        Candidate::Race(_) | Candidate::Deadlock(_) => None,
    };
    Alike { block, variable, places, property }
}
