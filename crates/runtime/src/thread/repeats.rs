//! What a thread does again and again: one that polls waits for a change.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Repeats of one access, or rounds of several, before a thread counts as polling.
const SPINS: u32 = 3;
/// Accesses of one round of a loop, at most, that is seen to be one.
const ROUND: usize = 16;

/// A place and an address. Only the thread itself uses it.
struct At([AtomicUsize; 2]);

impl At {
    #[inline]
    fn get(&self) -> (usize, usize) {
        (self.0[0].load(Ordering::Relaxed), self.0[1].load(Ordering::Relaxed))
    }

    #[inline]
    fn replace(&self, new: (usize, usize)) -> (usize, usize) {
        let old = self.get();
        self.0[0].store(new.0, Ordering::Relaxed);
        self.0[1].store(new.1, Ordering::Relaxed);
        old
    }
}

/// What a thread does again and again.
pub struct Repeats {
    /// The places and addresses of its recent accesses (of loads of atomics, with the value), in turn, and where the next
    /// one goes; its own alone.
    recent: [At; ROUND],
    next: AtomicUsize,
    /// The last of all.
    last: At,
    /// How many times it has done exactly the same,
    same: AtomicU32,
    /// and how many times something that it had done recently.
    known: AtomicU32,
}

impl Repeats {
    /// The same once more.
    #[inline]
    pub fn again(&self) {
        increase(&self.same);
        increase(&self.known);
    }

    /// Something else.
    #[inline]
    pub fn end(&self) {
        self.last.replace((0, 0));
        self.same.store(0, Ordering::Relaxed);
        self.known.store(0, Ordering::Relaxed);
    }

    /// An access, or a load of this value.
    pub fn note(&self, pc: usize, address: usize) {
        let access = (pc, address);
        if self.last.replace(access) == access {
            return self.again();
        }
        self.same.store(0, Ordering::Relaxed);
        if self.recent.iter().any(|recent| recent.get() == access) {
            return increase(&self.known);
        }
        self.known.store(0, Ordering::Relaxed);
        let next = self.next.load(Ordering::Relaxed);
        self.next.store((next + 1) % ROUND, Ordering::Relaxed);
        self.recent[next].replace(access);
    }

    /// Does the thread seem to wait for a change?
    pub fn is_many(&self) -> bool {
        self.same.load(Ordering::Relaxed) >= SPINS || self.known.load(Ordering::Relaxed) >= SPINS * ROUND as u32
    }
}

/// One more; only the thread itself counts.
#[inline]
fn increase(count: &AtomicU32) {
    count.store(count.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
}
