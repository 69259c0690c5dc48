//! Forks and the end of `main`, seen from the moment that a run begins.

use crate::axes;
use crate::fast;
use crate::gate::controlled;
use crate::run::{finish, last_moment, sync};
use crate::sys::real::Real;
use crate::thread::tls::caller;
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use foretrace_event::channel::notes;
use foretrace_event::schedule::CHILDREN;
use foretrace_event::wire::Op;

/// What `pthread_atfork` takes.
pub type Handler = Option<unsafe extern "C" fn()>;
real_function!(fn __register_atfork(prepare: Handler, parent: Handler, child: Handler, dso: *mut c_void) -> c_int);

unsafe extern "C" fn prepare() {
    forking(caller());
}

/// The process is about to be forked. Whoever learns that the child has ended comes after that.
pub fn forking(pc: usize) {
    sync(Op::ProcessFork, 0, 0, pc);
    spawning(pc);
}

/// A child process is about to be made.
pub fn spawning(pc: usize) {
    controlled::note(notes::FORKS);
    sync(Op::Release, CHILD_PROCESSES, 0, pc);
}

/// The program has learned that a child process has ended, or stopped.
pub fn waited(pc: usize) {
    sync(Op::Acquire, CHILD_PROCESSES, 0, pc);
}

const CHILD_PROCESSES: usize = (CHILDREN << 56) as usize;

unsafe extern "C" fn child() {
    born();
}

/// This process has been forked off a recorded one.
pub fn born() {
    if axes::is_recording() || axes::is_replaying() {
        crate::thread::leave();
    }
}

type OnExit = unsafe extern "C" fn(c_int, *mut c_void);
real_function!(fn on_exit(handler: OnExit, argument: *mut c_void) -> c_int);

unsafe extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    finish(status, 0);
    last_moment();
    if fast::is_on() {
        fast::finish(status);
    }
}

/// `main` is called through us, so that its return is seen before any function that is called at exit.
static MAIN_IS_SEEN: AtomicBool = AtomicBool::new(false);
/// The program's `main`.
static MAIN: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// The program's `main`.
pub type Main = unsafe extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

unsafe extern "C-unwind" fn main(count: c_int, arguments: *mut *mut c_char, variables: *mut *mut c_char) -> c_int {
    // SAFETY: it was stored before this function was handed to libc.
    let main: Main = unsafe { core::mem::transmute(MAIN.load(Ordering::Relaxed)) };
    // SAFETY: what libc passes to `main`.
    let status = unsafe { main(count, arguments, variables) };
    finish(status, 0);
    status
}

#[unsafe(link_section = "ft_reals")]
static MALLOPT: Real<unsafe extern "C-unwind" fn(c_int, c_int) -> c_int> = Real::new(c"mallopt", None);

/// From now on all threads allocate from one heap, if libc can be told so.
pub fn use_one_heap() {
    const ARENA_MAX: c_int = -8;
    if let Some(mallopt) = MALLOPT.find() {
        // SAFETY: takes two numbers.
        unsafe { mallopt(ARENA_MAX, 1) };
    }
}

/// Of functions that are called at exit, those that are registered first are called last.
pub fn watch_exit() {
    // SAFETY: the handler is ours and stays.
    unsafe { on_exit(at_exit, core::ptr::null_mut()) };
}

/// From now on forks are seen. Handlers run in a child in the order in which they were registered: ours comes first, so
/// that none of the program's records what the child does as if it were the parent.
pub fn watch_forks() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if !WATCHED.swap(true, Ordering::Relaxed) {
        // SAFETY: the handlers are ours and stay.
        unsafe { __register_atfork(Some(prepare), None, Some(child), core::ptr::null_mut()) };
    }
}

/// From now on forks and the end of `main` are seen.
pub fn watch() {
    watch_forks();
    if !MAIN_IS_SEEN.load(Ordering::Relaxed) {
        watch_exit();
    }
}

/// The program is about to call this `main`: what is to be called instead.
pub fn see_main(program: Main) -> Main {
    if !axes::is_on() || MAIN_IS_SEEN.swap(true, Ordering::Relaxed) {
        return program;
    }
    MAIN.store(program as *mut c_void, Ordering::Relaxed);
    watch_exit();
    main
}
