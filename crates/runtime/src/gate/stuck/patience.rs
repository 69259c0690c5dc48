//! How long a thread sleeps for its turn before it looks whether the schedule is still followed.

use super::{Blocked, all, blocked};
use crate::gate::{answer, limit, order, schedule};
use crate::sys;
use crate::thread::tls::Section;
use crate::thread::{Shared, StopTheWorld, threads};
use core::sync::atomic::{AtomicU64, Ordering};

/// How often everybody must be found asleep, some milliseconds apart, before it is the end.
const FOUND_ASLEEP: u32 = 3;

/// Nanoseconds between looks, each of which holds everybody up; and once it seems to be the end.
const PAUSE: i64 = 6_000_000;
const SHORT_PAUSE: i64 = 1_500_000;

/// A look around by a thread that has slept long for its turn.
#[derive(Default)]
pub struct Watch {
    progress: u64,
    /// At the last look everybody was asleep.
    calm: bool,
    asleep: u32,
    /// The last step that was seen, if one was.
    last: Option<LastStep>,
}

/// How many steps had been taken, and when they were: by the clock, and by the time that the process has used, in
/// milliseconds.
#[derive(Clone, Copy)]
struct LastStep {
    steps: u32,
    at: u64,
    used: u64,
}

/// Milliseconds of the process's own time without a step after which it is plain that the schedule is not followed; zero:
/// never.
static STEP_PATIENCE: AtomicU64 = AtomicU64::new(0);
/// By the clock it may take this many times as long: threads may sleep between their looks.
const ASLEEP_BETWEEN: u64 = 4;

/// Sets how long a program may run on without a step.
pub fn set_patience(milliseconds: u64) {
    STEP_PATIENCE.store(milliseconds, Ordering::Relaxed);
}

/// Milliseconds on a clock.
fn milliseconds(clock: i32) -> u64 {
    let time = limit::now(clock);
    time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000
}

impl Watch {
    /// How long to sleep until the next look.
    pub const fn pause(&self) -> i64 {
        if self.calm { SHORT_PAUSE } else { PAUSE }
    }

    /// If those that we know nothing of sleep in the kernel until someone wakes them, time and again, and nothing happens
    /// meanwhile, nobody will.
    pub fn look(&mut self) {
        self.look_for_steps();
        let progress = {
            let _section = Section::nest();
            let stopped = StopTheWorld::new();
            let may_be_stuck = |player| is_unknown(player) || !matches!(blocked(&stopped, player), Blocked::No);
            all(&stopped, may_be_stuck).then(|| stopped.progress())
        };
        // Those who wait for one of our locks sleep, too: none is held meanwhile.
        let asleep = progress.is_some()
            && threads().filter(|player| is_unknown(player)).all(|player| sys::sleeps_until_woken(player.tid));
        self.calm = asleep;
        let still_asleep = asleep && progress == Some(self.progress);
        self.asleep = if still_asleep { self.asleep + 1 } else { 0 };
        self.progress = progress.unwrap_or(0);
        if self.asleep >= FOUND_ASLEEP
            && let Some(thread) = order::missing()
        {
            answer::stalled(thread);
        }
    }
}

impl Watch {
    /// A program in which threads run, and none of them comes to its step, only polls, or does something else for long. It is
    /// given up after a time in proportion to that of the recorded run.
    fn look_for_steps(&mut self) {
        let patience = STEP_PATIENCE.load(Ordering::Relaxed);
        let new = LastStep {
            steps: schedule::taken(),
            at: milliseconds(libc::CLOCK_MONOTONIC),
            used: milliseconds(libc::CLOCK_PROCESS_CPUTIME_ID),
        };
        let last = *self.last.get_or_insert(new);
        if last.steps != new.steps || limit::is_awaited() || patience == 0 {
            self.last = Some(new);
        } else if (new.used - last.used > patience || new.at - last.at > ASLEEP_BETWEEN * patience)
            && let Some(thread) = order::missing()
        {
            answer::stalled(thread);
        }
    }
}

/// A thread that does not say what it waits for, if it waits.
fn is_unknown(player: &Shared) -> bool {
    !player.ended.load(Ordering::Relaxed) && !player.waits.load(Ordering::Relaxed)
}
