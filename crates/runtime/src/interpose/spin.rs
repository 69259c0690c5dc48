//! Spin locks.
//!
//! A thread that spins for ever looks, from outside, like one that works. So while a program is recorded, a thread that has
//! spun for long sleeps until some spin lock is given back, and whoever watches the run sees that nobody can go on.

use crate::gate::limit::Limit;
use crate::interpose::rwlock::{EXCLUSIVE, lock as take};
use crate::interpose::undo_if_failed;
use crate::run::sync;
use crate::{axes, sys};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};
use libc::pthread_spinlock_t;

const SPIN: u64 = LockArg::blocking(LockClass::Spin).encode();

/// How often spin locks were given back while threads slept.
static TURN: AtomicU32 = AtomicU32::new(0);
/// How many threads sleep.
static SLEEPERS: AtomicU32 = AtomicU32::new(0);
/// Some lock is shared with other processes, which wake nobody here.
static SHARED: AtomicBool = AtomicBool::new(false);

/// A thread tries this often before it sleeps: first in a row,
const TRIES: u32 = 1000;
/// then with others let run in between.
const YIELDS: u32 = 4000;

real_function!(fn pthread_spin_trylock(lock: *mut pthread_spinlock_t) -> c_int);

/// Takes a spin lock, which `real` does by spinning.
unsafe fn spin(lock: *mut pthread_spinlock_t, real: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the program's own lock.
    let is_taken = || unsafe { pthread_spin_trylock(lock) == 0 };
    if !axes::is_recording() || SHARED.load(Ordering::Relaxed) {
        return real();
    }
    for tries in 0..TRIES + YIELDS {
        if is_taken() {
            return 0;
        }
        if tries < TRIES { core::hint::spin_loop() } else { sys::yield_now() }
    }
    SLEEPERS.fetch_add(1, Ordering::SeqCst);
    loop {
        let turn = TURN.load(Ordering::SeqCst);
        if is_taken() {
            break;
        }
        sys::futex_wait(TURN.as_ptr(), turn);
    }
    SLEEPERS.fetch_sub(1, Ordering::SeqCst);
    0
}

/// A spin lock has been given back.
fn wake_sleepers() {
    if axes::is_recording() {
        // Either a thread that is about to sleep finds the lock free, or it is seen here.
        fence(Ordering::SeqCst);
        if SLEEPERS.load(Ordering::Relaxed) > 0 {
            TURN.fetch_add(1, Ordering::SeqCst);
            sys::futex_wake(TURN.as_ptr(), i32::MAX);
        }
    }
}

interpose! {
    fn pthread_spin_init(lock: *mut pthread_spinlock_t, shared: c_int) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let result = unsafe { real(lock, shared) };
        if shared != 0 {
            SHARED.store(true, Ordering::Relaxed);
        }
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
        take(lock as usize, LockClass::Spin, EXCLUSIVE, Limit::Forever, pc, || unsafe { spin(lock, || real(lock)) })
    }

    fn pthread_spin_trylock(lock: *mut pthread_spinlock_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        take(lock as usize, LockClass::Spin, EXCLUSIVE, Limit::Now, pc, || unsafe { real(lock) })
    }

    fn pthread_spin_unlock(lock: *mut pthread_spinlock_t) -> c_int |pc| {
        sync(Op::Unlock, lock as usize, SPIN, pc);
        // SAFETY: the program's own arguments.
        let result = undo_if_failed(pc, unsafe { real(lock) });
        wake_sleepers();
        result
    }
}
