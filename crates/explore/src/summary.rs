//! What the sides of a branch that were not taken may do.

use foretrace_event::visible::ObjectId;

/// An access that the other side of a branch may make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MayAccess {
    /// Where in memory.
    pub object: ObjectId,
    /// How many bytes it may touch from there on.
    pub size: u64,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is atomic.
    pub atomic: bool,
    /// How the locks that are held have changed before it, in that side.
    pub locks: LockUpdate,
}

/// How a path through the other side changes the locks that are held.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LockUpdate {
    /// Taken: no more than really are.
    pub acquired: Vec<ObjectId>,
    /// Given back: no fewer than really are.
    pub released: Vec<ObjectId>,
    /// Any may have been given back.
    pub released_any: bool,
}

/// What one side of a branch may do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Its accesses.
    pub accesses: Vec<MayAccess>,
    /// Each path's effect on the locks that are held. Locks taken on the way are listed even if they are given back.
    pub paths: Vec<LockUpdate>,
    /// What decides which side is taken: memory that the thread has read, each with its size; none, if it is not known.
    pub decided_by: Option<Vec<(ObjectId, u64)>>,
    /// It may block other than by taking a lock, or takes locks that are not known.
    pub blocks: bool,
}
