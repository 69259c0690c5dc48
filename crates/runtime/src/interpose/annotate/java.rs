//! `__tsan_java_*`: how the virtual machine of a language tells a detector what its heap and its locks do.

use crate::run::sync;
use core::ffi::c_int;
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};

/// Locks of a virtual machine can be taken again by their owner.
const LOCK: u64 = LockArg::blocking(LockClass::Recursive).encode();

exported! {
    /// The heap lies there.
    fn __tsan_java_init(_heap: usize, _bytes: usize) {}

    /// The machine ends; the exit code of a program without reports.
    fn __tsan_java_fini() -> c_int {
        0
    }

    /// An object begins its life.
    fn __tsan_java_alloc(at: usize, bytes: usize) |pc| {
        sync(Op::Alloc, at, bytes as u64, pc);
    }

    /// An object has ended its life.
    fn __tsan_java_free(at: usize, bytes: usize) {
        sync(Op::Free, at, bytes as u64, 0);
    }

    /// An object has been moved while the program stood still.
    fn __tsan_java_move(from: usize, to: usize, bytes: usize) |pc| {
        sync(Op::Free, from, bytes as u64, 0);
        sync(Op::Alloc, to, bytes as u64, pc);
    }

    /// Objects that are found by searching the heap: there is no table of them.
    fn __tsan_java_find(_from: *mut usize, _to: usize) -> usize {
        0
    }

    /// Finalisers are about to run.
    fn __tsan_java_finalize() {}

    /// A monitor has been entered.
    fn __tsan_java_mutex_lock(lock: usize) |pc| {
        sync(Op::Lock, lock, LOCK, pc);
    }

    /// A monitor is about to be left.
    fn __tsan_java_mutex_unlock(lock: usize) |pc| {
        sync(Op::Unlock, lock, LOCK, pc);
    }

    /// A lock has been taken for reading.
    fn __tsan_java_mutex_read_lock(lock: usize) |pc| {
        sync(Op::RdLock, lock, LOCK, pc);
    }

    /// A lock that was taken for reading is about to be released.
    fn __tsan_java_mutex_read_unlock(lock: usize) |pc| {
        sync(Op::Unlock, lock, LOCK, pc);
    }

    /// A monitor has been entered as often as it had been left at once.
    fn __tsan_java_mutex_lock_rec(lock: usize, times: c_int) |pc| {
        for _ in 0..times {
            sync(Op::Lock, lock, LOCK, pc);
        }
    }

    /// A monitor is about to be left altogether; says how often it was held, as far as is known.
    fn __tsan_java_mutex_unlock_rec(lock: usize) -> c_int |pc| {
        sync(Op::Unlock, lock, LOCK, pc);
        1
    }

    /// Sees what was released at the address.
    fn __tsan_java_acquire(at: usize) |pc| {
        sync(Op::Acquire, at, 0, pc);
    }

    /// Everything before is visible to later acquires of the address.
    fn __tsan_java_release(at: usize) |pc| {
        sync(Op::Release, at, 0, pc);
    }

    /// As [`__tsan_java_release`], and what was released there before is forgotten.
    fn __tsan_java_release_store(at: usize) |pc| {
        sync(Op::Release, at, 0, pc);
    }
}
