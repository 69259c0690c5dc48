//! Limits on reading.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How long a recording may be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Set to stop now: Ctrl-C.
    pub stop: Option<&'static AtomicBool>,
    /// Raised when the memory is used up.
    pub memory: Option<&'static AtomicBool>,
    /// When to stop.
    pub deadline: Option<Instant>,
}

/// Records between two checks of the limits: a fraction of a second.
const ROUND: u64 = 1 << 14;

impl Limits {
    /// Should reading stop at this record? The limits are checked from time to time.
    #[inline]
    pub(super) fn reached_at(&self, record: u64) -> bool {
        record.is_multiple_of(ROUND) && self.reached()
    }

    #[cold]
    fn reached(&self) -> bool {
        let is_raised = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        self.stop.is_some_and(is_raised)
            || self.memory.is_some_and(is_raised)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
