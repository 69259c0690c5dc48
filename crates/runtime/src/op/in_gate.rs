//! Operations that the controlled gate performs by itself: barriers, yields, and the end of the process.

use crate::gate::{answer, controlled};
use crate::op::part;
use crate::thread;
use crate::thread::waiting::Waiting;
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

/// The process is about to end: others go first.
pub fn leave(pc: usize) {
    if let Some(player) = thread::taking_part().filter(|_| controlled::asks()) {
        part::flush(player);
        controlled::ask(player, Operation::new(OpKind::Exit, 0), false, pc);
        controlled::leave();
    }
}
