//! How many threads can run, and how many are on their way.

use core::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// Threads that do not wait for something that may take long.
static AWAKE: AtomicI32 = AtomicI32::new(0);

/// A thread comes to be, or is not blocked any more.
pub fn one_more() {
    AWAKE.fetch_add(1, Ordering::Relaxed);
}

/// A thread ends, or is blocked.
pub fn one_less() {
    AWAKE.fetch_sub(1, Ordering::Relaxed);
}

/// How many threads can run.
pub fn awake() -> i32 {
    AWAKE.load(Ordering::Relaxed)
}

/// Threads that have been created and do not run yet.
static COMING: AtomicU32 = AtomicU32::new(0);

/// Is a thread on its way? Then not everybody is known to wait.
pub fn is_someone_coming() -> bool {
    COMING.load(Ordering::Acquire) > 0
}

/// A thread has come. Those that nobody has announced are not counted.
pub fn one_less_coming() {
    let _ = COMING.fetch_update(Ordering::AcqRel, Ordering::Acquire, |coming| coming.checked_sub(1));
}

/// A thread is about to be created.
pub fn one_more_coming() {
    COMING.fetch_add(1, Ordering::SeqCst);
}
