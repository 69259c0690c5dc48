//! What is done in a step.

use crate::resolver::Resolver;
use foretrace_event::{Event, EventId, Patience, ThreadId};
use foretrace_finding::{Step as Planned, WaitsFor};
use foretrace_report::{Act, Frame, Holder, Operation, Sort, Thing, Wait, What};
use foretrace_trace::{Named, Trace};

/// What compilers put before the name of a static variable of a function, for the variable that tells whether it is
/// initialised.
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

/// A step of the schedule, and where it is done. The values of atomic operations may not be the recorded ones.
pub(crate) fn step(resolver: &Resolver<'_>, planned: Planned, value_known: bool) -> (Act, Option<Frame>) {
    let trace = resolver.subject.trace;
    let mut done = operation(trace, trace.event(planned.event));
    done.fails |= planned.fails;
    let is_atomic = matches!(done.what, What::Load | What::Store | What::Change);
    if is_atomic && !value_known {
        (done.read, done.written) = (None, None);
    }
    let place = resolver.sources.place(trace.pc(planned.event), resolver.subject.symbols, resolver.subject.modules);
    (Act::Operation(done), place)
}

/// A thing of the trace.
fn thing<I: Named>(trace: &Trace, sort: Sort, id: I) -> Thing {
    Thing::new(sort, id.given(trace).map(|name| name.strip_prefix(GUARD).unwrap_or(name)))
}

/// A channel, which always has a name.
fn channel(trace: &Trace, id: foretrace_event::ChannelId) -> Thing {
    Thing::new(Sort::Channel, Some(&trace.name(id)))
}

/// The name of a thread.
fn name(trace: &Trace, id: ThreadId) -> String {
    if id == ThreadId::MAIN { "main".to_owned() } else { trace.name(id) }
}

/// What an event does.
pub(crate) fn operation(trace: &Trace, event: Event) -> Operation {
    let on = Operation::on;
    let lock = |what, lock, patience| Operation {
        timed: patience == Patience::Timed,
        ..on(what, thing(trace, Sort::Lock, lock))
    };
    let condition = |what, instance| on(what, thing(trace, Sort::Condition, trace.instance(instance).condition));
    let sem = |what, sem| on(what, thing(trace, Sort::Semaphore, sem));
    let once = |what, id| on(what, thing(trace, Sort::Once, id));
    let barrier = |what, id| on(what, thing(trace, Sort::Barrier, id));
    let atomic = |what, id| on(what, thing(trace, Sort::Atomic, id));
    let memory = |what, id| on(what, thing(trace, Sort::Memory, id));
    let of_thread = |what, id| Operation { thread: Some(name(trace, id)), ..Operation::new(what) };
    let failed = |done| Operation { fails: true, timed: false, ..done };
    match event {
        Event::Start => Operation::new(What::Begin),
        Event::End => Operation::new(What::End),
        Event::Fork(child) => of_thread(What::Create, child),
        Event::Join(child) => of_thread(What::Join, child),
        Event::Lock(id, patience) => lock(What::Lock, id, patience),
        Event::FailedLock(id, patience) => failed(lock(What::Lock, id, patience)),
        Event::RdLock(id, patience) => lock(What::ReadLock, id, patience),
        Event::FailedRdLock(id, patience) => failed(lock(What::ReadLock, id, patience)),
        Event::Unlock(id) => lock(What::Unlock, id, Patience::Blocking),
        Event::StrayUnlock(id) => lock(What::StrayUnlock, id, Patience::Blocking),
        Event::Signal(instance) => condition(What::Signal, instance),
        Event::Broadcast(instance) => condition(What::Broadcast, instance),
        Event::Wait(instance, _) => condition(What::Wake, instance),
        Event::FailedWait(_) => failed(Operation::new(What::Wake)),
        Event::BarrierEnter(id) => barrier(What::Enter, id),
        Event::BarrierExit(id) => barrier(What::Leave, id),
        Event::SemWait(id, patience) => Operation { timed: patience == Patience::Timed, ..sem(What::Take, id) },
        Event::FailedSemWait(id, _) => failed(sem(What::Take, id)),
        Event::SemPost(id) => sem(What::Post, id),
        Event::OnceRun(id) => once(What::Initialise, id),
        Event::OnceDone(id) => once(What::Initialised, id),
        Event::OnceAbort(id) => once(What::InitialiserFails, id),
        Event::OncePass(id) => once(What::FoundInitialised, id),
        Event::Release(id) => on(What::Send, channel(trace, id)),
        Event::Acquire(id) => on(What::Receive, channel(trace, id)),
        Event::AtomicLoad(id, _, value) => Operation { read: Some(value), ..atomic(What::Load, id) },
        Event::AtomicStore(id, _, value) => Operation { written: Some(value), ..atomic(What::Store, id) },
        Event::AtomicRmw(id, _, old, new) => {
            Operation { read: Some(old), written: Some(new), ..atomic(What::Change, id) }
        }
        Event::Fence(_) => Operation::new(What::Fence),
        Event::Read(id) => memory(What::Read, id),
        Event::Write(id) => memory(What::Write, id),
        Event::Custom(id, value) => {
            Operation { written: Some(value), ..on(What::Custom, Thing::new(Sort::Event, Some(&trace.name(id)))) }
        }
    }
}

/// What a thread that is predicted to be stuck waits for.
pub(crate) fn waits_for(trace: &Trace, what: WaitsFor) -> Wait {
    let condition = |instance| thing(trace, Sort::Condition, trace.instance(instance).condition);
    match what {
        WaitsFor::Lock(lock, holder) => Wait::Lock {
            lock: thing(trace, Sort::Lock, lock),
            shared: false,
            holder: Some(Holder::Thread(name(trace, holder))),
        },
        WaitsFor::Release(lock) => Wait::Lock { lock: thing(trace, Sort::Lock, lock), shared: false, holder: None },
        WaitsFor::End(thread) => Wait::End { thread: Some(name(trace, thread)) },
        WaitsFor::Signal(instance) => Wait::Signal { condition: condition(instance), lost: false },
        WaitsFor::LostSignal(instance) => Wait::Signal { condition: condition(instance), lost: true },
        WaitsFor::Barrier(barrier) => Wait::Barrier { barrier: thing(trace, Sort::Barrier, barrier) },
        WaitsFor::Post(sem) => Wait::Post { semaphore: thing(trace, Sort::Semaphore, sem) },
        WaitsFor::Once(once) => Wait::Once { once: thing(trace, Sort::Once, once) },
        WaitsFor::Channel(id) => Wait::Channel { channel: channel(trace, id) },
    }
}
