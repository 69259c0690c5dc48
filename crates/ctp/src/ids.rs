//! Names of things, as indices into the tables of a program.

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into the table that it belongs to.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index! {
    /// A thread, by its place in [`crate::Ctp::threads`].
    ThreadId
}
index! {
    /// A lock, semaphore, condition variable or barrier, by its place in [`crate::Ctp::objects`].
    ObjectId
}
index! {
    /// The value that a read or an update saw, by its place in [`crate::Ctp::reads`].
    ReadId
}

index! {
    /// An expression, by its place in [`crate::Exprs`].
    ExprId
}

/// An event: a thread and a place in that thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId {
    /// Whose event it is.
    pub thread: ThreadId,
    /// Its place among the events of the thread, from 0.
    pub index: u32,
}

impl EventId {
    /// The event at this place of this thread.
    pub fn new(thread: usize, index: usize) -> Self {
        Self { thread: ThreadId(thread as u32), index: index as u32 }
    }
}
