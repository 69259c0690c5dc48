//! Reader-writer locks and spin locks.

use super::undo_if_failed;
use crate::state::sync;
use core::ffi::c_int;
use foretrace_event::wire::{LockArg, Op};
use foretrace_event::{LockClass, Patience};
use libc::{pthread_rwlock_t, pthread_rwlockattr_t, pthread_spinlock_t, timespec};

/// Which side of a lock was asked for: the records of success and of failure.
type Side = (Op, Op);
const SHARED: Side = (Op::RdLock, Op::RdLockFailed);
const EXCLUSIVE: Side = (Op::Lock, Op::LockFailed);

const RWLOCK: u64 = LockArg::blocking(LockClass::RwLock).encode();
const SPIN: u64 = LockArg::blocking(LockClass::Spin).encode();

/// Records the outcome of a lock operation.
fn locked(lock: usize, class: LockClass, side: Side, patience: Patience, pc: usize, result: c_int) -> c_int {
    let arg = LockArg { class, patience, owner_died: false }.encode();
    match result {
        0 => sync(side.0, lock, arg, pc),
        libc::EBUSY | libc::ETIMEDOUT => sync(side.1, lock, arg, pc),
        _ => {}
    }
    result
}

fn rwlocked(lock: *mut pthread_rwlock_t, side: Side, patience: Patience, pc: usize, result: c_int) -> c_int {
    locked(lock as usize, LockClass::RwLock, side, patience, pc, result)
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
        rwlocked(lock, SHARED, Patience::Blocking, pc, unsafe { real(lock) })
    }

    fn pthread_rwlock_tryrdlock(lock: *mut pthread_rwlock_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        rwlocked(lock, SHARED, Patience::Try, pc, unsafe { real(lock) })
    }

    fn pthread_rwlock_timedrdlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        rwlocked(lock, SHARED, Patience::Timed, pc, unsafe { real(lock, until) })
    }

    fn pthread_rwlock_clockrdlock(lock: *mut pthread_rwlock_t, clock: c_int, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        rwlocked(lock, SHARED, Patience::Timed, pc, unsafe { real(lock, clock, until) })
    }

    fn pthread_rwlock_wrlock(lock: *mut pthread_rwlock_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        rwlocked(lock, EXCLUSIVE, Patience::Blocking, pc, unsafe { real(lock) })
    }

    fn pthread_rwlock_trywrlock(lock: *mut pthread_rwlock_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        rwlocked(lock, EXCLUSIVE, Patience::Try, pc, unsafe { real(lock) })
    }

    fn pthread_rwlock_timedwrlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        rwlocked(lock, EXCLUSIVE, Patience::Timed, pc, unsafe { real(lock, until) })
    }

    fn pthread_rwlock_clockwrlock(lock: *mut pthread_rwlock_t, clock: c_int, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        rwlocked(lock, EXCLUSIVE, Patience::Timed, pc, unsafe { real(lock, clock, until) })
    }

    fn pthread_rwlock_unlock(lock: *mut pthread_rwlock_t) -> c_int |pc| {
        sync(Op::Unlock, lock as usize, RWLOCK, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(lock) })
    }

    fn pthread_spin_init(lock: *mut pthread_spinlock_t, shared: c_int) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let result = unsafe { real(lock, shared) };
        if result == 0 {
            sync(Op::LockInit, lock as usize, SPIN, pc);
        }
        result
    }

    fn pthread_spin_destroy(lock: *mut pthread_spinlock_t) -> c_int |pc| {
        sync(Op::LockDestroy, lock as usize, SPIN, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(lock) })
    }

    fn pthread_spin_lock(lock: *mut pthread_spinlock_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        locked(lock as usize, LockClass::Spin, EXCLUSIVE, Patience::Blocking, pc, unsafe { real(lock) })
    }

    fn pthread_spin_trylock(lock: *mut pthread_spinlock_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        locked(lock as usize, LockClass::Spin, EXCLUSIVE, Patience::Try, pc, unsafe { real(lock) })
    }

    fn pthread_spin_unlock(lock: *mut pthread_spinlock_t) -> c_int |pc| {
        sync(Op::Unlock, lock as usize, SPIN, pc);
        // SAFETY: the program's own arguments.
        undo_if_failed(pc, unsafe { real(lock) })
    }
}
