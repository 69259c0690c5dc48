//! The controlled gate: exactly one thread runs, and each visible operation is asked for first.
//!
//! The thread that has the turn runs until its next visible operation. There it chooses who goes on, from the threads whose
//! operations can happen now: first as the plan prescribes, then by a policy that leaves sleeping threads alone. So no
//! thread ever blocks in the kernel, and a deadlock is a fact. Every step is written to a file that the tool reads.
//!
//! Which operations are visible, and which of them may not change places, is defined in [`foretrace_event::visible`].
//!
//! **What it misses.** Operations of signal handlers are no steps; they happen where the signal arrives. Threads that were
//! not created through the runtime run freely.

mod barrier;
mod channel;
mod enabled;
pub mod notes;
mod slots;
mod stop;
mod turn;

use crate::fast;
use crate::gate::symbolic;
use crate::sys::settings::Settings;
use crate::thread::tls::tls;
use crate::thread::{self, Shared, Thread};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use foretrace_event::ThreadId;
use foretrace_event::channel::{Header, RaceRecord};
use foretrace_event::visible::{OpKind, Operation};

pub use slots::{Granted, Request};
pub use stop::set_timer;
pub use turn::{amend, taken, wake_unseen};

/// Threads ask from now on.
static ON: AtomicBool = AtomicBool::new(false);
/// There is a plan.
static OPEN: AtomicBool = AtomicBool::new(false);
/// The thread that ended last, by its number in the kernel; zero: it is gone.
static LEAVING: AtomicU32 = AtomicU32::new(0);

/// Maps the files of the plan; false if there are none.
pub fn open(settings: &Settings) -> bool {
    OPEN.store(channel::open(settings), Ordering::Relaxed);
    notes::open(settings);
    is_open()
}

/// Is the run controlled, from now or from its first thread on?
pub fn is_open() -> bool {
    OPEN.load(Ordering::Relaxed)
}

/// Do threads ask?
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The main thread has the turn from now on.
pub fn begin() {
    if is_open() {
        turn::begin();
        open_ranges();
        notes::begin();
        ON.store(true, Ordering::Relaxed);
    }
}

/// Does the current thread ask? Not in a section of ours, nor in a handler of the program.
pub fn asks() -> bool {
    is_on() && tls().sections.get() == 0 && tls().handlers.get() == 0
}

/// The current thread asks for an operation, and returns when it happens.
pub fn ask(player: &'static Thread, operation: Operation, timed: bool, pc: usize) -> Granted {
    ask_for(player, Request { timed, ..Request::new(operation, pc) })
}

/// The same for a whole request. If that waits for files, something may come from outside.
pub fn ask_for(player: &'static Thread, request: Request) -> Granted {
    notes::step(player, &request.operation);
    symbolic::settle();
    let own = ThreadId(player.index);
    let granted = turn::ask(own, request);
    await_end();
    if slots::slot(own).cancelled.get() && !slots::slot(own).told.replace(true) {
        // What it calls next may end it, such as `write`.
        // SAFETY: it is the current thread.
        unsafe { pthread_cancel(pthread_self()) };
    }
    granted
}

real_function!(fn pthread_cancel(thread: libc::pthread_t) -> i32);
real_function!(fn pthread_self() -> libc::pthread_t);

/// The current thread is about to end, because it has been cancelled.
pub fn notice(player: &Shared) {
    slots::slot(ThreadId(player.index)).cancelled.set(false);
}

/// How many threads the last signal or broadcast of the thread has woken.
pub fn woken_by(player: &Shared) -> u32 {
    slots::slot(ThreadId(player.index)).woke.get()
}

/// What a thread waits for that is about to repeat a round of so many reads, the last of these bytes: a change of what they
/// read.
pub fn change(player: &Shared, reads: usize, at: usize, size: usize) -> Operation {
    let steps = slots::slot(ThreadId(player.index)).steps_of(reads);
    match steps {
        1 => Operation::new(OpKind::Spin, at as u64).with(size as u64),
        _ => Operation::new(OpKind::Spin, 0).with(steps.into()),
    }
}

/// The number of the thread that the current one creates next.
pub fn child_of(creator: u32, before: u32) -> u32 {
    match channel::number_of(ThreadId(creator), before) {
        Some(thread) => thread.0,
        None => stop::stop(stop::Why::TooManyThreads),
    }
}

/// The current thread, which is new and has this number, waits for its first step.
pub fn begin_thread(index: u32) {
    if is_on() {
        turn::begin_thread(ThreadId(index));
        await_end();
    }
}

/// The current thread has done its last step, and gives the turn away.
pub fn end_thread(player: &'static Shared) {
    if !fast::is_on() {
        LEAVING.store(player.tid, Ordering::Relaxed);
    }
    turn::end_thread(ThreadId(player.index));
}

/// Waits until the thread that ended last is gone: what libc frees at the end of a thread comes before what others do next.
fn await_end() {
    let tid = LEAVING.load(Ordering::Relaxed);
    if tid != 0 {
        while crate::sys::is_there(tid) {
            crate::sys::yield_now();
        }
        LEAVING.store(0, Ordering::Relaxed);
    }
}

/// The process is about to end: writes which threads have not ended.
pub fn leave() {
    stop::say_who_is_left();
}

/// A thread returns from a barrier: is it the serial one?
pub fn is_serial(player: &Shared) -> bool {
    slots::slot(ThreadId(player.index)).serial.get()
}

/// A barrier is initialised.
pub fn init_barrier(address: usize, count: u64) {
    if is_open() {
        barrier::init(address as u64, count);
    }
}

/// A race was seen.
pub fn put_race(address: usize, size: usize, places: [usize; 2], threads: [u32; 2]) {
    if is_open() {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let (places, threads) = (places.map(|place| place as u64), threads.map(ThreadId));
        channel::put_race(&RaceRecord { address: address as u64, size, step: taken(), places, threads });
    }
}

/// Something is to be said about the execution.
pub fn note(flags: u64) {
    if is_open() {
        channel::add(Header::Notes, flags);
    }
}

/// The plan is run again: what has happened is forgotten.
pub fn begin_again() {
    channel::forget();
}

/// Says why the execution was forked.
pub fn note_forked(reason: u32) {
    channel::set(Header::Forked, reason.into());
}

/// The flags of the plan.
pub fn flags() -> u64 {
    channel::get(Header::Flags)
}

/// The bounds of all visible ranges of plain memory: most accesses are outside.
static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

fn open_ranges() {
    for [address, size] in channel::visible() {
        LOWEST.fetch_min(address as usize, Ordering::Relaxed);
        HIGHEST.fetch_max((address + size) as usize, Ordering::Relaxed);
    }
}

/// Is a plain access of these bytes visible?
#[inline]
pub fn is_visible(address: usize, size: usize) -> bool {
    let (lowest, highest) = (LOWEST.load(Ordering::Relaxed), HIGHEST.load(Ordering::Relaxed));
    address < highest && address.saturating_add(size) > lowest && is_in_range(address as u64, size as u64)
}

fn is_in_range(address: u64, size: u64) -> bool {
    channel::visible().any(|[start, length]| address < start + length && start < address.saturating_add(size))
}

/// A plain access that is visible: the thread asks for it.
pub fn ask_for_access(player: &'static Thread, address: usize, size: usize, write: bool, pc: usize) {
    if asks() && thread::own().is_some() {
        let kind = if write { OpKind::PlainWrite } else { OpKind::PlainRead };
        ask(player, Operation::new(kind, address as u64).with(size as u64), false, pc);
    }
}
