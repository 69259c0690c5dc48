//! Threads: `pthread_create`, `join`, `detach` and the ways a thread ends.

pub mod coroutine;

use crate::gate::controlled as one_by_one;
use crate::gate::limit::Limit;
use crate::gate::turn::Arrival;
use crate::memory::arena;
use crate::op::end::{end_key, notice_end};
use crate::op::{self, in_gate, part};
use crate::run::{self, sync};
use crate::thread::tls::tls;
use crate::thread::{self, signals};
use crate::watch::unseen;
use crate::{axes, fast, sys};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use foretrace_event::wire::Op;
use libc::{pthread_attr_t, pthread_t, sigset_t, timespec};

pub type Routine = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;

/// What a new thread is to run.
struct Birth {
    routine: Routine,
    argument: *mut c_void,
    id: u32,
    /// In a replay, the index of the creating thread.
    parent: u32,
    /// The signals it is to block.
    mask: sigset_t,
    /// One when it may begin.
    announced: AtomicU32,
}

impl Birth {
    /// Room for one. Where orders are explored, it is memory of our own, so that the program's heap does not depend on how
    /// threads are made.
    fn allocate() -> *mut Self {
        if one_by_one::is_open() {
            return arena::allocate(size_of::<Self>()).map_or(core::ptr::null_mut(), <*mut u8>::cast);
        }
        // SAFETY: takes a size.
        unsafe { malloc(size_of::<Self>()).cast() }
    }

    /// # Safety
    /// It was made by `allocate`, and nobody uses it.
    unsafe fn free(birth: *mut Self) {
        if !one_by_one::is_open() {
            // SAFETY: it was allocated with `malloc`.
            unsafe { free(birth.cast()) };
        }
    }

    /// The new thread waits until its creator has told of it.
    fn await_announcement(&self) {
        while self.announced.load(Ordering::Acquire) == 0 {
            sys::futex_wait(self.announced.as_ptr(), 0);
        }
    }

    /// The new thread may begin, and free this.
    unsafe fn announce(birth: *mut Self) {
        // SAFETY: the creator passes a birth that its thread waits at; to wake someone at an address touches nothing there.
        unsafe {
            let word = (*birth).announced.as_ptr();
            AtomicU32::from_ptr(word).store(1, Ordering::Release);
            sys::futex_wake(word, 1);
        }
    }
}

real_function!(fn pthread_attr_getsigmask_np(attributes: *const pthread_attr_t, mask: *mut sigset_t) -> c_int);
real_function!(pub fn malloc(size: usize) -> *mut c_void);
real_function!(pub fn free(at: *mut c_void));
real_function!(fn pthread_create(
    thread: *mut pthread_t, attributes: *const pthread_attr_t, routine: Routine, argument: *mut c_void,
) -> c_int);

unsafe extern "C-unwind" fn run(birth: *mut c_void) -> *mut c_void {
    // SAFETY: `create` passes a birth that it gives away when it has announced it.
    let Birth { routine, argument, id, parent, mask, .. } = unsafe {
        (*birth.cast::<Birth>()).await_announcement();
        one_by_one::begin_thread((*birth.cast::<Birth>()).id);
        birth.cast::<Birth>().read()
    };
    // SAFETY: it is not used any more.
    unsafe { Birth::free(birth.cast()) };
    if axes::is_live() {
        unseen::look();
        op::begin_thread(id, parent);
        unseen::touch(routine as usize);
        notice_end();
    }
    if !fast::is_on() {
        signals::set_mask(&mask);
    }
    // SAFETY: the program asked for this call.
    let result = unsafe { routine(argument) };
    coroutine::note_result(result);
    result
}

/// The signals that a new thread is to block, by its attributes or as its creator does.
unsafe fn mask_for(attributes: *const pthread_attr_t, creator: sigset_t) -> sigset_t {
    let mut mask = creator;
    // SAFETY: the program's own attributes; the mask is a local, written only if they have one.
    if !attributes.is_null() && unsafe { pthread_attr_getsigmask_np(attributes, &mut mask) } != 0 {
        mask = creator;
    }
    mask
}

/// Creates a thread and records it. When recording, that is before it is tried; in a replay a thread that cannot be created
/// is no step, so the step is taken afterwards, and the new thread waits for it.
pub unsafe fn create(
    thread: *mut pthread_t,
    attributes: *const pthread_attr_t,
    routine: Routine,
    argument: *mut c_void,
    pc: usize,
) -> c_int {
    // To begin may take calls of libc, which are others than the one that is told.
    let frame = tls().frame.get();
    run::begin();
    tls().frame.set(frame);
    // SAFETY: the arguments are the program's; the birth is given to the new thread.
    unsafe {
        let replaying = axes::is_replaying();
        if !axes::is_live() || tls().sections.get() != 0 {
            return pthread_create(thread, attributes, routine, argument);
        }
        end_key();
        if fast::is_on() {
            return coroutine::create(thread, attributes, (routine, argument), (pc, frame));
        }
        let birth = Birth::allocate();
        if birth.is_null() {
            return libc::EAGAIN;
        }
        let id = op::next_thread();
        let parent = crate::thread::taking_part().map_or(u32::MAX, |player| player.index);
        // A signal that came before the thread has its recorder would make it another thread.
        let before = signals::block_all();
        let (mask, announced) = (mask_for(attributes, before), AtomicU32::new(u32::from(!replaying)));
        birth.write(Birth { routine, argument, id, parent, mask, announced });
        if !replaying {
            sync(Op::Fork, 0, u64::from(id), pc);
        }
        let own = coroutine::with_own_stack(attributes, id);
        let attributes = own.as_ref().map_or(attributes, core::ptr::from_ref);
        let result = pthread_create(thread, attributes, run, birth.cast());
        if result == 0 && replaying {
            tls().frame.set(frame);
            sync(Op::Fork, 0, u64::from(id), pc);
            Birth::announce(birth);
        }
        signals::set_mask(&before);
        if result == 0 {
            thread::handle::name_handle(*thread, id);
        } else {
            Birth::free(birth);
            op::no_thread();
            if !replaying {
                sync(Op::Undo, 0, 0, pc);
            }
        }
        result
    }
}

/// Waits for a thread by calling `real`, and records it. That one does not wait, or not long enough, is not recorded; so in a
/// replay the schedule's next step says what is wanted.
pub fn join(handle: pthread_t, limit: Limit, pc: usize, mut real: impl FnMut() -> c_int) -> c_int {
    let Some(id) = thread::handle::by_handle(handle) else { return real() };
    let mut real = || if fast::is_on() { 0 } else { real() };
    let arrival = crate::interpose::arrive(Op::Join, Op::Join, 0, u64::from(id), limit, pc);
    let result = match (arrival, limit) {
        (Arrival::TimedOut, _) => libc::ETIMEDOUT,
        (Arrival::Fail, Limit::Now) if part::is_controlled() => libc::EBUSY,
        (Arrival::Go, _) | (_, Limit::Forever) => real(),
        _ if part::is_to_join(id) => {
            crate::interpose::insist(arrival, |result| matches!(result, libc::EBUSY | libc::ETIMEDOUT), real)
        }
        // The thread may have done all it does, and not have ended yet.
        (_, Limit::Until(deadline)) if deadline.wait() => libc::ETIMEDOUT,
        (_, Limit::Until(_)) => real(),
        (_, Limit::Now) => libc::EBUSY,
    };
    if result == 0 {
        sync(Op::Join, 0, u64::from(id), pc);
    }
    result
}

/// Records that nobody will wait for a thread.
pub fn detached(handle: pthread_t, pc: usize) {
    if let Some(id) = thread::handle::by_handle(handle) {
        sync(Op::Detach, 0, u64::from(id), pc);
    }
}

interpose! {
    fn pthread_create(
        handle: *mut pthread_t, attributes: *const pthread_attr_t, routine: Routine, argument: *mut c_void,
    ) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe { create(handle, attributes, routine, argument, pc) }
    }

    fn pthread_join(handle: pthread_t, value: *mut *mut c_void) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let result = join(handle, Limit::Forever, pc, || unsafe { real(handle, value) });
        coroutine::give_result(result, handle, value)
    }

    fn pthread_tryjoin_np(handle: pthread_t, value: *mut *mut c_void) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let result = join(handle, Limit::Now, pc, || unsafe { real(handle, value) });
        coroutine::give_result(result, handle, value)
    }

    fn pthread_timedjoin_np(handle: pthread_t, value: *mut *mut c_void, until: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let limit = unsafe { Limit::until(libc::CLOCK_REALTIME, until) };
        // SAFETY: as above.
        let result = join(handle, limit, pc, || unsafe { real(handle, value, until) });
        coroutine::give_result(result, handle, value)
    }

    fn pthread_clockjoin_np(
        handle: pthread_t, value: *mut *mut c_void, clock: c_int, until: *const timespec,
    ) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let limit = unsafe { Limit::until(clock, until) };
        // SAFETY: as above.
        let result = join(handle, limit, pc, || unsafe { real(handle, value, clock, until) });
        coroutine::give_result(result, handle, value)
    }

    fn pthread_cancel(handle: pthread_t) -> c_int |pc| {
        if in_gate::cancel(thread::handle::by_handle(handle), pc) {
            return 0;
        }
        // SAFETY: the program's own arguments.
        unsafe { real(handle) }
    }

    fn pthread_testcancel() |pc| {
        in_gate::look_for_cancellation(pc);
        // SAFETY: takes nothing.
        unsafe { real() }
    }

    fn pthread_detach(handle: pthread_t) -> c_int |pc| {
        detached(handle, pc);
        if fast::is_on() {
            return 0;
        }
        // SAFETY: the program's own arguments.
        unsafe { real(handle) }
    }

    fn pthread_exit(value: *mut c_void) {
        coroutine::note_result(value);
        // SAFETY: the program's own argument.
        unsafe { real(value) }
    }
}
