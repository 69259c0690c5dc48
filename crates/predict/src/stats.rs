//! The effect of the reductions, as in the thesis's Tables 5.7 and 5.8.

/// Counts of one prediction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Events of the trace.
    pub events: u64,
    /// Of those, sync events.
    pub sync: u64,
    /// Accesses to intervals; an atomic that overlaps plain memory counts too.
    pub accesses: u64,
    /// Intervals.
    pub intervals: u64,
    /// Accesses before the first fork.
    pub before_first_fork: u64,
    /// Accesses that were merged with another one of their segment.
    pub same_segment: u64,
    /// Accesses left out by weak happens-before and locksets.
    pub hybrid: u64,
    /// Checks that were saved because another interval has the same segments.
    pub redundant: u64,
    /// Remaining checks.
    pub checks: u64,
    /// Of those, decided by an ideal.
    pub by_ideal: u64,
    /// Decided by a search.
    pub by_search: u64,
    /// Cycles of lock requests.
    pub cycles: u64,
    /// Of those, decided by an ideal.
    pub cycles_by_ideal: u64,
    /// Instances of properties.
    pub instances: u64,
    /// Of those, violated as one pass over the run shows.
    pub by_pass: u64,
    /// Searched.
    pub searched: u64,
    /// States that searches visited.
    pub states: u64,
}
