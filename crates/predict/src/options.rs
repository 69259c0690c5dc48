//! What to look for, and how hard.

use crate::budget::Budget;
use foretrace_property::Template;
use std::ops::Range;
use std::time::Instant;

/// How finely races are distinguished.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Detail {
    /// One check for each group of intervals.
    #[default]
    Intervals,
    /// One check for each pair of places in the program.
    Places,
    /// One check for each pair of events: for small traces and tests.
    Events,
}

/// Reductions make checks fewer or cheaper without changing any answer. Each can be turned off, to measure or to test
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// Leave out pairs that the must-order orders (thesis 5.5.2).
    pub weak_order: bool,
    /// Leave out pairs under a common lock (thesis 5.5.2).
    pub locksets: bool,
    /// Treat the accesses of a segment as one, and intervals accessed in the same segments as one (thesis 5.5.1,
    /// 5.5.3).
    pub same_segment: bool,
    /// Decide by ideals where they suffice.
    pub closure: bool,
    /// Search with stubborn sets.
    pub partial_order: bool,
}

impl Default for Reductions {
    fn default() -> Self {
        Self { weak_order: true, locksets: true, same_segment: true, closure: true, partial_order: true }
    }
}

/// What to look for, and how hard.
#[derive(Clone, Debug)]
pub struct Options {
    /// Look for data races.
    pub races: bool,
    /// Look for deadlocks.
    pub deadlocks: bool,
    /// The user's own properties.
    pub properties: Vec<Template>,
    /// How finely races are distinguished.
    pub detail: Detail,
    /// What makes checks cheaper.
    pub reductions: Reductions,
    /// The limits of each search.
    pub budget: Budget,
    /// When searches for further schedules of a known candidate end, if not at the deadline of the budget: they are made
    /// while replays run, after prediction has ended.
    pub ladder_deadline: Option<Instant>,
    /// Search in windows of this many events instead of the whole trace (thesis 4.7.3).
    pub window: Option<u32>,
    /// Also force successful try and timed operations to fail.
    pub optimistic: bool,
    /// How many cycles of lock requests to examine.
    pub cycles: usize,
    /// The number of cores to use; zero: all of them.
    pub jobs: usize,
    /// Addresses at which the program has declared races harmless; they are not looked for.
    pub benign: Vec<Range<u64>>,
}

impl Options {
    /// Are races on all of these bytes harmless?
    pub(crate) fn is_benign(&self, start: u64, bytes: u64) -> bool {
        self.benign.iter().any(|range| range.start <= start && start.saturating_add(bytes) <= range.end)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            races: true,
            deadlocks: true,
            properties: Vec::new(),
            detail: Detail::default(),
            reductions: Reductions::default(),
            budget: Budget::default(),
            ladder_deadline: None,
            window: None,
            optimistic: true,
            cycles: 10_000,
            jobs: 0,
            benign: Vec::new(),
        }
    }
}
