//! Operations that the controlled gate performs by itself: barriers, yields, and the end of the process.

pub mod files;
pub mod futex;
pub mod waits;

use crate::fast;
use crate::gate::controlled::Request;
use crate::gate::limit::SECOND;
use crate::gate::{clock, controlled};
use crate::op::{cancel, part};
use crate::sys::{self, Files};
use crate::thread;
use crate::thread::waiting::Waiting;
use core::ffi::c_int;
use foretrace_event::channel::notes;
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::wire::Op;
use libc::{pollfd, timespec};
use waits::await_files;

/// Arrives at a barrier and waits for the others. Is this the serial thread? None: the gate does not decide.
pub fn pass_barrier(barrier: usize, pc: usize) -> Option<bool> {
    let player = thread::taking_part().filter(|_| controlled::asks())?;
    part::flush(player);
    controlled::ask(player, Operation::new(OpKind::BarrierArrive, barrier as u64), false, pc);
    part::quietly(Op::BarrierEnter, barrier, 0, pc);
    player.set_waiting(Some(Waiting::new(Op::BarrierExit, barrier, 0, pc)));
    controlled::ask(player, Operation::new(OpKind::BarrierLeave, barrier as u64), false, pc);
    player.set_waiting(None);
    part::quietly(Op::BarrierExit, barrier, 0, pc);
    Some(controlled::is_serial(player))
}

/// The thread lets others run, or sleeps for so many nanoseconds, which are taken as passed. Does the gate decide?
pub fn yield_now(nanoseconds: i64, pc: usize) -> bool {
    let Some(player) = thread::taking_part().filter(|_| controlled::asks()) else { return false };
    part::flush(player);
    let request = Request::new(Operation::new(OpKind::Yield, 0), pc);
    match nanoseconds {
        0 => controlled::ask_for(player, request),
        _ => cancel::ask(player, request),
    };
    clock::pass(nanoseconds);
    true
}

/// The thread is at a border of a region that is meant to be atomic.
pub fn region(edge: OpKind, pc: usize) {
    if let Some(player) = thread::taking_part().filter(|_| controlled::asks()) {
        part::flush(player);
        controlled::ask(player, Operation::new(edge, 0), false, pc);
    }
}

/// The same for a sleep of this time. One that is no time is left for the real function to refuse.
pub unsafe fn sleep(time: *const timespec, pc: usize) -> bool {
    // SAFETY: the program passes a time, or null.
    let time = unsafe { time.as_ref() }.filter(|time| time.tv_sec >= 0 && (0..SECOND).contains(&time.tv_nsec));
    time.is_some_and(|time| yield_now(time.tv_sec.saturating_mul(SECOND).saturating_add(time.tv_nsec), pc))
}

/// The thread is about to read a pipe or a socket, and waits here until that does not block.
pub fn await_input(file: c_int, pc: usize) {
    let Some(player) = thread::taking_part().filter(|_| controlled::asks()) else { return };
    if files::blocking(file).is_some() {
        let mut file = pollfd { fd: file, events: libc::POLLIN, revents: 0 };
        await_files(player, Files { at: &raw mut file, count: 1 }, pc);
        player.asked.set(true);
    }
}

/// Something is about to be written to a file, now or when a buffer is full. Standard output is thrown away.
pub fn note_output(file: c_int) {
    let is_file = || sys::file_kind(file).is_ok_and(|(kind, _)| kind == libc::S_IFREG);
    if file > libc::STDERR_FILENO && controlled::is_on() && is_file() {
        controlled::note(notes::WRITES_FILES);
    }
}

/// The thread is about to write to a pipe, a socket or a file.
pub fn before_output(file: c_int, pc: usize) {
    note_output(file);
    if let Some(player) = thread::taking_part().filter(|_| controlled::asks())
        && let Some(channel) = files::blocking(file)
    {
        part::flush(player);
        controlled::ask(player, Operation::new(OpKind::Store, channel).with(1), false, pc);
        player.asked.set(true);
    }
}

/// A thread is about to be cancelled. False: the gate does not decide when it ends.
pub fn cancel(thread: Option<u32>, pc: usize) -> bool {
    controlled::note(notes::CANCELS);
    let Some(player) = thread::taking_part().filter(|_| controlled::asks()) else { return false };
    let Some(thread) = thread else { return false };
    if fast::is_on() {
        fast::refuse_cancel();
    }
    part::flush(player);
    controlled::ask(player, Operation::new(OpKind::Cancel, 0).with(thread.into()), false, pc);
    true
}

/// The current thread looks whether it has been cancelled.
pub fn look_for_cancellation(pc: usize) {
    if let Some(player) = thread::taking_part().filter(|_| controlled::asks()) {
        part::flush(player);
        cancel::ask(player, Request::new(Operation::new(OpKind::Yield, 0), pc));
    }
}

/// The process is about to end: others go first.
pub fn leave(pc: usize) {
    if let Some(player) = thread::taking_part().filter(|_| controlled::asks()) {
        part::flush(player);
        controlled::ask(player, Operation::new(OpKind::Exit, 0), false, pc);
        controlled::leave();
    }
}
