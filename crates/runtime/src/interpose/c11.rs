//! C11 threads. glibc's go straight to the insides of its pthreads, so each has a replacement of its own.

use crate::axes;
use crate::fast;
use crate::gate::limit::Limit;
use crate::interpose::mutex::{self, lock_arg, polls};
use crate::interpose::{cond, thread as threads};
use crate::run::{self, sync};
use core::ffi::{c_int, c_void};
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};
use libc::{pthread_mutex_t, pthread_t, timespec};

const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const NO_MEMORY: c_int = 3;
const TIMED_OUT: c_int = 4;

type Routine = unsafe extern "C-unwind" fn(*mut c_void) -> c_int;

struct Birth {
    routine: Routine,
    argument: *mut c_void,
}

/// A C11 thread's result is a number; it travels as a pointer.
unsafe extern "C-unwind" fn run(birth: *mut c_void) -> *mut c_void {
    // SAFETY: `thrd_create` gives the birth away.
    let Birth { routine, argument } = unsafe { birth.cast::<Birth>().read() };
    // SAFETY: it was allocated there; the routine is the program's.
    let result = unsafe {
        threads::free(birth);
        routine(argument)
    };
    core::ptr::without_provenance_mut(result as isize as usize)
}

/// Locks by calling `real`, and records the outcome.
unsafe fn lock(mutex: *mut pthread_mutex_t, limit: Limit, pc: usize, real: impl FnMut() -> c_int) -> c_int {
    // SAFETY: a C11 mutex is a pthread one.
    let arg = unsafe { lock_arg(mutex) }
        | LockArg { patience: limit.patience(), ..LockArg::blocking(LockClass::Mutex) }.encode();
    // SAFETY: as above.
    if matches!(limit, Limit::Now) && axes::is_replaying() && unsafe { polls(mutex, arg, pc) } {
        return BUSY;
    }
    let arrival = crate::interpose::arrive(Op::Lock, Op::FailedLock, mutex as usize, arg, limit, pc);
    let busy = |result| matches!(result, BUSY | TIMED_OUT);
    let result = crate::interpose::insist_until(arrival, TIMED_OUT, busy, real);
    match result {
        SUCCESS => sync(Op::Lock, mutex as usize, arg, pc),
        BUSY if matches!(limit, Limit::Now) => run::failed_try(mutex as usize, arg, pc),
        BUSY | TIMED_OUT => sync(Op::FailedLock, mutex as usize, arg, pc),
        _ => {}
    }
    result
}

interpose! {
    fn thrd_create(handle: *mut pthread_t, routine: Routine, argument: *mut c_void) -> c_int |pc| {
        // SAFETY: the program's own arguments; the birth is given to the new thread.
        unsafe {
            let birth: *mut Birth = threads::malloc(size_of::<Birth>()).cast();
            if birth.is_null() {
                return NO_MEMORY;
            }
            birth.write(Birth { routine, argument });
            let result = threads::create(handle, core::ptr::null(), run, birth.cast(), pc);
            if result != 0 {
                threads::free(birth.cast());
            }
            match result {
                0 => SUCCESS,
                libc::ENOMEM => NO_MEMORY,
                _ => ERROR,
            }
        }
    }

    fn thrd_join(handle: pthread_t, result: *mut c_int) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let joined = threads::join(handle, Limit::Forever, pc, || unsafe { real(handle, result) });
        let mut value = core::ptr::null_mut();
        if threads::coroutine::give_result(joined, handle, &mut value) == SUCCESS && fast::is_on() && !result.is_null() {
            // SAFETY: as above.
            unsafe { *result = value as usize as c_int };
        }
        joined
    }

    fn thrd_exit(result: c_int) {
        threads::coroutine::note_result(core::ptr::without_provenance_mut(result as isize as usize));
        // SAFETY: the program's own argument.
        unsafe { real(result) }
    }

    fn thrd_detach(handle: pthread_t) -> c_int |pc| {
        threads::detached(handle, pc);
        if fast::is_on() {
            return SUCCESS;
        }
        // SAFETY: the program's own arguments.
        unsafe { real(handle) }
    }

    fn mtx_init(mutex: *mut pthread_mutex_t, kind: c_int) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let result = real(mutex, kind);
            if result == SUCCESS {
                sync(Op::LockInit, mutex as usize, lock_arg(mutex), pc);
            }
            result
        }
    }

    fn mtx_destroy(mutex: *mut pthread_mutex_t) |pc| {
        sync(Op::LockDestroy, mutex as usize, 0, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(mutex) }
    }

    fn mtx_lock(mutex: *mut pthread_mutex_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { lock(mutex, Limit::Forever, pc, || real(mutex)) }
    }

    fn mtx_trylock(mutex: *mut pthread_mutex_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { lock(mutex, Limit::Now, pc, || real(mutex)) }
    }

    fn mtx_timedlock(mutex: *mut pthread_mutex_t, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { lock(mutex, Limit::until(libc::CLOCK_REALTIME, until), pc, || real(mutex, until)) }
    }

    fn mtx_unlock(mutex: *mut pthread_mutex_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { mutex::unlock(mutex, pc, || real(mutex)) }
    }

    fn cnd_init(cond: *mut c_void) -> c_int |pc| {
        sync(Op::CondInit, cond as usize, 0, pc);
        // SAFETY: the program's own arguments.
        crate::interpose::undo_if_failed(pc, unsafe { real(cond) })
    }

    fn cnd_destroy(cond: *mut c_void) |pc| {
        sync(Op::CondDestroy, cond as usize, 0, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(cond) }
    }

    fn cnd_signal(cond: *mut c_void) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        cond::signal(Op::Signal, cond as usize, pc, || unsafe { real(cond) })
    }

    fn cnd_broadcast(cond: *mut c_void) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        cond::signal(Op::Broadcast, cond as usize, pc, || unsafe { real(cond) })
    }

    fn cnd_wait(cond: *mut c_void, mutex: *mut pthread_mutex_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { cond::wait(cond as usize, mutex, pc, TIMED_OUT, Limit::Forever, || real(cond, mutex)) }
    }

    fn cnd_timedwait(cond: *mut c_void, mutex: *mut pthread_mutex_t, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let limit = Limit::until(libc::CLOCK_REALTIME, until);
            cond::wait(cond as usize, mutex, pc, TIMED_OUT, limit, || real(cond, mutex, until))
        }
    }
}
