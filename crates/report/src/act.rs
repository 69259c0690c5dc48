//! What a thread does, waits for and holds, as data. The forms make words of it (`words`).

use serde::{Deserialize, Serialize};

/// What a thread does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "kebab-case")]
pub enum Act {
    /// It touches memory.
    Touch(Touch),
    /// It cannot go on.
    Wait(Wait),
    /// It performs an operation that is no access.
    Operation(Operation),
    /// It returns from a wait that nobody has signalled.
    Unsignalled {
        /// The titles of the errors that follow from that.
        then: Vec<String>,
    },
    /// It causes the signal that ends the program.
    Die(Fault),
}

/// An access to memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Touch {
    /// What is done.
    pub verb: Verb,
    /// As an atomic operation.
    pub atomic: bool,
    /// How many bytes.
    pub size: u64,
    /// The first byte that both accesses touch, if the program was seen to do it.
    pub address: Option<u64>,
    /// The variable, if its name is known.
    pub name: Option<String>,
    /// The variable is only a part of what is touched.
    pub is_part: bool,
}

/// What is done to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// It is given back, and nothing is known of its block.
    Free,
    /// Its block is given back.
    FreeBlock,
    /// It is unmapped.
    Unmap,
}

/// What a thread that cannot go on waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "for", rename_all = "kebab-case")]
pub enum Wait {
    /// A lock.
    Lock {
        /// Which.
        lock: Thing,
        /// To read.
        shared: bool,
        /// Who holds it, if that is known.
        holder: Option<Holder>,
    },
    /// The end of a thread.
    End {
        /// Which, if that is known.
        thread: Option<String>,
    },
    /// A signal.
    Signal {
        /// Of this condition variable.
        condition: Thing,
        /// It was given before the wait began.
        lost: bool,
    },
    /// A post.
    Post {
        /// Of this semaphore.
        semaphore: Thing,
    },
    /// More threads.
    Barrier {
        /// At this barrier.
        barrier: Thing,
    },
    /// The end of an initialiser.
    Once {
        /// Of this.
        once: Thing,
    },
    /// A message.
    Channel {
        /// On this channel.
        channel: Thing,
    },
    /// Another operation, by its name.
    Other {
        /// Which.
        operation: String,
    },
}

/// Who holds a lock.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    /// The thread that waits for it.
    Itself,
    /// The thread with this name.
    Thread(String),
}

/// A thing that threads share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Thing {
    /// What it is.
    pub sort: Sort,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Of several in one finding that have no name: which, from 0.
    pub number: Option<usize>,
}

impl Thing {
    /// One with a name, perhaps.
    pub fn new(sort: Sort, name: Option<&str>) -> Self {
        Self { sort, name: name.map(str::to_owned), number: None }
    }
}

/// What a thing is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sort {
    /// A mutex, a reader-writer lock or a spin lock.
    Lock,
    /// A condition variable.
    Condition,
    /// A semaphore.
    Semaphore,
    /// A barrier.
    Barrier,
    /// Something that is initialised once.
    Once,
    /// An atomic variable.
    Atomic,
    /// Plain memory.
    Memory,
    /// A hand-over from thread to thread.
    Channel,
    /// An event of the user's own.
    Event,
}

/// An operation of a thread that is no access.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Operation {
    /// What is done.
    pub what: What,
    /// To what; none for fences, beginnings and ends, and what is done to threads.
    pub thing: Option<Thing>,
    /// To which thread.
    pub thread: Option<String>,
    /// The value that is read.
    pub read: Option<u64>,
    /// The value that is written.
    pub written: Option<u64>,
    /// The values of a custom event, as they are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// It fails.
    pub fails: bool,
    /// It had a deadline.
    pub timed: bool,
}

impl Operation {
    /// One that succeeds, done to nothing.
    pub fn new(what: What) -> Self {
        Self {
            what,
            thing: None,
            thread: None,
            read: None,
            written: None,
            values: Vec::new(),
            fails: false,
            timed: false,
        }
    }

    /// One that succeeds, done to a thing.
    pub fn on(what: What, thing: Thing) -> Self {
        Self { thing: Some(thing), ..Self::new(what) }
    }
}

/// Operations that are no accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// The thread begins.
    Begin,
    /// The thread ends.
    End,
    /// Another thread is created.
    Create,
    /// The end of another thread was waited for.
    Join,
    /// A lock is taken.
    Lock,
    /// A lock is taken for reading.
    ReadLock,
    /// A lock is given back.
    Unlock,
    /// A lock is given back that nobody holds.
    StrayUnlock,
    /// One waiter is woken.
    Signal,
    /// All waiters are woken.
    Broadcast,
    /// A wait on a condition variable ends.
    Wake,
    /// A barrier is reached.
    Enter,
    /// A barrier is left.
    Leave,
    /// A semaphore is taken.
    Take,
    /// A semaphore is posted.
    Post,
    /// An initialiser begins.
    Initialise,
    /// An initialiser ends.
    Initialised,
    /// An initialiser throws.
    InitialiserFails,
    /// Something was initialised before.
    FoundInitialised,
    /// Something is sent on a channel.
    Send,
    /// Something is received on a channel.
    Receive,
    /// An atomic variable is loaded.
    Load,
    /// An atomic variable is stored to.
    Store,
    /// An atomic variable is read and written.
    Change,
    /// A fence.
    Fence,
    /// Plain memory is read.
    Read,
    /// Plain memory is written.
    Write,
    /// An event of the user's own.
    Custom,
}

/// How a thread causes the signal that ends the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// What the program dies of: `null dereference`.
    pub cause: String,
    /// How the thread causes it.
    pub manner: Manner,
}

/// How a thread causes a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Manner {
    /// It uses an address.
    Address {
        /// Which.
        address: u64,
        /// It writes there.
        write: bool,
    },
    /// Its stack has no room left.
    StackOverflow,
    /// It divides by zero.
    Division,
    /// It ends the program itself.
    EndsProgram,
    /// In another way.
    Other,
}
