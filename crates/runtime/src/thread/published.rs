//! What a thread lets others see of its clock.

use crate::thread::order::Synchronised;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// With more threads than this the horizon stays where it is.
pub const MOST: usize = 64;

/// What is known of each thread, by number.
pub type Known = [u32; MOST];

/// What a thread lets others see of its clock. All zero: nothing.
pub struct Published {
    clock: [AtomicU32; MOST],
    /// One more than the index of the thread whose end it waits for.
    pub awaited: AtomicU32,
    /// It touches nothing from now on.
    pub ended: AtomicBool,
}

impl Published {
    /// The thread waits for the end of the one with that index, or for none any more. Before it does, its accesses must
    /// have been checked.
    pub fn set_awaited(&self, index: Option<u32>) {
        self.awaited.store(index.map_or(0, |index| index + 1), Ordering::Release);
    }

    /// Does it?
    #[inline]
    pub fn is_awaiting(&self) -> bool {
        self.awaited.load(Ordering::Relaxed) != 0
    }

    /// The thread ends with this clock, and its accesses have been checked.
    pub fn end(&self, clock: &Synchronised) {
        self.publish(clock);
        self.ended.store(true, Ordering::Release);
    }

    /// Lets others see this clock.
    pub fn publish(&self, clock: &Synchronised) {
        for (thread, entry) in (0..).zip(&self.clock) {
            entry.store(clock.of(thread), Ordering::Release);
        }
    }

    /// Adds what it says.
    pub fn add_to(&self, known: &mut Known) {
        for (known, entry) in known.iter_mut().zip(&self.clock) {
            *known = (*known).max(entry.load(Ordering::Acquire));
        }
    }
}
