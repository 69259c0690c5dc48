//! Threads of executions that are explored: those that are coroutines, and those whose stacks are to be where they always are.

use super::{Birth, Routine, run};
use crate::fast;
use crate::gate::controlled as one_by_one;
use crate::op;
use crate::run::sync;
use crate::thread::tls::tls;
use crate::thread::{handle, taking_part};
use core::ffi::{c_int, c_void};
use core::sync::atomic::AtomicU32;
use foretrace_event::wire::Op;
use libc::{pthread_attr_t, pthread_t};

real_function!(fn pthread_attr_init(attributes: *mut pthread_attr_t) -> c_int);

/// Creates a thread that is a coroutine. It begins when the gate lets it.
pub unsafe fn create(
    thread: *mut pthread_t,
    attributes: *const pthread_attr_t,
    (routine, argument): (Routine, *mut c_void),
    (pc, frame): (usize, usize),
) -> c_int {
    if !fast::stack_suits(attributes) {
        fast::refuse_stack();
    }
    let id = op::next_thread();
    let parent = taking_part().map_or(u32::MAX, |player| player.index);
    let birth = Birth::allocate();
    if birth.is_null() {
        return libc::EAGAIN;
    }
    let Some(handle) = fast::claim(id, run, birth.cast()) else { fast::want(id) };
    // SAFETY: the birth is ours, and the program wants the handle there; a mask of zeros is valid, and is not used.
    unsafe {
        let mask = core::mem::zeroed();
        birth.write(Birth { routine, argument, id, parent, mask, announced: AtomicU32::new(1) });
        *thread = handle;
    }
    handle::name_handle(handle, id);
    tls().frame.set(frame);
    sync(Op::Fork, 0, u64::from(id), pc);
    0
}

/// The attributes with a stack at an address that follows from the thread's number; none if orders are not explored, or the
/// program wants another stack.
pub fn with_own_stack(attributes: *const pthread_attr_t, number: u32) -> Option<pthread_attr_t> {
    if !one_by_one::is_open() || !fast::stack_suits(attributes) {
        return None;
    }
    // SAFETY: the program's attributes, which the copy does not outlive, or new ones.
    unsafe {
        let mut own = core::mem::zeroed();
        match attributes.as_ref() {
            Some(attributes) => own = *attributes,
            None if pthread_attr_init(&mut own) != 0 => return None,
            None => {}
        }
        fast::give_stack(&mut own, number).then_some(own)
    }
}

/// The current thread's function returns this.
pub fn note_result(value: *mut c_void) {
    if fast::is_on() {
        fast::set_result(value);
    }
}

/// What a joined coroutine's function has returned.
pub fn give_result(result: c_int, handle: pthread_t, value: *mut *mut c_void) -> c_int {
    if result == 0
        && fast::is_on()
        && !value.is_null()
        && let Some(id) = handle::by_handle(handle)
    {
        // SAFETY: the program wants the value there.
        unsafe { *value = fast::result(id) };
    }
    result
}
