//! The definition: a graph of all regions, and which of them come before themselves. For tests.

use super::{Regions, access, conflict};
use crate::execution::Step;
use crate::regions::spans::{Edge, Spans};

/// Whether some region of the execution is broken.
pub fn broken(steps: &[Step], regions: Regions) -> bool {
    let region = regions_of(steps, regions);
    let count = region.iter().max().map_or(0, |last| last + 1);
    let mut before = vec![vec![false; count]; count];
    for (at, a) in steps.iter().enumerate() {
        for (later, b) in steps.iter().enumerate().skip(at + 1) {
            if region[at] != region[later] && (a.thread == b.thread || conflict(a, b)) {
                before[region[at]][region[later]] = true;
            }
        }
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                before[from][to] |= before[from][middle] && before[middle][to];
            }
        }
    }
    (0..count).any(|one| before[one][one])
}

/// The number of the region of each step.
fn regions_of(steps: &[Step], regions: Regions) -> Vec<usize> {
    let (mut spans, mut next) = (Spans::new(regions), 0);
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut found = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let thread = step.thread.index();
        open.resize(open.len().max(thread + 1), None);
        match spans.next(at, step) {
            Some(Edge::Begins) => open[thread] = Some(next),
            Some(Edge::Ends) => open[thread] = None,
            None => {}
        }
        // What accesses nothing may stand anywhere.
        debug_assert!(access(step).is_some() || open[thread].is_none_or(|region| region <= next));
        found.push(open[thread].unwrap_or(next));
        next += 1;
    }
    found
}
