//! Operations under the controlled gate: which visible operation each is, and how a thread asks for it.

use crate::gate::controlled::{self, Granted, Request};
use crate::gate::limit::Limit;
use crate::gate::turn::Arrival;
use crate::op::cancel;
use crate::thread::tls::Section;
use crate::thread::waiting::{Held, Waiting};
use crate::thread::{self, Thread};
use foretrace_event::channel::flags;
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::wire::{LockArg, Op};

/// Comes to an operation that may block or fail, and waits until it happens.
pub fn arrive(player: &'static Thread, op: Op, object: usize, arg: u64, limit: Limit, pc: usize) -> Arrival {
    if !controlled::asks() {
        return Arrival::Go;
    }
    let operation = acquiring(op, object, arg, matches!(limit, Limit::Forever));
    player.set_waiting(Some(Waiting::new(op, object, arg, pc)));
    let request = Request { timed: matches!(limit, Limit::Until(_)), ..Request::new(operation, pc) };
    let granted = match (op, limit) {
        (Op::SemWait | Op::Join, Limit::Forever | Limit::Until(_)) => cancel::ask(player, request),
        _ => controlled::ask_for(player, request),
    };
    player.set_waiting(None);
    player.asked.set(true);
    if !has_failed(granted.operation.kind) {
        return Arrival::Go;
    }
    match limit {
        Limit::Until(deadline) => {
            deadline.pass();
            Arrival::TimedOut
        }
        _ => Arrival::Fail,
    }
}

const fn has_failed(kind: OpKind) -> bool {
    use OpKind::{JoinFailed, LeftWait, LockFailed, ReadLockFailed, SemWaitFailed};
    matches!(kind, JoinFailed | LeftWait | LockFailed | ReadLockFailed | SemWaitFailed)
}

fn acquiring(op: Op, object: usize, arg: u64, blocks: bool) -> Operation {
    let either = |blocking, trying| Operation::new(if blocks { blocking } else { trying }, object as u64);
    let recursive = || LockArg::decode(arg).is_some_and(|arg| arg.class.is_recursive());
    match op {
        Op::Lock => either(OpKind::Lock, OpKind::TryLock).with(if recursive() { Operation::RECURSIVE } else { 0 }),
        Op::RdLock => either(OpKind::ReadLock, OpKind::TryReadLock),
        Op::SemWait => either(OpKind::SemWait, OpKind::SemTryWait),
        Op::Join => either(OpKind::Join, OpKind::TryJoin).with(arg),
        Op::OncePass => Operation::new(OpKind::OnceBegin, object as u64),
        _ => Operation::new(OpKind::Other, object as u64),
    }
}

/// The current thread is about to do an operation that cannot block: asks for it, unless it has asked already.
pub fn before(player: &'static Thread, op: Op, object: usize, arg: u64, pc: usize) {
    if op == Op::BarrierInit {
        controlled::init_barrier(object, arg);
    }
    if !controlled::asks() || player.asked.replace(false) && is_asked_before(op) {
        return;
    }
    if let Some(operation) = releasing(player, op, object, arg) {
        controlled::ask(player, operation, false, pc);
    }
}

/// Operations that were asked for when the thread arrived there.
const fn is_asked_before(op: Op) -> bool {
    use Op::{
        Acquire, FailedLock, FailedRdLock, FailedSemWait, Join, Lock, OncePass, OnceRun, RdLock, Release, SemWait,
    };
    matches!(op, Join | Lock | FailedLock | OncePass | OnceRun | RdLock | FailedRdLock | SemWait | FailedSemWait)
        || matches!(op, Acquire | Release)
}

fn releasing(player: &'static Thread, op: Op, object: usize, arg: u64) -> Option<Operation> {
    let kind = match op {
        Op::Unlock if holds_shared(player, object) => OpKind::ReadUnlock,
        Op::Unlock => OpKind::Unlock,
        Op::SemPost => OpKind::SemPost,
        Op::OnceDone | Op::OnceAbort => OpKind::OnceEnd,
        Op::Fork => OpKind::Create,
        Op::End => OpKind::End,
        Op::LockInit | Op::LockDestroy | Op::CondInit | Op::CondDestroy | Op::BarrierInit | Op::BarrierDestroy => {
            OpKind::Reset
        }
        Op::SemInit | Op::SemDestroy => OpKind::Reset,
        Op::Release | Op::Acquire => OpKind::Other,
        _ => return None,
    };
    let argument = match op {
        Op::Fork => arg,
        Op::End => player.index.into(),
        _ => 0,
    };
    Some(Operation::new(kind, object as u64).with(argument))
}

fn holds_shared(player: &'static Thread, object: usize) -> bool {
    let _section = Section::nest();
    let shares = |held: &mut Held| held.all().iter().any(|lock| lock.object == object && lock.shared);
    player.with_held(shares)
}

/// The thread gives its mutex back to wait on a condition variable.
pub fn begin_wait(player: &'static Thread, cond: usize, mutex: usize, pc: usize) {
    if controlled::asks() {
        controlled::ask(player, Operation::new(OpKind::Wait, cond as u64).and(mutex as u64), false, pc);
    }
}

/// How a wait on a condition variable ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// By a signal.
    Signalled,
    /// By itself, or because its time is over.
    Alone,
    /// Its thread has been cancelled, and is to end when it has the mutex.
    Cancelled,
}

/// Waits on a condition variable, with the mutex free. When this returns, the mutex can be taken.
pub fn end_wait(cond: usize, mutex: usize, limit: Limit, pc: usize) -> Woken {
    let Some(player) = thread::taking_part() else { return Woken::Signalled };
    let operation = Operation::new(OpKind::Rewake, cond as u64).and(mutex as u64);
    player.set_waiting(Some(Waiting::new(Op::Wait, cond, 0, pc)));
    let (woken, cancelled) = rewake(player, operation, limit, pc);
    player.set_waiting(None);
    match limit {
        _ if woken => Woken::Signalled,
        _ if cancelled => Woken::Cancelled,
        Limit::Until(deadline) => {
            deadline.pass();
            Woken::Alone
        }
        _ => Woken::Alone,
    }
}

/// Waits until it is woken, or may go on for another reason: was it woken, and has it been cancelled? A thread that was woken
/// before it could leave goes on.
fn rewake(player: &'static Thread, operation: Operation, limit: Limit, pc: usize) -> (bool, bool) {
    let timed = matches!(limit, Limit::Until(_));
    let may_leave = timed || controlled::flags() & flags::SPURIOUS != 0;
    let with = |may_leave| operation.with(if may_leave { Operation::MAY_LEAVE } else { 0 });
    let request = Request { timed, ..Request::new(with(may_leave), pc) };
    let granted = cancel::try_ask(player, request);
    let cancelled = granted.operation.kind == OpKind::Cancelled;
    let granted = if cancelled { controlled::ask(player, with(true), timed, pc) } else { granted };
    (granted.operation.kind == OpKind::Rewake, cancelled)
}

/// The thread has been cancelled in a wait, and has the mutex again.
pub fn end_cancelled() {
    if let Some(player) = thread::taking_part() {
        cancel::end(player);
    }
}

/// A signal or a broadcast is about to be given.
pub fn before_signal(player: &'static Thread, op: Op, cond: usize, pc: usize) {
    if controlled::asks() {
        let kind = if op == Op::Signal { OpKind::Signal } else { OpKind::Broadcast };
        controlled::ask(player, Operation::new(kind, cond as u64), false, pc);
    }
}

/// The thread is about to repeat a round of its loop, of so many operations: it waits until another changes what it reads. Then
/// it goes through the whole round again.
pub fn await_change(player: &'static Thread, round: usize, at: usize, size: usize, pc: usize) {
    let left = player.round_left.get();
    if left > 0 || !controlled::asks() {
        return player.round_left.set(left.saturating_sub(1));
    }
    player.set_waiting(Some(Waiting::new(Op::AtomicLoad, at, 0, pc)));
    controlled::ask(player, controlled::change(player, round, at, size), false, pc);
    player.set_waiting(None);
    player.round_left.set(round - 1);
}

/// Asks for an atomic operation, which writes or only reads.
pub fn before_atomic(player: &'static Thread, at: usize, size: usize, reads: bool, pc: usize) -> Option<Granted> {
    let kind = if reads { OpKind::Load } else { OpKind::Update };
    let operation = Operation::new(kind, at as u64).with(size as u64);
    controlled::asks().then(|| controlled::ask(player, operation, false, pc))
}

/// What an atomic operation turned out to be. One that leaves its variable as it was has only read it.
pub fn after_atomic(op: Op, changes_nothing: bool, at: usize, size: usize) {
    let kind = match op {
        Op::AtomicStore => OpKind::Store,
        Op::AtomicRmw if changes_nothing => OpKind::UpdateFailed,
        Op::AtomicRmw => OpKind::Update,
        Op::AtomicCasFailed => OpKind::UpdateFailed,
        _ => OpKind::Load,
    };
    controlled::amend(Operation::new(kind, at as u64).with(size as u64));
}
