//! Forced failures: operations that succeeded and could have failed, and what the program does then.
//!
//! A try or timed lock fails when another thread holds the lock, a semaphore's when it is zero, and a wait on a condition
//! may time out or end by itself at any time. Only the program can tell what comes after, so each such operation is
//! replayed once in a state in which it may fail, and then the program runs free under the race detector.
//!
//! The same is done for annotations that say that one thread comes after another: the threads are brought to a state in
//! which nothing has been announced yet, and the program decides whether it takes the branch with the annotation.

use foretrace_event::{Event, EventId, LockId, Patience, SemId, ThreadId};
use foretrace_finding::{Schedule, Step};
use foretrace_predict::{Options, Predictor};
use foretrace_trace::Trace;
use std::collections::BTreeSet;

/// Places that are tried, at most.
const PLACES: usize = 32;
/// Partners that are tried for one operation, at most.
const PARTNERS: usize = 16;
/// States of a search for one of them, at most.
const STATES: u64 = 10_000;

/// A schedule for each place with an operation that could have failed.
pub(crate) fn all(trace: &Trace, options: &Options) -> Vec<Schedule> {
    let mut options = options.clone();
    options.budget.states = options.budget.states.min(STATES);
    options.optimistic = false;
    let predictor = Predictor::new(trace, &options);
    let mut places = BTreeSet::new();
    let mut found = Vec::new();
    for id in events(trace) {
        let could_fail = could_fail(trace, trace.event(id));
        if !could_fail || places.contains(&trace.pc(id)) || found.len() == PLACES {
            continue;
        }
        if let Some(schedule) = one(trace, &predictor, id) {
            places.insert(trace.pc(id));
            found.push(schedule);
        }
    }
    found
}

fn events(trace: &Trace) -> impl Iterator<Item = EventId> + '_ {
    trace.threads().flat_map(|thread| (0..trace.len(thread)).map(move |index| EventId { thread, index }))
}

/// Objects at higher addresses are not the program's own: they stand for descriptors.
const HIGHEST_ADDRESS: u64 = 1 << 47;

fn could_fail(trace: &Trace, event: Event) -> bool {
    match event {
        Event::Lock(_, patience) | Event::RdLock(_, patience) | Event::SemWait(_, patience) => {
            patience != Patience::Blocking
        }
        Event::Wait(..) => true,
        Event::Acquire(channel) => (1..HIGHEST_ADDRESS).contains(&trace.channel(channel).address),
        _ => false,
    }
}

/// A schedule at whose end the operation fails, or is next although nothing has been announced.
fn one(trace: &Trace, predictor: &Predictor<'_>, id: EventId) -> Option<Schedule> {
    let partners = partners(trace, id).take(PARTNERS);
    partners.flat_map(|partner| predictor.meetings(id, partner)).find_map(|schedule| {
        let mut steps = schedule.steps().to_vec();
        may_fail(trace, &steps, id).then(|| {
            if !matches!(trace.event(id), Event::Acquire(_)) {
                steps.push(Step { event: id, fails: true });
            }
            Schedule::new(steps)
        })
    })
}

/// Events of other threads before which the operation may fail: those just after the lock was taken, the posts of
/// the semaphore; a wait, which needs no reason, ends before another thread has done anything.
fn partners(trace: &Trace, id: EventId) -> impl Iterator<Item = EventId> + '_ {
    let event = trace.event(id);
    let others = events(trace).filter(move |other| other.thread != id.thread);
    others.filter_map(move |other| {
        let after = EventId { index: other.index + 1, ..other };
        match (event, trace.event(other)) {
            (Event::Lock(lock, _) | Event::RdLock(lock, _), Event::Lock(held, _)) if lock == held => {
                (after.index < trace.len(after.thread)).then_some(after)
            }
            (Event::SemWait(sem, _), Event::SemPost(posted)) if sem == posted => Some(other),
            (Event::Acquire(one), Event::Release(another)) if one == another => Some(other),
            (Event::Wait(..), Event::Start) => Some(other),
            _ => None,
        }
    })
}

/// Is the state after these steps one in which it fails?
fn may_fail(trace: &Trace, steps: &[Step], id: EventId) -> bool {
    match trace.event(id) {
        Event::Lock(lock, _) | Event::RdLock(lock, _) => holder(trace, steps, lock).is_some_and(|by| by != id.thread),
        Event::SemWait(sem, _) => value(trace, steps, sem) == 0,
        _ => true,
    }
}

fn holder(trace: &Trace, steps: &[Step], lock: LockId) -> Option<ThreadId> {
    let mut holder = None;
    for step in steps {
        match trace.event(step.event) {
            Event::Lock(taken, _) if taken == lock => holder = Some(step.event.thread),
            Event::Unlock(left) if left == lock => holder = None,
            _ => {}
        }
    }
    holder
}

fn value(trace: &Trace, steps: &[Step], sem: SemId) -> i64 {
    let change = |step: &Step| match trace.event(step.event) {
        Event::SemPost(posted) if posted == sem => 1,
        Event::SemWait(taken, _) if taken == sem => -1,
        _ => 0,
    };
    i64::try_from(trace.sem(sem).initial).unwrap_or(i64::MAX) + steps.iter().map(change).sum::<i64>()
}
