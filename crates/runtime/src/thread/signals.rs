//! Signals as far as threads go: those that have to wait, those that are blocked, and handlers that were left by a jump.

use crate::thread::tls::tls;
use core::cell::UnsafeCell;
use core::ffi::c_int;
use libc::{sigaction as Action, siginfo_t, sigset_t};

real_function!(pub fn sigaction(signal: c_int, new: *const Action, old: *mut Action) -> c_int);
real_function!(pub fn pthread_sigmask(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int);

/// Signals are numbered from 1 to this.
pub const SIGNALS: usize = 64;

/// What is kept of a signal that has to wait.
#[repr(C)]
pub struct Deferred {
    /// What the kernel says of it.
    pub info: siginfo_t,
    /// What was interrupted.
    pub context: [u8; CONTEXT],
}

/// A thread's signals that have to wait, by number.
pub type Slots = UnsafeCell<[Deferred; SIGNALS]>;

/// Bytes of a `ucontext_t` that handlers look at.
pub const CONTEXT: usize = size_of::<libc::ucontext_t>();

/// Blocks all signals, and says which were blocked before.
pub fn block_all() -> sigset_t {
    // SAFETY: both are locals.
    unsafe {
        let (mut all, mut before): (sigset_t, sigset_t) = (core::mem::zeroed(), core::mem::zeroed());
        (&raw mut all).cast::<u8>().write_bytes(0xff, size_of::<sigset_t>());
        pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        before
    }
}

/// Blocks these signals, and no others.
pub fn set_mask(mask: &sigset_t) {
    // SAFETY: the mask is the caller's.
    unsafe { pthread_sigmask(libc::SIG_SETMASK, mask, core::ptr::null_mut()) };
}

/// How many handlers the thread has left by a jump since this was asked last. It has left them if the frame of the last one
/// is gone from the stack.
#[cold]
pub fn left_by_jump() -> u32 {
    let tls = tls();
    let here = (&raw const tls) as usize;
    const FAR: usize = 1 << 20;
    let frame = tls.handler_frame.get();
    if here <= frame && frame - here <= FAR {
        return 0;
    }
    let left = tls.handlers.replace(0);
    super::choose_lines();
    left.into()
}
