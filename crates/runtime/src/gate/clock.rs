//! The time that an execution takes as passed: sleeps and time-outs take none, but the program's clocks show it.

use core::sync::atomic::{AtomicI64, Ordering};

/// Nanoseconds that the clocks are ahead.
static AHEAD: AtomicI64 = AtomicI64::new(0);

/// Nanoseconds that the program's clocks are ahead of the kernel's.
pub fn ahead() -> i64 {
    AHEAD.load(Ordering::Relaxed)
}

/// So many nanoseconds have passed.
pub fn pass(nanoseconds: i64) {
    AHEAD.fetch_add(nanoseconds.max(0), Ordering::Relaxed);
}
