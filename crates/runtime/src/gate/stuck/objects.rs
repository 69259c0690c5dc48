//! Locks, condition variables, barriers and once controls: who holds them, and who may go on.

use crate::axes;
use crate::thread::objects::{self, Object};
use crate::thread::stack::{self, Place};
use crate::thread::waiting::{Held, HeldLock};
use crate::thread::{Thread, threads};
use core::sync::atomic::Ordering;
use foretrace_event::wire::Op;

/// Brings what is known of an object up to date with a completed operation. Did the thread give back a lock that it held
/// for reading? The caller is in a section.
pub fn note(player: &'static Thread, op: Op, object: usize, arg: u64, pc: usize) -> bool {
    let change = |new: fn(u64, u64) -> u64| {
        if let Some(object) = player.objects.find(object as u64) {
            self::change(object, |state| new(state, arg));
        }
    };
    match op {
        Op::Lock => lock(player, object, false, pc),
        Op::RdLock => lock(player, object, true, pc),
        Op::Unlock => return unlock(player, object),
        _ => {}
    }
    player.move_on(None::<fn(&mut Held)>);
    match op {
        Op::Wait => change(|cond, _| Cond::from(cond).woken().into()),
        Op::FailedWait => change(|cond, _| Cond::from(cond).gave_up().into()),
        Op::Signal => change(|cond, _| Cond::from(cond).signalled(1).into()),
        Op::Broadcast => change(|cond, _| Cond::from(cond).signalled(u32::MAX).into()),
        Op::BarrierInit => {
            change(|_, count| Barrier { count: u16::try_from(count).unwrap_or(0), ..Barrier::default() }.into())
        }
        Op::BarrierEnter => change(|barrier, _| Barrier::from(barrier).entered().into()),
        Op::BarrierExit => change(|barrier, _| Barrier::from(barrier).left().into()),
        Op::OnceRun => change(|_, _| 1),
        Op::OnceDone => change(|_, _| 2),
        Op::OnceAbort => change(|_, _| 0),
        _ => {}
    }
    false
}

fn change(object: &Object, new: impl Fn(u64) -> u64) {
    let state = object.state.load(Ordering::Acquire);
    if new(state) == state {
        return;
    }
    let _ = object.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| Some(new(state)));
}

fn lock(player: &'static Thread, object: usize, shared: bool, pc: usize) {
    let place = axes::watches_accesses().then(|| Place::of_call(pc));
    let stack = place.map_or(0, |place| stack::capture_own(player, place, stack::Circumstances::default()));
    player.move_on(Some(|held: &mut Held| held.push(HeldLock { object, shared, stack })));
    if let Some(object) = player.objects.find(object as u64) {
        count_holders(object, shared, 1);
    }
}

/// A lock may be released by another thread than the one that took it.
fn unlock(player: &'static Thread, object: usize) -> bool {
    let own = player.move_on(Some(|held: &mut Held| held.remove(object))).flatten();
    let other = || threads().find_map(|other| other.with_held(|held| held.remove(object)));
    let removed = own.or_else(other);
    if let Some((lock, object)) = removed.zip(player.objects.find(object as u64)) {
        count_holders(object, lock.shared, -1);
    }
    own.is_some_and(|lock| lock.shared)
}

/// One that is held by one thread at a time is counted by that thread.
fn count_holders(object: &Object, shared: bool, change: i32) {
    if shared {
        object.holders.fetch_add(change as u32, Ordering::Relaxed);
    } else {
        object.holders.store(object.holders.load(Ordering::Relaxed).wrapping_add_signed(change), Ordering::Relaxed);
    }
}

/// The state of an object, as [`note`] leaves it.
pub fn state(object: usize) -> u64 {
    objects::find(object as u64).map_or(0, |object| object.state.load(Ordering::Acquire))
}

/// A condition variable: who waits, and how many of them may go on.
#[derive(Clone, Copy)]
pub struct Cond {
    waiters: u32,
    pub wakes: u32,
}

impl From<u64> for Cond {
    fn from(state: u64) -> Self {
        Self { waiters: (state >> 32) as u32, wakes: state as u32 }
    }
}

impl From<Cond> for u64 {
    fn from(cond: Cond) -> Self {
        Self::from(cond.waiters) << 32 | Self::from(cond.wakes)
    }
}

impl Cond {
    /// A signal wakes nobody if nobody waits.
    fn signalled(self, wakes: u32) -> Self {
        Self { wakes: self.wakes.saturating_add(wakes).min(self.waiters), ..self }
    }

    fn woken(self) -> Self {
        Self { waiters: self.waiters.saturating_sub(1), wakes: self.wakes.saturating_sub(1) }
    }

    fn gave_up(self) -> Self {
        let waiters = self.waiters.saturating_sub(1);
        Self { waiters, wakes: self.wakes.min(waiters) }
    }
}

/// A thread is about to wait on a condition variable. The caller is in a section.
pub fn begin_wait(cond: usize) {
    if let Some(cond) = objects::find(cond as u64) {
        change(cond, |cond| u64::from(Cond { waiters: Cond::from(cond).waiters + 1, ..Cond::from(cond) }));
    }
}

/// May one of those who wait go on? The caller is in a section.
pub fn is_signalled(cond: usize) -> bool {
    Cond::from(state(cond)).wakes > 0
}

/// A barrier: how many threads it takes, how many wait for more to come, and how many it has let go and were not seen to
/// leave. Which of the threads inside these are is the kernel's choice.
#[derive(Clone, Copy, Default)]
pub struct Barrier {
    count: u16,
    waiting: u16,
    pub leaving: u32,
}

impl From<u64> for Barrier {
    fn from(state: u64) -> Self {
        Self { count: (state >> 48) as u16, waiting: (state >> 32) as u16, leaving: state as u32 }
    }
}

impl From<Barrier> for u64 {
    fn from(barrier: Barrier) -> Self {
        Self::from(barrier.count) << 48 | Self::from(barrier.waiting) << 32 | Self::from(barrier.leaving)
    }
}

impl Barrier {
    /// The last thread of a phase lets all of it go.
    fn entered(self) -> Self {
        let waiting = self.waiting.saturating_add(1);
        if waiting < self.count {
            return Self { waiting, ..self };
        }
        Self { waiting: 0, leaving: self.leaving.saturating_add(waiting.into()), ..self }
    }

    fn left(self) -> Self {
        Self { leaving: self.leaving.saturating_sub(1), ..self }
    }
}
