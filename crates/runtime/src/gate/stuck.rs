//! Who waits for what, and whether anyone can still go on.
//!
//! A thread that is about to block says what for. A deadlock is a circle of threads that wait for each other's locks or
//! ends, found the moment it closes; or a moment at which all threads are blocked on things that only they could give,
//! found when nothing has happened for a while. Threads in operations with a deadline, or in calls that are none of these,
//! are not blocked: such a program is slow, not stuck.

mod objects;
mod patience;

use crate::gate::answer;
use crate::gate::order::{self, Next};
use crate::sys;
use crate::thread::tls::Section;
use crate::thread::waiting::{HeldLock, Waiting, Wanted};
use crate::thread::{Shared, StopTheWorld, Thread, threads};
use core::sync::atomic::{Ordering, fence};
use foretrace_event::LockClass;
use foretrace_event::wire::{LockArg, Op};
use objects::{Barrier, Cond, state};
pub use objects::{begin_wait, is_signalled, note};
pub use patience::{Watch, set_patience};

/// Who keeps a thread from going on.
enum Blocked {
    /// Nobody.
    No,
    /// A thread that holds what it wants, or has not ended.
    By(&'static Shared),
    /// All the others.
    ByAll,
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
