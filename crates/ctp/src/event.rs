//! Events and what they refer to.

use crate::ids::{ExprId, ObjectId, ReadId, ThreadId};

/// Where an event comes from: an event of a recorded trace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Link {
    /// The thread in the trace.
    pub thread: u32,
    /// The event's index in that thread.
    pub index: u32,
}

/// Bytes of memory that an access touches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The first byte.
    pub address: u64,
    /// Number of bytes, 1 to 8. The value is little-endian.
    pub size: u8,
}

impl Place {
    /// Whether the two have a byte in common.
    pub fn overlaps(self, other: Place) -> bool {
        self.address < other.end() && other.address < self.end()
    }

    /// The first byte after it.
    pub fn end(self) -> u64 {
        self.address.saturating_add(u64::from(self.size))
    }

    /// The width of its value in bits.
    pub fn width(self) -> u8 {
        self.size * 8
    }
}

/// One step of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// What happens.
    pub action: Action,
    /// What a report calls it, for example `bank.c:31`.
    pub label: Option<Box<str>>,
    /// The event of the trace that it stands for.
    pub link: Option<Link>,
}

impl From<Action> for Event {
    fn from(action: Action) -> Self {
        Self { action, label: None, link: None }
    }
}

/// What happens in one step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Reads shared memory.
    Read {
        /// The bytes.
        place: Place,
        /// The name of what is seen.
        read: ReadId,
    },
    /// Writes shared memory.
    Write {
        /// The bytes.
        place: Place,
        /// What is written.
        value: ExprId,
    },
    /// Reads and writes in one step. With a guard, the step waits until the guard holds (the paper's guarded assignment).
    Update {
        /// The bytes.
        place: Place,
        /// The value before.
        read: ReadId,
        /// Must hold for the step to be possible.
        guard: Option<ExprId>,
        /// The value after.
        value: ExprId,
    },
    /// A branch that was taken: the events after it only happen if this holds.
    Assume(ExprId),
    /// Must hold; the program fails if it does not.
    Assert(ExprId),
    /// Takes a lock for itself.
    Lock(ObjectId),
    /// Takes a lock together with other readers.
    ReadLock(ObjectId),
    /// Gives back a lock.
    Unlock(ObjectId),
    /// Takes one from a semaphore.
    SemWait(ObjectId),
    /// Adds one to a semaphore.
    SemPost(ObjectId),
    /// Wakes one waiter.
    Signal(ObjectId),
    /// Wakes all waiters.
    Broadcast(ObjectId),
    /// Begins to wait for a condition variable, and gives back the lock.
    Wait {
        /// The condition variable.
        condition: ObjectId,
        /// The lock, which the thread holds.
        mutex: ObjectId,
    },
    /// Returns from waiting with the lock. Must follow the [`Action::Wait`] of the same thread.
    Woken {
        /// The condition variable.
        condition: ObjectId,
        /// The lock.
        mutex: ObjectId,
    },
    /// Arrives at a barrier.
    BarrierEnter(ObjectId),
    /// Leaves a barrier, once as many threads have arrived as it counts.
    BarrierExit(ObjectId),
    /// Starts a thread.
    Fork(ThreadId),
    /// Waits for the end of a thread.
    Join(ThreadId),
    /// Begins a region that is meant to be atomic.
    Begin,
    /// Ends the region begun last.
    End,
    /// The events up to [`Action::Else`] or [`Action::EndIf`] happen if this holds.
    If(ExprId),
    /// The events up to [`Action::EndIf`] happen if the condition does not hold.
    Else,
    /// Both branches come together.
    EndIf,
}

impl Action {
    /// The bytes that it accesses.
    pub fn place(self) -> Option<Place> {
        match self {
            Self::Read { place, .. } | Self::Write { place, .. } | Self::Update { place, .. } => Some(place),
            _ => None,
        }
    }

    /// The name of what it sees.
    pub fn read(self) -> Option<ReadId> {
        match self {
            Self::Read { read, .. } | Self::Update { read, .. } => Some(read),
            _ => None,
        }
    }

    /// What it writes.
    pub fn written(self) -> Option<ExprId> {
        match self {
            Self::Write { value, .. } | Self::Update { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The expressions in it.
    pub fn expressions(self) -> impl Iterator<Item = ExprId> {
        let (first, second) = match self {
            Self::Write { value, .. } => (Some(value), None),
            Self::Update { guard, value, .. } => (Some(value), guard),
            Self::Assume(c) | Self::Assert(c) | Self::If(c) => (Some(c), None),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}
