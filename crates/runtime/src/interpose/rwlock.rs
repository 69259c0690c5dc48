//! Reader-writer locks.

use crate::gate::limit::Limit;
use crate::interpose::{arrive, insist_until, undo_if_failed};
use crate::run::sync;
use core::ffi::c_int;
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};
use libc::{pthread_rwlock_t, pthread_rwlockattr_t, timespec};

/// Which side of a lock was asked for: the records of success and of failure.
pub type Side = (Op, Op);
const SHARED: Side = (Op::RdLock, Op::FailedRdLock);
pub const EXCLUSIVE: Side = (Op::Lock, Op::FailedLock);

const RWLOCK: u64 = LockArg::blocking(LockClass::RwLock).encode();

/// Locks by calling `real`, and records the outcome.
pub fn lock(lock: usize, class: LockClass, side: Side, limit: Limit, pc: usize, real: impl FnMut() -> c_int) -> c_int {
    let arg = LockArg { class, patience: limit.patience(), owner_died: false }.encode();
    let arrival = arrive(side.0, side.1, lock, arg, limit, pc);
    let busy = |result| matches!(result, libc::EBUSY | libc::ETIMEDOUT);
    let result = insist_until(arrival, libc::ETIMEDOUT, busy, real);
    match result {
        0 => sync(side.0, lock, arg, pc),
        libc::EBUSY | libc::ETIMEDOUT => sync(side.1, lock, arg, pc),
        _ => {}
    }
    result
}

fn lock_rw(rwlock: *mut pthread_rwlock_t, side: Side, limit: Limit, pc: usize, real: impl FnMut() -> c_int) -> c_int {
    lock(rwlock as usize, LockClass::RwLock, side, limit, pc, real)
}

interpose! {
    fn pthread_rwlock_init(lock: *mut pthread_rwlock_t, attributes: *const pthread_rwlockattr_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let result = unsafe { real(lock, attributes) };
        if result == 0 {
            sync(Op::LockInit, lock as usize, RWLOCK, pc);
        }
        result
    }

    fn pthread_rwlock_destroy(lock: *mut pthread_rwlock_t) -> c_int |pc| {
        sync(Op::LockDestroy, lock as usize, RWLOCK, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(lock) })
    }

    fn pthread_rwlock_rdlock(lock: *mut pthread_rwlock_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        lock_rw(lock, SHARED, Limit::Forever, pc, || unsafe { real(lock) })
    }

    fn pthread_rwlock_tryrdlock(lock: *mut pthread_rwlock_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        lock_rw(lock, SHARED, Limit::Now, pc, || unsafe { real(lock) })
    }

    fn pthread_rwlock_timedrdlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        lock_rw(lock, SHARED, unsafe { Limit::until(libc::CLOCK_REALTIME, until) }, pc, || unsafe { real(lock, until) })
    }

    fn pthread_rwlock_clockrdlock(lock: *mut pthread_rwlock_t, clock: c_int, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        lock_rw(lock, SHARED, unsafe { Limit::until(clock, until) }, pc, || unsafe { real(lock, clock, until) })
    }

    fn pthread_rwlock_wrlock(lock: *mut pthread_rwlock_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        lock_rw(lock, EXCLUSIVE, Limit::Forever, pc, || unsafe { real(lock) })
    }

    fn pthread_rwlock_trywrlock(lock: *mut pthread_rwlock_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        lock_rw(lock, EXCLUSIVE, Limit::Now, pc, || unsafe { real(lock) })
    }

    fn pthread_rwlock_timedwrlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        lock_rw(lock, EXCLUSIVE, unsafe { Limit::until(libc::CLOCK_REALTIME, until) }, pc, || unsafe { real(lock, until) })
    }

    fn pthread_rwlock_clockwrlock(lock: *mut pthread_rwlock_t, clock: c_int, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        lock_rw(lock, EXCLUSIVE, unsafe { Limit::until(clock, until) }, pc, || unsafe { real(lock, clock, until) })
    }

    fn pthread_rwlock_unlock(lock: *mut pthread_rwlock_t) -> c_int |pc| {
        sync(Op::Unlock, lock as usize, RWLOCK, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(lock) })
    }
}
