//! How a thread waits for what another will do soon: it looks again and again. To sleep in the kernel and be woken takes
//! longer than most steps, and much longer if the core it slept on had nothing else to do.
//!
//! While all threads that want to run have a core, a look is a few dozen cycles. When not, the one that is waited for may
//! need the core of the one that waits, which lets others run between its looks. Beside a program that takes all it can
//! get, that would cost a slice of time each: who comes back late time and again, and finds that little has been done
//! meanwhile, says so, and for a while threads sleep at once.

use crate::sink::stamp;
use crate::sys;
use crate::thread::{self, count, taking_part};
use core::sync::atomic::{AtomicI32, Ordering};

/// How many of them can run side by side.
static CORES: AtomicI32 = AtomicI32::new(1);
/// How many more waits shall not let others run, because someone came back late.
static HURRY: AtomicI32 = AtomicI32::new(0);

/// Looks while everybody has a core.
const BRIEF: u32 = 200;
/// Looks in all.
const LOOKS: u32 = 2000;
/// Late, by the processor's clock: about half a millisecond.
const LATE: u64 = 1_000_000;
/// So few operations of all threads between two late returns of one: something else had the core.
const FEW: u64 = 500;
/// See [`HURRY`].
const HURRIED: i32 = 256;

/// Asks how many threads can run side by side.
pub fn open() {
    CORES.store(sys::cores() as i32, Ordering::Relaxed);
}

/// A wait that is hoped to be short.
#[derive(Default)]
pub struct Backoff {
    looks: u32,
    /// What it waits for is being done.
    under_way: bool,
}

impl Backoff {
    /// What the thread waits for is being done, so it does not matter who else wants its core.
    pub const fn for_a_moment() -> Self {
        Self { looks: 0, under_way: true }
    }

    /// Pauses a little before another look; false: it has been long enough.
    pub fn again(&mut self) -> bool {
        self.looks += 1;
        let may_keep_core = || self.under_way || count::awake() <= CORES.load(Ordering::Relaxed);
        if self.looks < BRIEF && may_keep_core() {
            core::hint::spin_loop();
            return true;
        }
        if HURRY.load(Ordering::Relaxed) > 0 {
            HURRY.fetch_sub(1, Ordering::Relaxed);
            return false;
        }
        let before = now();
        sys::yield_now();
        if now().wrapping_sub(before) > LATE {
            came_back_late();
        }
        self.looks < LOOKS
    }
}

#[cold]
fn came_back_late() {
    let Some(player) = taking_part() else { return };
    let progress = thread::progress();
    if progress.wrapping_sub(player.progress_when_late.replace(progress)) < FEW {
        HURRY.store(HURRIED, Ordering::Relaxed);
    }
}

/// The processor's clock; in programs that have given it up, about what it would say.
pub fn now() -> u64 {
    if !stamp::has_clock() {
        return sys::monotonic() * 2;
    }
    // SAFETY: reads a clock.
    unsafe { core::arch::x86_64::_rdtsc() }
}
