//! Visible operations: what a controlled scheduler decides about, and which two of them may not change places.
//!
//! An execution is a sequence of steps, each a visible operation of one thread and the invisible code behind it. Two
//! operations of different threads are *independent* if each leaves the other enabled and both orders lead to the same
//! state. Executions that differ only in the order of independent neighbours are equivalent, and exploration runs one
//! of each class. [`Operation::conflicts_with`] is that relation; the runtime and the search share it.
//!
//! The relation speaks of operations *as they happened*: a try-lock that failed is [`OpKind::LockFailed`] and commutes
//! with its like, a try-lock that took the lock is [`OpKind::TryLock`]. Each operation has one or two *roles*, one for
//! each object it uses (a wait releases its mutex and enters the set of waiters), and two roles on one object conflict
//! or not. What only enables (the end of a thread its join, a signal the thread it wakes) is no conflict: it can never
//! happen the other way round.
//!
//! **Conventions.** Memory is an address and, as the argument, a number of bytes. Which waiter a signal wakes is counted
//! in the order of thread numbers, not of arrival, so that waits commute. A barrier names the lowest thread as its serial
//! thread, so that arrivals of one generation commute.

mod role;

use crate::ThreadId;
use role::Role;

/// An object of the program: a synchronisation object or an address. 0 is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct ObjectId(pub u64);

impl ObjectId {
    /// No object.
    pub const NONE: Self = Self(0);
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What a visible operation does.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum OpKind {
            $($(#[$doc])* $name,)*
        }

        impl OpKind {
            /// Every kind, in the order of its number.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name in text.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

kinds! {
    /// Takes a mutex, or a reader-writer lock for writing; blocked while another thread holds it.
    Lock = "lock",
    /// Tries to, or until a deadline; never blocked. As it happened: took it.
    TryLock = "try-lock",
    /// Tried to take it, which failed because it was held.
    LockFailed = "lock-failed",
    /// Gives it back.
    Unlock = "unlock",
    /// Takes a lock for reading; blocked while a writer holds it.
    ReadLock = "read-lock",
    /// Tries to. As it happened: took it.
    TryReadLock = "try-read-lock",
    /// Tried to take it for reading, which failed.
    ReadLockFailed = "read-lock-failed",
    /// Gives back what was taken for reading.
    ReadUnlock = "read-unlock",
    /// Takes one from a semaphore; blocked at 0. The argument is the value before, for all operations of semaphores.
    SemWait = "sem-wait",
    /// Tries to. As it happened: took one.
    SemTryWait = "sem-try-wait",
    /// Tried to take one, which failed.
    SemWaitFailed = "sem-wait-failed",
    /// Adds one.
    SemPost = "sem-post",
    /// Reads the value.
    SemRead = "sem-read",
    /// Releases the mutex (`other`) and enters the set of waiters.
    Wait = "wait",
    /// Leaves a wait with the mutex (`other`); blocked until woken and until the mutex is free. With the argument
    /// [`Operation::MAY_LEAVE`], it need not be woken (a time-out, a spurious wake-up).
    Rewake = "rewake",
    /// A [`OpKind::Rewake`] that happened without having been woken: it leaves the set of waiters.
    LeftWait = "left-wait",
    /// Wakes one waiter; the alternatives are the waiters in the order of their numbers.
    Signal = "signal",
    /// Wakes all waiters.
    Broadcast = "broadcast",
    /// Arrives at a barrier; never blocked. The argument is [`Operation::arrival`].
    BarrierArrive = "barrier-arrive",
    /// Goes on from a barrier; blocked until its generation is complete.
    BarrierLeave = "barrier-leave",
    /// Asks to run an initialiser; blocked while another thread runs it. As it happened: runs it.
    OnceBegin = "once-begin",
    /// Asked, and the initialiser had been run.
    OncePass = "once-pass",
    /// The initialiser has been run.
    OnceEnd = "once-end",
    /// Creates the thread that the argument names.
    Create = "create",
    /// A thread's first step; blocked until it is created.
    Start = "start",
    /// Waits for the end of the thread that the argument names.
    Join = "join",
    /// Tries to. As it happened: joined.
    TryJoin = "try-join",
    /// Tried to join, which failed because the thread still runs.
    JoinFailed = "join-failed",
    /// A thread's last step. The argument is its own number.
    End = "end",
    /// An atomic load.
    Load = "load",
    /// An atomic store.
    Store = "store",
    /// An atomic read-modify-write.
    Update = "update",
    /// An atomic compare-and-swap that failed: it has only read.
    UpdateFailed = "update-failed",
    /// A plain read of a visible location. Longer ones than a mebibyte are several operations.
    PlainRead = "read",
    /// A plain write of a visible location.
    PlainWrite = "write",
    /// The next round of a loop that waits for a change of a location; blocked until someone else writes there after
    /// the thread's last step, which has read it. Without an object, the loop reads several locations: the argument is
    /// how many steps a round has, and it is blocked until someone else writes what one of them has read, after it.
    Spin = "spin",
    /// Leaves the processor.
    Yield = "yield",
    /// Ends the process.
    Exit = "exit",
    /// Creates or destroys a synchronisation object.
    Reset = "reset",
    /// Anything else that uses an object; no one knows what may block it.
    Other = "other",
    /// A region begins that is meant to be atomic.
    RegionBegin = "region-begin",
    /// Such a region ends.
    RegionEnd = "region-end",
    /// Asks that the thread that the argument names be cancelled. It may change what any operation does, so it changes places
    /// with none.
    Cancel = "cancel",
    /// What a cancelled thread does instead of waiting: see [`Operation::when_cancelled`].
    Cancelled = "cancelled",
    /// Enters the waiters of a futex if its word (`other`) has the expected value.
    FutexWait = "futex-wait",
    /// Found another value in that word.
    FutexPassed = "futex-passed",
}

impl OpKind {
    /// Does it change places with nothing?
    #[inline]
    pub const fn stays(self) -> bool {
        matches!(self, Self::Exit | Self::Cancel)
    }

    /// From its number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// From its name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// A visible operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Operation {
    /// What it does.
    pub kind: OpKind,
    /// The object it is about.
    pub object: ObjectId,
    /// A second object: the mutex of a wait.
    pub other: ObjectId,
    /// What the kind says.
    pub argument: u64,
}

impl Operation {
    /// An argument of [`OpKind::Lock`], [`OpKind::TryLock`]: the mutex may be taken again by its owner.
    pub const RECURSIVE: u64 = 1;
    /// An argument of [`OpKind::Rewake`]: the wait may end without having been woken.
    pub const MAY_LEAVE: u64 = 1;
    /// Bytes of the word of a futex.
    pub const FUTEX: u64 = 4;

    /// A thread waits on a futex, whose waiters are an object of their own beside the word.
    pub const fn futex(kind: OpKind, word: u64) -> Self {
        let waits = Self::new(kind, Self::WAITERS | word);
        match kind {
            OpKind::FutexWait | OpKind::FutexPassed => waits.and(word),
            _ => waits,
        }
    }

    /// Is it about the waiters of a futex?
    pub const fn is_futex(&self) -> bool {
        self.object.0 >> Self::WAITERS.trailing_zeros() == 1
    }

    const WAITERS: u64 = 1 << 61;

    /// An operation on one object.
    pub const fn new(kind: OpKind, object: u64) -> Self {
        Self { kind, object: ObjectId(object), other: ObjectId::NONE, argument: 0 }
    }

    /// The same with an argument.
    pub const fn with(self, argument: u64) -> Self {
        Self { argument, ..self }
    }

    /// The same with a second object.
    pub const fn and(self, other: u64) -> Self {
        Self { other: ObjectId(other), ..self }
    }

    /// What a cancelled thread does instead of this.
    pub const fn when_cancelled(self) -> Self {
        let argument = (self.kind as u64) << Self::KIND | self.argument & ((1 << Self::KIND) - 1);
        Self { kind: OpKind::Cancelled, argument, ..self }
    }

    /// The operation that a thread asked for, if it did something else because it was cancelled.
    pub fn asked(self) -> Self {
        let kind = match self.kind {
            OpKind::Cancelled => OpKind::from_number((self.argument >> Self::KIND) as u8),
            _ => None,
        };
        kind.map_or(self, |kind| Self { kind, argument: self.argument & ((1 << Self::KIND) - 1), ..self })
    }

    /// Where [`OpKind::Cancelled`] has the kind of what it stands for.
    const KIND: u32 = 56;

    /// The argument of an arrival: which generation of the barrier it belongs to, and how many are still missing, this
    /// one included.
    pub const fn arrival(generation: u32, missing: u32) -> u64 {
        (generation as u64) << 32 | missing as u64
    }

    /// May this operation, which has just happened, not change places with `later`, which another thread would do next?
    ///
    /// It is symmetric for operations that are possible in one state. [`OpKind::Exit`] and [`OpKind::Cancel`] conflict with
    /// everything.
    #[inline]
    pub fn conflicts_with(&self, later: &Self) -> bool {
        if self.kind.stays() || later.kind.stays() {
            return true;
        }
        let roles = later.roles();
        self.roles().iter().flatten().any(|a| roles.iter().flatten().any(|b| a.conflicts_with(b)))
    }

    /// Does this operation change what `read` has read, which has changed nothing? A look at a futex is none of a loop.
    pub fn changes(&self, read: &Self) -> bool {
        let waits = matches!(read.kind, OpKind::FutexWait | OpKind::FutexPassed);
        !self.kind.stays() && !read.kind.stays() && !waits && self.conflicts_with(read)
    }

    /// Can it be blocked?
    pub const fn may_block(&self) -> bool {
        use OpKind::{BarrierLeave, Join, Lock, OnceBegin, OncePass, ReadLock, Rewake, SemWait, Spin, Start};
        matches!(
            self.kind,
            Lock | ReadLock
                | SemWait
                | Rewake
                | OpKind::LeftWait
                | BarrierLeave
                | OnceBegin
                | OncePass
                | Start
                | Join
                | Spin
        )
    }

    /// The thread that a creation, an end or a join names.
    pub const fn target(&self) -> Option<ThreadId> {
        match self.kind {
            OpKind::Create | OpKind::Join | OpKind::TryJoin | OpKind::JoinFailed | OpKind::End | OpKind::Cancel => {
                Some(ThreadId(self.argument as u32))
            }
            _ => None,
        }
    }

    #[inline]
    fn roles(&self) -> [Option<Role>; 2] {
        role::of(self)
    }
}

#[cfg(test)]
mod tests;
