//! How a thread waits for what another thread will do soon: it polls. Sleeping in the kernel and being woken takes longer
//! than most steps, and much longer if the core has gone idle meanwhile.
//!
//! While every awake thread has a core, a poll costs a few dozen cycles. Otherwise the awaited thread may need the core of
//! the waiting one, which therefore yields between polls. On a machine that other programs keep busy, each yield would cost
//! a time slice: a thread that keeps losing its core sets a flag, and for a while all waiters sleep at once.

use crate::sink::stamp;
use crate::sys;
use crate::thread::{self, count, taking_part};
use core::sync::atomic::{AtomicI32, Ordering};

/// How many threads can run at the same time.
static CORES: AtomicI32 = AtomicI32::new(1);
/// How many more waits sleep at once instead of yielding, because a thread kept losing its core.
static SLEEP_AT_ONCE: AtomicI32 = AtomicI32::new(0);

/// Polls while every awake thread has a core.
const SPINS: u32 = 200;
/// Polls before the thread sleeps.
const POLLS: u32 = 2000;
/// A yield that takes longer than this has lost the core: about half a millisecond of the processor's clock.
const LOST: u64 = 1_000_000;
/// If all threads together perform fewer operations than this between two losses, another program had the core.
const FEW: u64 = 500;
/// The value that [`SLEEP_AT_ONCE`] is set to.
const SLEEPS: i32 = 256;

/// Asks how many threads can run at the same time.
pub fn open() {
    CORES.store(sys::cores() as i32, Ordering::Relaxed);
}

/// A wait that should be short.
#[derive(Default)]
pub struct Backoff {
    polls: u32,
    /// Another thread is already doing what it waits for.
    under_way: bool,
}

impl Backoff {
    /// For a wait whose end is already under way: the thread may keep its core.
    pub const fn for_a_moment() -> Self {
        Self { polls: 0, under_way: true }
    }

    /// Pauses briefly before the next poll. False means that the thread should sleep.
    pub fn again(&mut self) -> bool {
        self.polls += 1;
        let may_keep_core = || self.under_way || count::awake() <= CORES.load(Ordering::Relaxed);
        if self.polls < SPINS && may_keep_core() {
            core::hint::spin_loop();
            return true;
        }
        if SLEEP_AT_ONCE.load(Ordering::Relaxed) > 0 {
            SLEEP_AT_ONCE.fetch_sub(1, Ordering::Relaxed);
            return false;
        }
        let before = now();
        sys::yield_now();
        if now().wrapping_sub(before) > LOST {
            lost_core();
        }
        self.polls < POLLS
    }
}

#[cold]
fn lost_core() {
    let Some(player) = taking_part() else { return };
    let progress = thread::progress();
    if progress.wrapping_sub(player.progress_when_lost.replace(progress)) < FEW {
        SLEEP_AT_ONCE.store(SLEEPS, Ordering::Relaxed);
    }
}

/// The processor's clock, or an estimate of it in programs that have given it up.
pub fn now() -> u64 {
    if !stamp::has_clock() {
        return sys::monotonic() * 2;
    }
    // SAFETY: reads a clock.
    unsafe { core::arch::x86_64::_rdtsc() }
}
