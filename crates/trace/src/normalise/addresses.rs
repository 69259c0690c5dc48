//! Maps addresses of sync objects to ids. An address gets a new id once its object is destroyed or initialised again,
//! or the memory it lies in is freed.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

/// The kinds of object that may lie at an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Thing {
    Lock,
    Condition,
    Barrier,
    Sem,
    Once,
    Channel,
    Atomic,
    Custom,
}

impl Thing {
    /// The kinds that lie in memory of the program.
    const IN_MEMORY: [Self; 7] =
        [Self::Lock, Self::Condition, Self::Barrier, Self::Sem, Self::Once, Self::Channel, Self::Atomic];
}

/// The ids in use.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    ids: FxHashMap<(Thing, u64), u32>,
    addresses: BTreeSet<u64>,
}

impl Addresses {
    /// The id of the object at this address.
    pub(super) fn get(&self, thing: Thing, address: u64) -> Option<u32> {
        self.ids.get(&(thing, address)).copied()
    }

    /// Gives the object at this address an id.
    pub(super) fn set(&mut self, thing: Thing, address: u64, id: u32) {
        self.ids.insert((thing, address), id);
        if thing != Thing::Custom {
            self.addresses.insert(address);
        }
    }

    /// Forgets the object.
    pub(super) fn forget(&mut self, thing: Thing, address: u64) {
        self.ids.remove(&(thing, address));
    }

    /// Forgets every object in this memory; `lock` is called with the locks that were there.
    pub(super) fn forget_range(&mut self, start: u64, end: u64, mut lock: impl FnMut(u64, u32)) {
        while let Some(address) = self.addresses.range(start..end.max(start)).next().copied() {
            self.addresses.remove(&address);
            self.get(Thing::Lock, address).into_iter().for_each(|id| lock(address, id));
            Thing::IN_MEMORY.iter().for_each(|thing| self.forget(*thing, address));
        }
    }
}
