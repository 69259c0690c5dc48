//! How events are stored: sixteen bytes each, whatever they carry.
//!
//! Data that does not fit (two ids, atomic values, a custom argument) is interned in [`Extras`]: spin loops and polls
//! repeat themselves, so the side tables stay small.

use foretrace_event::{Check, Event, Kind, Object, Order, Orders, Patience, Reader, Sort, Writer};
use rustc_hash::FxHashMap;
use std::convert::Infallible;

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
pub(crate) struct Extras(Interned<Parts>);

/// What an event carries: its ids and its values, in the order of the table of events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
struct Parts {
    ids: [u32; 2],
    values: [u64; 2],
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

/// Must events of this kind be in [`Extras`]?
#[inline]
const fn is_wide(kind: Kind) -> bool {
    kind.ids_and_values() > 1
}

impl Extras {
    pub(crate) fn seal(&mut self) {
        self.0.seal();
    }

    /// Bytes of memory the side table takes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.len() * size_of::<Parts>()
    }

    pub(crate) fn pack(&mut self, event: Event, stamp: u32, place: u32) -> Slot {
        let mut packer = Packer::default();
        let Ok(()) = event.write(&mut packer);
        let Packer { parts, detail, .. } = packer;
        let kind = event.kind();
        let object = if is_wide(kind) { self.0.number(parts) } else { parts.ids[0] };
        Slot { object, place, stamp, kind, detail, by_handler: false }
    }

    #[inline]
    pub(crate) fn unpack(&self, slot: &Slot) -> Event {
        let parts = if is_wide(slot.kind) {
            self.0.value(slot.object)
        } else {
            Parts { ids: [slot.object, 0], ..Parts::default() }
        };
        let Ok(event) = slot.kind.read(&mut Unpacker { parts, detail: slot.detail });
        event
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
}

/// Collects what an event carries.
#[derive(Default)]
struct Packer {
    parts: Parts,
    ids: usize,
    values: usize,
    /// Patience or memory order.
    detail: u8,
}

/// Takes what an event carries from its parts, the first ones first.
struct Unpacker {
    parts: Parts,
    detail: u8,
}

impl Writer for Packer {
    type Error = Infallible;

    #[inline(always)]
    fn id(&mut self, object: Object) -> Result<(), Infallible> {
        self.parts.ids[self.ids] = object.number();
        self.ids += 1;
        Ok(())
    }

    #[inline(always)]
    fn patience(&mut self, patience: Patience) -> Result<(), Infallible> {
        self.detail = patience as u8;
        Ok(())
    }

    #[inline(always)]
    fn check(&mut self, check: Check) -> Result<(), Infallible> {
        self.detail = check as u8;
        Ok(())
    }

    #[inline(always)]
    fn order(&mut self, order: Order) -> Result<(), Infallible> {
        self.detail = order as u8;
        Ok(())
    }

    #[inline(always)]
    fn number(&mut self, value: u64) -> Result<(), Infallible> {
        self.parts.values[self.values] = value;
        self.values += 1;
        Ok(())
    }
}

impl Reader for Unpacker {
    type Error = Infallible;

    #[inline(always)]
    fn id(&mut self, _: Sort) -> Result<u32, Infallible> {
        let [id, next] = self.parts.ids;
        self.parts.ids = [next, 0];
        Ok(id)
    }

    #[inline(always)]
    fn patience(&mut self) -> Result<Patience, Infallible> {
        Ok(Patience::from_code(u64::from(self.detail)).unwrap_or_default())
    }

    #[inline(always)]
    fn check(&mut self) -> Result<Check, Infallible> {
        Ok(Check::of_arg(u64::from(self.detail)))
    }

    #[inline(always)]
    fn order(&mut self, _: Orders) -> Result<Order, Infallible> {
        Ok(Order::from_abi(u32::from(self.detail)))
    }

    #[inline(always)]
    fn number(&mut self) -> Result<u64, Infallible> {
        let [value, next] = self.parts.values;
        self.parts.values = [next, 0];
        Ok(value)
    }
}
