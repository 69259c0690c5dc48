//! Can none of the threads go on?

use foretrace_event::{Event, EventId, Patience, ThreadId};
use foretrace_finding::Deadlock;

use crate::Objection;
use crate::state::State;

pub(super) fn check(state: &State<'_>, deadlock: &Deadlock) -> Result<(), Objection> {
    if deadlock.stuck().is_empty() {
        return Err(Objection::Empty);
    }
    let others = state.trace.threads().filter(|thread| deadlock.events().all(|id| id.thread != *thread));
    let free: Vec<_> =
        others.filter(|thread| state.next(*thread).is_some()).filter(|t| !unborn(state, *t, deadlock)).collect();
    for id in deadlock.events() {
        if !state.is_next(id) {
            return Err(Objection::NotNext(id));
        }
        if state.possible(id) || !waits(state.trace.event(id)) || helped(state, id, &free) {
            return Err(Objection::NotStuck(id));
        }
    }
    Ok(())
}

/// Will this thread never be created, because a stuck thread, or one that will itself never be created, would have to
/// create it?
fn unborn(state: &State<'_>, thread: ThreadId, deadlock: &Deadlock) -> bool {
    let mut child = thread;
    while let Some(fork) = state.trace.fork_of(child).filter(|fork| !state.is_done(*fork)) {
        if deadlock.events().any(|id| id.thread == fork.thread) || state.next(fork.thread).is_none() {
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
fn helped(state: &State<'_>, id: EventId, free: &[ThreadId]) -> bool {
    let is_free = |thread: &ThreadId| free.contains(thread);
    let left = |thread: &ThreadId, which: &dyn Fn(Event) -> bool| {
        let from = state.next(*thread).map_or(u32::MAX, |next| next.index);
        state.trace.events(*thread).skip(from as usize).any(which)
    };
    let any_left = |which: &dyn Fn(Event) -> bool| free.iter().any(|thread| left(thread, which));
    match state.trace.event(id) {
        Event::Join(other) => is_free(&other),
        Event::Lock(lock, _) if state.owners(id.thread, lock, true).next().is_some() => {
            state.owners(id.thread, lock, true).all(|owner| is_free(&owner))
        }
        Event::RdLock(lock, _) if state.owners(id.thread, lock, false).next().is_some() => {
            state.owners(id.thread, lock, false).all(|owner| is_free(&owner))
        }
        Event::Lock(lock, _) | Event::RdLock(lock, _) => any_left(&|event| event == Event::Unlock(lock)),
        Event::Wait(..) if state.has_missed(id) => false,
        Event::Wait(instance, ..) => {
            any_left(&|event| matches!(event, Event::Signal(other) | Event::Broadcast(other) if other == instance))
        }
        Event::BarrierExit(barrier) => {
            let comes = |thread: &&ThreadId| {
                !state.is_inside(**thread, barrier.index())
                    && left(thread, &|event| event == Event::BarrierEnter(barrier))
            };
            free.iter().filter(comes).count() as u64 >= state.missing(id.thread, barrier.index())
        }
        Event::SemWait(sem, _) => any_left(&|event| event == Event::SemPost(sem)),
        Event::OncePass(once) => any_left(&|event| event == Event::OnceDone(once)),
        Event::Acquire(channel) => awaited_releases(state, id, channel).all(|thread| is_free(&thread)),
        _ => true,
    }
}

/// The threads whose releases an acquire still waits for.
fn awaited_releases<'a>(
    state: &'a State<'_>,
    acquire: EventId,
    channel: foretrace_event::ChannelId,
) -> impl Iterator<Item = ThreadId> + 'a {
    let stamp = state.trace.stamp(acquire);
    state.trace.threads().filter(move |&thread| {
        let events = state.trace.events(thread).enumerate();
        let mut releases = events.filter(|(_, event)| *event == Event::Release(channel));
        releases.any(|(index, _)| {
            let id = EventId { thread, index: index as u32 };
            state.trace.stamp(id) < stamp && !state.is_done(id)
        })
    })
}
