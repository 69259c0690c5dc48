//! The gate: who may go on.
//!
//! The enforcing algorithm is the thesis's (Figure 4.15): a thread passes a scheduling point only when the schedule's next
//! step is its own. *Deviations*: an operation that another kind of step was expected for ends the attempt at once; waits
//! on condition variables are not left to the kernel while the schedule lasts, so that the right waiter wakes; and who is
//! stuck is worked out from what the threads wait for, not from time alone.

pub mod answer;
pub mod backoff;
pub mod clock;
pub mod controlled;
pub mod delay;
pub mod limit;
pub mod order;
pub mod schedule;
pub mod stuck;
pub mod symbolic;
pub mod turn;

use crate::sys::settings::Settings;

/// Opens the schedule; false if there is none that can be used.
pub fn open(settings: &Settings, loose: bool) -> bool {
    let Some((streams, objects)) = schedule::load(settings) else { return false };
    delay::open(streams.delays());
    order::open(&streams, objects, loose)
}
