//! Where workers wait for each other.
//!
//! A worker announces that it has come, and waits for the others later. What it does in between evens out differences
//! between the workers.
//!
//! Layers can be narrow: thousands of meetings a second. Waking a sleeping thread takes longer than such a layer, so
//! whoever comes first spins for a while, then offers its core to others, and sleeps only if it still has to wait.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

const SPINS: u32 = 1 << 10;
const YIELDED: u32 = SPINS + (1 << 8);
const NAP: Duration = Duration::from_micros(50);

/// A value in a cache line of its own.
#[derive(Default)]
#[repr(align(128))]
pub struct Apart<T>(pub T);

pub struct Meeting {
    /// How many meetings each worker has come to.
    come: Vec<Apart<AtomicUsize>>,
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
        Meeting { come: (0..workers).map(|_| Apart::default()).collect(), broken: AtomicBool::new(false) }
    }

    pub fn alarm(&self) -> Alarm<'_> {
        Alarm(self)
    }

    /// Says that a worker has come to its next meeting; answers which one that is.
    pub fn come(&self, worker: usize) -> usize {
        self.come[worker].0.fetch_add(1, Ordering::Release) + 1
    }

    /// Returns when every worker has come to a meeting. What any of them wrote before, all of them see after.
    #[inline(never)]
    pub fn wait(&self, meeting: usize) {
        for worker in &self.come {
            let mut waited = 0;
            while worker.0.load(Ordering::Acquire) < meeting {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_leaves_before_all_have_come() {
        const WORKERS: usize = 3;
        let (meeting, arrived) = (Meeting::new(WORKERS), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for worker in 0..WORKERS {
                let (meeting, arrived) = (&meeting, &arrived);
                scope.spawn(move || {
                    for round in 1..=1000 {
                        arrived.fetch_add(1, Ordering::Relaxed);
                        meeting.wait(meeting.come(worker));
                        assert_eq!(arrived.load(Ordering::Relaxed), round * WORKERS);
                        meeting.wait(meeting.come(worker));
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
            meeting.wait(meeting.come(0));
        });
    }
}
