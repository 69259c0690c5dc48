//! Which operations can happen now.
//!
//! Locks are known from what the threads hold, semaphores from their own values, everything else from the gate.

use crate::gate::controlled::slots::{Slot, asking, has_ended};
use crate::thread::tls::Section;
use crate::thread::waiting::Held;
use crate::thread::{objects, threads};
use core::sync::atomic::Ordering;
use foretrace_event::ThreadId;
use foretrace_event::visible::{ObjectId, OpKind, Operation};

/// Can the thread go on with what it asks for? `Exit` is decided by whoever knows all threads.
pub fn is_enabled(thread: ThreadId, slot: &Slot) -> bool {
    let operation = slot.operation();
    if slot.is_cancelled() || slot.request.get().files.is_some_and(|files| files.are_ready(false)) {
        return true;
    }
    match operation.kind {
        OpKind::Lock => is_free(thread, &operation),
        OpKind::ReadLock => may_share(operation.object.0),
        OpKind::SemWait => semaphore(operation.object.0) > 0,
        OpKind::Rewake => {
            let may_leave = operation.argument & Operation::MAY_LEAVE != 0;
            (slot.woken.get() || may_leave) && is_unheld(operation.other.0)
        }
        OpKind::BarrierLeave => slot.woken.get(),
        OpKind::OnceBegin => once(operation.object.0) != Once::Running,
        OpKind::Join => has_ended(operation.argument),
        OpKind::Spin => slot.has_change(round(&operation)),
        _ => true,
    }
}

/// How many steps the loop of a spinning thread repeats.
fn round(spin: &Operation) -> u32 {
    if spin.object == ObjectId::NONE { spin.argument as u32 } else { 1 }
}

/// The operation as it would happen now.
pub fn as_it_happens(thread: ThreadId, slot: &Slot) -> Operation {
    let operation = uncancelled(thread, slot);
    if slot.is_cancelled() { operation.when_cancelled() } else { operation }
}

/// The same if the thread has not been cancelled.
fn uncancelled(thread: ThreadId, slot: &Slot) -> Operation {
    let operation = slot.operation();
    if slot.spins() && !slot.has_change(round(&operation)) {
        // Another round of the loop, which finds what the one before has found.
        return Operation::new(OpKind::Yield, 0);
    }
    let kind = match operation.kind {
        OpKind::TryLock if !is_free(thread, &operation) => OpKind::LockFailed,
        OpKind::TryReadLock if !may_share(operation.object.0) => OpKind::ReadLockFailed,
        OpKind::SemTryWait if semaphore(operation.object.0) == 0 => OpKind::SemWaitFailed,
        OpKind::Rewake if !slot.woken.get() => OpKind::LeftWait,
        OpKind::OnceBegin if once(operation.object.0) == Once::Done => OpKind::OncePass,
        OpKind::TryJoin if !has_ended(operation.argument) => OpKind::JoinFailed,
        kind => kind,
    };
    let argument = match kind {
        OpKind::SemWait | OpKind::SemTryWait | OpKind::SemWaitFailed | OpKind::SemPost => semaphore(operation.object.0),
        _ => operation.argument,
    };
    Operation { kind, argument, ..operation }
}

/// Would the operation happen only because time passes? Others go first then, unless a plan says otherwise.
pub fn times_out(thread: ThreadId, slot: &Slot) -> bool {
    use OpKind::{JoinFailed, LeftWait, LockFailed, ReadLockFailed, SemWaitFailed};
    let fails =
        matches!(as_it_happens(thread, slot).kind, JoinFailed | LeftWait | LockFailed | ReadLockFailed | SemWaitFailed);
    (slot.request.get().timed || slot.operation().kind == OpKind::Rewake) && fails
}

fn is_unheld(lock: u64) -> bool {
    let _section = Section::nest();
    objects::find(lock).is_none_or(|lock| lock.holders.load(Ordering::Relaxed) == 0) || is_left_behind(lock)
}

/// Has every thread that holds the lock ended? A robust mutex can be taken then.
fn is_left_behind(lock: u64) -> bool {
    /// The word of a mutex with its kind, and the flag of robust ones.
    const KIND: usize = 4;
    const ROBUST: i32 = 16;
    let holds = |held: &mut Held| held.all().iter().any(|held| held.object as u64 == lock);
    let mut holders = threads().filter(|thread| thread.with_held(holds)).peekable();
    let all_ended = holders.peek().is_some() && holders.all(|thread| thread.ended.load(Ordering::Relaxed));
    // SAFETY: a mutex that a thread wants to take, which is aligned and has this word.
    all_ended && lock.is_multiple_of(4) && unsafe { (lock as *const i32).add(KIND).read_volatile() } & ROBUST != 0
}

/// May the thread take the lock for itself?
fn is_free(thread: ThreadId, operation: &Operation) -> bool {
    let lock = operation.object.0 as usize;
    is_unheld(lock as u64)
        || operation.argument & Operation::RECURSIVE != 0 && {
            let _section = Section::nest();
            let holds = |held: &mut Held| held.all().iter().any(|held| held.object == lock);
            threads().filter(|other| other.with_held(holds)).all(|other| other.index == thread.0)
        }
}

/// May a thread take the lock for reading?
fn may_share(lock: u64) -> bool {
    is_unheld(lock) || {
        let _section = Section::nest();
        let excludes = |held: &mut Held| held.all().iter().any(|held| held.object as u64 == lock && !held.shared);
        !threads().any(|other| other.with_held(excludes))
    }
}

real_function!(fn sem_getvalue(semaphore: *mut libc::sem_t, value: *mut i32) -> i32);

/// The value of a semaphore.
pub fn semaphore(semaphore: u64) -> u64 {
    let mut value = 0;
    // SAFETY: a thread is about to use this semaphore.
    let known = unsafe { sem_getvalue(semaphore as *mut libc::sem_t, &mut value) } == 0;
    if known { value.max(0) as u64 } else { 1 }
}

/// How far something is that is done once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Once {
    NotBegun,
    Running,
    Done,
}

fn once(control: u64) -> Once {
    let _section = Section::nest();
    match objects::find(control).map_or(0, |object| object.state.load(Ordering::Relaxed)) {
        1 => Once::Running,
        2 => Once::Done,
        _ => Once::NotBegun,
    }
}

/// The waiters of a condition variable that nobody has woken, in the order of their numbers.
pub fn waiters(cond: u64) -> impl Iterator<Item = &'static Slot> {
    asking().map(|(_, slot)| slot).filter(move |slot| slot.asks_for(OpKind::Rewake, cond) && !slot.woken.get())
}
