//! Futexes that a program uses by number: its own locks, and those of C++'s `atomic::wait`. The gate decides who waits and who
//! is woken, so that a wake-up that comes too early, or reaches too few, is seen to be lost.

use crate::gate::controlled::{self, Request};
use crate::gate::limit::Limit;
use crate::op::part;
use crate::sys;
use crate::thread;
use crate::thread::waiting::Waiting;
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::wire::Op;

/// The thread waits on a futex if that has this value. None: the gate does not decide.
pub fn wait(word: usize, value: u32, limit: Limit, pc: usize) -> Option<sys::Result<()>> {
    let player = thread::taking_part().filter(|_| controlled::asks())?;
    part::flush(player);
    controlled::ask(player, Operation::futex(OpKind::FutexWait, word as u64), false, pc);
    // SAFETY: the program passes a word that the kernel would read.
    if unsafe { (word as *const u32).read_volatile() } != value {
        controlled::amend(Operation::futex(OpKind::FutexPassed, word as u64));
        return Some(Err(libc::EAGAIN));
    }
    let timed = matches!(limit, Limit::Until(_));
    let rewake = Operation::futex(OpKind::Rewake, word as u64).with(if timed { Operation::MAY_LEAVE } else { 0 });
    player.set_waiting(Some(Waiting::new(Op::AtomicLoad, word, 0, pc)));
    let granted = controlled::ask_for(player, Request { timed, ..Request::new(rewake, pc) });
    player.set_waiting(None);
    if let Limit::Until(deadline) = limit
        && granted.operation.kind != OpKind::Rewake
    {
        deadline.pass();
        return Some(Err(libc::ETIMEDOUT));
    }
    Some(Ok(()))
}

/// More than anyone has threads.
const ALL: u32 = 256;

/// The thread wakes so many that wait on a futex; how many there were. None: the gate does not decide.
pub fn wake(word: usize, count: u32, pc: usize) -> Option<u32> {
    let Some(player) = thread::taking_part().filter(|_| controlled::asks()) else {
        // A handler's wake-ups are no steps.
        if controlled::is_on() {
            controlled::wake_unseen(word as u64);
        }
        return None;
    };
    part::flush(player);
    let ask = |kind| {
        controlled::ask(player, Operation::futex(kind, word as u64), false, pc);
        controlled::woken_by(player)
    };
    if count >= ALL {
        return Some(ask(OpKind::Broadcast));
    }
    let mut woken = 0;
    while woken < count && ask(OpKind::Signal) == 1 {
        woken += 1;
    }
    Some(woken)
}

/// The thread does something else with a futex that may wake others, such as moving its waiters to another. All of them wake, as
/// they may without a reason; the kernel has none that it could wake.
pub fn disturb(word: usize, pc: usize) {
    wake(word, ALL, pc);
}
