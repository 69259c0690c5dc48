//! Signals: the program's handlers run as part of the thread they interrupt, never in the middle of a section.
//!
//! A handler that interrupts a section is put off to the section's end, a few instructions later; the faults a thread
//! causes by itself are not. While a handler runs, the thread's table of lines is left alone: the code that was
//! interrupted may be about to write to it.

use crate::memory::spin::Spin;
use crate::op::{self, part};
use crate::run::sync;
use crate::thread::signals::{Deferred, SIGNALS, block_all, pthread_sigmask, set_mask, sigaction};
use crate::thread::tls::{Section, deliver_by, tls};
use crate::watch::fault;
use crate::{axes, thread};
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;
use foretrace_event::wire::Op;
use libc::{sigaction as Action, siginfo_t, sigset_t};

/// The program's own handlers.
static ACTIONS: Spin<[Option<Action>; SIGNALS]> = Spin::new([None; SIGNALS]);

type Plain = unsafe extern "C-unwind" fn(c_int);
type Full = unsafe extern "C-unwind" fn(c_int, *mut siginfo_t, *mut c_void);

/// In a forked child.
fn reset_locks() {
    ACTIONS.reset();
}
at_fork!(reset_locks);

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
    // SAFETY: the kernel passes the information.
    unsafe {
        if axes::is_replaying() && is_fault(signal, info) {
            fault::note(signal, info, context);
        }
        match slot(signal) {
            Some(slot) if tls().sections.get() != 0 && !is_fault(signal, info) => defer(slot, signal, info, context),
            _ => handle(signal, info, context),
        }
    }
}

/// Where this thread keeps a signal; none if it does not count.
fn slot(signal: c_int) -> Option<*mut Deferred> {
    // SAFETY: there is a slot for each signal.
    thread::own().map(|thread| unsafe { thread.deferred.get().cast::<Deferred>().add(signal as usize - 1) })
}

/// Keeps a signal for the section's end. Until then it is blocked, so that the kernel queues others of its kind.
unsafe fn defer(slot: *mut Deferred, signal: c_int, info: *const siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes both, whole; what it blocks on return stands in the context. The slot is in no use while
    // its signal is not blocked.
    unsafe {
        (*slot).info = info.read();
        (&raw mut (*slot).context).copy_from_nonoverlapping(context.cast(), 1);
        *blocked(context) |= bit(signal);
    }
    tls().pending.fetch_or(bit(signal), Ordering::Relaxed);
}

const fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// The signals that a context blocks; the kernel's set is one word.
unsafe fn blocked(context: *mut c_void) -> *mut u64 {
    // SAFETY: the caller passes a context.
    unsafe { (&raw mut (*context.cast::<libc::ucontext_t>()).uc_sigmask).cast() }
}

/// Delivers the signals that arrived in a section.
#[cold]
fn deliver_pending() {
    while tls().sections.get() == 0 {
        let pending = tls().pending.load(Ordering::Relaxed);
        if pending == 0 {
            return;
        }
        let signal = pending.trailing_zeros() as c_int + 1;
        tls().pending.fetch_and(!bit(signal), Ordering::Relaxed);
        if let Some(slot) = slot(signal) {
            deliver(slot, signal);
        }
    }
}

/// Runs the handler of a signal that was put off; the signal has been blocked since.
fn deliver(slot: *mut Deferred, signal: c_int) {
    // SAFETY: the masks are locals; the slot holds what the kernel passed.
    unsafe {
        let context = (&raw mut (*slot).context).cast();
        let mut before: sigset_t = core::mem::zeroed();
        let also = action(signal).map_or(core::mem::zeroed(), |action| action.sa_mask);
        pthread_sigmask(libc::SIG_BLOCK, &also, &mut before);
        let was_blocked = *blocked(context) & bit(signal) != 0;
        handle(signal, &raw mut (*slot).info, context);
        if !was_blocked {
            *(&raw mut before).cast::<u64>() &= !bit(signal);
        }
        set_mask(&before);
    }
}

/// Runs the program's handler.
unsafe fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let Some(action) = action(signal) else { return };
    let tls = tls();
    let outer = (tls.handlers.get(), tls.handler_frame.get(), tls.caller.get());
    // SAFETY: always valid.
    let errno = unsafe { *libc::__errno_location() };
    tls.handlers.set(outer.0.saturating_add(1));
    tls.handler_frame.set((&raw const action) as usize);
    crate::thread::choose_lines();
    let waiting = tls.waiting.replace(false);
    let (rounds, blocked) = (op::rounds(), part::waits_for());
    sync(Op::SignalEnter, 0, signal as u64, 0);
    crate::interpose::sending::comes(signal, 0);
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
    op::resume(rounds);
    part::wait_on(blocked);
    tls.waiting.set(waiting);
    tls.handlers.set(outer.0);
    tls.handler_frame.set(outer.1);
    tls.caller.set(outer.2);
    crate::thread::choose_lines();
}

/// Are these the handlers of the program, rather than the default or none?
const fn is_handler(handler: usize) -> bool {
    handler != libc::SIG_DFL && handler != libc::SIG_IGN
}

/// Installs the program's action behind ours.
unsafe fn install(signal: c_int, new: *const Action, old: *mut Action) -> c_int {
    // SAFETY: the program's own arguments.
    unsafe {
        if !axes::is_on() || !(1..=SIGNALS as c_int).contains(&signal) {
            return sigaction(signal, new, old);
        }
        let _section = Section::nest();
        // A handler would wait for the lock that its own thread holds.
        let mask = block_all();
        let mut actions = ACTIONS.lock();
        let before = actions[signal as usize - 1];
        let mut ours = new.as_ref().copied();
        if let Some(ours) = ours.as_mut().filter(|new| is_handler(new.sa_sigaction)) {
            deliver_by(deliver_pending);
            actions[signal as usize - 1] = Some(*ours);
            ours.sa_sigaction = on_signal as *const () as usize;
            ours.sa_flags |= libc::SA_SIGINFO;
        } else if let Some(fault) = fault::instead_of_default(signal)
            && let Some(ours) = ours.as_mut().filter(|new| new.sa_sigaction == libc::SIG_DFL)
        {
            *ours = fault;
        }
        let result = sigaction(signal, ours.as_ref().map_or(core::ptr::null(), |ours| &raw const *ours), old);
        if result != 0 {
            actions[signal as usize - 1] = before;
        } else if let (Some(old), Some(before)) = (old.as_mut(), before)
            && old.sa_sigaction == on_signal as *const () as usize
        {
            *old = before;
        }
        if let Some(old) = old.as_mut().filter(|old| fault::is_ours(old.sa_sigaction)) {
            *old = core::mem::zeroed();
        }
        drop(actions);
        set_mask(&mask);
        result
    }
}

interpose! {
    fn sigaction(signal: c_int, new: *const Action, old: *mut Action) -> c_int |pc| {
        crate::interpose::sending::sends(signal, pc);
        // SAFETY: the program's own arguments.
        unsafe { install(signal, new, old) }
    }

    fn signal(signal: c_int, handler: usize) -> usize |pc| {
        crate::interpose::sending::sends(signal, pc);
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
