//! How an execution ends in the gate.

use crate::fast;
use crate::gate::controlled::channel;
use crate::gate::controlled::slots::asking;
use crate::gate::{answer, stuck};
use crate::sys;
use core::sync::atomic::{AtomicBool, Ordering};
use foretrace_event::ThreadId;
use foretrace_event::channel::{Header, end, notes};
use foretrace_event::schedule::EXIT_STOPPED;

/// Why an execution ends before its program does.
#[derive(Clone, Copy)]
pub enum Why {
    /// No thread can go on.
    Deadlock,
    /// The threads that are left wait in loops.
    Livelock,
    /// All that could go on sleep.
    AllAsleep,
    /// This thread cannot take the step that the plan prescribes.
    Diverged { at: u32, thread: ThreadId },
    /// No thread can go on by itself, but a signal or a cancellation may wake one.
    AwaitsSignal,
    /// The limit of steps was reached.
    TooLong,
    /// There are more threads than can be told apart.
    TooManyThreads,
}

impl Why {
    const fn code(self) -> u64 {
        match self {
            Self::Deadlock => end::DEADLOCK,
            Self::Livelock => end::LIVELOCK,
            Self::AllAsleep => end::ALL_ASLEEP,
            Self::Diverged { .. } => end::DIVERGED,
            Self::AwaitsSignal => end::AWAITS_SIGNAL,
            Self::TooLong => end::TOO_LONG,
            Self::TooManyThreads => end::TOO_MANY_THREADS,
        }
    }
}

/// Writes which threads have not ended.
pub fn say_who_is_left() {
    asking().for_each(|(thread, slot)| {
        let operation = slot.operation();
        let left = if slot.is_cancelled() { operation.when_cancelled() } else { operation };
        channel::put_pending(thread, &left);
    });
}

/// The program has set a timer. This may be before its first thread, and executions begin after that.
static SETS_TIMERS: AtomicBool = AtomicBool::new(false);

/// A timer is set that sends a signal.
pub fn set_timer() {
    SETS_TIMERS.store(true, Ordering::Relaxed);
}

/// The gate does not see what may still wake a thread: the signal of a timer or of a child process, or that a thread was
/// cancelled which does not wait where that ends it.
fn may_be_woken() -> bool {
    if SETS_TIMERS.load(Ordering::Relaxed) {
        channel::add(Header::Notes, notes::SETS_TIMERS);
    }
    channel::get(Header::Notes) & (notes::SETS_TIMERS | notes::FORKS) != 0
        || asking().any(|(_, slot)| slot.cancelled.get())
}

/// Ends the execution.
pub fn stop(why: Why) -> ! {
    let why = if matches!(why, Why::Deadlock | Why::Livelock) && may_be_woken() { Why::AwaitsSignal } else { why };
    say_who_is_left();
    channel::set(Header::End, why.code());
    if let Why::Diverged { at, .. } = why {
        channel::set(Header::Argument, at.into());
    }
    match why {
        _ if !answer::is_open() => {}
        Why::Deadlock | Why::Livelock => stuck::report_standstill(),
        Why::Diverged { thread, .. } => answer::stalled(thread.0),
        Why::AllAsleep | Why::AwaitsSignal | Why::TooLong | Why::TooManyThreads => {}
    }
    if fast::is_on() {
        fast::finish(EXIT_STOPPED);
    }
    sys::exit(EXIT_STOPPED)
}
