//! How an execution goes on where nothing is prescribed: the policies, and the decisions they make.
//!
//! The runtime decides inside the checked program, so a [`Scheduler`] has a fixed size and allocates nothing. The same
//! policy, with the same sets of enabled threads, decides the same everywhere.

mod decide;
mod random;

pub use decide::Scheduler;
pub use random::Random;

use crate::visible::ObjectId;

/// Who runs next after the prescribed prefix. Sleeping threads are never chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Stays with the running thread while it is enabled, else goes to the next higher number, and from the highest
    /// to the lowest.
    Stay,
    /// Each enabled thread is as likely as the others, at each step.
    Random {
        /// Of the random numbers.
        seed: u64,
    },
    /// Random priorities with `depth - 1` random changes within the first `length` steps (Burckhardt and others,
    /// ASPLOS'10).
    Pct {
        /// Of the random numbers.
        seed: u64,
        /// How many ordering constraints the failure may need.
        depth: u32,
        /// How many steps are expected.
        length: u32,
    },
    /// Random priorities of operations, drawn again for those that conflict with what has happened (Yuan and others,
    /// CAV'18).
    Pos {
        /// Of the random numbers.
        seed: u64,
    },
    /// Each thread as likely as the number of interesting steps it has left (selectively uniform random walk, Zhao and
    /// others, ASPLOS'25). Interesting are the steps on one object, or all if there is none.
    Surw {
        /// Of the random numbers.
        seed: u64,
        /// Which object.
        object: ObjectId,
    },
}

impl Policy {
    fn seed(&self) -> u64 {
        match *self {
            Self::Stay => 0,
            Self::Random { seed } | Self::Pct { seed, .. } | Self::Pos { seed } | Self::Surw { seed, .. } => seed,
        }
    }
}
