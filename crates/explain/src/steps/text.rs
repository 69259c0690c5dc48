//! What is done in a step.

use crate::resolver::Resolver;
use foretrace_event::{ArgsId, Event, EventId, Kind, Object, Order, Patience, ThreadId, Value, Writer};
use foretrace_finding::{Step as Planned, WaitsFor};
use foretrace_report::{Act, Frame, Holder, Operation, Sort, Thing, Wait, What};
use foretrace_trace::{Named, Trace};
use std::convert::Infallible;

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
    let mut fields = Fields { trace, done: Operation::new(what(event.kind())) };
    fields.done.fails = event.kind().is_failure();
    let Ok(()) = event.write(&mut fields);
    fields.done
}

/// The word for events of this kind; that they fail is said separately.
fn what(kind: Kind) -> What {
    match kind {
        Kind::Start => What::Begin,
        Kind::End => What::End,
        Kind::Fork => What::Create,
        Kind::Join => What::Join,
        Kind::Lock | Kind::FailedLock => What::Lock,
        Kind::RdLock | Kind::FailedRdLock => What::ReadLock,
        Kind::Unlock => What::Unlock,
        Kind::StrayUnlock => What::StrayUnlock,
        Kind::Signal => What::Signal,
        Kind::Broadcast => What::Broadcast,
        Kind::Wait | Kind::FailedWait => What::Wake,
        Kind::BarrierEnter => What::Enter,
        Kind::BarrierExit => What::Leave,
        Kind::SemWait | Kind::FailedSemWait => What::Take,
        Kind::SemPost => What::Post,
        Kind::OnceRun => What::Initialise,
        Kind::OnceDone => What::Initialised,
        Kind::OnceAbort => What::InitialiserFails,
        Kind::OncePass => What::FoundInitialised,
        Kind::Release => What::Send,
        Kind::Acquire => What::Receive,
        Kind::AtomicLoad => What::Load,
        Kind::AtomicStore => What::Store,
        Kind::AtomicRmw => What::Change,
        Kind::Fence => What::Fence,
        Kind::Read => What::Read,
        Kind::Write => What::Write,
        Kind::Custom => What::Custom,
    }
}

/// Fills in what an operation is done to, and how.
struct Fields<'a> {
    trace: &'a Trace,
    done: Operation,
}

impl Fields<'_> {
    fn thing(&self, object: Object) -> Option<Thing> {
        let trace = self.trace;
        Some(match object {
            Object::Thread(_) | Object::Args(_) => return None,
            Object::Lock(id) => thing(trace, Sort::Lock, id),
            Object::Condition(id) => thing(trace, Sort::Condition, trace.instance(id).condition),
            Object::Barrier(id) => thing(trace, Sort::Barrier, id),
            Object::Sem(id) => thing(trace, Sort::Semaphore, id),
            Object::Once(id) => thing(trace, Sort::Once, id),
            Object::Channel(id) => channel(trace, id),
            Object::Atomic(id) => thing(trace, Sort::Atomic, id),
            Object::Interval(id) => thing(trace, Sort::Memory, id),
            Object::Custom(id) => Thing::new(Sort::Event, Some(&trace.name(id))),
        })
    }
}

impl Writer for Fields<'_> {
    type Error = Infallible;

    /// A wait is done to its condition variable; its lock is not named.
    fn id(&mut self, object: Object) -> Result<(), Infallible> {
        match object {
            Object::Thread(id) => self.done.thread = Some(name(self.trace, id)),
            Object::Lock(_) if self.done.what == What::Wake => {}
            Object::Args(values) => self.done.values = values_in_words(self.trace, values),
            _ => self.done.thing = self.thing(object),
        }
        Ok(())
    }

    fn patience(&mut self, patience: Patience) -> Result<(), Infallible> {
        self.done.timed = patience == Patience::Timed && !self.done.fails;
        Ok(())
    }

    fn order(&mut self, _: Order) -> Result<(), Infallible> {
        Ok(())
    }

    fn number(&mut self, value: u64) -> Result<(), Infallible> {
        let is_read = matches!(self.done.what, What::Load | What::Change) && self.done.read.is_none();
        *if is_read { &mut self.done.read } else { &mut self.done.written } = Some(value);
        Ok(())
    }
}

/// The values of a custom event as they are shown.
fn values_in_words(trace: &Trace, values: ArgsId) -> Vec<String> {
    let word = |value: &Value| match *value {
        Value::Number(number) => number.to_string(),
        Value::Text(text) => format!("{:?}", trace.value_text(text)),
    };
    trace.values(values).iter().map(word).collect()
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
