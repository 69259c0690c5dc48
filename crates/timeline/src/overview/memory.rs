//! Who uses a block of memory, and under which locks.

use super::held::Held;
use foretrace_event::{LockId, ThreadId};
use std::collections::BTreeSet;

/// The uses of one interval.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) readers: BTreeSet<u32>,
    pub(super) writers: BTreeSet<u32>,
    /// The locks that were held at every use; none before the first.
    locks: Option<Vec<LockId>>,
}

impl Shared {
    pub(super) fn read(&mut self, thread: ThreadId, held: &Held) {
        self.readers.insert(thread.0);
        self.narrow(held);
    }

    pub(super) fn write(&mut self, thread: ThreadId, held: &Held) {
        self.writers.insert(thread.0);
        self.narrow(held);
    }

    fn narrow(&mut self, held: &Held) {
        let locks = self.locks.get_or_insert_with(|| held.all().to_vec());
        locks.retain(|lock| held.has(*lock));
        locks.dedup();
    }

    /// The locks that every use held.
    pub(super) fn locks(&self) -> &[LockId] {
        self.locks.as_deref().unwrap_or_default()
    }

    /// How many threads use it.
    pub(super) fn threads(&self) -> usize {
        self.readers.union(&self.writers).count()
    }
}
