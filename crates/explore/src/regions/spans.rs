//! Where regions begin and end: the outermost ones of each thread.

use super::Regions;
use crate::execution::Step;
use foretrace_event::visible::OpKind;

/// A border of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// A region begins before this step.
    Begins,
    /// It ended before this step.
    Ends,
}

/// The regions that are open.
pub struct Spans {
    regions: Regions,
    /// For each thread, how many regions it is in, and where the outermost began.
    open: Vec<(u32, usize)>,
}

impl Spans {
    pub fn new(regions: Regions) -> Self {
        Self { regions, open: Vec::new() }
    }

    /// Where the last region of a thread began, if it has had one.
    pub fn begin_of(&self, thread: usize) -> Option<usize> {
        self.open.get(thread).map(|(_, begin)| *begin)
    }

    /// The border that a step is.
    pub fn next(&mut self, at: usize, step: &Step) -> Option<Edge> {
        let thread = step.thread.index();
        if self.open.len() <= thread {
            self.open.resize(thread + 1, (0, 0));
        }
        let (depth, begin) = &mut self.open[thread];
        match edge(step.operation.kind, self.regions)? {
            Edge::Begins => {
                *depth += 1;
                if *depth == 1 {
                    *begin = at;
                }
                (*depth == 1).then_some(Edge::Begins)
            }
            Edge::Ends if *depth == 0 => None,
            Edge::Ends => {
                *depth -= 1;
                (*depth == 0).then_some(Edge::Ends)
            }
        }
    }
}

fn edge(kind: OpKind, regions: Regions) -> Option<Edge> {
    use OpKind as K;
    match kind {
        K::RegionBegin => Some(Edge::Begins),
        K::RegionEnd => Some(Edge::Ends),
        _ if regions == Regions::Marked => None,
        K::Lock | K::TryLock | K::ReadLock | K::TryReadLock | K::Rewake | K::LeftWait => Some(Edge::Begins),
        K::Unlock | K::ReadUnlock | K::Wait => Some(Edge::Ends),
        _ => None,
    }
}
