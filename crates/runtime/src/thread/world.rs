//! All threads that take part in the gate or in the watch, and how they are stopped.

use super::Shared;
use super::waiting::{Held, Waiting};
use crate::memory::spin::{Guard, Spin};
use core::sync::atomic::{AtomicPtr, Ordering};

/// How many threads have taken part. Who holds the lock may add one.
pub(super) static WORLD: Spin<u32> = Spin::new(0);
/// The newest of those that take part in the gate or in the watch.
pub(super) static NEWEST: AtomicPtr<Shared> = AtomicPtr::new(core::ptr::null_mut());

/// All threads that take part in the gate or in the watch, the newest first.
pub fn threads() -> impl Iterator<Item = &'static Shared> + Clone {
    // SAFETY: such threads are never freed, and the list only grows at its head.
    let mut at = unsafe { NEWEST.load(Ordering::Acquire).as_ref() };
    core::iter::from_fn(move || {
        let thread = at?;
        // SAFETY: as above.
        at = unsafe { thread.next.load(Ordering::Relaxed).as_ref() };
        Some(thread)
    })
}

/// While it lives, no thread begins or ceases to wait, and none takes or gives anything back. The caller is in a section.
pub struct StopTheWorld(#[expect(dead_code, reason = "held, not read")] Guard<'static, u32>);

impl StopTheWorld {
    /// Stops everybody who would change that.
    pub fn new() -> Self {
        let world = WORLD.lock();
        threads().for_each(|thread| thread.status.lock());
        Self(world)
    }

    /// Operations so far: if it does not change, nothing happens.
    pub fn progress(&self) -> u64 {
        progress()
    }
}

impl Drop for StopTheWorld {
    fn drop(&mut self) {
        threads().for_each(|thread| thread.status.unlock());
    }
}

/// Operations of all threads so far, about.
pub fn progress() -> u64 {
    threads().map(|thread| thread.progress.load(Ordering::Relaxed)).sum()
}

impl Shared {
    /// What it holds.
    pub fn held<'a>(&'a self, _stopped: &'a StopTheWorld) -> &'a Held {
        // SAFETY: who has stopped the world holds the lock, and changes nothing while this reference lives.
        unsafe { &(*self.status.value()).held }
    }

    /// What it is waiting for.
    pub fn waiting(&self, _stopped: &StopTheWorld) -> Option<Waiting> {
        // SAFETY: as above.
        unsafe { (*self.status.value()).waiting }
    }

    /// Has it ended?
    pub fn has_ended(&self, _stopped: &StopTheWorld) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Works with what it holds. The caller is in a section.
    #[inline]
    pub fn with_held<R>(&self, work: impl FnOnce(&mut Held) -> R) -> R {
        self.status.with(|status| work(&mut status.held))
    }
}
