//! Specifications of the lockset algorithm, generated for a program.
//!
//! The paper writes them for a fixed number of threads and named variables, because the language of the time had
//! no maps of sets: once with sets of locks (its Figure 3), once unfolded over the locks as well, for hardware
//! without dynamic memory. The third form is what its authors wanted and could not express: maps from threads to
//! locks held and from addresses to locks that guard them, for any number of each.
//!
//! **Deviations.** The paper does not print the streams `T0`, `T1`, … of events of each thread; here a thread takes
//! the first free one when it is first seen, and a thread beyond the last is reported on `more_threads`, as a lock
//! beyond the last is on `more_locks`.
mod fixed;

pub use fixed::{with_sets, without_sets};

/// What the templates with a fixed number of threads are generated for.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// Threads besides the main one.
    pub threads: usize,
    /// Names of variables, or their addresses.
    pub variables: Vec<String>,
}

/// The specification with maps, for any number of threads, locks and variables.
pub const WITH_MAPS: &str = include_str!("maps.tessla");

/// The same with Eraser's states: a variable is checked once a second thread has touched it, and reported once
/// it has been written by then.
pub const WITH_STATES: &str = include_str!("states.tessla");
