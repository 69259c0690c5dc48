//! The library inside the checked program: it implements the ThreadSanitizer compiler ABI, stands in front of the
//! functions of libc that synchronise, and records what happens.
//!
//! # Ground rules
//!
//! This code lives in someone else's process, in its signal handlers, before `main` and after `exit`.
//!
//! * It never brings the program down for trouble of its own: it marks the recording incomplete and goes on.
//! * It calls no function that it interposes, except the *real* one through [`sys::real`]; the kernel it calls by itself
//!   ([`sys`]). It uses `core` alone: no allocator, no standard library, no panic that unwinds.
//! * On the hot path ([`sink::lines`], `hooks::plain`): no lock, no system call, no branch but the hit test.
//! * A *section* ([`thread::tls::Section`]) is where the state of a thread is inconsistent. Sections are short and never
//!   block on the program; signals that arrive in one are delivered at its end.
//! * What a function returns, and `errno`, are what the real one returned.
//!
//! # Where to find what
//!
//! A run is a gate, a sink and a watch, freely combined; [`axes`] says which are on. The layers, from the bottom: [`sys`],
//! [`memory`], [`sink`] (the recording), [`thread`] (one object a thread), [`gate`] (schedules), [`watch`] (detectors),
//! [`op`] (where an operation or an access goes to all three), [`run`] (how it begins and ends), `interpose` (what programs
//! call) and `hooks` (what compilers call).
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(dead_code, non_snake_case, reason = "tests export nothing: they run on libc's own functions"))]
#![allow(clippy::missing_safety_doc, reason = "the C interface is documented by its standards")]

#[macro_use]
mod sys;
#[macro_use]
mod macros;

mod axes;
mod cxx;
mod fast;
mod gate;
mod hooks;
mod interpose;
mod memory;
mod op;
mod run;
mod sink;
mod thread;
mod watch;

/// Nothing here panics on purpose; if it does, the recording ends as if the program had been killed.
#[cfg(all(not(test), panic = "abort"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    sys::write(2, b"foretrace: internal error in the runtime; please report it\n");
    sys::abort()
}

/// Runs when the library is loaded: code that is not instrumented calls no hook that would start the runtime.
#[cfg(not(test))]
#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = {
    extern "C" fn on_load() {
        run::init();
        run::begin_early();
    }
    on_load
};

/// The compiler's frames name this function; unwinding, as cancellation does it, passes through them.
#[cfg(all(not(test), panic = "abort"))]
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() -> i32 {
    const CONTINUE_UNWIND: i32 = 8;
    CONTINUE_UNWIND
}
