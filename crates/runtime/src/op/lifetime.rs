//! The lives of locks, conditions, barriers and semaphores: to initialise or to destroy one is a write of its first byte, to
//! use it is a read. So it is a race to destroy what another thread may still use, and what is used lies in no block that
//! has been freed.
//!
//! A read stands where it is ordered with what the standard allows: before a release, because whoever acquires the object
//! next may destroy it at once. A lock is read when it is given back, which says as much as to read it twice. A wait on a
//! condition is no read: those who have been woken may find the condition destroyed.

use crate::op::access::{reads, writes};
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};

/// Does the object live while the operation begins?
#[inline]
pub const fn is_before(op: Op) -> bool {
    matches!(
        op,
        Op::LockDestroy
            | Op::Unlock
            | Op::CondDestroy
            | Op::Signal
            | Op::Broadcast
            | Op::BarrierDestroy
            | Op::BarrierEnter
            | Op::SemDestroy
            | Op::SemPost
    )
}

/// Does the object live when the operation has ended?
#[inline]
pub const fn is_after(op: Op) -> bool {
    matches!(op, Op::LockInit | Op::CondInit | Op::BarrierInit | Op::SemInit | Op::SemWait)
}

/// Notes what an operation does to the object itself.
#[inline]
pub fn note(op: Op, object: usize, arg: u64, pc: usize) {
    let at = object as *const u8;
    match op {
        Op::LockInit | Op::CondInit | Op::BarrierInit | Op::SemInit => writes(pc, at, 1),
        Op::LockDestroy | Op::CondDestroy | Op::BarrierDestroy | Op::SemDestroy => writes(pc, at, 1),
        Op::Unlock if !is_memory(arg) => {}
        _ => reads(pc, at, 1),
    }
}

/// Is the lock an object of the program's in memory? A stream's lock is libc's, and others are known by a number.
fn is_memory(arg: u64) -> bool {
    LockArg::decode(arg).is_some_and(|lock| !matches!(lock.class, LockClass::Stream | LockClass::Annotated))
}
