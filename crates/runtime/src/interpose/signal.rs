//! Signals: the program's handlers run as part of the thread they interrupt, never in the middle of a section.
//!
//! A handler that interrupts a section is put off to the section's end, a few instructions later; the faults a thread
//! causes by itself are not. While a handler runs, the thread's table of lines is left alone: the code that was
//! interrupted may be about to write to it.

use crate::spin::Spin;
use crate::state::{self, sync};
use crate::thread::Thread;
use crate::tls::{Section, tls};
use core::ffi::{c_int, c_void};
use foretrace_event::wire::Op;
use libc::{sigaction as Action, siginfo_t, sigset_t};

/// Signals are numbered from 1 to this.
pub const SIGNALS: usize = 64;

/// What is kept of a signal that has to wait.
#[repr(C)]
pub struct Deferred {
    info: siginfo_t,
    context: [u8; CONTEXT],
}

/// Bytes of a `ucontext_t` that handlers look at.
const CONTEXT: usize = size_of::<libc::ucontext_t>();

/// The program's own handlers.
static ACTIONS: Spin<[Option<Action>; SIGNALS]> = Spin::new([None; SIGNALS]);

type Plain = unsafe extern "C-unwind" fn(c_int);
type Full = unsafe extern "C-unwind" fn(c_int, *mut siginfo_t, *mut c_void);

real_function!(fn sigaction(signal: c_int, new: *const Action, old: *mut Action) -> c_int);
real_function!(fn pthread_sigmask(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int);

/// In a forked child.
pub fn reset_locks() {
    ACTIONS.reset();
}

fn action(signal: c_int) -> Option<Action> {
    let _section = Section::nest();
    ACTIONS.lock().get(signal as usize - 1).copied().flatten()
}

/// Did the thread cause it by itself? Such a signal cannot wait.
unsafe fn is_fault(signal: c_int, info: *const siginfo_t) -> bool {
    let faults = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS, libc::SIGABRT];
    // SAFETY: the kernel passes the information.
    faults.contains(&signal) && (unsafe { (*info).si_code } > 0 || signal == libc::SIGABRT)
}

unsafe extern "C" fn on_signal(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let tls = tls();
    // SAFETY: the kernel passes the information; the recorder is this thread's own.
    unsafe {
        match tls.thread.get().as_mut() {
            Some(thread) if tls.sections.get() != 0 && !is_fault(signal, info) => {
                defer(thread, signal, info, context);
            }
            _ => handle(signal, info, context),
        }
    }
}

unsafe fn defer(thread: &mut Thread, signal: c_int, info: *const siginfo_t, context: *const c_void) {
    let slot = &mut thread.deferred[signal as usize - 1];
    // SAFETY: the kernel passes both, whole.
    unsafe {
        slot.info = info.read();
        slot.context.as_mut_ptr().copy_from_nonoverlapping(context.cast(), CONTEXT);
    }
    tls().pending.set(tls().pending.get() | 1 << (signal - 1));
}

/// Delivers the signals that arrived in a section.
#[cold]
pub fn deliver_pending() {
    while tls().pending.get() != 0 && tls().sections.get() == 0 {
        let index = tls().pending.get().trailing_zeros() as usize;
        // SAFETY: signals are put off only in threads that have a recorder.
        let Some(thread) = (unsafe { tls().thread.get().as_mut() }) else { return tls().pending.set(0) };
        let signal = index as c_int + 1;
        let mask = action(signal).map(|action| action.sa_mask);
        // SAFETY: the masks are locals; the slot holds what the kernel passed.
        unsafe {
            let mut before = core::mem::zeroed();
            if let Some(mask) = mask {
                pthread_sigmask(libc::SIG_BLOCK, &mask, &mut before);
            }
            tls().pending.set(tls().pending.get() & !(1 << index));
            let slot = &mut thread.deferred[index];
            handle(signal, &mut slot.info, slot.context.as_mut_ptr().cast());
            if mask.is_some() {
                pthread_sigmask(libc::SIG_SETMASK, &before, core::ptr::null_mut());
            }
        }
    }
}

/// Runs the program's handler.
unsafe fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let Some(action) = action(signal) else { return };
    let tls = tls();
    let outer = (tls.handlers.get(), tls.handler_frame.get(), tls.lines.get(), tls.caller.get());
    // SAFETY: always valid.
    let errno = unsafe { *libc::__errno_location() };
    tls.handlers.set(outer.0 + 1);
    tls.handler_frame.set((&raw const action) as usize);
    tls.lines.set(crate::lines::no_lines());
    let waiting = tls.waiting.replace(false);
    sync(Op::SignalEnter, 0, signal as u64, 0);
    // SAFETY: the program has installed this function for this signal; which of the two it is, the flags say.
    unsafe {
        *libc::__errno_location() = errno;
        if action.sa_flags & libc::SA_SIGINFO != 0 {
            core::mem::transmute::<usize, Full>(action.sa_sigaction)(signal, info, context);
        } else {
            core::mem::transmute::<usize, Plain>(action.sa_sigaction)(signal);
        }
    }
    sync(Op::SignalExit, 0, signal as u64, 0);
    tls.waiting.set(waiting);
    tls.handlers.set(outer.0);
    tls.handler_frame.set(outer.1);
    tls.lines.set(outer.2);
    tls.caller.set(outer.3);
}

/// A handler may be left by a jump. It has been if its frame is gone from the stack.
#[cold]
pub fn notice_jumps() {
    let tls = tls();
    let here = (&raw const tls) as usize;
    const FAR: usize = 1 << 20;
    let frame = tls.handler_frame.get();
    if here > frame || frame - here > FAR {
        tls.handlers.set(0);
        crate::thread::choose_lines();
    }
}

/// Are these the handlers of the program, rather than the default or none?
const fn is_handler(handler: usize) -> bool {
    handler != libc::SIG_DFL && handler != libc::SIG_IGN
}

/// Installs the program's action behind ours.
unsafe fn install(signal: c_int, new: *const Action, old: *mut Action) -> c_int {
    // SAFETY: the program's own arguments.
    unsafe {
        if !state::is_on() || !(1..=SIGNALS as c_int).contains(&signal) {
            return sigaction(signal, new, old);
        }
        let _section = Section::nest();
        let mut actions = ACTIONS.lock();
        let before = actions[signal as usize - 1];
        let mut ours = new.as_ref().copied();
        if let Some(ours) = ours.as_mut().filter(|new| is_handler(new.sa_sigaction)) {
            actions[signal as usize - 1] = Some(*ours);
            ours.sa_sigaction = on_signal as *const () as usize;
            ours.sa_flags |= libc::SA_SIGINFO;
        }
        let result = sigaction(signal, ours.as_ref().map_or(core::ptr::null(), |ours| &raw const *ours), old);
        if result != 0 {
            actions[signal as usize - 1] = before;
        } else if let (Some(old), Some(before)) = (old.as_mut(), before)
            && old.sa_sigaction == on_signal as *const () as usize
        {
            *old = before;
        }
        result
    }
}

interpose! {
    fn sigaction(signal: c_int, new: *const Action, old: *mut Action) -> c_int {
        // SAFETY: the program's own arguments.
        unsafe { install(signal, new, old) }
    }

    fn signal(signal: c_int, handler: usize) -> usize {
        // SAFETY: the program's own arguments; the actions are locals.
        unsafe {
            let mut new: Action = core::mem::zeroed();
            let mut old: Action = core::mem::zeroed();
            new.sa_sigaction = handler;
            new.sa_flags = libc::SA_RESTART;
            if install(signal, &new, &mut old) == 0 { old.sa_sigaction } else { libc::SIG_ERR }
        }
    }
}
