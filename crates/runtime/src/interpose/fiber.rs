//! Fibers: stacks that a program switches between by itself, announced by `__tsan_switch_to_fiber` and its kin.
//!
//! A fiber is a thread of the recording, with a recorder of its own: created by a fork, started at once, ended when it is
//! destroyed. Switching gives the running thread the fiber's recorder; what was done before the switch comes before what
//! the fiber does then, unless the program says that it does not synchronise. A thread's own stack is a fiber too, and
//! fibers may move between threads.
//!
//! *What it misses*: fibers of a process that has forked; replay, which knows no fibers; and what is ignored (`AnnotateIgnoreReadsBegin`) in one fiber
//! is ignored in those that the thread switches to.

use crate::run::{self, sync};
use crate::sink::recording;
use crate::thread::tls::tls;
use crate::thread::{self, Thread};
use crate::watch::names;
use crate::{axes, op};
use core::ffi::{c_char, c_uint};
use foretrace_event::wire::Op;

/// What all fibers are where nothing is recorded.
static NO_FIBER: u8 = 0;

fn no_fiber() -> *mut Thread {
    (&raw const NO_FIBER).cast_mut().cast()
}

/// A fiber's recorder.
fn recorder(fiber: *mut Thread) -> Option<&'static Thread> {
    if !axes::is_recording() || axes::is_replaying() || fiber == no_fiber() {
        return None;
    }
    // SAFETY: other values that the program has are recorders, which are never freed.
    unsafe { fiber.as_ref() }
}

/// The program says that a switch does not synchronise.
const NO_SYNC: c_uint = 1;

exported! {
    /// What runs now.
    fn __tsan_get_current_fiber() -> *mut Thread {
        run::begin();
        let current = tls().thread.get();
        if current.is_null() { no_fiber() } else { current }
    }

    /// A fiber begins its life; it does not run yet.
    fn __tsan_create_fiber(_flags: c_uint) -> *mut Thread |pc| {
        run::begin();
        if !axes::is_recording() || axes::is_replaying() {
            return no_fiber();
        }
        let id = recording::next_thread();
        sync(Op::Fork, 0, u64::from(id), pc);
        match op::create_thread(id) {
            Some(fiber) => core::ptr::from_ref(fiber).cast_mut(),
            None => no_fiber(),
        }
    }

    /// A fiber that does not run ends its life.
    fn __tsan_destroy_fiber(fiber: *mut Thread) {
        if let Some(fiber) = recorder(fiber)
            && !core::ptr::eq(tls().thread.get(), fiber)
        {
            op::retire(fiber);
        }
    }

    /// The program is about to switch to a fiber.
    fn __tsan_switch_to_fiber(fiber: *mut Thread, flags: c_uint) |pc| {
        let Some(fiber) = recorder(fiber) else { return };
        let object = &raw const *fiber as usize;
        if flags & NO_SYNC == 0 {
            sync(Op::Release, object, 0, pc);
        }
        // Not in a section: signals that one puts off are kept in the recorder that is current.
        thread::attach(fiber);
        if flags & NO_SYNC == 0 {
            sync(Op::Acquire, object, 0, pc);
        }
    }

    /// A fiber's name.
    fn __tsan_set_fiber_name(fiber: *mut Thread, name: *const c_char) {
        if let Some(fiber) = recorder(fiber) {
            // SAFETY: the program passes a string.
            unsafe { names::name_thread(Some(fiber.index), name) };
        }
    }
}
