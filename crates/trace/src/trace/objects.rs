//! What a trace knows about the objects that its events name.

use foretrace_event::{
    AtomicId, BarrierId, ChannelId, CustomId, EventId, IntervalId, LockClass, LockId, OnceId, SemId, ThreadId,
};

/// A condition variable. Events name its instances; this is what they are instances of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConditionId(pub u32);

impl ConditionId {
    /// The id as an index into a table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A name given by a person, a symbol table or a text trace.
pub type Name = Option<Box<str>>;

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ThreadInfo {
    /// Its name, if it has one.
    pub name: Name,
    /// Its number in the recording it was read from.
    pub recorded: u32,
    /// It is detached.
    pub detached: bool,
    /// The event that created it; none for the main thread and for threads without a recorded creation.
    pub forked: Option<EventId>,
}

/// A lock of any class.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LockInfo {
    /// Who may lock it again.
    pub class: LockClass,
    /// Its name, if it has one.
    pub name: Name,
    /// Where it lies; zero if unknown.
    pub address: u64,
}

/// A condition variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConditionInfo {
    /// Its name, if it has one.
    pub name: Name,
    /// Where it lies; zero if unknown.
    pub address: u64,
}

/// One use of a condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstanceInfo {
    /// Which condition variable.
    pub condition: ConditionId,
    /// It was a broadcast, not a signal.
    pub broadcast: bool,
    /// How many waits it woke; zero: it was lost.
    pub waits: u32,
}

/// A barrier.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BarrierInfo {
    /// How many threads it waits for; zero while unknown (no thread has left it).
    pub count: u32,
    /// Its name, if it has one.
    pub name: Name,
    /// Where it lies; zero if unknown.
    pub address: u64,
}

/// A semaphore.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SemInfo {
    /// Its value before the first event on it.
    pub initial: u64,
    /// Its name, if it has one.
    pub name: Name,
    /// Where it lies; zero if unknown.
    pub address: u64,
}

impl SemInfo {
    /// The highest initial value: `SEM_VALUE_MAX` of Linux.
    pub const MOST: u64 = i32::MAX as u64;
}

/// An atomic variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AtomicInfo {
    /// Its value before the first event on it, where it is known.
    pub initial: Option<u64>,
    /// Its width in bytes; zero if unknown.
    pub size: u8,
    /// Its name, if it has one.
    pub name: Name,
    /// Where it lies; zero if unknown.
    pub address: u64,
    /// The intervals it overlaps: each atomic load also reads them, each store writes them, atomically. Empty unless
    /// plain accesses reach its bytes too.
    pub intervals: Vec<IntervalId>,
}

/// A block of bytes always accessed together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IntervalInfo {
    /// Its name, if it has one.
    pub name: Name,
    /// Its first byte; zero if unknown.
    pub address: u64,
    /// How many bytes; zero if unknown.
    pub length: u64,
    /// Which allocation its memory belongs to ([`crate::Trace::allocation`]); zero: none, such as a global.
    pub generation: u32,
}

/// An object known only by its address: a once control, a channel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlainInfo {
    /// Its name, if it has one.
    pub name: Name,
    /// Where it lies; zero if unknown.
    pub address: u64,
}

/// A block of memory that was allocated during the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AllocationInfo {
    /// Its first byte.
    pub address: u64,
    /// How many bytes.
    pub length: u64,
    /// The thread that allocated it, or whose stack it is.
    pub thread: ThreadId,
    /// Where it was allocated; zero for a stack.
    pub pc: u64,
}

/// All things of a trace, by kind.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Objects {
    pub(crate) locks: Vec<LockInfo>,
    pub(crate) conditions: Vec<ConditionInfo>,
    pub(crate) instances: Vec<InstanceInfo>,
    pub(crate) barriers: Vec<BarrierInfo>,
    pub(crate) sems: Vec<SemInfo>,
    pub(crate) onces: Vec<PlainInfo>,
    pub(crate) channels: Vec<PlainInfo>,
    pub(crate) atomics: Vec<AtomicInfo>,
    pub(crate) intervals: Vec<IntervalInfo>,
    pub(crate) customs: Vec<PlainInfo>,
    /// By generation, ascending.
    pub(crate) allocations: Vec<(u32, AllocationInfo)>,
}

/// An id whose object has a name for display.
pub trait Named: Copy + std::fmt::Display {
    /// The given name in this trace.
    fn given(self, trace: &super::Trace) -> Option<&str>;
}

macro_rules! named {
    ($($id:ty: $table:ident,)*) => {$(
        impl Named for $id {
            fn given(self, trace: &super::Trace) -> Option<&str> {
                trace.objects.$table.get(self.index())?.name.as_deref()
            }
        }
    )*};
}

named! {
    LockId: locks,
    ConditionId: conditions,
    BarrierId: barriers,
    SemId: sems,
    OnceId: onces,
    ChannelId: channels,
    AtomicId: atomics,
    IntervalId: intervals,
    CustomId: customs,
}

impl std::fmt::Display for ConditionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "c{}", self.0)
    }
}

impl Named for ThreadId {
    fn given(self, trace: &super::Trace) -> Option<&str> {
        trace.threads.get(self.index())?.info.name.as_deref()
    }
}
