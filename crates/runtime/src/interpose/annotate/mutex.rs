//! Locks that a program makes by itself and announces: `__tsan_mutex_*`.
//!
//! What happens between the beginning and the end of such an operation is the lock's own business: its accesses are
//! ignored. How often a re-entrant lock is held is counted here, because one call may release it altogether.

use crate::axes;
use crate::memory::map::Map;
use crate::memory::spin::Spin;
use crate::op::access::{ignore, resume};
use crate::run::sync;
use crate::sink::lines::{READ, WRITE};
use crate::thread::tls::Section;
use core::ffi::c_int;
use foretrace_event::wire::{LockArg, Op};
use foretrace_event::{LockClass, Patience};

/// What a caller may say of a lock or of an operation.
mod flag {
    pub const WRITE_REENTRANT: u32 = 2;
    pub const READ_REENTRANT: u32 = 4;
    pub const READ_LOCK: u32 = 8;
    pub const TRY_LOCK: u32 = 16;
    pub const TRY_LOCK_FAILED: u32 = 32;
    pub const RECURSIVE_LOCK: u32 = 64;
    pub const RECURSIVE_UNLOCK: u32 = 128;
}

const ACCESSES: u32 = READ | WRITE;

/// By address: whether the lock is re-entrant (bit 0), and how often it is held (from bit 1).
static LOCKS: Spin<Map> = Spin::new(Map::new());

/// Changes what is known of a lock.
fn known(lock: usize, change: impl FnOnce(&mut u64)) -> u64 {
    let _section = Section::nest();
    let mut locks = LOCKS.lock();
    match locks.entry(lock as u64) {
        Some(entry) if lock != 0 => {
            change(entry);
            *entry
        }
        _ => 0,
    }
}

fn is_reentrant(flags: u32) -> bool {
    flags & (flag::WRITE_REENTRANT | flag::READ_REENTRANT | flag::RECURSIVE_LOCK | flag::RECURSIVE_UNLOCK) != 0
}

fn argument(entry: u64, flags: u32) -> u64 {
    let class = if entry & 1 != 0 { LockClass::Recursive } else { LockClass::Annotated };
    let patience = if flags & flag::TRY_LOCK != 0 { Patience::Try } else { Patience::Blocking };
    LockArg { class, patience, owner_died: false }.encode()
}

/// The lock has been acquired, `times` over.
fn acquired(lock: usize, flags: u32, times: u64, pc: usize) {
    let shared = flags & flag::READ_LOCK != 0;
    let entry = known(lock, |entry| {
        *entry |= u64::from(is_reentrant(flags));
        *entry += if shared { 0 } else { times << 1 };
    });
    for _ in 0..times {
        sync(if shared { Op::RdLock } else { Op::Lock }, lock, argument(entry, flags), pc);
    }
}

/// The lock is about to be released: once, or as often as it is held. Says how often.
fn released(lock: usize, flags: u32, pc: usize) -> u64 {
    let mut times = 1;
    let entry = known(lock, |entry| {
        let held = *entry >> 1;
        if flags & flag::RECURSIVE_UNLOCK != 0 {
            times = held.max(1);
        }
        if flags & flag::READ_LOCK == 0 {
            *entry -= times.min(held) << 1;
        }
    });
    for _ in 0..times {
        sync(Op::Unlock, lock, argument(entry, 0), pc);
    }
    times
}

/// In a forked child.
fn reset_locks() {
    LOCKS.reset();
}
at_fork!(reset_locks);

exported! {
    /// The lock begins its life.
    fn __tsan_mutex_create(lock: usize, flags: u32) |pc| {
        if axes::is_on() {
            let entry = known(lock, |entry| *entry = u64::from(is_reentrant(flags)));
            sync(Op::LockInit, lock, argument(entry, 0), pc);
        }
    }

    /// The lock ends its life.
    fn __tsan_mutex_destroy(lock: usize, _flags: u32) |pc| {
        if axes::is_on() {
            let entry = known(lock, |entry| *entry = 0);
            sync(Op::LockDestroy, lock, argument(entry, 0), pc);
        }
    }

    /// The lock is about to be acquired.
    fn __tsan_mutex_pre_lock(_lock: usize, _flags: u32) {
        ignore(ACCESSES);
    }

    /// The attempt is over; the lock may have been taken over with the count an earlier release gave.
    fn __tsan_mutex_post_lock(lock: usize, flags: u32, recursion: c_int) |pc| {
        resume(ACCESSES);
        if !axes::is_on() {
            return;
        }
        if flags & flag::TRY_LOCK_FAILED != 0 {
            let op = if flags & flag::READ_LOCK != 0 { Op::FailedRdLock } else { Op::FailedLock };
            return sync(op, lock, argument(known(lock, |_| ()), flags | flag::TRY_LOCK), pc);
        }
        let times = if flags & flag::RECURSIVE_LOCK != 0 { recursion.max(1) } else { 1 };
        acquired(lock, flags, times as u64, pc);
    }

    /// The lock is about to be released; says how often it was held, for a release altogether.
    fn __tsan_mutex_pre_unlock(lock: usize, flags: u32) -> c_int |pc| {
        let times = if axes::is_on() { released(lock, flags, pc) } else { 1 };
        ignore(ACCESSES);
        times as c_int
    }

    /// The lock has been released.
    fn __tsan_mutex_post_unlock(_lock: usize, _flags: u32) {
        resume(ACCESSES);
    }

    /// Waiters are about to be told.
    fn __tsan_mutex_pre_signal(_lock: usize, _flags: u32) {
        ignore(ACCESSES);
    }

    /// Waiters have been told.
    fn __tsan_mutex_post_signal(_lock: usize, _flags: u32) {
        resume(ACCESSES);
    }

    /// Inside an operation, something that is not the lock's business begins, such as a call of the program's code.
    fn __tsan_mutex_pre_divert(_lock: usize, _flags: u32) {
        resume(ACCESSES);
    }

    /// See [`__tsan_mutex_pre_divert`].
    fn __tsan_mutex_post_divert(_lock: usize, _flags: u32) {
        ignore(ACCESSES);
    }

    /// Asserts that no lock is held; a check for a detector, which a recorder is not.
    fn __tsan_check_no_mutexes_held() {}
}
