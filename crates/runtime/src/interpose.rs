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
mod raw;
mod rwlock;
pub mod semaphore;
pub mod signal;
mod statics;
mod stdio;
mod stream;
pub mod string;
pub mod thread;
mod wide;

use crate::replay::{self, gate::Arrival};
use crate::state;
use core::ffi::c_int;
use foretrace_event::Patience;
use foretrace_event::wire::Op;

/// Comes to an operation that may block or fail, before it is tried. In a replay the thread waits here for its turn.
#[inline]
fn arrive(op: Op, failed: Op, object: usize, arg: u64, patience: Patience, pc: usize) -> Arrival {
    if !state::is_replaying() {
        return Arrival::Go;
    }
    replay::arrive(op, failed, object, arg, patience, pc)
}

/// Tries an operation whose turn has come. One that does not wait may find that the thread before it has passed its gate
/// and not yet let go.
fn insist(arrival: Arrival, busy: impl Fn(c_int) -> bool, mut real: impl FnMut() -> c_int) -> c_int {
    const TRIES: u32 = 1000;
    for _ in 0..if arrival == Arrival::Insist { TRIES } else { 0 } {
        let result = real();
        if !busy(result) {
            return result;
        }
        crate::sys::sleep_a_millisecond();
    }
    real()
}

/// Takes the record of a releasing operation back if the operation failed. Callers see to it that it does not in a replay.
fn undo_if_failed(pc: usize, result: c_int) -> c_int {
    if result != 0 {
        crate::state::sync(Op::Undo, 0, 0, pc);
    }
    result
}
