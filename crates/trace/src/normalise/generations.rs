//! Which allocation a byte belongs to at a given moment of the run.
//!
//! The map has the latest allocation of every byte, even after it was freed: an access that finds its memory freed is a
//! use after free of that allocation, unless a new allocation replaces it before the access's segment ends.

use std::collections::BTreeMap;

/// The current state of memory.
#[derive(Debug, Default)]
pub(super) struct Generations {
    /// Disjoint ranges, by first byte.
    ranges: BTreeMap<u64, Range>,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    end: u64,
    generation: u32,
    live: bool,
}

/// Bytes of one line that belong to one allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) generation: u32,
    pub(super) live: bool,
    pub(super) mask: u64,
}

impl Generations {
    /// These bytes are a new allocation.
    pub(super) fn alloc(&mut self, start: u64, end: u64, generation: u32) {
        if start < end {
            self.carve(start, end);
            for key in self.inside(start, end) {
                self.ranges.remove(&key);
            }
            self.ranges.insert(start, Range { end, generation, live: true });
        }
    }

    /// These bytes are free.
    pub(super) fn free(&mut self, start: u64, end: u64) {
        if start < end {
            self.carve(start, end);
            for key in self.inside(start, end) {
                self.ranges.entry(key).and_modify(|range| range.live = false);
            }
        }
    }

    /// Cuts ranges so that none reaches over either bound.
    fn carve(&mut self, start: u64, end: u64) {
        for bound in [start, end] {
            let over = self.ranges.range_mut(..bound).next_back().filter(|(_, range)| range.end > bound);
            if let Some((_, range)) = over {
                let rest = *range;
                range.end = bound;
                self.ranges.insert(bound, rest);
            }
        }
    }

    fn inside(&self, start: u64, end: u64) -> Vec<u64> {
        self.ranges.range(start..end).map(|(key, _)| *key).collect()
    }

    /// The parts of a line, limited to `mask`; bytes that were never allocated are generation zero and not live.
    pub(super) fn parts(&self, line: u64, mask: u64, mut each: impl FnMut(Part)) {
        let (start, end) = (line * 64, (line * 64).saturating_add(64));
        let mut rest = mask;
        for (first, range) in self.ranges.range(..end).rev() {
            if range.end <= start || rest == 0 {
                break;
            }
            let (from, to) = (first.max(&start) - start, range.end.min(end) - start);
            let part = rest & bits(from, to);
            rest &= !part;
            if part != 0 {
                each(Part { generation: range.generation, live: range.live, mask: part });
            }
        }
        if rest != 0 {
            each(Part { generation: 0, live: false, mask: rest });
        }
    }
}

/// The bits from `from` up to `to`, of 64.
pub(super) fn bits(from: u64, to: u64) -> u64 {
    let below = |bound: u64| if bound >= 64 { u64::MAX } else { (1 << bound) - 1 };
    below(to) & !below(from)
}
