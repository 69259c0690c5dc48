//! The passes, one file each, and what they share.

mod branches;
mod count;
mod emit;
mod follow;
mod hoist;
mod merge;
mod slice;
mod wait_loops;

pub use branches::SummariseBranches;
pub use emit::{EmitEvents, SECTION};
pub use follow::FollowValues;
pub use hoist::HoistCountedLoops;
pub use merge::MergeNeighbours;
pub use wait_loops::{MarkWaitLoops, UnmarkedWait, Unmet, unmarked_waits};
