//! The passes, one file each, and what they share.

mod count;
mod hoist;
mod merge;
mod slice;

pub use hoist::HoistCountedLoops;
pub use merge::MergeNeighbours;
