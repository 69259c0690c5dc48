//! Who waits for what, and whether anyone can still go on.
//!
//! A thread that is about to block says what for. A deadlock is a circle of threads that wait for each other's locks or
//! ends, found the moment it closes; or a moment at which all threads are blocked on things that only they could give,
//! found when nothing has happened for a while. Threads in operations with a deadline, or in calls that are none of these,
//! are not blocked: such a program is slow, not stuck.

use crate::gate::order::{self, Next};
use crate::gate::{answer, limit, schedule};
use crate::thread::objects::{self, Object};
use crate::thread::stack::{self, Place};
use crate::thread::tls::Section;
use crate::thread::waiting::{Held, HeldLock, Waiting, Wanted};
use crate::thread::{Shared, StopTheWorld, Thread, threads};
use crate::{axes, sys};
use core::sync::atomic::{AtomicU64, Ordering, fence};
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};

/// Who keeps a thread from going on.
enum Blocked {
    /// Nobody.
    No,
    /// A thread that holds what it wants, or has not ended.
    By(&'static Shared),
    /// All the others.
    ByAll,
}

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

fn state(object: usize) -> u64 {
    objects::find(object as u64).map_or(0, |object| object.state.load(Ordering::Acquire))
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
struct Barrier {
    count: u16,
    waiting: u16,
    leaving: u32,
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

real_function!(fn sem_getvalue(semaphore: *mut libc::sem_t, value: *mut i32) -> i32);

fn by_all(blocked: bool) -> Blocked {
    if blocked { Blocked::ByAll } else { Blocked::No }
}

fn blocked(stopped: &StopTheWorld, player: &'static Shared) -> Blocked {
    match player.waiting(stopped) {
        None | Some(Waiting::Delayed(_) | Waiting::Leaving) => Blocked::No,
        Some(Waiting::Turn) => by_all(matches!(order::next(player.index), Next::NotYet)),
        Some(Waiting::Operation(wanted)) => withheld(stopped, player, wanted),
    }
}

/// Who keeps a thread from what it wants?
fn withheld(stopped: &StopTheWorld, player: &'static Shared, wanted: Wanted) -> Blocked {
    match wanted.op {
        Op::Lock | Op::RdLock => holder(stopped, player, wanted),
        Op::Join => match threads().find(|other| u64::from(other.index) == wanted.arg) {
            Some(other) if !other.has_ended(stopped) => Blocked::By(other),
            _ => Blocked::No,
        },
        Op::SemWait => {
            let mut value = 0;
            // SAFETY: the program is waiting for this semaphore.
            let known = unsafe { sem_getvalue(wanted.object as *mut libc::sem_t, &mut value) } == 0;
            by_all(known && value <= 0)
        }
        Op::Wait => by_all(Cond::from(state(wanted.object)).wakes == 0),
        Op::BarrierExit => by_all(Barrier::from(state(wanted.object)).leaving == 0),
        Op::OncePass => by_all(state(wanted.object) == 1),
        _ => Blocked::No,
    }
}

/// Who holds the lock that a thread wants, in a way that keeps it out.
fn holder(stopped: &StopTheWorld, player: &'static Shared, wanted: Wanted) -> Blocked {
    let class = LockArg::decode(wanted.arg).map_or(LockClass::Mutex, |arg| arg.class);
    let keeps_out = |other: &&'static Shared| {
        let own = core::ptr::eq(*other, player);
        let may_again =
            own && (class.is_recursive() || matches!(class, LockClass::ErrorChecking | LockClass::Annotated));
        let conflicts = |lock: &HeldLock| lock.object == wanted.object && (wanted.op == Op::Lock || !lock.shared);
        !may_again && other.held(stopped).all().iter().any(conflicts)
    };
    threads().find(keeps_out).map_or(Blocked::No, Blocked::By)
}

/// The thread is about to wait, if it cannot have what it wants at once: says so, and considers whether that is the end.
pub fn wait_for(player: &'static Thread, waiting: Waiting) {
    player.set_waiting(Some(waiting));
    if !is_free(player, waiting) {
        consider(player.shared());
    }
}

/// Is it a lock that nobody holds? If someone takes it first, it is that thread which sees a circle close.
fn is_free(player: &'static Thread, waiting: Waiting) -> bool {
    let _section = Section::nest();
    let is_lock = |wanted: &Wanted| matches!(wanted.op, Op::Lock | Op::RdLock);
    let lock = waiting.operation().filter(is_lock).and_then(|wanted| player.objects.find(wanted.object as u64));
    // Either we see that it is held, or its holder, when it comes to wait, sees what we wait for.
    fence(Ordering::SeqCst);
    lock.is_some_and(|lock| lock.holders.load(Ordering::Relaxed) == 0)
}

/// The thread is about to block, or has ended: can anyone still go on?
pub fn consider(player: &'static Shared) {
    let before = {
        let _section = Section::nest();
        let stopped = StopTheWorld::new();
        if is_circle(&stopped, player) {
            drop(stopped);
            return report(is_circle);
        }
        if !all_blocked(&stopped) {
            return;
        }
        stopped.progress()
    };
    // What looks stuck may be about to move: a thread that has been woken and has not run yet.
    for look in 0..PATIENCE {
        sys::sleep_a_millisecond();
        if !is_unchanged(before) {
            return;
        }
        let asleep = |other: &'static Shared| {
            other.ended.load(Ordering::Relaxed)
                || core::ptr::eq(other, player)
                || other.looks_for_signal.load(Ordering::Relaxed)
                || sys::sleeps_until_woken(other.tid)
        };
        if look >= SHORT_PATIENCE && threads().all(asleep) && is_unchanged(before) {
            break;
        }
    }
    if let Some(thread) = order::missing() {
        answer::stalled(thread);
    }
    report_all();
}

/// Is everybody blocked still, and has nothing happened since?
fn is_unchanged(before: u64) -> bool {
    let _section = Section::nest();
    let stopped = StopTheWorld::new();
    stopped.progress() == before && all_blocked(&stopped)
}

/// Milliseconds in which nothing happens before all blocked means stuck.
const PATIENCE: u32 = 40;
/// The same if the kernel, too, says that all sleep until someone wakes them.
const SHORT_PATIENCE: u32 = 5;

/// Threads of a circle, at most.
const LONGEST: usize = 100_000;

fn next(stopped: &StopTheWorld, player: &'static Shared) -> Option<&'static Shared> {
    match blocked(stopped, player) {
        Blocked::By(other) => Some(other),
        _ => None,
    }
}

fn is_circle(stopped: &StopTheWorld, player: &'static Shared) -> bool {
    let mut at = player;
    for _ in 0..LONGEST {
        match next(stopped, at) {
            Some(other) if core::ptr::eq(other, player) => return true,
            Some(other) => at = other,
            None => return false,
        }
    }
    false
}

fn all_blocked(stopped: &StopTheWorld) -> bool {
    all(stopped, |player| !matches!(blocked(stopped, player), Blocked::No))
}

/// Is it so of all threads that have not ended, and is nobody on the way?
fn all(stopped: &StopTheWorld, is_so: impl Fn(&'static Shared) -> bool) -> bool {
    let mut alive = threads().filter(|player| !player.has_ended(stopped)).peekable();
    !crate::thread::count::is_someone_coming() && alive.peek().is_some() && alive.all(is_so)
}

/// Which threads, other than those at delay points, can still run?
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    Nobody,
    /// Threads that do the same again and again, until something changes.
    Spinning,
    Running,
}

/// Who can go on?
pub fn rest(stopped: &StopTheWorld) -> Rest {
    let waits = |player: &'static Shared| match player.waiting(stopped) {
        Some(Waiting::Delayed(_) | Waiting::Leaving) => true,
        _ => !matches!(blocked(stopped, player), Blocked::No),
    };
    match () {
        () if all(stopped, waits) => Rest::Nobody,
        () if all(stopped, |player| waits(player) || player.repeats.is_many()) => Rest::Spinning,
        () => Rest::Running,
    }
}

/// Will a thread do nothing unless another does something? `last`: one at a delay point is about to go on.
pub fn is_idle(player: &'static Shared, last: bool) -> bool {
    let waiting = {
        let _section = Section::nest();
        let stopped = StopTheWorld::new();
        player.waiting(&stopped).map(|waiting| match waiting {
            Waiting::Delayed(_) => !last,
            _ => !matches!(blocked(&stopped, player), Blocked::No),
        })
    };
    waiting.unwrap_or_else(|| sys::activity(player.tid) == sys::Activity::Waits)
}

/// Is everybody else blocked, so that nothing will change unless this thread does it?
pub fn do_others_wait(player: &'static Shared) -> bool {
    let _section = Section::nest();
    let stopped = StopTheWorld::new();
    all(&stopped, |other| core::ptr::eq(other, player) || !matches!(blocked(&stopped, other), Blocked::No))
}

/// How often everybody must be found asleep, some milliseconds apart, before it is the end.
const FOUND_ASLEEP: u32 = 3;

/// Nanoseconds between looks, each of which holds everybody up; and once it seems to be the end.
const PAUSE: i64 = 6_000_000;
const SHORT_PAUSE: i64 = 1_500_000;

/// A look around by a thread that has slept long for its turn.
#[derive(Default)]
pub struct Watch {
    progress: u64,
    /// At the last look everybody was asleep.
    calm: bool,
    asleep: u32,
    /// The last step that was seen, if one was.
    last: Option<LastStep>,
}

/// How many steps had been taken, and when they were: by the clock, and by the time that the process has used, in
/// milliseconds.
#[derive(Clone, Copy)]
struct LastStep {
    steps: u32,
    at: u64,
    used: u64,
}

/// Milliseconds of the process's own time without a step after which it is plain that the schedule is not followed; zero:
/// never.
static STEP_PATIENCE: AtomicU64 = AtomicU64::new(0);
/// By the clock it may take this many times as long: threads may sleep between their looks.
const ASLEEP_BETWEEN: u64 = 4;

/// Sets how long a program may run on without a step.
pub fn set_patience(milliseconds: u64) {
    STEP_PATIENCE.store(milliseconds, Ordering::Relaxed);
}

/// Milliseconds on a clock.
fn milliseconds(clock: i32) -> u64 {
    let time = limit::now(clock);
    time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000
}

impl Watch {
    /// How long to sleep until the next look.
    pub const fn pause(&self) -> i64 {
        if self.calm { SHORT_PAUSE } else { PAUSE }
    }

    /// If those that we know nothing of sleep in the kernel until someone wakes them, time and again, and nothing happens
    /// meanwhile, nobody will.
    pub fn look(&mut self) {
        self.look_for_steps();
        let progress = {
            let _section = Section::nest();
            let stopped = StopTheWorld::new();
            let may_be_stuck = |player| is_unknown(player) || !matches!(blocked(&stopped, player), Blocked::No);
            all(&stopped, may_be_stuck).then(|| stopped.progress())
        };
        // Those who wait for one of our locks sleep, too: none is held meanwhile.
        let asleep = progress.is_some()
            && threads().filter(|player| is_unknown(player)).all(|player| sys::sleeps_until_woken(player.tid));
        self.calm = asleep;
        let still_asleep = asleep && progress == Some(self.progress);
        self.asleep = if still_asleep { self.asleep + 1 } else { 0 };
        self.progress = progress.unwrap_or(0);
        if self.asleep >= FOUND_ASLEEP
            && let Some(thread) = order::missing()
        {
            answer::stalled(thread);
        }
    }
}

impl Watch {
    /// A program in which threads run, and none of them comes to its step, only polls, or does something else for long. It is
    /// given up after a time in proportion to that of the recorded run.
    fn look_for_steps(&mut self) {
        let patience = STEP_PATIENCE.load(Ordering::Relaxed);
        let new = LastStep {
            steps: schedule::taken(),
            at: milliseconds(libc::CLOCK_MONOTONIC),
            used: milliseconds(libc::CLOCK_PROCESS_CPUTIME_ID),
        };
        let last = *self.last.get_or_insert(new);
        if last.steps != new.steps || limit::is_awaited() || patience == 0 {
            self.last = Some(new);
        } else if (new.used - last.used > patience || new.at - last.at > ASLEEP_BETWEEN * patience)
            && let Some(thread) = order::missing()
        {
            answer::stalled(thread);
        }
    }
}

/// A thread that does not say what it waits for, if it waits.
fn is_unknown(player: &Shared) -> bool {
    !player.ended.load(Ordering::Relaxed) && !player.waits.load(Ordering::Relaxed)
}

/// Reports all threads that have not ended as stuck.
fn report_all() {
    report(|stopped, other| !other.has_ended(stopped));
}

/// No thread can go on: reports those that wait for each other in a circle or, if none do, all that have not ended.
pub fn report_standstill() {
    let is_there = {
        let _section = Section::nest();
        let stopped = StopTheWorld::new();
        threads().any(|thread| !thread.has_ended(&stopped) && is_circle(&stopped, thread))
    };
    if is_there { report(is_circle) } else { report_all() }
}

fn report(which: impl Fn(&StopTheWorld, &'static Shared) -> bool) {
    let _section = Section::nest();
    let stopped = StopTheWorld::new();
    let stuck = threads().filter(|player| which(&stopped, player)).filter_map(|player| {
        let owner = next(&stopped, player).map_or(-1, |owner| i64::from(owner.index));
        Some((player, player.waiting(&stopped)?.operation()?, owner))
    });
    answer::deadlock(&stopped, stuck);
}
