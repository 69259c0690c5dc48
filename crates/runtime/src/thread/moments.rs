//! When an access was made: after how many steps of its thread. Reports put it there in the thread's column.
//!
//! A shadow cell has room for the thread's clock alone, so a thread keeps how many steps it had taken at each value of its
//! clock. Operations that order nothing do not move the clock; here it is moved on before the first access after one, which
//! changes nothing about what is ordered.

use crate::memory::arena;
use crate::thread::order::Synchronised;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// The steps by the clock. Only the thread itself adds to it; others may read what there is. All zero: nothing.
pub struct Moments {
    steps: AtomicPtr<u32>,
    capacity: AtomicU32,
    count: AtomicU32,
    last: AtomicU32,
}

impl Moments {
    /// An access is about to be made, after so many steps; for the thread itself.
    #[inline]
    pub fn note(&self, clock: &mut Synchronised, taken: u32) {
        if self.count.load(Ordering::Relaxed) == clock.own() + 1 {
            if self.last.load(Ordering::Relaxed) == taken {
                return;
            }
            clock.tick();
        }
        self.add(clock.own(), taken);
    }

    #[cold]
    fn add(&self, clock: u32, taken: u32) {
        self.last.store(taken, Ordering::Relaxed);
        for at in self.count.load(Ordering::Relaxed)..=clock {
            if at == self.capacity.load(Ordering::Relaxed) && !self.grow() {
                return;
            }
            // SAFETY: `at` is below the capacity; nobody reads it before the count says that it is there.
            unsafe { self.steps.load(Ordering::Relaxed).add(at as usize).write(taken) };
            self.count.store(at + 1, Ordering::Release);
        }
    }

    fn grow(&self) -> bool {
        let capacity = (self.capacity.load(Ordering::Relaxed) * 2).max(64);
        let Some(steps) = arena::allocate(capacity as usize * size_of::<u32>()) else { return false };
        let (old, steps): (*mut u32, *mut u32) = (self.steps.load(Ordering::Relaxed), steps.cast());
        // SAFETY: the new memory is larger than the old, which stays for who still reads it.
        unsafe { steps.copy_from_nonoverlapping(old.cast_const(), self.capacity.load(Ordering::Relaxed) as usize) };
        self.steps.store(steps, Ordering::Release);
        self.capacity.store(capacity, Ordering::Relaxed);
        true
    }

    /// How many steps the thread had taken at that value of its clock.
    pub fn at(&self, clock: u32) -> Option<u32> {
        let count = self.count.load(Ordering::Acquire);
        let steps = self.steps.load(Ordering::Acquire);
        // SAFETY: what the count says is there is in the memory that was there at the time, and in any later one.
        (clock < count).then(|| unsafe { steps.add(clock as usize).read() })
    }
}
