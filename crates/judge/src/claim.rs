//! Does the claim hold after the schedule?

use foretrace_event::{AtomicId, Event, EventId, IntervalId, Patience, ThreadId};
use foretrace_finding::{Deadlock, Race};

use crate::Objection;
use crate::bench::Bench;

pub(crate) fn race(bench: &Bench<'_>, race: &Race) -> Result<(), Objection> {
    for id in [race.first, race.second] {
        if !bench.is_next(id) {
            return Err(Objection::NotNext(id));
        }
    }
    let touch = |id| touches(bench, id, race.interval).ok_or(Objection::NoConflict);
    let ((writes, atomic), (other_writes, other_atomic)) = (touch(race.first)?, touch(race.second)?);
    let conflict = race.first.thread != race.second.thread && (writes || other_writes) && !(atomic && other_atomic);
    conflict.then_some(()).ok_or(Objection::NoConflict)
}

/// Does the event touch the interval? If so: does it write, and is it atomic?
fn touches(bench: &Bench<'_>, id: EventId, interval: IntervalId) -> Option<(bool, bool)> {
    let reaches = |atomic: AtomicId| bench.trace.atomic(atomic).intervals.contains(&interval);
    match bench.trace.event(id) {
        Event::Read(other) if other == interval => Some((false, false)),
        Event::Write(other) if other == interval => Some((true, false)),
        Event::AtomicLoad(atomic, ..) if reaches(atomic) => Some((false, true)),
        Event::AtomicStore(atomic, ..) | Event::AtomicRmw(atomic, ..) if reaches(atomic) => Some((true, true)),
        _ => None,
    }
}

pub(crate) fn deadlock(bench: &Bench<'_>, deadlock: &Deadlock) -> Result<(), Objection> {
    if deadlock.stuck().is_empty() {
        return Err(Objection::Empty);
    }
    let others = bench.trace.threads().filter(|thread| deadlock.events().all(|id| id.thread != *thread));
    let free: Vec<_> =
        others.filter(|thread| bench.next(*thread).is_some()).filter(|t| !unborn(bench, *t, deadlock)).collect();
    for id in deadlock.events() {
        if !bench.is_next(id) {
            return Err(Objection::NotNext(id));
        }
        if bench.possible(id) || !waits(bench.trace.event(id)) || helped(bench, id, &free) {
            return Err(Objection::NotStuck(id));
        }
    }
    Ok(())
}

/// Will this thread never be created, because a stuck thread, or one that will itself never be created, would have to
/// create it?
fn unborn(bench: &Bench<'_>, thread: ThreadId, deadlock: &Deadlock) -> bool {
    let mut child = thread;
    while let Some(fork) = bench.trace.fork_of(child).filter(|fork| !bench.is_done(*fork)) {
        if deadlock.events().any(|id| id.thread == fork.thread) || bench.next(fork.thread).is_none() {
            return true;
        }
        child = fork.thread;
    }
    false
}

/// Does the program wait when this cannot happen, rather than take another path?
fn waits(event: Event) -> bool {
    match event {
        Event::Lock(_, patience) | Event::RdLock(_, patience) | Event::SemWait(_, patience) => {
            patience == Patience::Blocking
        }
        Event::Join(_) | Event::Wait(..) | Event::BarrierExit(_) | Event::OncePass(_) | Event::Acquire(_) => true,
        _ => false,
    }
}

/// Could the free threads ever make this event possible with their remaining events?
fn helped(bench: &Bench<'_>, id: EventId, free: &[ThreadId]) -> bool {
    let is_free = |thread: &ThreadId| free.contains(thread);
    let left = |thread: &ThreadId, which: &dyn Fn(Event) -> bool| {
        let from = bench.next(*thread).map_or(u32::MAX, |next| next.index);
        bench.trace.events(*thread).skip(from as usize).any(which)
    };
    let any_left = |which: &dyn Fn(Event) -> bool| free.iter().any(|thread| left(thread, which));
    match bench.trace.event(id) {
        Event::Join(other) => is_free(&other),
        Event::Lock(lock, _) if bench.owners(id.thread, lock, true).next().is_some() => {
            bench.owners(id.thread, lock, true).all(|owner| is_free(&owner))
        }
        Event::RdLock(lock, _) if bench.owners(id.thread, lock, false).next().is_some() => {
            bench.owners(id.thread, lock, false).all(|owner| is_free(&owner))
        }
        Event::Lock(lock, _) | Event::RdLock(lock, _) => any_left(&|event| event == Event::Unlock(lock)),
        Event::Wait(..) if bench.has_missed(id) => false,
        Event::Wait(instance, _) => {
            any_left(&|event| matches!(event, Event::Signal(other) | Event::Broadcast(other) if other == instance))
        }
        Event::BarrierExit(barrier) => {
            let comes = |thread: &&ThreadId| {
                !bench.is_inside(**thread, barrier.index())
                    && left(thread, &|event| event == Event::BarrierEnter(barrier))
            };
            free.iter().filter(comes).count() as u64 >= bench.missing(id.thread, barrier.index())
        }
        Event::SemWait(sem, _) => any_left(&|event| event == Event::SemPost(sem)),
        Event::OncePass(once) => any_left(&|event| event == Event::OnceDone(once)),
        Event::Acquire(channel) => awaited_releases(bench, id, channel).all(|thread| is_free(&thread)),
        _ => true,
    }
}

/// The threads whose releases an acquire still waits for.
fn awaited_releases<'a>(
    bench: &'a Bench<'_>,
    acquire: EventId,
    channel: foretrace_event::ChannelId,
) -> impl Iterator<Item = ThreadId> + 'a {
    let stamp = bench.trace.stamp(acquire);
    bench.trace.threads().filter(move |&thread| {
        let events = bench.trace.events(thread).enumerate();
        let mut releases = events.filter(|(_, event)| *event == Event::Release(channel));
        releases.any(|(index, _)| {
            let id = EventId { thread, index: index as u32 };
            bench.trace.stamp(id) < stamp && !bench.is_done(id)
        })
    })
}
