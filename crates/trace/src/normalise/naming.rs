//! The ids of the objects that are at an address now; objects seen for the first time are declared.

use foretrace_event::wire::{Op, Sync};
use foretrace_event::{AtomicId, BarrierId, ChannelId, CustomId, LockClass, LockId, OnceId, SemId, Sort, ThreadId};

use super::intervals::Threads;
use super::operations::{AtomicUse, Normaliser};
use crate::trace::{AtomicInfo, BarrierInfo, ConditionId, ConditionInfo, LockInfo, PlainInfo};

impl Normaliser<'_> {
    fn named(&mut self, sort: Sort, address: u64, declare: impl FnOnce(&mut Self) -> u32) -> u32 {
        if let Some(id) = self.addresses.get(sort, address) {
            return id;
        }
        let id = declare(self);
        self.addresses.set(sort, address, id);
        id
    }

    pub(super) fn lock(&mut self, address: u64, class: LockClass) -> LockId {
        LockId(self.named(Sort::Lock, address, |this| this.builder.lock(LockInfo { class, name: None, address }).0))
    }

    pub(super) fn condition(&mut self, address: u64) -> ConditionId {
        ConditionId(
            self.named(Sort::Condition, address, |this| {
                this.builder.condition(ConditionInfo { name: None, address }).0
            }),
        )
    }

    pub(super) fn barrier(&mut self, address: u64) -> BarrierId {
        BarrierId(self.named(Sort::Barrier, address, |this| {
            this.builder.barrier(BarrierInfo { count: 0, name: None, address }).0
        }))
    }

    pub(super) fn sem(&mut self, address: u64) -> SemId {
        SemId(self.named(Sort::Sem, address, |this| this.builder.unknown_sem(None, address).0))
    }

    pub(super) fn once(&mut self, address: u64) -> OnceId {
        OnceId(self.named(Sort::Once, address, |this| this.builder.once(plain(address)).0))
    }

    pub(super) fn channel(&mut self, address: u64) -> ChannelId {
        ChannelId(self.named(Sort::Channel, address, |this| this.builder.channel(plain(address)).0))
    }

    pub(super) fn custom(&mut self, address: u64) -> CustomId {
        let (address, name) = self.recording.custom(address);
        let info = PlainInfo { name: name.map(Box::from), address };
        CustomId(self.named(Sort::Custom, address, |this| this.builder.custom(info).0))
    }

    /// The atomic variable of an operation; records how this thread used it.
    pub(super) fn atomic(&mut self, thread: ThreadId, sync: &Sync) -> AtomicId {
        let address = sync.object;
        let id = AtomicId(self.named(Sort::Atomic, address, |this| this.new_atomic(thread, address).0));
        let info = self.builder.atomic_mut(id);
        info.size = info.size.max(sync.detail.size);
        let usage = &mut self.atomics[id.index()];
        usage.stored |= matches!(sync.op, Op::AtomicStore | Op::AtomicRmw);
        if usage.threads != Threads::One(thread) {
            usage.threads = Threads::Many;
        }
        id
    }

    fn new_atomic(&mut self, thread: ThreadId, address: u64) -> AtomicId {
        let mut generation = 0;
        self.generations.parts(address / 64, 1 << (address % 64), |part| generation = part.generation);
        self.atomics.push(AtomicUse { threads: Threads::One(thread), generation, stored: false });
        self.builder.atomic(AtomicInfo { address, ..AtomicInfo::default() })
    }
}

fn plain(address: u64) -> PlainInfo {
    PlainInfo { name: None, address }
}
