//! The events of a trace.

use crate::{
    AtomicId, BarrierId, ChannelId, CondInstance, CustomId, IntervalId, LoadOrder, LockId, OnceId, Order, SemId,
    StoreOrder, ThreadId,
};

/// The class of a lock. All classes are locked and unlocked; they differ in who may lock again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum LockClass {
    /// A mutex: if its owner locks it again, the owner blocks for ever.
    #[default]
    Mutex = 0,
    /// A mutex that its owner may lock again.
    Recursive = 1,
    /// A mutex that reports misuse by an error code: relocking fails instead of blocking.
    ErrorChecking = 2,
    /// A reader-writer lock.
    RwLock = 3,
    /// A spin lock.
    Spin = 4,
    /// The lock of a stdio stream (`flockfile`), recursive.
    Stream = 5,
    /// A lock of the program's own, known from annotations.
    Annotated = 6,
}

impl LockClass {
    /// From its wire code.
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Mutex,
            1 => Self::Recursive,
            2 => Self::ErrorChecking,
            3 => Self::RwLock,
            4 => Self::Spin,
            5 => Self::Stream,
            6 => Self::Annotated,
            _ => return None,
        })
    }

    /// May the owner lock it again?
    pub const fn is_recursive(self) -> bool {
        matches!(self, Self::Recursive | Self::Stream)
    }

    /// May several threads hold it at once, for reading?
    pub const fn may_be_shared(self) -> bool {
        matches!(self, Self::RwLock | Self::Annotated)
    }

    /// Its name in text traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mutex => "mutex",
            Self::Recursive => "recursive",
            Self::ErrorChecking => "errorcheck",
            Self::RwLock => "rwlock",
            Self::Spin => "spin",
            Self::Stream => "stream",
            Self::Annotated => "annotated",
        }
    }

    /// The class of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        (0..7).filter_map(Self::from_code).find(|class| class.name() == name)
    }
}

/// How an operation asked for what it got. One that blocks cannot fail; the others can.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Patience {
    /// Waits as long as it takes.
    #[default]
    Blocking,
    /// A try operation: it does not wait.
    Try,
    /// Waits until a deadline.
    Timed,
}

/// One operation of one thread: what every analysis reads. A completed operation, as in the thesis's Table 4.1.
///
/// **Invariants** of a checked trace: `Wait` and `FailedWait` are directly preceded by `Unlock` and directly followed
/// by `Lock` of their lock, in the same thread; `BarrierExit` directly follows its `BarrierEnter`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// The thread began.
    Start,
    /// The thread ended.
    End,
    /// The thread created another.
    Fork(ThreadId),
    /// The thread waited for another's end.
    Join(ThreadId),

    /// Acquired, exclusively.
    Lock(LockId, Patience),
    /// A try or timed lock that failed.
    FailedLock(LockId, Patience),
    /// Acquired, shared.
    RdLock(LockId, Patience),
    /// A try or timed shared lock that failed.
    FailedRdLock(LockId, Patience),
    /// Released.
    Unlock(LockId),
    /// Released although no thread held it: an error of the program that changes nothing.
    StrayUnlock(LockId),

    /// Woke one waiter of this instance, or none (a lost signal).
    Signal(CondInstance),
    /// Woke all waiters of this instance.
    Broadcast(CondInstance),
    /// Was woken from a wait with this lock.
    Wait(CondInstance, LockId),
    /// A timed wait with this lock that timed out, or woke spuriously.
    FailedWait(LockId),

    /// Arrived at a barrier.
    BarrierEnter(BarrierId),
    /// Left the barrier.
    BarrierExit(BarrierId),

    /// Decremented a semaphore.
    SemWait(SemId, Patience),
    /// A try or timed wait that found it zero.
    FailedSemWait(SemId, Patience),
    /// Incremented a semaphore.
    SemPost(SemId),

    /// Began to run the initialiser.
    OnceRun(OnceId),
    /// Finished running the initialiser.
    OnceDone(OnceId),
    /// The initialiser threw: the next caller will run it again.
    OnceAbort(OnceId),
    /// Found that the initialiser had run, perhaps after waiting for it.
    OncePass(OnceId),

    /// Everything before is visible to later acquires of the channel.
    Release(ChannelId),
    /// Sees everything released into the channel before.
    Acquire(ChannelId),

    /// An atomic load and the value it read.
    AtomicLoad(AtomicId, LoadOrder, u64),
    /// An atomic store and the value it wrote.
    AtomicStore(AtomicId, StoreOrder, u64),
    /// A read-modify-write: the value it read and the value it wrote.
    AtomicRmw(AtomicId, Order, u64, u64),
    /// A fence.
    Fence(Order),

    /// Read an interval in this segment.
    Read(IntervalId),
    /// Wrote an interval in this segment.
    Write(IntervalId),

    /// The user's own event with its argument.
    Custom(CustomId, u64),
}

impl Event {
    /// Is it a memory access? All others end a segment.
    pub const fn is_access(self) -> bool {
        matches!(self, Self::Read(_) | Self::Write(_))
    }
}
