//! What is done in a step, in a few resolver.

use super::Told;
use crate::resolver::Resolver;
use foretrace_event::{Event, EventId, Patience, ThreadId};
use foretrace_finding::{Step as Planned, WaitsFor};
use foretrace_report::{Memory, Site, bytes};
use foretrace_trace::{Named, Trace};

/// What stands before the name of the variable that a static one of a function is initialised by.
const GUARD: &str = "guard variable for ";

/// Is it worth telling? The beginning of a thread and its end are not, nor what a library does with variables of its own.
pub(crate) fn is_told(resolver: &Resolver<'_>, id: EventId) -> bool {
    let trace = resolver.subject.trace;
    let named = match trace.event(id) {
        Event::Start | Event::End | Event::Fork(_) | Event::Custom(..) => return false,
        Event::AtomicLoad(atomic, ..) | Event::AtomicStore(atomic, ..) | Event::AtomicRmw(atomic, ..) => {
            let name = atomic.given(trace);
            if name.is_some_and(|name| name.starts_with(GUARD)) {
                return false;
            }
            name.is_some()
        }
        Event::OnceRun(once) | Event::OnceDone(once) | Event::OncePass(once) => once.given(trace).is_some(),
        _ => true,
    };
    let place = || resolver.sources.place(trace.pc(id), resolver.subject.symbols, resolver.subject.modules);
    named || place().is_some()
}

/// A step of the schedule, and where it is done.
pub(crate) fn step(resolver: &Resolver<'_>, planned: Planned, value_known: bool) -> Told {
    let trace = resolver.subject.trace;
    let text = match trace.event(planned.event) {
        event if planned.fails => in_vain(trace, event),
        Event::AtomicLoad(atomic, ..) if !value_known => format!("loads {}", or(trace, atomic, ATOMIC)),
        Event::AtomicStore(atomic, ..) if !value_known => format!("stores {}", or(trace, atomic, ATOMIC)),
        Event::AtomicRmw(atomic, ..) if !value_known => format!("changes {}", or(trace, atomic, ATOMIC)),
        event => text(trace, event),
    };
    let place = resolver.sources.place(trace.pc(planned.event), resolver.subject.symbols, resolver.subject.modules);
    (text, place)
}

fn in_vain(trace: &Trace, event: Event) -> String {
    let in_time = |patience| if patience == Patience::Timed { " in time" } else { "" };
    match event {
        Event::Lock(lock, patience) => format!("cannot lock {}{}", or(trace, lock, LOCK), in_time(patience)),
        Event::RdLock(lock, patience) => format!("cannot read-lock {}{}", or(trace, lock, LOCK), in_time(patience)),
        Event::SemWait(sem, patience) => format!("cannot take {}{}", or(trace, sem, SEMAPHORE), in_time(patience)),
        Event::Wait(instance, _) => {
            format!("is back from {} without a signal", or(trace, trace.instance(instance).condition, CONDITION))
        }
        other => format!("{}, in vain", text(trace, other)),
    }
}

/// What fails: the access, or the wait. The size of a variable is told once, not in every row.
pub(crate) fn failing(site: &Site, memory: Option<&Memory>) -> String {
    let Some(name) = memory.and_then(|memory| memory.name.as_deref()) else { return site.doing.clone() };
    let verb = site.doing.split(' ').next().unwrap_or_default();
    let atomically = if site.doing.contains(" atomically") { " atomically" } else { "" };
    format!("{verb} `{name}`{atomically}")
}

/// What is read or written: a variable by its name, and how much of it.
pub(crate) fn memory(name: Option<&str>, size: u64) -> String {
    match name {
        Some(name) => format!("`{name}` ({})", bytes(size)),
        None => bytes(size),
    }
}

const LOCK: &str = "a lock";
const CONDITION: &str = "a condition variable";
const SEMAPHORE: &str = "a semaphore";
const BARRIER: &str = "a barrier";
const ONCE: &str = "something once";
const ATOMIC: &str = "an atomic variable";

/// The name of a thing; what it is, if it has none.
fn or<I: Named>(trace: &Trace, id: I, what: &str) -> String {
    let name = id.given(trace).map(|name| name.strip_prefix(GUARD).unwrap_or(name));
    name.map_or_else(|| what.to_owned(), |name| format!("`{name}`"))
}

/// The name of a thread.
fn names(trace: &Trace, id: ThreadId) -> String {
    if id == ThreadId::MAIN { "main".to_owned() } else { trace.name(id) }
}

/// What an event does, in a few resolver.
pub(crate) fn text(trace: &Trace, event: Event) -> String {
    let condition = |instance| or(trace, trace.instance(instance).condition, CONDITION);
    match event {
        Event::Start => "begins".to_owned(),
        Event::End => "ends".to_owned(),
        Event::Fork(child) => format!("creates {}", names(trace, child)),
        Event::Join(child) => format!("joins {}", names(trace, child)),
        Event::Lock(lock, _) => format!("locks {}", or(trace, lock, LOCK)),
        Event::FailedLock(lock, _) => format!("cannot lock {}", or(trace, lock, LOCK)),
        Event::RdLock(lock, _) => format!("read-locks {}", or(trace, lock, LOCK)),
        Event::FailedRdLock(lock, _) => format!("cannot read-lock {}", or(trace, lock, LOCK)),
        Event::Unlock(lock) => format!("unlocks {}", or(trace, lock, LOCK)),
        Event::StrayUnlock(lock) => format!("unlocks {}, which nobody holds", or(trace, lock, LOCK)),
        Event::Signal(instance) => format!("signals {}", condition(instance)),
        Event::Broadcast(instance) => format!("broadcasts {}", condition(instance)),
        Event::Wait(instance, _) => format!("is woken from {}", condition(instance)),
        Event::FailedWait(_) => "is back from a wait without a signal".to_owned(),
        Event::BarrierEnter(barrier) => format!("comes to {}", or(trace, barrier, BARRIER)),
        Event::BarrierExit(barrier) => format!("leaves {}", or(trace, barrier, BARRIER)),
        Event::SemWait(sem, _) => format!("takes {}", or(trace, sem, SEMAPHORE)),
        Event::FailedSemWait(sem, _) => format!("cannot take {}", or(trace, sem, SEMAPHORE)),
        Event::SemPost(sem) => format!("posts {}", or(trace, sem, SEMAPHORE)),
        Event::OnceRun(once) => format!("initialises {}", or(trace, once, ONCE)),
        Event::OnceDone(once) => format!("has initialised {}", or(trace, once, ONCE)),
        Event::OnceAbort(once) => format!("fails to initialise {}", or(trace, once, ONCE)),
        Event::OncePass(once) => format!("finds {} initialised", or(trace, once, ONCE)),
        Event::Release(channel) => format!("sends on channel {}", trace.name(channel)),
        Event::Acquire(channel) => format!("receives on channel {}", trace.name(channel)),
        Event::AtomicLoad(atomic, _, value) => format!("loads {} = {value}", or(trace, atomic, ATOMIC)),
        Event::AtomicStore(atomic, _, value) => format!("stores {} = {value}", or(trace, atomic, ATOMIC)),
        Event::AtomicRmw(atomic, _, old, new) => {
            format!("changes {} from {old} to {new}", or(trace, atomic, ATOMIC))
        }
        Event::Fence(_) => "passes a fence".to_owned(),
        Event::Read(interval) => format!("reads {}", or(trace, interval, "memory")),
        Event::Write(interval) => format!("writes {}", or(trace, interval, "memory")),
        Event::Custom(custom, value) => format!("{} {value}", trace.name(custom)),
    }
}

/// What a thread that is predicted to be stuck waits for.
pub(crate) fn waits_for(trace: &Trace, what: WaitsFor) -> String {
    let condition = |instance| or(trace, trace.instance(instance).condition, CONDITION);
    match what {
        WaitsFor::Lock(lock, holder) => {
            format!("waits for {}, held by {}", or(trace, lock, LOCK), names(trace, holder))
        }
        WaitsFor::Release(lock) => format!("waits for {}", or(trace, lock, LOCK)),
        WaitsFor::End(thread) => format!("waits for the end of {}", names(trace, thread)),
        WaitsFor::Signal(instance) => format!("waits for a signal of {}", condition(instance)),
        WaitsFor::LostSignal(instance) => {
            format!("waits for a signal of {}, which was given before", condition(instance))
        }
        WaitsFor::Barrier(barrier) => format!("waits for more threads at {}", or(trace, barrier, BARRIER)),
        WaitsFor::Post(sem) => format!("waits for a post of {}", or(trace, sem, SEMAPHORE)),
        WaitsFor::Once(once) => format!("waits for the initialiser of {}", or(trace, once, ONCE)),
        WaitsFor::Channel(channel) => format!("waits for channel {}", trace.name(channel)),
    }
}
