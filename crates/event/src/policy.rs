//! How an execution goes on where nothing is prescribed.

/// Who runs next after the prescribed prefix. Sleeping threads are never chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Stays with the running thread while it is enabled, else goes to the next higher number, after the highest to the lowest.
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
    /// Each thread as likely as the steps it has left (selectively uniform random walk, Zhao and others, ASPLOS'25).
    Surw {
        /// Of the random numbers.
        seed: u64,
    },
}
