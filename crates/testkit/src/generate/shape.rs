//! What a random trace may contain.

/// What a random trace may contain.
#[derive(Clone, Debug)]
pub struct Shape {
    /// At most this many threads, at least two.
    pub threads: u32,
    /// About this many events.
    pub events: u32,
    /// Intervals.
    pub intervals: u32,
    /// Which operations, each with a weight.
    pub weights: Vec<(Kind, u32)>,
}

/// The families of operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Locking and unlocking a mutex.
    Mutex,
    /// Recursive and error-checking mutexes, spin locks.
    OtherLocks,
    /// Reader-writer locks.
    RwLock,
    /// Unlocking a lock that another thread locked.
    ForeignUnlock,
    /// Try and timed operations that fail.
    Failed,
    /// Condition variables.
    Condition,
    /// Barriers.
    Barrier,
    /// Semaphores.
    Semaphore,
    /// Once controls.
    Once,
    /// Channels.
    Channel,
    /// Atomics.
    Atomic,
    /// Memory.
    Access,
    /// Joins.
    Join,
}

impl Default for Shape {
    fn default() -> Self {
        use Kind::*;
        let weights = vec![
            (Mutex, 14),
            (OtherLocks, 4),
            (RwLock, 5),
            (ForeignUnlock, 1),
            (Failed, 1),
            (Condition, 7),
            (Barrier, 4),
            (Semaphore, 5),
            (Once, 2),
            (Channel, 1),
            (Atomic, 2),
            (Access, 9),
            (Join, 1),
        ];
        Self { threads: 4, events: 24, intervals: 2, weights }
    }
}

impl Shape {
    /// Only these families.
    pub fn only(kinds: &[Kind]) -> Self {
        let weights = kinds.iter().map(|kind| (*kind, 4)).collect();
        Self { weights, ..Self::default() }
    }
}
