//! Mutexes: `pthread_mutex_*` of every kind, with every way to ask.

use crate::axes;
use crate::gate::backoff::Backoff;
use crate::gate::limit::Limit;
use crate::gate::turn::Arrival;
use crate::interpose::{arrive, insist_until, undo_if_failed};
use crate::op::{part, polling};
use crate::run::{self, sync};
use core::ffi::c_int;
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};
use libc::{pthread_mutex_t, pthread_mutexattr_t, timespec};

/// One of the words that glibc makes a mutex of.
unsafe fn word(mutex: *const pthread_mutex_t, index: usize) -> c_int {
    // SAFETY: the program passes a mutex.
    unsafe { mutex.cast::<c_int>().add(index).read_volatile() }
}

/// The lock itself.
const LOCK: usize = 0;
/// The thread that holds it.
const OWNER: usize = 2;
/// What kind of mutex it is, with flags for robust and priority mutexes.
const KIND: usize = 4;

unsafe fn class(mutex: *const pthread_mutex_t) -> LockClass {
    // SAFETY: the program passes a mutex.
    match unsafe { word(mutex, KIND) } & 3 {
        libc::PTHREAD_MUTEX_RECURSIVE => LockClass::Recursive,
        libc::PTHREAD_MUTEX_ERRORCHECK => LockClass::ErrorChecking,
        _ => LockClass::Mutex,
    }
}

/// Would the mutex refuse to be unlocked by this thread, which is replayed? Those do that know their owner.
#[cold]
pub unsafe fn refuses_unlock(mutex: *const pthread_mutex_t) -> bool {
    /// Robust mutexes, and those that lend priority: the kernel looks for the owner in the lock.
    const KNOWN_TO_KERNEL: c_int = 16 | 32;
    const THREAD: c_int = 0x3fff_ffff;
    let Some(thread) = crate::thread::taking_part() else { return false };
    // SAFETY: the program passes a mutex.
    unsafe {
        let for_kernel = word(mutex, KIND) & KNOWN_TO_KERNEL != 0;
        let knows_owner = for_kernel || matches!(class(mutex), LockClass::Recursive | LockClass::ErrorChecking);
        let owner = if for_kernel { word(mutex, LOCK) & THREAD } else { word(mutex, OWNER) };
        knows_owner && owner as u32 != thread.tid
    }
}

/// The argument of the records of a blocking operation on a mutex.
pub unsafe fn lock_arg(mutex: *const pthread_mutex_t) -> u64 {
    // SAFETY: the program passes a mutex.
    LockArg::blocking(unsafe { class(mutex) }).encode()
}

/// Locks a mutex by calling `real`, and records the outcome.
#[inline(always)]
unsafe fn lock(mutex: *mut pthread_mutex_t, limit: Limit, pc: usize, mut real: impl FnMut() -> c_int) -> c_int {
    if !axes::only_records() {
        // SAFETY: as the caller says.
        return unsafe { lock_in_turn(mutex, limit, pc, real) };
    }
    // SAFETY: the program passes a mutex.
    let arg = LockArg { class: unsafe { class(mutex) }, patience: limit.patience(), owner_died: false };
    let result = real();
    if result == 0 {
        sync(Op::Lock, mutex as usize, arg.encode(), pc);
    } else {
        note_outcome(result, mutex, arg, limit, pc);
    }
    result
}

/// Notes what has become of an attempt to lock a mutex.
#[cold]
fn note_outcome(result: c_int, mutex: *mut pthread_mutex_t, mut arg: LockArg, limit: Limit, pc: usize) {
    arg.owner_died = result == libc::EOWNERDEAD;
    match result {
        0 | libc::EOWNERDEAD => sync(Op::Lock, mutex as usize, arg.encode(), pc),
        libc::EBUSY if matches!(limit, Limit::Now) => run::failed_try(mutex as usize, arg.encode(), pc),
        libc::EBUSY | libc::ETIMEDOUT => sync(Op::FailedLock, mutex as usize, arg.encode(), pc),
        _ => {}
    }
}

/// The same as [`lock`], of a thread that may have to wait for its turn, or before the first thread.
#[cold]
unsafe fn lock_in_turn(mutex: *mut pthread_mutex_t, limit: Limit, pc: usize, real: impl FnMut() -> c_int) -> c_int {
    if !axes::is_on() {
        let mut real = real;
        return real();
    }
    // SAFETY: the program passes a mutex.
    let arg = LockArg { class: unsafe { class(mutex) }, patience: limit.patience(), owner_died: false };
    if matches!(limit, Limit::Forever) && axes::is_replaying() {
        // SAFETY: as the caller says.
        return unsafe { replay_lock(mutex, arg, pc, real) };
    }
    // SAFETY: as the caller says.
    if matches!(limit, Limit::Now) && axes::is_replaying() && unsafe { polls(mutex, arg.encode(), pc) } {
        return libc::EBUSY;
    }
    let arrival = arrive(Op::Lock, Op::FailedLock, mutex as usize, arg.encode(), limit, pc);
    let busy = |result| matches!(result, libc::EBUSY | libc::ETIMEDOUT);
    let result = insist_until(arrival, libc::ETIMEDOUT, busy, real);
    note_outcome(result, mutex, arg, limit, pc);
    result
}

/// In a replay: does the thread poll the mutex, and is that taken? Then the attempt fails, and is no step.
pub unsafe fn polls(mutex: *const pthread_mutex_t, arg: u64, pc: usize) -> bool {
    // SAFETY: as the caller says.
    let polls = polling::would_repeat(mutex as usize, arg, pc) && unsafe { word(mutex, LOCK) } != 0;
    if polls {
        polling::repeat(mutex as usize, arg, pc);
    }
    polls
}

real_function!(fn pthread_mutex_trylock(mutex: *mut pthread_mutex_t) -> c_int);

/// Locks a mutex in a replay. Only a thread that does not get it at once says that it waits.
unsafe fn replay_lock(
    mutex: *mut pthread_mutex_t,
    mut arg: LockArg,
    pc: usize,
    mut real: impl FnMut() -> c_int,
) -> c_int {
    // One that is its owner's and says so does not wait.
    // SAFETY: the program passes a mutex.
    if part::is_controlled() && arg.class == LockClass::ErrorChecking && unsafe { !refuses_unlock(mutex) } {
        return real();
    }
    let limit = if part::is_controlled() { Limit::Forever } else { Limit::Now };
    let arrival = arrive(Op::Lock, Op::Lock, mutex as usize, arg.encode(), limit, pc);
    // SAFETY: the program passes a mutex.
    let mut result = unsafe { pthread_mutex_trylock(mutex) };
    // If it is the thread's turn, the last one is just about to give it back.
    let mut backoff = if arrival == Arrival::Insist { Backoff::for_a_moment() } else { Backoff::default() };
    while result == libc::EBUSY && backoff.again() {
        // SAFETY: as above.
        result = unsafe { pthread_mutex_trylock(mutex) };
    }
    if result == libc::EBUSY {
        part::block(Op::Lock, mutex as usize, arg.encode(), pc);
        result = real();
    }
    arg.owner_died = result == libc::EOWNERDEAD;
    if matches!(result, 0 | libc::EOWNERDEAD) {
        sync(Op::Lock, mutex as usize, arg.encode(), pc);
    }
    result
}

/// Unlocks a mutex by calling `real`, and records that. To be refused is no step of a replay.
#[inline(always)]
pub unsafe fn unlock(mutex: *mut pthread_mutex_t, pc: usize, real: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the program passes a mutex.
    if !axes::only_records() && (!axes::is_on() || unsafe { refuses_unlock(mutex) }) {
        return real();
    }
    // SAFETY: as above.
    sync(Op::Unlock, mutex as usize, unsafe { lock_arg(mutex) }, pc);
    undo_if_failed(pc, real())
}

interpose! {
    fn pthread_mutex_init(mutex: *mut pthread_mutex_t, attributes: *const pthread_mutexattr_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let result = real(mutex, attributes);
            if result == 0 && axes::is_on() {
                sync(Op::LockInit, mutex as usize, lock_arg(mutex), pc);
            }
            result
        }
    }

    fn pthread_mutex_destroy(mutex: *mut pthread_mutex_t) -> c_int |pc| {
        sync(Op::LockDestroy, mutex as usize, 0, pc);
        // SAFETY: the program's own arguments.
        unsafe { undo_if_failed(pc, real(mutex)) }
    }

    fn pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { lock(mutex, Limit::Forever, pc, || real(mutex)) }
    }

    fn pthread_mutex_trylock(mutex: *mut pthread_mutex_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { lock(mutex, Limit::Now, pc, || real(mutex)) }
    }

    fn pthread_mutex_timedlock(mutex: *mut pthread_mutex_t, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { lock(mutex, Limit::until(libc::CLOCK_REALTIME, until), pc, || real(mutex, until)) }
    }

    fn pthread_mutex_clocklock(mutex: *mut pthread_mutex_t, clock: c_int, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { lock(mutex, Limit::until(clock, until), pc, || real(mutex, clock, until)) }
    }

    fn pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { unlock(mutex, pc, || real(mutex)) }
    }
}
