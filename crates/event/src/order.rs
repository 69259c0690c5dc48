//! Memory orders. The orders that a load, a store and a read-modify-write may have are three enums, so that an acquire
//! store cannot be written down.

/// A memory order as the compilers pass it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Order {
    /// No order but that of the variable itself.
    Relaxed = 0,
    /// Treated as acquire, as compilers do.
    Consume = 1,
    /// Synchronises with the release it reads from.
    Acquire = 2,
    /// Synchronises with acquires that read it.
    Release = 3,
    /// Both.
    AcqRel = 4,
    /// Both, in one order of all such operations.
    SeqCst = 5,
}

impl Order {
    /// From the compilers' encoding; a value out of range is taken as the strongest, as the hardware would run it.
    pub const fn from_abi(code: u32) -> Self {
        match code & 0xff {
            0 => Self::Relaxed,
            1 => Self::Consume,
            2 => Self::Acquire,
            3 => Self::Release,
            4 => Self::AcqRel,
            _ => Self::SeqCst,
        }
    }

    /// Does an operation of this order acquire?
    pub const fn acquires(self) -> bool {
        matches!(self, Self::Consume | Self::Acquire | Self::AcqRel | Self::SeqCst)
    }

    /// Does an operation of this order release?
    pub const fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcqRel | Self::SeqCst)
    }

    /// The order's name in text traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Relaxed => "relaxed",
            Self::Consume => "consume",
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcqRel => "acq_rel",
            Self::SeqCst => "seq_cst",
        }
    }

    /// The order of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        (0..6).map(Self::from_abi).find(|order| order.name() == name)
    }
}

/// The orders of a load.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LoadOrder {
    /// No order.
    Relaxed,
    /// Acquire (also consume).
    Acquire,
    /// Sequentially consistent.
    SeqCst,
}

/// The orders of a store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StoreOrder {
    /// No order.
    Relaxed,
    /// Release.
    Release,
    /// Sequentially consistent.
    SeqCst,
}

impl From<Order> for LoadOrder {
    fn from(order: Order) -> Self {
        match order {
            Order::SeqCst => Self::SeqCst,
            order if order.acquires() => Self::Acquire,
            _ => Self::Relaxed,
        }
    }
}

impl From<Order> for StoreOrder {
    fn from(order: Order) -> Self {
        match order {
            Order::SeqCst => Self::SeqCst,
            order if order.releases() => Self::Release,
            _ => Self::Relaxed,
        }
    }
}

impl From<LoadOrder> for Order {
    fn from(order: LoadOrder) -> Self {
        match order {
            LoadOrder::Relaxed => Self::Relaxed,
            LoadOrder::Acquire => Self::Acquire,
            LoadOrder::SeqCst => Self::SeqCst,
        }
    }
}

impl From<StoreOrder> for Order {
    fn from(order: StoreOrder) -> Self {
        match order {
            StoreOrder::Relaxed => Self::Relaxed,
            StoreOrder::Release => Self::Release,
            StoreOrder::SeqCst => Self::SeqCst,
        }
    }
}
