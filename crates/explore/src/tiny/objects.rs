//! The numbers of the objects of tiny programs.

/// Each kind of object has a range of numbers of its own.
pub const MUTEX: u64 = 1 << 20;
pub const SEMAPHORE: u64 = 2 << 20;
pub const CONDITION: u64 = 3 << 20;
pub const BARRIER: u64 = 4 << 20;
pub const ONCE: u64 = 5 << 20;
pub const MEMORY: u64 = 6 << 20;
