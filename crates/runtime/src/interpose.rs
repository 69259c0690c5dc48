//! What programs call: functions of libc that synchronise, allocate or touch memory, each with its record.
//!
//! Acquiring operations are recorded after they succeed, releasing ones before they are attempted, so that the stamps
//! form an order that really could have happened. If the attempt fails, the record is taken back.

pub mod annotate;
mod barrier;
mod block;
mod c11;
mod cond;
pub mod fd;
mod memory;
mod mutex;
mod number;
mod once;
pub mod process;
mod rwlock;
mod semaphore;
pub mod signal;
mod stream;
pub mod string;
mod thread;
mod wide;

use core::ffi::c_int;
use foretrace_event::wire::Op;

/// Takes the record of a releasing operation back if the operation failed.
fn undo_if_failed(pc: usize, result: c_int) -> c_int {
    if result != 0 {
        crate::state::sync(Op::Undo, 0, 0, pc);
    }
    result
}
