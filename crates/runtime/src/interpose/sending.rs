//! The order that signals make: what was done before a signal was sent, or its handler installed, is visible to the handler,
//! and to the thread that takes the signal by waiting for it.
//!
//! Each signal's number is a channel. Who installs a handler, sends the signal or arms a timer of it releases into the channel;
//! a handler that begins, and a wait that returns, acquires from it. What comes out of a `signalfd` is ordered by one channel of
//! all signals. A handler's own work is its thread's, so what `pause` and `sigsuspend` order needs nothing more.

use crate::axes;
use crate::gate::controlled;
use crate::interpose::fd::channel::{self, Channel};
use crate::memory::map::Map;
use crate::memory::spin::Spin;
use crate::op::access::fills;
use crate::op::in_gate::files;
use crate::op::in_gate::waits::{self, Attempt, Time, before_change, done_within, until_done};
use crate::sys::{self, Files};
use crate::thread::tls::Section;
use core::ffi::{c_int, c_uint, c_void};
use libc::{itimerspec, itimerval, pollfd, pthread_t, sigevent, siginfo_t, sigset_t, sigval, timespec};

/// The signal is about to be sent, or may come from now on.
pub fn sends(signal: c_int, pc: usize) {
    if axes::is_live() && signal > 0 {
        Channel::signal(signal).release(pc);
        Channel::signal(ANY).release(pc);
        // Last, so that no other thread looks before the signal is there.
        before_change(files::SIGNALS, pc);
    }
}

/// A timer is about to be set.
fn timer_sends(signal: c_int, pc: usize) {
    if axes::is_on() {
        controlled::set_timer();
    }
    sends(signal, pc);
}

/// The signal has come.
pub fn comes(signal: c_int, pc: usize) {
    if axes::is_live() && signal > 0 {
        Channel::signal(signal).acquire(pc);
    }
}

real_function!(fn sigtimedwait(set: *const sigset_t, info: *mut siginfo_t, limit: *const timespec) -> c_int);
real_function!(fn signalfd(fd: c_int, set: *const sigset_t, flags: c_int) -> c_int);

/// Takes a signal of a set under the controlled gate. None: the gate does not decide.
unsafe fn taken_in_gate(set: *const sigset_t, info: *mut siginfo_t, time: Time, pc: usize) -> Option<c_int> {
    if !controlled::asks() {
        return None;
    }
    if let Some(time) = time {
        // SAFETY: as the caller says.
        return match done_within(files::SIGNALS, time, pc, || unsafe { take(set, info) })? {
            Attempt::Done(signal) => Some(signal),
            Attempt::NotYet => {
                // SAFETY: every thread has its `errno`.
                unsafe { *libc::__errno_location() = libc::EAGAIN };
                Some(-1)
            }
        };
    }
    // What comes from outside is seen by this file.
    // SAFETY: the program's own set; the other arguments are locals.
    let mut file = pollfd { fd: unsafe { signalfd(-1, set, 0) }, events: libc::POLLIN, revents: 0 };
    let files = Files { at: &raw mut file, count: 1 };
    // SAFETY: as above.
    let taken = until_done(files::SIGNALS, Some(files), pc, || unsafe { take(set, info) });
    sys::close(file.fd);
    taken
}

/// Takes a signal of a set if one is there.
unsafe fn take(set: *const sigset_t, info: *mut siginfo_t) -> Attempt<c_int> {
    let now = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: as the caller says; the time is a local.
    let signal = unsafe { sigtimedwait(set, info, &raw const now) };
    if signal > 0 { Attempt::Done(signal) } else { Attempt::NotYet }
}

/// Stands for all signals.
const ANY: c_int = 0;

/// The signals of timers, by the timers' numbers and one.
static TIMERS: Spin<Map> = Spin::new(Map::new());

/// In a forked child.
fn reset_locks() {
    TIMERS.reset();
}
at_fork!(reset_locks);

/// The signal that a timer sends; zero if it sends none.
unsafe fn signal_of(event: *const sigevent) -> c_int {
    // SAFETY: the program's own event.
    match unsafe { event.as_ref() } {
        None => libc::SIGALRM,
        Some(event) if matches!(event.sigev_notify, libc::SIGEV_SIGNAL | libc::SIGEV_THREAD_ID) => event.sigev_signo,
        Some(_) => 0,
    }
}

fn set_timer(timer: usize, signal: c_int) {
    let _section = Section::nest();
    if let Some(known) = TIMERS.lock().entry(timer as u64 + 1) {
        *known = signal as u64;
    }
}

fn timer_signal(timer: usize) -> c_int {
    let _section = Section::nest();
    TIMERS.lock().get(timer as u64 + 1).unwrap_or(0) as c_int
}

interpose! {
    fn kill(process: c_int, signal: c_int) -> c_int |pc| {
        sends(signal, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(process, signal) }
    }

    fn killpg(group: c_int, signal: c_int) -> c_int |pc| {
        sends(signal, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(group, signal) }
    }

    fn tgkill(process: c_int, thread: c_int, signal: c_int) -> c_int |pc| {
        sends(signal, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(process, thread, signal) }
    }

    fn raise(signal: c_int) -> c_int |pc| {
        sends(signal, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(signal) }
    }

    fn pthread_kill(thread: pthread_t, signal: c_int) -> c_int |pc| {
        sends(signal, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(thread, signal) }
    }

    fn sigqueue(process: c_int, signal: c_int, value: sigval) -> c_int |pc| {
        sends(signal, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(process, signal, value) }
    }

    fn pthread_sigqueue(thread: pthread_t, signal: c_int, value: sigval) -> c_int |pc| {
        sends(signal, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(thread, signal, value) }
    }

    fn alarm(seconds: c_uint) -> c_uint |pc| {
        timer_sends(libc::SIGALRM, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(seconds) }
    }

    fn ualarm(first: c_uint, interval: c_uint) -> c_uint |pc| {
        timer_sends(libc::SIGALRM, pc);
        // SAFETY: the program's own arguments.
        unsafe { real(first, interval) }
    }

    fn setitimer(which: c_int, new: *const itimerval, old: *mut itimerval) -> c_int |pc| {
        let signal = match which {
            libc::ITIMER_VIRTUAL => libc::SIGVTALRM,
            libc::ITIMER_PROF => libc::SIGPROF,
            _ => libc::SIGALRM,
        };
        timer_sends(signal, pc);
        // SAFETY: the program's own arguments.
        let result = unsafe { real(which, new, old) };
        if result == 0 {
            fills(pc, old);
        }
        result
    }

    fn timer_create(clock: c_int, event: *mut sigevent, timer: *mut *mut c_void) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let signal = signal_of(event);
            sends(signal, pc);
            let result = real(clock, event, timer);
            if result == 0 && axes::is_on() {
                set_timer(*timer as usize, signal);
            }
            result
        }
    }

    fn timer_settime(timer: *mut c_void, flags: c_int, new: *const itimerspec, old: *mut itimerspec) -> c_int |pc| {
        if axes::is_on() {
            timer_sends(timer_signal(timer as usize), pc);
        }
        // SAFETY: the program's own arguments.
        unsafe { real(timer, flags, new, old) }
    }

    fn sigwait(set: *const sigset_t, signal: *mut c_int) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        unsafe {
            let result = match taken_in_gate(set, core::ptr::null_mut(), None, pc) {
                Some(taken) => {
                    *signal = taken;
                    0
                }
                None => real(set, signal),
            };
            if result == 0 {
                comes(*signal, pc);
            }
            result
        }
    }

    fn sigwaitinfo(set: *const sigset_t, info: *mut siginfo_t) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let signal = unsafe { taken_in_gate(set, info, None, pc).unwrap_or_else(|| real(set, info)) };
        comes(signal, pc);
        signal
    }

    fn sigtimedwait(set: *const sigset_t, info: *mut siginfo_t, limit: *const timespec) -> c_int |pc| {
        // SAFETY: the program's own arguments.
        let signal = unsafe {
            taken_in_gate(set, info, waits::time(limit), pc).unwrap_or_else(|| real(set, info, limit))
        };
        comes(signal, pc);
        signal
    }

    fn signalfd(fd: c_int, set: *const sigset_t, flags: c_int) -> c_int |_pc| {
        // SAFETY: the program's own arguments.
        let fd = unsafe { real(fd, set, flags) };
        if fd >= 0 {
            channel::set(fd, Some(Channel::signal(ANY)));
        }
        fd
    }
}
