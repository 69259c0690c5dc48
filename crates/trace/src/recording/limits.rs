//! When reading is given up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Until when a recording may be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Raised to give up now: Ctrl-C.
    pub stop: Option<&'static AtomicBool>,
    /// Raised when the memory is used up.
    pub memory: Option<&'static AtomicBool>,
    /// When to give up.
    pub deadline: Option<Instant>,
}

/// Records between two looks at the limits: a fraction of a second.
const ROUND: u64 = 1 << 14;

impl Limits {
    /// Is it time to give up, with this record? The limits are looked at now and then.
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
