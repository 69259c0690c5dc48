//! How an execution ends in the gate.

use crate::fast;
use crate::gate::controlled::channel;
use crate::gate::controlled::slots::asking;
use crate::gate::{answer, stuck};
use crate::sys;
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
            Self::TooLong => end::TOO_LONG,
            Self::TooManyThreads => end::TOO_MANY_THREADS,
        }
    }
}

/// Writes which threads have not ended.
pub fn say_who_is_left() {
    asking().for_each(|(thread, slot)| channel::put_pending(thread, &slot.operation()));
}

/// Ends the execution.
pub fn stop(why: Why) -> ! {
    // A thread that was cancelled could go on where the gate holds it.
    let cancels = channel::get(Header::Notes) & notes::CANCELS != 0;
    let why = if cancels && matches!(why, Why::Deadlock | Why::Livelock) { Why::TooLong } else { why };
    say_who_is_left();
    channel::set(Header::End, why.code());
    if let Why::Diverged { at, .. } = why {
        channel::set(Header::Argument, at.into());
    }
    match why {
        _ if !answer::is_open() => {}
        Why::Deadlock | Why::Livelock => stuck::report_standstill(),
        Why::Diverged { thread, .. } => answer::stalled(thread.0),
        Why::AllAsleep | Why::TooLong | Why::TooManyThreads => {}
    }
    if fast::is_on() {
        fast::finish(EXIT_STOPPED);
    }
    sys::exit(EXIT_STOPPED)
}
