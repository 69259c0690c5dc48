//! Executions without a fork: threads are coroutines of one system thread, and memory is put back after each execution.
//!
//! The fork server (`run::server`) forks a process that serves one request after the other, as long as that suits. It makes
//! system threads that sleep for ever and lend their stacks and thread-local storage ([`threads`]), protects all writable
//! memory to see which pages are written ([`pages`]), and has its system calls seen ([`calls`]). An execution then takes
//! no system call but those of the program. A hand-over between threads is a call of a function ([`switch`]).
//!
//! The part that survives ([`area`]) is the *driver*, which runs on a stack of its own between executions.
//!
//! **What does not suit** ends the process, and the server forks each execution from then on: system calls that leave traces
//! or depend on the thread that calls, a stack that the program chooses itself, and more than 16 MB of changing memory.
//! A crash ends the process as well, but the server makes another.

mod area;
mod calls;
mod pages;
mod stacks;
mod switch;
mod threads;

use crate::memory::lasting;
use crate::sys;
use crate::thread::tls::Section;
use crate::thread::{Body, signals, stack};
use area::{Area, area};
pub use area::{Reason, Shared, share, shared};
use core::sync::atomic::{AtomicBool, Ordering};
use foretrace_event::channel::Answer;
pub use stacks::give as give_stack;
pub use stacks::suits as stack_suits;
pub use threads::{claim, result, set_result};

/// Threads are coroutines.
static ON: AtomicBool = AtomicBool::new(false);
/// The program has called `abort`, or an assertion has failed.
static GAVE_UP: AtomicBool = AtomicBool::new(false);
/// How much memory the runtime may take in an execution.
const ROOM: usize = 1 << 28;

/// Are threads coroutines?
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The execution ends by a signal soon.
pub fn give_up() {
    GAVE_UP.store(true, Ordering::Relaxed);
}

/// Does it?
fn has_given_up() -> bool {
    GAVE_UP.load(Ordering::Relaxed)
}

/// Serves executions from here on: returns at the beginning of each. The answers and requests go through the pipes. False:
/// it cannot be done.
pub fn stand(pipes: [i32; 2], more: u32) -> bool {
    let section = Section::nest();
    let pointer = crate::thread::handle::handle() as usize;
    let before = signals::block_all();
    let lasts = area::make() && lasting::open() && stack::keep();
    let ready = lasts && is_supported() && threads::make(pointer, more) && sys::keep_mapped(ROOM);
    signals::set_mask(&before);
    if !ready || !signals_suit() {
        return false;
    }
    let area = area();
    area.main_pointer.set(pointer);
    area.pipes.set(pipes);
    area.heap_end.set(sys::heap_end());
    let (stack, size) = (area.handlers.get() as usize, size_of_val(&area.handlers));
    let own = [stack, 0, size];
    if sys::handler_stack(own.as_ptr().cast(), core::ptr::null_mut()).is_err() {
        return false;
    }
    ON.store(true, Ordering::Relaxed);
    drop(section);
    begin(area)
}

/// Goes over to the driver, which returns here at the beginning of each execution.
fn begin(area: &Area) -> bool {
    let top = (area.stack.get() as usize + size_of_val(&area.stack)) & !63;
    // SAFETY: the driver's stack is nobody else's, and the driver comes back here as often as it likes: the memory is then
    // as it was.
    unsafe {
        let driver = switch::prepare(top, drive);
        switch::switch(area.main.as_ptr(), driver, area.main_pointer.get());
    }
    true
}

/// Can programs set the thread pointer here?
fn is_supported() -> bool {
    const SETS_POINTER: u64 = 2;
    // SAFETY: takes a number.
    unsafe { libc::getauxval(libc::AT_HWCAP2) & SETS_POINTER != 0 }
}

/// Has the program no handler for the signals that are needed here?
fn signals_suit() -> bool {
    [libc::SIGSEGV, libc::SIGSYS].into_iter().all(|signal| {
        // SAFETY: the action is a local.
        unsafe {
            let mut now: libc::sigaction = core::mem::zeroed();
            signals::sigaction(signal, core::ptr::null(), &mut now);
            now.sa_sigaction == libc::SIG_DFL
        }
    })
}

/// Runs one execution after the other.
extern "C" fn drive() -> ! {
    let area = area();
    // What lies on the main thread's stack from here on is put back.
    if !pages::list(area) || !calls::watch() {
        calls::unsuited(Reason::Other as u32);
    }
    pages::protect(area);
    loop {
        // SAFETY: the main thread has gone over to the driver there.
        unsafe { switch::switch(area.driver.as_ptr(), area.main.get(), area.main_pointer.get()) };
        if area.is_last.get() {
            calls::leave(area.status.get());
        }
        if lasting::is_exhausted() {
            calls::unsuited(Reason::Memory as u32);
        }
        pages::restore(area);
        shared().busy.store(0, Ordering::Relaxed);
        let ended = Answer::Ended((area.status.get() as u32 & 0xff) << 8);
        if !answer(area, ended) || !await_request(area) {
            calls::leave(0);
        }
        shared().busy.store(1, Ordering::Relaxed);
    }
}

fn answer(area: &Area, answer: Answer) -> bool {
    let bytes = answer.word().to_le_bytes();
    // SAFETY: the bytes are a local.
    let written =
        unsafe { switch::call(libc::SYS_write, [area.pipes.get()[1] as u64, bytes.as_ptr() as u64, 8, 0, 0, 0]) };
    written == 8
}

fn await_request(area: &Area) -> bool {
    let mut word = 0u64;
    loop {
        // SAFETY: the word is a local, on the driver's stack.
        let read =
            unsafe { switch::call(libc::SYS_read, [area.pipes.get()[0] as u64, &raw mut word as u64, 8, 0, 0, 0]) };
        if read != -i64::from(libc::EINTR) {
            return read == 8;
        }
    }
}

/// The execution ends with this status.
pub fn finish(status: i32) -> ! {
    let area = area();
    area.status.set(status);
    let mut nowhere = 0;
    // SAFETY: the driver waits there; the current coroutine does not go on.
    unsafe { switch::switch(&raw mut nowhere, area.driver.get(), area.main_pointer.get()) };
    unreachable!("an execution ends once")
}

/// More threads are needed than there are: the execution is done again with as many.
pub fn want(number: u32) -> ! {
    shared().threads.store(number.next_power_of_two().max(number + 1), Ordering::Relaxed);
    calls::leave(0)
}

/// The program chooses the stack of a thread itself.
pub fn refuse_stack() -> ! {
    calls::unsuited(Reason::Stack as u32)
}

/// The program cancels a thread.
pub fn refuse_cancel() -> ! {
    calls::unsuited(Reason::Cancel as u32)
}

/// Hands over from one thread to another.
pub fn hand_over(from: u32, to: u32) {
    let (there, pointer) = threads::go_on(to);
    // SAFETY: the other thread has handed over, or has not begun.
    unsafe { switch::switch(threads::context(from), there, pointer) };
}

/// What the current thread, which has this number, is to the kernel and to libc, if it is a coroutine or runs on a stack that it
/// was given here.
pub fn body(number: u32) -> Option<Body> {
    if is_on() {
        let body = || Body { stack: stacks::bounds(threads::current()), tid: threads::tid() };
        return (threads::current() != 0).then(body);
    }
    let here = (&raw const number).addr();
    let (start, size) = stacks::bounds(number);
    (start..start + size).contains(&here).then(|| Body { stack: (start, size), tid: sys::tid() })
}
