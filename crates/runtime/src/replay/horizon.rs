//! The horizon: what every thread knows. An access before it races with nothing any more and need not be remembered, so
//! that lines which many threads use in turn do not gather long pasts.
//!
//! Clocks only grow, so an old view of them errs on the safe side. A new thread begins with what its creator knew; while one
//! is on its way, the horizon stays. A thread that waits for another's end touches nothing before it knows all that
//! the other one does, and does not count. A thread that sleeps for long holds the horizon back: that costs time, and
//! nothing else.

use super::clock::{Epoch, Synchronised};
use super::{Player, is_someone_coming, players};
use core::sync::atomic::{AtomicU32, Ordering, fence};

/// With more threads than this the horizon stays where it is.
const MOST: usize = 64;

static HORIZON: [AtomicU32; MOST] = [const { AtomicU32::new(0) }; MOST];
/// Threads that have been created, or will be at once.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// What a thread lets others see of its clock. All zero: nothing.
pub struct Published {
    clock: [AtomicU32; MOST],
    /// It touches nothing from now on, or not before it knows what another thread does.
    away: AtomicU32,
}

impl Published {
    /// The thread is away, or back. Before it goes, its accesses must have been checked.
    pub fn set_away(&self, away: bool) {
        self.away.store(u32::from(away), Ordering::Release);
    }

    /// Is it?
    #[inline]
    pub fn is_away(&self) -> bool {
        self.away.load(Ordering::Relaxed) != 0
    }

    fn publish(&self, clock: &Synchronised) {
        for (thread, entry) in (0..).zip(&self.clock) {
            entry.store(clock.of(thread), Ordering::Release);
        }
    }
}

/// Does every thread know of that moment?
#[inline]
pub fn is_past(epoch: Epoch) -> bool {
    HORIZON.get((epoch >> 32) as usize).is_some_and(|known| known.load(Ordering::Relaxed) >= epoch as u32)
}

/// A thread is about to be created.
pub fn fork() {
    FORKS.fetch_add(1, Ordering::SeqCst);
}

/// Shows others the player's clock, and moves the horizon. Accesses of the player that have not been checked know what
/// its clock does. It is in a section.
#[cold]
pub fn refresh(player: &'static Player) {
    player.published.publish(player.clock());
    let forks = FORKS.load(Ordering::SeqCst);
    if is_someone_coming() {
        return;
    }
    let mut least = [u32::MAX; MOST];
    for other in players() {
        if other.number() as usize >= MOST {
            return;
        }
        if other.published.away.load(Ordering::Acquire) == 0 {
            for (least, known) in least.iter_mut().zip(&other.published.clock) {
                *least = (*least).min(known.load(Ordering::Acquire));
            }
        }
    }
    fence(Ordering::SeqCst);
    if is_someone_coming() || FORKS.load(Ordering::SeqCst) != forks {
        return;
    }
    // Any of these is true for ever, whichever of two threads writes last.
    for (horizon, least) in HORIZON.iter().zip(least) {
        horizon.store(least, Ordering::Relaxed);
    }
}
