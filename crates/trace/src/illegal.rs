//! Why a history is impossible.

use foretrace_event::{BarrierId, LockId, OnceId, SemId, ThreadId};

/// Why an event is not legal where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Illegal {
    /// It comes after the thread's end.
    #[error("the thread has already ended")]
    AfterEnd,
    /// A start that is not the thread's first event.
    #[error("a start must be the thread's first event")]
    LateStart,
    /// A fork of a thread that already exists.
    #[error("thread {0} already exists")]
    ForkOfLiving(ThreadId),
    /// A join of a thread that was cut off, so that its end is not known.
    #[error("the end of thread {0} is not known")]
    JoinOfCut(ThreadId),
    /// A thread that waits for itself.
    #[error("a thread cannot join itself")]
    JoinOfSelf,
    /// A second join of a thread.
    #[error("thread {0} was already joined")]
    JoinedTwice(ThreadId),
    /// The lock is held by another thread, or may not be taken again by its owner.
    #[error("lock {lock} is held by thread {owner}")]
    Held {
        /// Which lock.
        lock: LockId,
        /// The thread that holds it.
        owner: ThreadId,
    },
    /// An unlock of a lock that no thread holds.
    #[error("lock {0} is not held")]
    NotHeld(LockId),
    /// Shared locking of what is not a reader-writer lock.
    #[error("lock {0} is not a reader-writer lock")]
    NotShared(LockId),
    /// Something other than the lock of its mutex after a wait.
    #[error("a wait must be followed by the lock of {0}")]
    NoRelock(LockId),
    /// Something other than the unlock of its mutex before a wait.
    #[error("a wait must directly follow the unlock of {0}")]
    StrayWait(LockId),
    /// Something other than the barrier's exit after its entry.
    #[error("a thread in barrier {0} can only leave it")]
    InBarrier(BarrierId),
    /// An exit without an entry.
    #[error("the thread is not in barrier {0}")]
    NotInBarrier(BarrierId),
    /// An exit before enough threads have arrived.
    #[error("barrier {0} waits for more threads")]
    BarrierClosed(BarrierId),
    /// A wait of a semaphore at zero.
    #[error("semaphore {0} is zero")]
    SemaphoreZero(SemId),
    /// An initialiser that runs or has run already.
    #[error("the initialiser of {0} runs or has run already")]
    OnceAgain(OnceId),
    /// The end of an initialiser that this thread does not run.
    #[error("the thread does not run the initialiser of {0}")]
    OnceNotRunning(OnceId),
    /// A pass of an initialiser that has not finished.
    #[error("the initialiser of {0} has not finished")]
    OnceUnfinished(OnceId),
    /// Signals and waits must name a condition variable; the builder numbers the instances.
    #[error("condition instances are numbered by the builder")]
    ExplicitInstance,
    /// More sync events than stamps.
    #[error("more than four thousand million sync events")]
    TooMany,
}
