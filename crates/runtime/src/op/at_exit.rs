//! Results that the C++ library makes ready at the very end of a thread (`std::promise::set_value_at_thread_exit`).
//!
//! The library stores that a result is ready after the thread's own destructors have run, in code of its own that is not
//! instrumented. The load that finds the result ready is instrumented, and comes after all that the thread has done: a
//! release at the thread's end and an acquire after that load say so.

use crate::axes;
use crate::memory::spin::Spin;
use crate::sink::lines::{READ, WRITE};
use crate::thread::tls::{Section, tls};
use core::sync::atomic::{AtomicBool, Ordering};
use foretrace_event::wire::Op;

/// A result that is not ready before a thread has ended.
#[derive(Clone, Copy)]
struct Delayed {
    /// Where the library stores that it is ready; zero: nowhere.
    status: usize,
    /// The thread's storage; zero once it ends.
    thread: usize,
}

/// The newest of them.
struct Newest([Delayed; MOST], usize);
const MOST: usize = 64;

static NEWEST: Spin<Newest> = Spin::new(Newest([Delayed { status: 0, thread: 0 }; MOST], 0));
/// There has been one.
static ANY: AtomicBool = AtomicBool::new(false);

/// What stands for the current thread.
fn this_thread() -> usize {
    (&raw const *tls()) as usize
}

/// The result with this status is ready when the current thread has ended.
pub fn announce(status: usize) {
    let _section = Section::nest();
    let mut newest = NEWEST.lock();
    let next = newest.1 % MOST;
    (newest.0[next], newest.1) = (Delayed { status, thread: this_thread() }, next + 1);
    ANY.store(true, Ordering::Release);
}

/// The current thread ends: its own destructors have run, and the library's are next. If the library holds the last
/// reference to a result then, it destroys the result after its other owner has given it up, which is as invisible: what the
/// thread does from now on is not noted.
pub fn begin_end() {
    while ANY.load(Ordering::Acquire)
        && axes::is_live()
        && let Some(status) = take()
    {
        super::sync(Op::Release, status, 0, 0);
        super::access::ignore(READ | WRITE);
    }
}

/// The status of one of the current thread's results.
fn take() -> Option<usize> {
    let _section = Section::nest();
    let mut newest = NEWEST.lock();
    let own = newest.0.iter_mut().find(|delayed| delayed.thread == this_thread())?;
    own.thread = 0;
    Some(own.status)
}

/// A value has been loaded from an address.
#[inline]
pub fn note_load(at: usize, value: u64, pc: usize) {
    if ANY.load(Ordering::Relaxed) {
        note_load_of_status(at, value, pc);
    }
}

#[cold]
fn note_load_of_status(at: usize, value: u64, pc: usize) {
    const READY: u64 = 1;
    /// Set while someone waits.
    const WAITED_FOR: u64 = 1 << 31;
    if value & !WAITED_FOR == READY && axes::is_live() && is_ready(at) {
        super::sync(Op::Acquire, at, 0, pc);
    }
}

/// Is this the status of a result whose thread ends, or has ended?
fn is_ready(status: usize) -> bool {
    let _section = Section::nest();
    NEWEST.lock().0.iter().any(|delayed| delayed.status == status && delayed.thread == 0)
}

/// In a forked child.
fn reset_lock() {
    NEWEST.reset();
}
at_fork!(reset_lock);
