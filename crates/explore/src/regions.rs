//! Whether the regions of an execution that are meant to be atomic were: is it equal to one in which nothing ran in
//! between?
//!
//! **Definitions.** A *region* is a sequence of steps of one thread: between two marks of the program, or a critical
//! section. Two accesses of the same byte conflict if one of them writes. A region comes *before* another if a step of it
//! comes before a step of the other in the same thread, or conflicts with a later one. A region is *broken* if it comes
//! before itself: the execution then has no equal in which the region is uninterrupted. Steps outside of regions are
//! regions of one step.
//!
//! **Paper.** Mathur, Viswanathan, *Atomicity Checking in Linear Time Using Vector Clocks*, ASPLOS'20 (AeroDrome).
//!
//! **Deviations.** Only accesses conflict. The paper also orders the uses of a lock, so that a region with two critical
//! sections would be broken by any use of their lock in between, whatever it does.
//!
//! **What it misses.** A region that other threads' regions lead back to is found when its own thread makes the access
//! that closes the cycle, or when one of those regions ends. Of one access, 4,096 bytes count.

mod clocks;
mod naive;
mod spans;

use crate::execution::Step;
use clocks::Judge;
use foretrace_event::visible::OpKind;
use spans::{Edge, Spans};

pub use naive::broken as broken_naively;

/// Which steps form a region.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Regions {
    /// Those between marks of the program ([`OpKind::RegionBegin`], [`OpKind::RegionEnd`]).
    #[default]
    Marked,
    /// These, and all critical sections without a wait inside.
    Sections,
}

/// A region that was broken, by the positions of steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Broken {
    /// Where it begins.
    pub begin: usize,
    /// The last access of it before another thread came in between.
    pub first: usize,
    /// The access of the other thread.
    pub remote: usize,
    /// The access of the region that comes too late.
    pub second: usize,
}

/// What a step accesses: the bytes, and whether they are read and written.
pub(crate) fn access(step: &Step) -> Option<(std::ops::Range<u64>, bool, bool)> {
    const LONGEST: u64 = 4096;
    use OpKind as K;
    let (reads, writes) = match step.operation.kind {
        K::PlainRead | K::Load | K::UpdateFailed => (true, false),
        K::PlainWrite | K::Store => (false, true),
        K::Update => (true, true),
        _ => return None,
    };
    let start = step.operation.object.0;
    Some((start..start.saturating_add(step.operation.argument.clamp(1, LONGEST)), reads, writes))
}

/// All regions of an execution that were broken, each once.
pub fn broken(steps: &[Step], regions: Regions) -> Vec<Broken> {
    let mut found: Vec<Broken> = Vec::new();
    let (mut judge, mut spans) = (Judge::default(), Spans::new(regions));
    for (at, step) in steps.iter().enumerate() {
        let thread = step.thread.index();
        match spans.next(at, step) {
            Some(Edge::Begins) => judge.begin(thread),
            Some(Edge::Ends) => judge.end(thread),
            None => {}
        }
        if let Some((bytes, reads, writes)) = access(step) {
            judge.access(thread, bytes, (reads, writes));
        }
        for thread in judge.take_broken() {
            let begin = spans.begin_of(thread);
            if let Some(begin) = begin.filter(|begin| found.iter().all(|known| known.begin != *begin)) {
                found.extend(told(steps, begin, at));
            }
        }
    }
    found
}

/// The accesses that tell best how a region was broken by this step: two of the region and one of another thread in
/// between that conflicts with both, and if there are none, with one of them. A region in which nothing came in between is
/// only part of the circle; another region of it is named.
fn told(steps: &[Step], begin: usize, last: usize) -> Option<Broken> {
    let own = steps[begin].thread;
    let inside: Vec<usize> = (begin..=last).filter(|at| access(&steps[*at]).is_some()).collect();
    let (region, others): (Vec<usize>, Vec<usize>) = inside.iter().partition(|at| steps[**at].thread == own);
    let with = |must: &dyn Fn(bool, bool) -> bool| {
        region.iter().rev().find_map(|second| {
            others.iter().rev().filter(|remote| *remote < second).find_map(|remote| {
                let after = conflict(&steps[*remote], &steps[*second]);
                let mut before = region.iter().rev().filter(|first| *first < remote);
                let first = before.find(|first| must(conflict(&steps[**first], &steps[*remote]), after))?;
                Some(Broken { begin, first: *first, remote: *remote, second: *second })
            })
        })
    };
    with(&|before, after| before && after).or_else(|| with(&|_, after| after)).or_else(|| with(&|before, _| before))
}

/// Do two steps access a common byte, one of them writing?
fn conflict(a: &Step, b: &Step) -> bool {
    let (Some((one, _, writes)), Some((other, _, also))) = (access(a), access(b)) else { return false };
    (writes || also) && one.start < other.end && other.start < one.end
}
