//! How events are stored: sixteen bytes each, whatever they carry.
//!
//! Data that does not fit (two ids, atomic values, a custom argument) is interned in [`Extras`]: spin loops and polls
//! repeat themselves, so the side tables stay small.

use foretrace_event::{
    AtomicId, BarrierId, ChannelId, CondInstance, CustomId, Event, IntervalId, LoadOrder, LockId, OnceId, Order,
    Patience, SemId, StoreOrder, ThreadId,
};
use rustc_hash::FxHashMap;

macro_rules! tags {
    ($($name:ident,)*) => {
        /// The kind of an event, without what it carries.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Kind { $(#[doc = concat!("`Event::", stringify!($name), "`.")] $name,)* }

        impl Kind {
            /// All kinds, in the order of [`Event`]'s variants.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
        }
    };
}

tags! {
    Start, End, Fork, Join, Lock, FailedLock, RdLock, FailedRdLock, Unlock, StrayUnlock, Signal, Broadcast, Wait, FailedWait,
    BarrierEnter, BarrierExit, SemWait, FailedSemWait, SemPost, OnceRun, OnceDone, OnceAbort, OncePass, Release,
    Acquire, AtomicLoad, AtomicStore, AtomicRmw, Fence, Read, Write, Custom,
}

/// One event as it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    /// The id the event carries, or its index in [`Extras`].
    object: u32,
    /// Index into the places.
    pub(crate) place: u32,
    /// Rank of its stamp.
    pub(crate) stamp: u32,
    pub(crate) kind: Kind,
    /// Patience or memory order.
    detail: u8,
    /// Whether a signal handler performed it.
    pub(crate) by_handler: bool,
}

/// Data that does not fit a slot.
#[derive(Clone, Default, Debug)]
pub(crate) struct Extras {
    waits: Interned<(CondInstance, LockId)>,
    atomics: Interned<(AtomicId, u64, u64)>,
    customs: Interned<(CustomId, u64)>,
}

/// Interned values by number.
#[derive(Clone, Debug)]
struct Interned<T> {
    values: Vec<T>,
    index: FxHashMap<T, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { values: Vec::new(), index: FxHashMap::default() }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Interned<T> {
    fn number(&mut self, value: T) -> u32 {
        *self.index.entry(value).or_insert_with(|| {
            self.values.push(value);
            u32::try_from(self.values.len() - 1).expect("fewer than four thousand million distinct values")
        })
    }

    fn value(&self, number: u32) -> T {
        self.values[number as usize]
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    /// Frees what only [`Self::number`] needs.
    fn seal(&mut self) {
        self.index = FxHashMap::default();
    }
}

impl Extras {
    pub(crate) fn seal(&mut self) {
        self.waits.seal();
        self.atomics.seal();
        self.customs.seal();
    }

    /// Bytes of memory the side tables take.
    pub(crate) fn bytes(&self) -> usize {
        self.waits.len() * 8 + self.atomics.len() * 24 + self.customs.len() * 16
    }

    pub(crate) fn pack(&mut self, event: Event, stamp: u32, place: u32) -> Slot {
        let (kind, object, detail) = self.parts(event);
        Slot { object, place, stamp, kind, detail, by_handler: false }
    }

    fn parts(&mut self, event: Event) -> (Kind, u32, u8) {
        match event {
            Event::Start => (Kind::Start, 0, 0),
            Event::End => (Kind::End, 0, 0),
            Event::Fork(t) => (Kind::Fork, t.0, 0),
            Event::Join(t) => (Kind::Join, t.0, 0),
            Event::Lock(m, p) => (Kind::Lock, m.0, p as u8),
            Event::FailedLock(m, p) => (Kind::FailedLock, m.0, p as u8),
            Event::RdLock(m, p) => (Kind::RdLock, m.0, p as u8),
            Event::FailedRdLock(m, p) => (Kind::FailedRdLock, m.0, p as u8),
            Event::Unlock(m) => (Kind::Unlock, m.0, 0),
            Event::StrayUnlock(m) => (Kind::StrayUnlock, m.0, 0),
            Event::Signal(c) => (Kind::Signal, c.0, 0),
            Event::Broadcast(c) => (Kind::Broadcast, c.0, 0),
            Event::Wait(c, m) => (Kind::Wait, self.waits.number((c, m)), 0),
            Event::FailedWait(m) => (Kind::FailedWait, m.0, 0),
            Event::BarrierEnter(b) => (Kind::BarrierEnter, b.0, 0),
            Event::BarrierExit(b) => (Kind::BarrierExit, b.0, 0),
            Event::SemWait(s, p) => (Kind::SemWait, s.0, p as u8),
            Event::FailedSemWait(s, p) => (Kind::FailedSemWait, s.0, p as u8),
            Event::SemPost(s) => (Kind::SemPost, s.0, 0),
            Event::OnceRun(o) => (Kind::OnceRun, o.0, 0),
            Event::OnceDone(o) => (Kind::OnceDone, o.0, 0),
            Event::OnceAbort(o) => (Kind::OnceAbort, o.0, 0),
            Event::OncePass(o) => (Kind::OncePass, o.0, 0),
            Event::Release(h) => (Kind::Release, h.0, 0),
            Event::Acquire(h) => (Kind::Acquire, h.0, 0),
            Event::AtomicLoad(a, o, v) => (Kind::AtomicLoad, self.atomics.number((a, v, 0)), Order::from(o) as u8),
            Event::AtomicStore(a, o, v) => (Kind::AtomicStore, self.atomics.number((a, 0, v)), Order::from(o) as u8),
            Event::AtomicRmw(a, o, v, w) => (Kind::AtomicRmw, self.atomics.number((a, v, w)), o as u8),
            Event::Fence(o) => (Kind::Fence, 0, o as u8),
            Event::Read(r) => (Kind::Read, r.0, 0),
            Event::Write(r) => (Kind::Write, r.0, 0),
            Event::Custom(e, v) => (Kind::Custom, self.customs.number((e, v)), 0),
        }
    }

    pub(crate) fn unpack(&self, slot: &Slot) -> Event {
        let object = slot.object;
        match slot.kind {
            Kind::Start => Event::Start,
            Kind::End => Event::End,
            Kind::Fork => Event::Fork(ThreadId(object)),
            Kind::Join => Event::Join(ThreadId(object)),
            Kind::Lock => Event::Lock(LockId(object), slot.patience()),
            Kind::FailedLock => Event::FailedLock(LockId(object), slot.patience()),
            Kind::RdLock => Event::RdLock(LockId(object), slot.patience()),
            Kind::FailedRdLock => Event::FailedRdLock(LockId(object), slot.patience()),
            Kind::Unlock => Event::Unlock(LockId(object)),
            Kind::StrayUnlock => Event::StrayUnlock(LockId(object)),
            Kind::Signal => Event::Signal(CondInstance(object)),
            Kind::Broadcast => Event::Broadcast(CondInstance(object)),
            Kind::Wait => {
                let (instance, lock) = self.waits.value(object);
                Event::Wait(instance, lock)
            }
            Kind::FailedWait => Event::FailedWait(LockId(object)),
            Kind::BarrierEnter => Event::BarrierEnter(BarrierId(object)),
            Kind::BarrierExit => Event::BarrierExit(BarrierId(object)),
            Kind::SemWait => Event::SemWait(SemId(object), slot.patience()),
            Kind::FailedSemWait => Event::FailedSemWait(SemId(object), slot.patience()),
            Kind::SemPost => Event::SemPost(SemId(object)),
            Kind::OnceRun => Event::OnceRun(OnceId(object)),
            Kind::OnceDone => Event::OnceDone(OnceId(object)),
            Kind::OnceAbort => Event::OnceAbort(OnceId(object)),
            Kind::OncePass => Event::OncePass(OnceId(object)),
            Kind::Release => Event::Release(ChannelId(object)),
            Kind::Acquire => Event::Acquire(ChannelId(object)),
            Kind::AtomicLoad | Kind::AtomicStore | Kind::AtomicRmw => self.unpack_atomic(slot),
            Kind::Fence => Event::Fence(slot.order()),
            Kind::Read => Event::Read(IntervalId(object)),
            Kind::Write => Event::Write(IntervalId(object)),
            Kind::Custom => {
                let (custom, value) = self.customs.value(object);
                Event::Custom(custom, value)
            }
        }
    }

    fn unpack_atomic(&self, slot: &Slot) -> Event {
        let (atomic, old, new) = self.atomics.value(slot.object);
        match slot.kind {
            Kind::AtomicLoad => Event::AtomicLoad(atomic, LoadOrder::from(slot.order()), old),
            Kind::AtomicStore => Event::AtomicStore(atomic, StoreOrder::from(slot.order()), new),
            _ => Event::AtomicRmw(atomic, slot.order(), old, new),
        }
    }
}

impl Slot {
    pub(crate) fn is_access(&self) -> bool {
        matches!(self.kind, Kind::Read | Kind::Write)
    }

    /// Must this event directly follow the one before it?
    pub(crate) fn is_glued_to_last(&self) -> bool {
        matches!(self.kind, Kind::Wait | Kind::FailedWait | Kind::BarrierExit)
    }

    /// Must the thread's next event, if there is one, directly follow this one?
    pub(crate) fn is_glued_to_next(&self) -> bool {
        matches!(self.kind, Kind::Wait | Kind::FailedWait | Kind::BarrierEnter)
    }

    fn patience(&self) -> Patience {
        Patience::from_code(u64::from(self.detail)).unwrap_or_default()
    }

    fn order(&self) -> Order {
        Order::from_abi(u32::from(self.detail))
    }
}
