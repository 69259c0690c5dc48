//! What events carry: ids, patience, memory orders and values, and who reads and writes them.

use crate::{
    ArgsId, AtomicId, BarrierId, ChannelId, Check, CondInstance, CustomId, IntervalId, LoadOrder, LockId, OnceId,
    Order, Patience, SemId, StoreOrder, ThreadId,
};

macro_rules! objects {
    ($($(#[$doc:meta])* $sort:ident($id:ident) $name:literal,)*) => {
        /// What an event acts on.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Object { $($(#[$doc])* $sort($id),)* }

        /// What an id is the id of.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Sort { $($(#[$doc])* $sort,)* }

        impl Sort {
            /// The word that declares one in text traces.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$sort => $name,)* }
            }
        }

        impl Object {
            /// What it is.
            pub const fn sort(self) -> Sort {
                match self { $(Self::$sort(_) => Sort::$sort,)* }
            }

            /// Its number among those of its sort.
            pub const fn number(self) -> u32 {
                match self { $(Self::$sort(id) => id.0,)* }
            }
        }

        $(impl Carried for $id {
            const COUNT: usize = 1;

            #[inline(always)]
            fn read<R: Reader>(reader: &mut R) -> Result<Self, R::Error> {
                reader.id(Sort::$sort).map(Self)
            }

            #[inline(always)]
            fn write<W: Writer>(self, writer: &mut W) -> Result<(), W::Error> {
                writer.id(Object::$sort(self))
            }

            fn object(self) -> Option<Object> {
                Some(Object::$sort(self))
            }
        })*
    };
}

objects! {
    /// A thread.
    Thread(ThreadId) "thread",
    /// A lock.
    Lock(LockId) "mutex",
    /// One use of a condition variable.
    Condition(CondInstance) "cond",
    /// A barrier.
    Barrier(BarrierId) "barrier",
    /// A semaphore.
    Sem(SemId) "sem",
    /// A once control.
    Once(OnceId) "once",
    /// A channel.
    Channel(ChannelId) "channel",
    /// An atomic variable.
    Atomic(AtomicId) "atomic",
    /// A kind of custom event.
    Custom(CustomId) "custom",
    /// An interval of memory.
    Interval(IntervalId) "interval",
    /// The values of a custom event.
    Args(ArgsId) "values",
}

/// Which memory orders an operation may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orders {
    /// Those of [`LoadOrder`].
    OfLoads,
    /// Those of [`StoreOrder`].
    OfStores,
    /// All.
    All,
}

/// Reads what an event carries, in the order of the table.
pub trait Reader {
    /// Why it cannot be read.
    type Error;

    /// The next is the id of such an object.
    ///
    /// # Errors
    /// If it cannot be read.
    fn id(&mut self, sort: Sort) -> Result<u32, Self::Error>;

    /// The next is a patience.
    ///
    /// # Errors
    /// If it cannot be read.
    fn patience(&mut self) -> Result<Patience, Self::Error>;

    /// The next is whether a wait checks its condition first; a form that does not say it knows nothing of it.
    ///
    /// # Errors
    /// If it cannot be read.
    fn check(&mut self) -> Result<Check, Self::Error> {
        Ok(Check::Unknown)
    }

    /// The next is a memory order.
    ///
    /// # Errors
    /// If it cannot be read.
    fn order(&mut self, orders: Orders) -> Result<Order, Self::Error>;

    /// The next is a value.
    ///
    /// # Errors
    /// If it cannot be read.
    fn number(&mut self) -> Result<u64, Self::Error>;
}

/// Writes what an event carries, in the order of the table.
pub trait Writer {
    /// Why it cannot be written.
    type Error;

    /// Writes an id.
    ///
    /// # Errors
    /// If it cannot be written.
    fn id(&mut self, object: Object) -> Result<(), Self::Error>;

    /// Writes a patience.
    ///
    /// # Errors
    /// If it cannot be written.
    fn patience(&mut self, patience: Patience) -> Result<(), Self::Error>;

    /// Writes whether a wait checks its condition first.
    ///
    /// # Errors
    /// If it cannot be written.
    fn check(&mut self, _: Check) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Writes a memory order.
    ///
    /// # Errors
    /// If it cannot be written.
    fn order(&mut self, order: Order) -> Result<(), Self::Error>;

    /// Writes a value.
    ///
    /// # Errors
    /// If it cannot be written.
    fn number(&mut self, value: u64) -> Result<(), Self::Error>;
}

/// What an event may carry.
pub(super) trait Carried: Copy {
    /// One for an id and for a value, zero for a detail.
    const COUNT: usize;

    fn read<R: Reader>(reader: &mut R) -> Result<Self, R::Error>;

    fn write<W: Writer>(self, writer: &mut W) -> Result<(), W::Error>;

    fn object(self) -> Option<Object> {
        None
    }
}

macro_rules! details {
    ($($type:ident = $count:literal: $read:ident($($orders:ident)?) $write:ident;)*) => {$(
        impl Carried for $type {
            const COUNT: usize = $count;

            #[inline(always)]
            fn read<R: Reader>(reader: &mut R) -> Result<Self, R::Error> {
                reader.$read($(Orders::$orders)?).map(Self::from)
            }

            #[inline(always)]
            fn write<W: Writer>(self, writer: &mut W) -> Result<(), W::Error> {
                writer.$write(self.into())
            }
        }
    )*};
}

details! {
    Patience = 0: patience() patience;
    Check = 0: check() check;
    LoadOrder = 0: order(OfLoads) order;
    StoreOrder = 0: order(OfStores) order;
    Order = 0: order(All) order;
    u64 = 1: number() number;
}
