//! Barriers.

use crate::interpose::undo_if_failed;
use crate::op::{in_gate, part};
use crate::run::sync;
use core::ffi::{c_int, c_uint};
use foretrace_event::wire::Op;
use libc::{pthread_barrier_t, pthread_barrierattr_t};

interpose! {
    fn pthread_barrier_init(
        barrier: *mut pthread_barrier_t, attributes: *const pthread_barrierattr_t, count: c_uint,
    ) -> c_int |pc| {
        sync(Op::BarrierInit, barrier as usize, u64::from(count), pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(barrier, attributes, count) })
    }

    fn pthread_barrier_destroy(barrier: *mut pthread_barrier_t) -> c_int |pc| {
        sync(Op::BarrierDestroy, barrier as usize, 0, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(barrier) })
    }

    fn pthread_barrier_wait(barrier: *mut pthread_barrier_t) -> c_int |pc| {
        if let Some(is_serial) = in_gate::pass_barrier(barrier as usize, pc) {
            return if is_serial { libc::PTHREAD_BARRIER_SERIAL_THREAD } else { 0 };
        }
        sync(Op::BarrierEnter, barrier as usize, 0, pc);
        part::block(Op::BarrierExit, barrier as usize, 0, pc);
        // SAFETY: the program's own arguments.
        let result = unsafe { real(barrier) };
        match result {
            0 | libc::PTHREAD_BARRIER_SERIAL_THREAD => sync(Op::BarrierExit, barrier as usize, 0, pc),
            _ => sync(Op::Undo, 0, 0, pc),
        }
        result
    }
}
