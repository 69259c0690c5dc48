//! Where workers wait for each other.
//!
//! Layers can be narrow: thousands of meetings a second. Waking a sleeping thread takes longer than such a layer, so
//! whoever comes first spins for a while, then offers its core to others, and sleeps only if it still has to wait.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

const SPINS: u32 = 1 << 10;
const YIELDED: u32 = SPINS + (1 << 8);
const NAP: Duration = Duration::from_micros(50);

pub struct Meeting {
    workers: usize,
    here: AtomicUsize,
    held: AtomicUsize,
    broken: AtomicBool,
}

/// Lets the others know if its worker panics, so that they do not wait for it for ever.
pub struct Alarm<'a>(&'a Meeting);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Release);
        }
    }
}

impl Meeting {
    pub fn new(workers: usize) -> Self {
        Meeting { workers, here: AtomicUsize::new(0), held: AtomicUsize::new(0), broken: AtomicBool::new(false) }
    }

    pub fn alarm(&self) -> Alarm<'_> {
        Alarm(self)
    }

    /// Returns when every worker has come. What any of them wrote before, all of them see after.
    pub fn wait(&self) {
        let held = self.held.load(Ordering::Acquire);
        if self.here.fetch_add(1, Ordering::AcqRel) + 1 == self.workers {
            self.here.store(0, Ordering::Relaxed);
            self.held.store(held.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut waited = 0;
        while self.held.load(Ordering::Acquire) == held {
            assert!(!self.broken.load(Ordering::Acquire), "another worker has panicked");
            match waited {
                0..SPINS => std::hint::spin_loop(),
                SPINS..YIELDED => std::thread::yield_now(),
                _ => std::thread::sleep(NAP),
            }
            waited = waited.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_leaves_before_all_have_come() {
        const WORKERS: usize = 3;
        let (meeting, arrived) = (Meeting::new(WORKERS), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..WORKERS {
                scope.spawn(|| {
                    for round in 1..=1000 {
                        arrived.fetch_add(1, Ordering::Relaxed);
                        meeting.wait();
                        assert_eq!(arrived.load(Ordering::Relaxed), round * WORKERS);
                        meeting.wait();
                    }
                });
            }
        });
    }

    #[test]
    #[should_panic(expected = "another worker has panicked")]
    fn a_panic_elsewhere_ends_the_wait() {
        let meeting = Meeting::new(2);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let _alarm = meeting.alarm();
                panic!("on purpose");
            });
            drop(other.join());
            meeting.wait();
        });
    }
}
