//! Index newtypes, one for each kind of thing, so that a lock cannot be passed where a thread is meant.

use core::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of a table's entry.
            ///
            /// # Panics
            /// If the index does not fit an id: a table of four thousand million entries is our bug.
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("an id fits 32 bits"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

ids! {
    /// A thread, numbered in the order of the fork events; the main thread is 0.
    ThreadId = "t";
    /// A mutex, reader-writer lock, spin lock or stream lock: anything that is locked and unlocked.
    LockId = "m";
    /// One use of a condition variable: a signal with its wait, a broadcast with its waits (thesis 4.3).
    CondInstance = "c";
    /// A barrier.
    BarrierId = "b";
    /// A semaphore.
    SemId = "s";
    /// A `pthread_once` control or a C++ static-initialiser guard.
    OnceId = "o";
    /// A source of plain release/acquire order: an annotated address, a pipe, a socket.
    ChannelId = "h";
    /// An atomic variable.
    AtomicId = "a";
    /// A maximal block of bytes always accessed together.
    IntervalId = "r";
    /// A kind of custom event.
    CustomId = "e";
    /// The values that a custom event carries: an entry of the trace's table of them.
    ArgsId = "g";
    /// A text among these values: an entry of the trace's table of them.
    TextId = "x";
}

/// One value of a custom event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A number; addresses and unsigned numbers of 64 bits keep their bits.
    Number(i64),
    /// A text.
    Text(TextId),
}

impl Value {
    /// A custom event of a recording or a text trace carries at most so many values.
    pub const MOST: usize = 64;
}

impl ThreadId {
    /// The thread that runs `main`.
    pub const MAIN: Self = Self(0);
}

/// An event's name: the thread that performed it and its index among that thread's events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId {
    /// The performing thread.
    pub thread: ThreadId,
    /// How many events of that thread come before it.
    pub index: u32,
}
