//! Operations that the controlled gate performs by itself: barriers, yields, and the end of the process.

use crate::gate::{answer, controlled};
use crate::op::part;
use crate::sys;
use crate::thread;
use crate::thread::waiting::Waiting;
use core::ffi::c_int;
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::wire::Op;

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

/// The thread lets others run, or sleeps. Is that all? An execution of many takes the time as passed; one that confirms a
/// failure really sleeps.
pub fn yield_now(pc: usize) -> bool {
    let Some(player) = thread::taking_part().filter(|_| controlled::asks()) else { return false };
    part::flush(player);
    controlled::ask(player, Operation::new(OpKind::Yield, 0), false, pc);
    !answer::is_open()
}

/// The thread is about to read a pipe or a socket, and waits here until that does not block.
pub fn await_input(file: c_int, pc: usize) {
    let may_block = || sys::file_kind(file).is_ok_and(|(kind, _)| matches!(kind, libc::S_IFIFO | libc::S_IFSOCK));
    if controlled::is_on()
        && may_block()
        && let Some(player) = thread::taking_part().filter(|_| controlled::asks())
    {
        part::flush(player);
        controlled::await_input(player, file, pc);
    }
}

/// The thread waits on a futex for as long as that has this value. Which thread is woken is not told apart: all that wait
/// look again when the value has changed. None: the gate does not decide.
pub fn await_futex(word: usize, value: u32, pc: usize) -> Option<sys::Result<()>> {
    let player = thread::taking_part().filter(|_| controlled::asks())?;
    let on_word = |kind| Operation::new(kind, word as u64).with(size_of::<u32>() as u64);
    part::flush(player);
    controlled::ask(player, on_word(OpKind::Load), false, pc);
    // SAFETY: the program passes a word that the kernel would read.
    if unsafe { (word as *const u32).read_volatile() } != value {
        return Some(Err(libc::EAGAIN));
    }
    player.set_waiting(Some(Waiting::new(Op::AtomicLoad, word, 0, pc)));
    controlled::ask(player, on_word(OpKind::Spin), false, pc);
    player.set_waiting(None);
    Some(Ok(()))
}

/// The process is about to end: others go first.
pub fn leave(pc: usize) {
    if let Some(player) = thread::taking_part().filter(|_| controlled::asks()) {
        part::flush(player);
        controlled::ask(player, Operation::new(OpKind::Exit, 0), false, pc);
        controlled::leave();
    }
}
