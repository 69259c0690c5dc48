//! The operations of a thread, compiled from its events.

pub use foretrace_causality::NeedKind;
use foretrace_event::{BarrierId, CondInstance, LockId, SemId};

/// The mode of a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Exclusive.
    Write,
    /// Shared with other readers.
    Read,
}

/// The effect of an operation on the objects. Its needs from other threads are stored separately ([`Need`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Changes no object: fork, start, join, end, release, acquire, once, atomics.
    Plain,
    /// Locks; if `patient`, it waits for as long as it takes.
    Acquire { lock: LockId, mode: Mode, patient: bool },
    /// Unlocks.
    Release { lock: LockId },
    /// Fails to take a lock that another holds.
    FailAcquire { lock: LockId, mode: Mode },
    /// Decrements a counter.
    Down { counter: u32, patient: bool },
    /// Fails to decrement a counter.
    FailDown { counter: u32 },
    /// Increments a counter.
    Up { counter: u32 },
    /// Increments a counter that must be zero: unlocks a lock that another thread locked.
    UpFromZero { counter: u32 },
    /// Sends a signal that may be lost.
    Signal { signal: u32 },
    /// Returns from a wait that may miss its signal. If the program checks a condition before it (`checked`), it would not
    /// have begun to wait in that case.
    Wait { instance: CondInstance, checked: bool },
    /// Enters a barrier of `count`.
    Enter { counter: u32, count: u32 },
    /// Leaves a barrier.
    Exit { counter: u32, count: u32 },
    /// Reads a variable that must show what it showed ([`super::Rules::keep_reads`]).
    Look { read: u32, cell: u32 },
    /// Writes a variable of which reads are kept.
    Store { cell: u32 },
}

/// Something that must have been performed: `position` operations of `thread`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    /// The thread.
    pub thread: u32,
    /// How many operations.
    pub position: u32,
    /// The reason.
    pub kind: NeedKind,
}

/// The object behind a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum CounterOf {
    Sem(SemId),
    Lock(LockId),
    BarrierEnters(BarrierId),
}
