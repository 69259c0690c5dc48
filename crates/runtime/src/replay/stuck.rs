//! Who waits for what, and whether anyone can still go on.
//!
//! A thread that is about to block says what for. A deadlock is a circle of threads that wait for each other's locks or
//! ends, found the moment it closes; or a moment at which all threads are blocked on things that only they could give,
//! found when nothing has happened for a while. Threads in operations with a deadline, or in calls that are none of these,
//! are not blocked: such a program is slow, not stuck.

use super::schedule::{self, taken};
use super::{Player, WORLD, World, outcome};
use crate::tls::{Section, tls};
use crate::{arena, sys};
use core::sync::atomic::Ordering;
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};

/// A lock that a thread holds.
#[derive(Clone, Copy)]
pub struct HeldLock {
    /// Its address.
    pub object: usize,
    shared: bool,
}

/// The locks a thread holds, in the order it took them.
pub struct Held {
    at: *mut HeldLock,
    capacity: usize,
    count: usize,
}

impl Held {
    /// All of them.
    pub fn all(&self) -> &[HeldLock] {
        if self.count == 0 {
            return &[];
        }
        // SAFETY: the first `count` have been written.
        unsafe { core::slice::from_raw_parts(self.at, self.count) }
    }

    /// Does the thread hold it, and only shared?
    pub fn is_shared(&self, object: usize) -> bool {
        self.all().iter().rev().find(|lock| lock.object == object).is_some_and(|lock| lock.shared)
    }

    fn push(&mut self, lock: HeldLock) {
        if self.count == self.capacity {
            let capacity = (self.capacity * 2).max(16);
            let Some(at) = arena::allocate(capacity * size_of::<HeldLock>()) else { return };
            let at: *mut HeldLock = at.cast();
            // SAFETY: the new memory is larger than the old.
            unsafe { at.copy_from_nonoverlapping(self.at.cast_const(), self.count) };
            (self.at, self.capacity) = (at, capacity);
        }
        // SAFETY: there is room.
        unsafe { self.at.add(self.count).write(lock) };
        self.count += 1;
    }

    fn remove(&mut self, object: usize) -> bool {
        let Some(index) = self.all().iter().rposition(|lock| lock.object == object) else { return false };
        // SAFETY: the locks after it, moved down by one.
        unsafe { self.at.add(index).copy_from(self.at.add(index + 1), self.count - index - 1) };
        self.count -= 1;
        true
    }
}

/// What a thread is waiting for.
#[derive(Clone, Copy)]
pub struct Waiting {
    /// The operation it wants to complete.
    pub op: Op,
    /// On what.
    pub object: usize,
    /// For locks what they are, for a join the thread, for a barrier the phase.
    arg: u64,
    /// Where in the program.
    pub pc: usize,
    /// The frame there: while the thread waits, its stack stays as it is.
    pub frame: usize,
}

impl Waiting {
    /// For its turn in the schedule.
    pub const fn for_turn() -> Self {
        Self { op: Op::Gap, object: 0, arg: 0, pc: 0, frame: 0 }
    }

    /// For an operation to become possible.
    pub fn new(op: Op, object: usize, arg: u64, pc: usize) -> Self {
        Self { op, object, arg, pc, frame: tls().frame.get() }
    }
}

/// Who keeps a thread from going on.
enum Blocked {
    /// Nobody.
    No,
    /// A thread that holds what it wants, or has not ended.
    By(&'static Player),
    /// All the others.
    ByAll,
}

/// Brings what is known of an object up to date with a completed operation.
pub fn note(world: &mut World, player: &Player, op: Op, object: usize, arg: u64) {
    let key = object as u64;
    match op {
        Op::Lock => player.held_mut(world).push(HeldLock { object, shared: false }),
        Op::RdLock => player.held_mut(world).push(HeldLock { object, shared: true }),
        Op::Unlock => unlock(world, player, object),
        Op::Wait => change(world, key, |cond| Cond::from(cond).woken().into()),
        Op::WaitFailed => change(world, key, |cond| Cond::from(cond).gave_up().into()),
        Op::Signal => change(world, key, |cond| Cond::from(cond).signalled(1).into()),
        Op::Broadcast => change(world, key, |cond| Cond::from(cond).signalled(u32::MAX).into()),
        Op::BarrierInit => change(world, key, |_| arg << 32),
        Op::BarrierEnter => change(world, key, |barrier| barrier + 1),
        Op::OnceRun => change(world, key, |_| 1),
        Op::OnceDone | Op::OnceAbort => change(world, key, |_| 0),
        _ => {}
    }
}

fn change(world: &mut World, key: u64, new: impl FnOnce(u64) -> u64) {
    if let Some(state) = world.objects.entry(key) {
        *state = new(*state);
    }
}

/// A condition variable: who waits, and how many of them may go on.
#[derive(Clone, Copy)]
struct Cond {
    waiters: u32,
    wakes: u32,
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

/// A thread is about to wait on a condition variable.
pub fn begin_wait(world: &mut World, cond: usize) {
    change(world, cond as u64, |cond| u64::from(Cond { waiters: Cond::from(cond).waiters + 1, ..Cond::from(cond) }));
}

/// May one of those who wait go on?
pub fn is_signalled(world: &World, cond: usize) -> bool {
    Cond::from(world.objects.get(cond as u64).unwrap_or(0)).wakes > 0
}

/// A lock may be released by another thread than the one that took it.
fn unlock(world: &mut World, player: &Player, object: usize) {
    if player.held_mut(world).remove(object) {
        return;
    }
    let holds = |other: &&'static Player| other.held(world).all().iter().any(|lock| lock.object == object);
    if let Some(owner) = world.players().find(holds) {
        owner.held_mut(world).remove(object);
    }
}

/// The phase of a barrier that a thread which is about to enter it will be in.
pub fn barrier_phase(object: usize) -> u64 {
    let _section = Section::nest();
    let barrier = WORLD.lock().objects.get(object as u64).unwrap_or(0);
    phase(barrier)
}

const fn phase(barrier: u64) -> u64 {
    let (count, entered) = (barrier >> 32, barrier & 0xffff_ffff);
    match entered.checked_div(count) {
        Some(phase) => phase,
        None => u64::MAX,
    }
}

real_function!(fn sem_getvalue(semaphore: *mut libc::sem_t, value: *mut i32) -> i32);

fn blocked(world: &World, player: &'static Player) -> Blocked {
    let Some(waiting) = player.waiting(world) else { return Blocked::No };
    let state = world.objects.get(waiting.object as u64).unwrap_or(0);
    let by_all = |blocked: bool| if blocked { Blocked::ByAll } else { Blocked::No };
    match waiting.op {
        Op::Gap => {
            by_all(schedule::step(taken().load(Ordering::Acquire)).is_some_and(|step| step.thread != player.index))
        }
        Op::Lock | Op::RdLock => holder(world, player, waiting),
        Op::Join => match world.players().find(|other| u64::from(other.index) == waiting.arg) {
            Some(other) if !other.has_ended(world) => Blocked::By(other),
            _ => Blocked::No,
        },
        Op::SemWait => {
            let mut value = 0;
            // SAFETY: the program is waiting for this semaphore.
            let known = unsafe { sem_getvalue(waiting.object as *mut libc::sem_t, &mut value) } == 0;
            by_all(known && value <= 0)
        }
        Op::Wait => by_all(Cond::from(state).wakes == 0),
        Op::BarrierExit => by_all(phase(state) <= waiting.arg && phase(state) != u64::MAX),
        Op::OncePass => by_all(state == 1),
        _ => Blocked::No,
    }
}

/// Who holds the lock that a thread wants, in a way that keeps it out.
fn holder(world: &World, player: &'static Player, waiting: Waiting) -> Blocked {
    let class = LockArg::decode(waiting.arg).map_or(LockClass::Mutex, |arg| arg.class);
    let keeps_out = |other: &&'static Player| {
        let own = core::ptr::eq(*other, player);
        let may_again =
            own && (class.is_recursive() || matches!(class, LockClass::ErrorChecking | LockClass::Annotated));
        let conflicts = |lock: &HeldLock| lock.object == waiting.object && (waiting.op == Op::Lock || !lock.shared);
        !may_again && other.held(world).all().iter().any(conflicts)
    };
    world.players().find(keeps_out).map_or(Blocked::No, Blocked::By)
}

/// The thread is about to wait, if it cannot have what it wants at once: says so, and considers whether that is the end.
pub fn wait_for(player: &'static Player, waiting: Waiting) {
    let free = {
        let _section = Section::nest();
        let world = WORLD.lock();
        player.waiting.set(Some(waiting));
        matches!(blocked(&world, player), Blocked::No)
    };
    if !free {
        consider(player);
    }
}

/// The thread is about to block, or has ended: can anyone still go on?
pub fn consider(player: &'static Player) {
    let world = {
        let _section = Section::nest();
        let world = WORLD.lock();
        if is_circle(&world, player) {
            drop(world);
            return report(is_circle);
        }
        if !all_blocked(&world) {
            return;
        }
        world.progress
    };
    // What looks stuck may be about to move: a thread that has been woken and has not run yet.
    for _ in 0..PATIENCE {
        sys::sleep_a_millisecond();
        let _section = Section::nest();
        let now = WORLD.lock();
        if now.progress != world || !all_blocked(&now) {
            return;
        }
    }
    if let Some(step) = schedule::step(taken().load(Ordering::Acquire)) {
        outcome::stalled(taken().load(Ordering::Acquire), step.thread);
    }
    report(|world, other| !other.has_ended(world));
}

/// Milliseconds in which nothing happens before all blocked means stuck.
const PATIENCE: u32 = 40;

/// Threads of a circle, at most.
const LONGEST: usize = 100_000;

fn next(world: &World, player: &'static Player) -> Option<&'static Player> {
    match blocked(world, player) {
        Blocked::By(other) => Some(other),
        _ => None,
    }
}

fn is_circle(world: &World, player: &'static Player) -> bool {
    let mut at = player;
    for _ in 0..LONGEST {
        match next(world, at) {
            Some(other) if core::ptr::eq(other, player) => return true,
            Some(other) => at = other,
            None => return false,
        }
    }
    false
}

fn all_blocked(world: &World) -> bool {
    if super::is_someone_coming() {
        return false;
    }
    let mut alive = world.players().filter(|player| !player.has_ended(world)).peekable();
    alive.peek().is_some() && alive.all(|player| !matches!(blocked(world, player), Blocked::No))
}

/// Is everybody else blocked, so that nothing will change unless this thread does it?
pub fn do_others_wait(player: &'static Player) -> bool {
    let _section = Section::nest();
    let world = WORLD.lock();
    let mut others = world.players().filter(|other| !core::ptr::eq(*other, player) && !other.has_ended(&world));
    !super::is_someone_coming() && others.all(|other| !matches!(blocked(&world, other), Blocked::No))
}

fn report(which: impl Fn(&World, &'static Player) -> bool) {
    let _section = Section::nest();
    let world = WORLD.lock();
    let stuck = world.players().filter(|player| which(&world, player)).filter_map(|player| {
        let owner = next(&world, player).map_or(-1, |owner| i64::from(owner.index));
        Some((player, player.waiting(&world)?, owner))
    });
    outcome::deadlock(&world, stuck);
}
