//! A region that was broken.

use super::Failure;
use crate::SeenRegion;

impl Failure for SeenRegion {
    fn rule(&self) -> &'static str {
        "atomicity-violation"
    }

    fn pcs(&self) -> Vec<u64> {
        self.accesses.iter().map(|access| access.pc).collect()
    }
}
