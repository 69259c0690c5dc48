//! The operations of a thread, compiled from its events.

pub use foretrace_causality::NeedKind;
use foretrace_event::{BarrierId, CondInstance, LockId, SemId};

/// How a lock is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Alone.
    Write,
    /// With other readers.
    Read,
}

/// What an operation does to the objects. What it needs of other threads is beside it ([`Need`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Changes no object: fork, start, join, end, release, acquire, once, atomics.
    Plain,
    /// Takes a lock; `patient` waits for it as long as it takes.
    Acquire { lock: LockId, mode: Mode, patient: bool },
    /// Gives a lock back.
    Release { lock: LockId },
    /// Fails to take a lock that another holds.
    FailAcquire { lock: LockId, mode: Mode },
    /// Decrements a counter.
    Down { counter: u32, patient: bool },
    /// Fails to decrement a counter.
    FailDown { counter: u32 },
    /// Increments a counter.
    Up { counter: u32 },
    /// Increments a counter that must be zero: gives back a lock that another took.
    UpFromZero { counter: u32 },
    /// Gives a signal that may come too early.
    Signal { signal: u32 },
    /// Returns from a wait that may miss its signal.
    Wait { instance: CondInstance },
    /// Enters a barrier of `count`.
    Enter { counter: u32, count: u32 },
    /// Leaves a barrier.
    Exit { counter: u32, count: u32 },
}

/// Something that must have been performed: `position` operations of `thread`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    /// By whom.
    pub thread: u32,
    /// How many operations.
    pub position: u32,
    /// Why.
    pub kind: NeedKind,
}

/// The object behind a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum CounterOf {
    Sem(SemId),
    Lock(LockId),
    BarrierEnters(BarrierId),
}
