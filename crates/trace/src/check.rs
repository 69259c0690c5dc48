//! Is this a history that could have happened? An independent check, for tests of the recorder and of the normaliser.
//!
//! **Definition.** A sequence of operations, ordered by stamp and by thread where stamps are equal, is legal if
//!
//! 1. a thread's stamps increase strictly; its start is its first operation and its end its last; its creation comes
//!    before its start and its end before its join (in a trace, a thread without a creation exists from the beginning);
//! 2. a lock is acquired exclusively only when no thread holds it (except its owner, if it is recursive), shared only
//!    when no thread holds it exclusively, and released only while held;
//! 3. a semaphore never falls below zero;
//! 4. a thread leaves a barrier only when its phase is full, directly after it arrived;
//! 5. a wait is between the unlock and the lock of its mutex, and is woken by an earlier broadcast, or by an earlier
//!    signal that woke no other wait;
//! 6. an initialiser runs once unless it is aborted, and is passed only when done;
//! 7. an atomic operation reads, byte by byte, what was last stored.
//!
//! The object at an address is forgotten when it is destroyed or initialised again, or when its memory is freed. The
//! state before the first operation is unknown, and every operation is legal until it is known.
//!
//! **Invariant**: this module shares no code with the normaliser and the builder. It uses only what
//! [`Recording::records`] and [`Trace::event`] decode.

mod judge;
mod steps;

use std::fmt;

use crate::recording::{Recording, RecordingError};
use crate::trace::Trace;
use judge::Roots;

/// The violated rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Breach {
    /// Rule 1.
    #[error("a stamp that does not increase")]
    StampOrder,
    /// Rule 1.
    #[error("a start that is not the thread's first operation")]
    LateStart,
    /// Rule 1.
    #[error("a start without an earlier fork")]
    StartBeforeFork,
    /// Rule 1.
    #[error("a fork of a thread that exists")]
    ForkTwice,
    /// Rule 1.
    #[error("an operation after the thread's end")]
    AfterEnd,
    /// Rule 1.
    #[error("a join of a thread that has not ended")]
    JoinBeforeEnd,
    /// Rule 2.
    #[error("a lock that another thread holds, or that may not be locked again")]
    LockHeld,
    /// Rule 2.
    #[error("an unlock of a lock that is not held")]
    NotHeld,
    /// Rule 3.
    #[error("a wait of a semaphore at zero")]
    SemaphoreZero,
    /// Rule 4.
    #[error("an exit from a barrier whose phase is not full")]
    BarrierNotFull,
    /// Rule 4.
    #[error("an exit from a barrier that does not follow its entry")]
    BarrierNotEntered,
    /// Rule 5.
    #[error("a wait that is not between the unlock and the lock of its mutex")]
    StrayWait,
    /// Rule 5.
    #[error("a wait that no signal explains")]
    WaitUnexplained,
    /// Rule 6.
    #[error("an initialiser that runs again")]
    OnceAgain,
    /// Rule 6.
    #[error("the end of an initialiser that the thread does not run")]
    OnceNotRunning,
    /// Rule 6.
    #[error("a pass of an initialiser that has not finished")]
    OnceNotDone,
    /// Rule 7.
    #[error("an atomic operation that reads what was not stored last")]
    StaleValue,
}

/// Where the history stops being legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The thread's number.
    pub thread: u32,
    /// The operation's stamp.
    pub stamp: u64,
    /// Of a recording: the record's byte. Of a trace: the event's index in its thread.
    pub position: u64,
    /// What is wrong.
    pub breach: Breach,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { thread, stamp, position, breach } = self;
        write!(f, "thread {thread}, stamp {stamp}, at {position}: {breach}")
    }
}

/// At most this many violations are reported.
pub const MOST: usize = 100;

/// All violations of a recording, in the order of its stamps.
///
/// # Errors
/// If a record cannot be decoded.
pub fn recording(recording: &Recording) -> Result<Vec<Violation>, RecordingError> {
    let (steps, plain) = steps::of_recording(recording)?;
    Ok(judge::judge(&steps, &plain, Roots::Main))
}

/// All violations of a trace, in the observed order.
pub fn trace(trace: &Trace) -> Vec<Violation> {
    judge::judge(&steps::of_trace(trace), &steps::Plain::default(), Roots::Any)
}
