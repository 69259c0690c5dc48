//! What programs call: functions of libc that synchronise, allocate or touch memory, each with its record.
//!
//! Acquiring operations are recorded after they succeed, releasing ones before they are attempted, so that the stamps
//! form an order that really could have happened. If the attempt fails, the record is taken back. A step of a replay cannot
//! be: an operation that is going to fail takes none, and where that cannot be known the step is taken after it has
//! succeeded.

pub mod annotate;
mod barrier;
mod block;
mod buffers;
mod c11;
mod cond;
pub mod fd;
mod fiber;
mod glib;
pub mod libatomic;
mod memory;
mod mutex;
mod number;
pub mod once;
pub mod process;
pub mod quarantine;
mod raw;
mod rlimit;
mod rwlock;
pub mod semaphore;
pub mod sending;
pub mod signal;
mod sleep;
mod spin;
mod statics;
mod stdio;
mod stream;
pub mod string;
pub mod thread;
mod wide;

use crate::axes;
use crate::gate::limit::{self, Limit};
use crate::gate::turn::Arrival;
use crate::op::part;
use core::ffi::c_int;
use foretrace_event::wire::Op;

/// Comes to an operation that may block or fail, before it is tried. In a replay the thread waits here for its turn.
#[inline]
fn arrive(op: Op, failed: Op, object: usize, arg: u64, limit: Limit, pc: usize) -> Arrival {
    if !axes::is_replaying() {
        return Arrival::Go;
    }
    part::arrive(op, failed, object, arg, limit, pc)
}

/// Tries an operation whose turn has come. One that is to succeed and does not wait, or whose deadline has passed, may find
/// that the thread before it has passed its gate and not yet let go. One that is to fail is tried like any other: only if it
/// really fails, its step is taken.
fn insist(arrival: Arrival, busy: impl Fn(c_int) -> bool, mut real: impl FnMut() -> c_int) -> c_int {
    const TRIES: u32 = 1000;
    if arrival == Arrival::Fail {
        return limit::awaiting(real);
    }
    for _ in 0..if arrival == Arrival::Insist { TRIES } else { 0 } {
        let result = real();
        if !busy(result) {
            return result;
        }
        crate::sys::sleep_a_millisecond();
    }
    real()
}

/// The same for an operation that returns `timed_out` when its deadline has passed.
fn insist_until(
    arrival: Arrival,
    timed_out: c_int,
    busy: impl Fn(c_int) -> bool,
    real: impl FnMut() -> c_int,
) -> c_int {
    if arrival == Arrival::TimedOut { timed_out } else { insist(arrival, busy, real) }
}

/// Takes the record of a releasing operation back if the operation failed. Callers see to it that it does not in a replay.
#[inline(always)]
fn undo_if_failed(pc: usize, result: c_int) -> c_int {
    if result != 0 {
        undo(pc);
    }
    result
}

#[cold]
fn undo(pc: usize) {
    crate::run::sync(Op::Undo, 0, 0, pc);
}
