//! How long an operation waits before it gives up, and the deadlines of those that do so.
//!
//! A steered call returns only what its specification allows. A time-out is allowed once the deadline has passed on the
//! clock that the call names, and a program may read that clock. So a replay that wants a time-out really waits for the
//! deadline. It does so only for deadlines that are near ([`Deadline::is_far`]): others would make replays slow without bound.

use crate::gate::clock;
use crate::memory::map::Map;
use crate::memory::spin::Spin;
use crate::thread::tls::Section;
use crate::{axes, sys};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use foretrace_event::Patience;
use libc::timespec;

/// How long an operation waits.
#[derive(Clone, Copy)]
pub enum Limit {
    /// As long as it takes.
    Forever,
    /// Not at all.
    Now,
    /// Until a deadline.
    Until(Deadline),
}

impl Limit {
    /// Until this time on this clock; a null pointer is left for the real function to refuse.
    pub unsafe fn until(clock: c_int, at: *const timespec) -> Self {
        // SAFETY: the caller passes a time, or null.
        Self::Until(Deadline { clock, at: unsafe { at.as_ref() }.copied().unwrap_or(LONG_AGO) })
    }

    /// For so long from now.
    pub fn in_a_while(time: &timespec) -> Self {
        let now = now(libc::CLOCK_MONOTONIC);
        let sum = now.tv_nsec.saturating_add(time.tv_nsec);
        let (seconds, tv_nsec) = (sum / SECOND, sum % SECOND);
        let at = timespec { tv_sec: now.tv_sec.saturating_add(time.tv_sec).saturating_add(seconds), tv_nsec };
        Self::Until(Deadline { clock: libc::CLOCK_MONOTONIC, at })
    }

    /// The same as records spell it.
    pub const fn patience(self) -> Patience {
        match self {
            Self::Forever => Patience::Blocking,
            Self::Now => Patience::Try,
            Self::Until(_) => Patience::Timed,
        }
    }

    /// Can a replay not wait until this operation gives up?
    pub fn is_far(self) -> bool {
        match self {
            Self::Forever => true,
            Self::Now => false,
            Self::Until(deadline) => deadline.is_far(),
        }
    }
}

const LONG_AGO: timespec = timespec { tv_sec: 0, tv_nsec: 0 };

/// A time on a clock.
#[derive(Clone, Copy)]
pub struct Deadline {
    clock: c_int,
    at: timespec,
}

real_function!(fn clock_gettime(clock: c_int, time: *mut timespec) -> c_int);

/// In nanoseconds.
pub const SECOND: i64 = 1_000_000_000;

/// The time on a clock.
pub fn now(clock: c_int) -> timespec {
    let mut time = LONG_AGO;
    // SAFETY: the time is a local.
    unsafe { clock_gettime(clock, &mut time) };
    as_shown(clock, time)
}

/// What a clock of the program shows at this time of the kernel's: under the controlled gate, sleeps and time-outs take no
/// time, and the clocks that go on by themselves are ahead by as much.
pub fn as_shown(clock: c_int, time: timespec) -> timespec {
    let ahead = crate::gate::clock::ahead();
    let counts_work = matches!(clock, libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID) || clock < 0;
    if ahead == 0 || counts_work {
        return time;
    }
    let nanoseconds = time.tv_nsec + ahead % SECOND;
    timespec { tv_sec: time.tv_sec + ahead / SECOND + nanoseconds / SECOND, tv_nsec: nanoseconds % SECOND }
}

/// Nanoseconds that a replay waits for one deadline, at most.
static FARTHEST: AtomicU64 = AtomicU64::new(2 * SECOND as u64);

/// Threads that wait for their deadlines, because the schedule wants a time-out.
static AWAITED: AtomicU32 = AtomicU32::new(0);

/// Replays wait for deadlines that lie so far ahead, or farther.
pub fn allow(milliseconds: u64) {
    FARTHEST.fetch_max(milliseconds.saturating_mul(1_000_000), Ordering::Relaxed);
}

/// Does a thread wait for its deadline?
pub fn is_awaited() -> bool {
    AWAITED.load(Ordering::Relaxed) > 0
}

/// Does `work`, which takes until a deadline has passed.
pub fn awaiting<R>(work: impl FnOnce() -> R) -> R {
    AWAITED.fetch_add(1, Ordering::Relaxed);
    let result = work();
    AWAITED.fetch_sub(1, Ordering::Relaxed);
    result
}

impl Deadline {
    /// Is it a time at all? The real functions refuse others.
    pub const fn is_valid(&self) -> bool {
        0 <= self.at.tv_nsec && self.at.tv_nsec < SECOND
    }

    /// Nanoseconds until it has passed; zero or less if it has.
    fn left(&self) -> i64 {
        let now = now(self.clock);
        let seconds = self.at.tv_sec.saturating_sub(now.tv_sec);
        seconds.saturating_mul(SECOND).saturating_add(self.at.tv_nsec - now.tv_nsec)
    }

    /// Is it so far ahead that a replay does not wait for it?
    pub fn is_far(&self) -> bool {
        self.left() > FARTHEST.load(Ordering::Relaxed).min(i64::MAX as u64) as i64
    }

    /// Takes the time until it has passed as gone.
    pub fn pass(&self) {
        clock::pass(self.left().saturating_add(1));
    }

    /// Waits until it has passed; false if it is too far ahead for that.
    pub fn wait(&self) -> bool {
        awaiting(|| {
            while !self.is_far() {
                match self.left() {
                    left @ 1.. => sys::sleep(left.min(SECOND / 20) as u32),
                    _ => return true,
                }
            }
            false
        })
    }
}

/// The clocks of condition variables that were initialised with attributes.
static CLOCKS: Spin<Map> = Spin::new(Map::new());

/// A condition variable measures time-outs by this clock from now on.
pub fn set_clock(cond: usize, clock: c_int) {
    let _section = Section::nest();
    if let Some(known) = CLOCKS.lock().entry(cond as u64) {
        *known = clock as u64;
    }
}

/// The clock by which a condition variable measures time-outs.
pub fn clock_of(cond: usize) -> c_int {
    if !axes::is_replaying() {
        return libc::CLOCK_REALTIME;
    }
    let _section = Section::nest();
    let known = CLOCKS.lock().get(cond as u64);
    known.map_or(libc::CLOCK_REALTIME, |clock| clock as c_int)
}

/// In a forked child.
fn reset_locks() {
    CLOCKS.reset();
}
at_fork!(reset_locks);
