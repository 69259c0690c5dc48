//! A region of a run that was meant to be atomic, and was not.

use crate::SeenAccess;

/// A region that was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenRegion {
    /// Where it began.
    pub begin: u64,
    /// The first byte of the access of the other thread.
    pub address: u64,
    /// How many bytes that is.
    pub size: u64,
    /// The access of the region, the one of the other thread after it, and the one of the region after that.
    pub accesses: [SeenAccess; 3],
}
