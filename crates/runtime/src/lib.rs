//! The library inside the checked program: it implements the ThreadSanitizer compiler ABI, stands in front of the
//! functions of libc that synchronise, and records what happens.
//!
//! # Ground rules
//!
//! This code lives in someone else's process, in its signal handlers, before `main` and after `exit`.
//!
//! * It never brings the program down for trouble of its own: it marks the recording incomplete and goes on.
//! * It calls no function that it interposes, except the *real* one through [`real`]; the kernel it calls by itself
//!   ([`sys`]). It uses `core` alone: no allocator, no standard library, no panic that unwinds.
//! * On the hot path ([`lines`]): no lock, no system call, no branch but the hit test.
//! * A *section* ([`tls::Section`]) is where the recorder's state of a thread is inconsistent. Sections are short and
//!   never block on the program; signals that arrive in one are delivered at its end.
//! * What a function returns, and `errno`, are what the real one returned.
//!
//! # Where to find what
//!
//! [`recording`] is the file, [`stream`] a thread's records in it, [`lines`] the cache of touched lines and the access
//! hooks, [`thread`] the threads; `hooks` is what compilers call, `interpose` what programs call.
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(dead_code, non_snake_case, reason = "tests export nothing: they run on libc's own functions"))]
#![allow(clippy::missing_safety_doc, reason = "the C interface is documented by its standards")]

#[macro_use]
mod macros;

mod access;
mod arena;
mod benign;
mod bpf;
mod callers;
mod calls;
mod cxx;
mod elf;
mod ending;
mod hooks;
mod internal;
mod interpose;
mod lifetime;
mod lineage;
mod lines;
mod linkmap;
mod map;
mod modules;
mod names;
mod op;
mod places;
mod polling;
mod prelude;
mod real;
mod record;
mod recording;
mod replay;
mod sandbox;
mod settings;
mod spin;
mod stamp;
mod state;
mod stream;
mod sys;
mod tables;
mod thread;
mod tls;
mod unseen;

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
        state::init();
        state::begin_early();
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
