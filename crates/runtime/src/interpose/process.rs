//! How processes multiply and end.
//!
//! `fork`, in whatever function of libc, is seen through `pthread_atfork`: the child is not recorded (or, if asked, as a
//! recording of its own from its first thread on), the parent is not disturbed. A `vfork` child would run in the parent's
//! memory and its operations would be taken for the parent's, so `vfork` forks, which the standard allows. `posix_spawn`
//! calls nothing of ours in its child. The program that `exec` starts finds the settings in its environment and begins
//! anew. Forks by `syscall` and by `clone` are seen in [`crate::interpose::raw`]; what is forked by other means is noticed late: see
//! [`crate::sys::lineage`].

use crate::run;
use crate::run::sync;
use crate::watch::fault;
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use foretrace_event::wire::Op;

type Handler = Option<unsafe extern "C" fn()>;
real_function!(fn __register_atfork(prepare: Handler, parent: Handler, child: Handler, dso: *mut c_void) -> c_int);

unsafe extern "C" fn prepare() {
    sync(Op::ProcessFork, 0, 0, run::caller());
}

unsafe extern "C" fn child() {
    born();
}

/// This process has been forked off a recorded one.
pub fn born() {
    if run::is_recording() || run::is_replaying() {
        run::leave();
    }
}

type OnExit = unsafe extern "C" fn(c_int, *mut c_void);
real_function!(fn on_exit(handler: OnExit, argument: *mut c_void) -> c_int);

unsafe extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    run::finish(status, 0);
    run::last_moment();
}

/// `main` is called through us, so that its return is seen before any function that is called at exit.
static MAIN_IS_SEEN: AtomicBool = AtomicBool::new(false);
/// The program's `main`.
static MAIN: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

type Main = unsafe extern "C-unwind" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

unsafe extern "C-unwind" fn main(count: c_int, arguments: *mut *mut c_char, variables: *mut *mut c_char) -> c_int {
    // SAFETY: it was stored before this function was handed to libc.
    let main: Main = unsafe { core::mem::transmute(MAIN.load(Ordering::Relaxed)) };
    // SAFETY: what libc passes to `main`.
    let status = unsafe { main(count, arguments, variables) };
    run::finish(status, 0);
    status
}

/// Of functions that are called at exit, those that are registered first are called last.
fn watch_exit() {
    // SAFETY: the handler is ours and stays.
    unsafe { on_exit(at_exit, core::ptr::null_mut()) };
}

/// From now on forks are seen. Handlers run in a child in the order in which they were registered: ours comes first, so
/// that none of the program's records what the child does as if it were the parent.
fn watch_forks() {
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

real_function!(fn fork() -> c_int);

type Callback = Option<unsafe extern "C-unwind" fn()>;

interpose! {
    /// What calls `main`.
    fn __libc_start_main(
        program: Main, count: c_int, arguments: *mut *mut c_char, init: Callback, fini: Callback, loader: Callback,
        stack: *mut c_void,
    ) -> c_int {
        run::init();
        let mut called = program;
        if run::is_on() && !MAIN_IS_SEEN.swap(true, Ordering::Relaxed) {
            MAIN.store(program as *mut c_void, Ordering::Relaxed);
            watch_exit();
            called = main;
        }
        // SAFETY: the program's own arguments, and a `main` that calls its own.
        unsafe { real(called, count, arguments, init, fini, loader, stack) }
    }

    /// See the module.
    fn vfork() -> c_int {
        // SAFETY: takes nothing.
        unsafe { fork() }
    }

    /// What `pthread_atfork` calls.
    fn __register_atfork(prepare: Handler, parent: Handler, child: Handler, dso: *mut c_void) -> c_int {
        watch_forks();
        // SAFETY: the program's own arguments.
        unsafe { real(prepare, parent, child, dso) }
    }

    /// `fork` without the handlers that `pthread_atfork` registers.
    fn _Fork() -> c_int |pc| {
        sync(Op::ProcessFork, 0, 0, pc);
        // SAFETY: takes nothing.
        let process = unsafe { real() };
        if process == 0 {
            born();
        }
        process
    }

    /// Notes where the program gives up; so do those that follow.
    fn abort() |pc| {
        fault::give_up(pc);
        // SAFETY: takes nothing.
        unsafe { real() }
    }

    fn __assert_fail(what: *const c_char, file: *const c_char, line: u32, function: *const c_char) |pc| {
        fault::give_up(pc);
        // SAFETY: the program's own arguments.
        unsafe { real(what, file, line, function) }
    }

    fn __assert_perror_fail(error: c_int, file: *const c_char, line: u32, function: *const c_char) |pc| {
        fault::give_up(pc);
        // SAFETY: the program's own arguments.
        unsafe { real(error, file, line, function) }
    }

    fn _exit(status: c_int) |pc| {
        run::finish(status, pc);
        run::last_moment();
        // SAFETY: the program's own arguments.
        unsafe { real(status) }
    }

    fn _Exit(status: c_int) |pc| {
        run::finish(status, pc);
        run::last_moment();
        // SAFETY: the program's own arguments.
        unsafe { real(status) }
    }

    fn exit(status: c_int) |pc| {
        // Handlers and destructors still run after this; what they do is recorded.
        run::finish(status, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(status) }
    }

    fn quick_exit(status: c_int) |pc| {
        run::finish(status, pc);
        run::last_moment();
        // SAFETY: the program's own arguments.
        unsafe { real(status) }
    }
}
