//! Maps addresses of sync objects to ids. An address gets a new id once its object is destroyed or initialised again,
//! or the memory it lies in is freed.

use std::collections::BTreeSet;

use foretrace_event::Sort;
use rustc_hash::FxHashMap;

/// The sorts of object that lie in memory of the program.
const IN_MEMORY: [Sort; 7] =
    [Sort::Lock, Sort::Condition, Sort::Barrier, Sort::Sem, Sort::Once, Sort::Channel, Sort::Atomic];

/// The ids in use.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    ids: FxHashMap<(Sort, u64), u32>,
    addresses: BTreeSet<u64>,
}

impl Addresses {
    /// The id of the object at this address.
    pub(super) fn get(&self, sort: Sort, address: u64) -> Option<u32> {
        self.ids.get(&(sort, address)).copied()
    }

    /// Gives the object at this address an id.
    pub(super) fn set(&mut self, sort: Sort, address: u64, id: u32) {
        self.ids.insert((sort, address), id);
        if sort != Sort::Custom {
            self.addresses.insert(address);
        }
    }

    /// Forgets the object.
    pub(super) fn forget(&mut self, sort: Sort, address: u64) {
        self.ids.remove(&(sort, address));
    }

    /// Forgets every object in this memory; `lock` is called with the locks that were there.
    pub(super) fn forget_range(&mut self, start: u64, end: u64, mut lock: impl FnMut(u64, u32)) {
        while let Some(address) = self.addresses.range(start..end.max(start)).next().copied() {
            self.addresses.remove(&address);
            self.get(Sort::Lock, address).into_iter().for_each(|id| lock(address, id));
            IN_MEMORY.iter().for_each(|sort| self.forget(*sort, address));
        }
    }
}
