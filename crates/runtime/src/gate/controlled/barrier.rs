//! Barriers: how many threads each takes, how many have arrived, and how often it was complete.

use crate::memory::map::Map;
use crate::memory::spin::Spin;
use crate::thread::tls::Section;
use foretrace_event::visible::Operation;

#[derive(Clone, Copy)]
struct Barrier {
    count: u16,
    arrived: u16,
    generation: u32,
}

impl From<u64> for Barrier {
    fn from(word: u64) -> Self {
        Self { count: (word >> 48) as u16, arrived: (word >> 32) as u16, generation: word as u32 }
    }
}

impl From<Barrier> for u64 {
    fn from(barrier: Barrier) -> Self {
        Self::from(barrier.count) << 48 | Self::from(barrier.arrived) << 32 | Self::from(barrier.generation)
    }
}

static BARRIERS: Spin<Map> = Spin::new(Map::new());

fn change<R>(barrier: u64, with: impl FnOnce(&mut Barrier) -> R) -> R {
    let _section = Section::nest();
    let mut all = BARRIERS.lock();
    let mut unknown = 0;
    let word = all.entry(barrier).unwrap_or(&mut unknown);
    let mut known = Barrier::from(*word);
    let result = with(&mut known);
    *word = known.into();
    result
}

/// A barrier is initialised for so many threads.
pub fn init(barrier: u64, count: u64) {
    change(barrier, |barrier| (barrier.count, barrier.arrived) = (u16::try_from(count).unwrap_or(u16::MAX), 0));
}

/// The argument of an arrival that happened now.
pub fn arrival(barrier: u64) -> u64 {
    change(barrier, |barrier| {
        Operation::arrival(barrier.generation, u32::from(barrier.count.saturating_sub(barrier.arrived)))
    })
}

/// A thread arrives. Is the barrier complete?
pub fn arrive(barrier: u64) -> bool {
    change(barrier, |barrier| {
        barrier.arrived += 1;
        let complete = barrier.arrived >= barrier.count;
        if complete {
            (barrier.arrived, barrier.generation) = (0, barrier.generation.wrapping_add(1));
        }
        complete
    })
}

/// In a forked child.
fn reset_locks() {
    BARRIERS.reset();
}
at_fork!(reset_locks);
