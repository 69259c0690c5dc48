//! The end of the process, while other threads still run.
//!
//! A process that returns from `main` takes its other threads with it, wherever they are. What these would have done a moment
//! later is as real as what they did, so the thread that ends the process waits here until the others have ended or wait
//! for something that nobody limits in time, but no longer than the settings allow (`linger`).
//!
//! In a replay it waits twice. Before functions that are called at exit it waits for threads that can go on, but not for those
//! that are held back at delay points: so it comes before them. After those functions, at the last moment, it waits for
//! the delayed ones, too: a process may take any time between the two, and its threads run meanwhile.

use crate::op::part;
use crate::sys::{self, Activity};
use crate::thread::tls::tls;
use core::sync::atomic::{AtomicU32, Ordering};

/// How long to wait, in milliseconds.
static LINGER: AtomicU32 = AtomicU32::new(1000);
/// The same once a failure has been seen.
const AFTER_FAILURE: u64 = 50;
/// All must be found idle so many times in a row, a millisecond apart.
const LOOKS: u32 = 3;

/// As the settings say.
pub fn set_linger(milliseconds: u32) {
    LINGER.store(milliseconds, Ordering::Relaxed);
}

/// Waits until the other threads of a recorded process are idle.
pub fn await_others() {
    wait(|| sys::other_threads(|tid| sys::activity(tid) == Activity::Waits));
}

/// The same in a replay. `last`: threads at delay points are waited for, too.
pub fn await_others_in_replay(last: bool) {
    if part::begin_leaving(last) {
        wait(|| sys::other_threads(part::is_idle(last)));
        part::end_leaving();
    }
}

/// Waits until everybody is idle. A signal handler is not kept waiting: its thread may hold what the others want.
fn wait(mut all_idle: impl FnMut() -> bool) {
    if tls().handlers.get() != 0 {
        return;
    }
    let began = sys::milliseconds();
    let linger = u64::from(LINGER.load(Ordering::Relaxed));
    let mut looks = 0;
    while looks < LOOKS {
        let waited = sys::milliseconds().saturating_sub(began);
        let enough = if part::has_failed() { linger.min(AFTER_FAILURE) } else { linger };
        if waited >= enough || sys::is_alone() {
            return;
        }
        looks = if all_idle() { looks + 1 } else { 0 };
        sys::sleep_a_millisecond();
    }
}
