//! How processes multiply and end.
//!
//! `fork`, in whatever function of libc, is seen through `pthread_atfork`: the child is not recorded (or, if asked, as a
//! recording of its own from its first thread on), the parent is not disturbed. A `vfork` child would run in the parent's
//! memory and its operations would be taken for the parent's, so `vfork` forks, which the standard allows. `posix_spawn`
//! calls nothing of ours in its child. The program that `exec` starts finds the settings in its environment and begins
//! anew. Forks by `syscall` and by `clone` are seen in [`crate::interpose::raw`]; what is forked by other means is noticed afterwards: see
//! [`crate::sys::lineage`].

use crate::op::access::fills;
use crate::run;
use crate::run::process::{Handler, Main, born, forking, see_main, spawning, waited, watch_forks};
use crate::watch::fault;
use core::ffi::{c_char, c_int, c_void};
use libc::{idtype_t, rusage, siginfo_t};

real_function!(fn fork() -> c_int);

/// Functions that wait for child processes, and what they fill in.
macro_rules! waits {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) => $($value:ident),*;)*) => {
        interpose! {$(
            fn $name($($arg: $ty),*) -> c_int |pc| {
                // SAFETY: the program's own arguments.
                let result = unsafe { real($($arg),*) };
                if result >= 0 {
                    $(fills(pc, $value);)*
                    waited(pc);
                }
                result
            }
        )*}
    };
}

waits! {
    fn wait(status: *mut c_int) => status;
    fn waitpid(process: c_int, status: *mut c_int, flags: c_int) => status;
    fn wait3(status: *mut c_int, flags: c_int, usage: *mut rusage) => status, usage;
    fn wait4(process: c_int, status: *mut c_int, flags: c_int, usage: *mut rusage) => status, usage;
    fn waitid(kind: idtype_t, id: u32, info: *mut siginfo_t, flags: c_int) => info;
}

type Callback = Option<unsafe extern "C-unwind" fn()>;

interpose! {
    /// What calls `main`.
    fn __libc_start_main(
        program: Main, count: c_int, arguments: *mut *mut c_char, init: Callback, fini: Callback, loader: Callback,
        stack: *mut c_void,
    ) -> c_int {
        run::init();
        let called = see_main(program);
        // SAFETY: the program's own arguments, and a `main` that calls its own.
        unsafe { real(called, count, arguments, init, fini, loader, stack) }
    }

    /// See the module.
    fn vfork() -> c_int {
        // SAFETY: takes nothing.
        unsafe { fork() }
    }

    fn posix_spawn(
        process: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void,
        arguments: *const *mut c_char, variables: *const *mut c_char,
    ) -> c_int |pc| {
        spawning(pc);
        // SAFETY: the program's own arguments.
        unsafe { real(process, path, actions, attributes, arguments, variables) }
    }

    fn posix_spawnp(
        process: *mut c_int, file: *const c_char, actions: *const c_void, attributes: *const c_void,
        arguments: *const *mut c_char, variables: *const *mut c_char,
    ) -> c_int |pc| {
        spawning(pc);
        // SAFETY: the program's own arguments.
        unsafe { real(process, file, actions, attributes, arguments, variables) }
    }

    /// What `pthread_atfork` calls.
    fn __register_atfork(prepare: Handler, parent: Handler, child: Handler, dso: *mut c_void) -> c_int {
        watch_forks();
        // SAFETY: the program's own arguments.
        unsafe { real(prepare, parent, child, dso) }
    }

    /// `fork` without the handlers that `pthread_atfork` registers.
    fn _Fork() -> c_int |pc| {
        forking(pc);
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
