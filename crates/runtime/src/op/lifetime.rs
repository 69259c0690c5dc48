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

/// Is the operation a use of the object, which is read before it? A recording says so in the operation's own record.
#[inline]
pub const fn is_use(op: Op, arg: u64) -> bool {
    match op {
        Op::Unlock => is_memory(arg),
        op => matches!(op, Op::Signal | Op::Broadcast | Op::BarrierEnter | Op::SemPost),
    }
}

/// Does a record of its own say what the operation does to the object, if the thread is recorded?
#[inline]
pub const fn is_apart(op: Op) -> bool {
    is_after(op) || matches!(op, Op::LockDestroy | Op::CondDestroy | Op::BarrierDestroy | Op::SemDestroy)
}

/// Notes what an operation does to the object itself.
#[inline]
pub fn note(op: Op, object: usize, arg: u64, pc: usize) {
    let at = object as *const u8;
    match op {
        Op::LockInit | Op::CondInit | Op::BarrierInit | Op::SemInit => writes(pc, at, 1),
        Op::LockDestroy | Op::CondDestroy | Op::BarrierDestroy | Op::SemDestroy => writes(pc, at, 1),
        Op::SemWait => reads(pc, at, 1),
        op if is_use(op, arg) => reads(pc, at, 1),
        _ => {}
    }
}

/// Is the lock an object of the program's in memory? A stream's lock is libc's, and others are known by a number.
const fn is_memory(arg: u64) -> bool {
    let class = LockArg::class_code(arg);
    class != LockClass::Stream as u8 && class != LockClass::Annotated as u8
}
