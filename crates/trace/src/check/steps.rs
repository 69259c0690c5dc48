//! Operations as the judge sees them: every object is a number.

use std::collections::BTreeMap;

use foretrace_event::wire::{LockArg, Op, Record, Sync};
use foretrace_event::{AtomicId, Check, Event, EventId, LockClass, LockId};

use crate::recording::{Recording, RecordingError};
use crate::trace::Trace;

/// The effect of an operation on its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    /// On a stack from the object up to here.
    Start(u64),
    End,
    /// The object is the thread.
    Fork,
    Join,
    Lock(LockClass),
    /// A robust mutex whose owner died.
    TakeOver(LockClass),
    RdLock,
    Unlock,
    Signal,
    Broadcast,
    /// With this lock.
    Wait(u64),
    /// Timed out, with this lock.
    WaitFailed(u64),
    BarrierEnter,
    BarrierExit,
    SemWait,
    SemPost,
    OnceRun,
    OnceDone,
    OnceAbort,
    OncePass,
    /// Reads this many bytes of this value.
    Load(u8, u128),
    Store(u8, u128),
    Rmw(u8, u128, u128),
    /// The object is new, and of this initial value or count where that is known.
    Begin(Thing, Option<u64>),
    /// Everything from the object up to here is gone.
    Vanish(u64),
    /// It changes nothing and proves nothing.
    Other,
}

/// Kinds of objects whose lifetimes are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Thing {
    Lock,
    Condition,
    Barrier,
    Sem,
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) thread: u32,
    pub(super) stamp: u64,
    pub(super) position: u64,
    pub(super) act: Act,
    pub(super) object: u64,
}

/// Bytes written plainly anywhere in the recording, by line: the values that atomics read there prove nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Plain(BTreeMap<u64, u64>);

impl Plain {
    pub(super) fn holds(&self, byte: u64) -> bool {
        self.0.get(&(byte / 64)).is_some_and(|mask| mask >> (byte % 64) & 1 != 0)
    }
}

/// The operations of a recording in the order of their stamps.
pub(super) fn of_recording(recording: &Recording) -> Result<(Vec<Step>, Plain), RecordingError> {
    let mut steps = Vec::new();
    let mut plain = Plain::default();
    for (index, thread) in recording.threads().enumerate() {
        for entry in recording.records(index) {
            let entry = entry?;
            match entry.record {
                Record::Access(access) => *plain.0.entry(access.line).or_default() |= access.writes,
                Record::Sync(sync) => {
                    let (act, object) = act(&sync);
                    steps.push(Step { thread: thread.id, stamp: sync.stamp, position: entry.byte, act, object });
                }
            }
        }
    }
    steps.sort_by_key(|step| (step.stamp, step.thread));
    Ok((steps, plain))
}

fn act(sync: &Sync) -> (Act, u64) {
    let lock = LockArg::decode(sync.arg).unwrap_or_default();
    let act = match sync.op {
        Op::Start => Act::Start(sync.object.saturating_add(sync.arg)),
        Op::End => Act::End,
        Op::Fork => return (Act::Fork, sync.arg),
        Op::Join => return (Act::Join, sync.arg),
        Op::LockInit | Op::LockDestroy => Act::Begin(Thing::Lock, None),
        Op::Lock if lock.owner_died => Act::TakeOver(lock.class),
        Op::Lock => Act::Lock(lock.class),
        Op::RdLock => Act::RdLock,
        Op::Unlock => Act::Unlock,
        Op::CondInit | Op::CondDestroy => Act::Begin(Thing::Condition, None),
        Op::Signal => Act::Signal,
        Op::Broadcast => Act::Broadcast,
        Op::Wait => Act::Wait(sync.arg & !Check::BIT),
        Op::FailedWait => Act::WaitFailed(sync.arg),
        Op::BarrierInit => Act::Begin(Thing::Barrier, Some(sync.arg)),
        Op::BarrierDestroy => Act::Begin(Thing::Barrier, None),
        Op::BarrierEnter => Act::BarrierEnter,
        Op::BarrierExit => Act::BarrierExit,
        Op::SemInit => Act::Begin(Thing::Sem, Some(sync.arg)),
        Op::SemDestroy => Act::Begin(Thing::Sem, None),
        Op::SemWait => Act::SemWait,
        Op::SemPost => Act::SemPost,
        Op::OnceRun => Act::OnceRun,
        Op::OnceDone => Act::OnceDone,
        Op::OnceAbort => Act::OnceAbort,
        Op::OncePass => Act::OncePass,
        Op::AtomicLoad | Op::AtomicCasFailed => Act::Load(sync.detail.size, wide(sync.arg, sync.detail.high[0])),
        Op::AtomicStore => Act::Store(sync.detail.size, wide(sync.arg, sync.detail.high[0])),
        Op::AtomicRmw => {
            Act::Rmw(sync.detail.size, wide(sync.arg, sync.detail.high[0]), wide(sync.detail.new, sync.detail.high[1]))
        }
        Op::Alloc | Op::Free => Act::Vanish(sync.object.saturating_add(sync.arg)),
        _ => Act::Other,
    };
    (act, sync.object)
}

fn wide(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// The sync operations of a trace in the observed order. Ids of different kinds may be equal: the judge keeps kinds
/// apart.
pub(super) fn of_trace(trace: &Trace) -> Vec<Step> {
    let declared = |thing, object: usize, value| Step {
        thread: 0,
        stamp: 0,
        position: 0,
        act: Act::Begin(thing, value),
        object: object as u64,
    };
    let barriers = trace.barriers().filter(|(_, info)| info.count != 0);
    let barriers = barriers.map(|(id, info)| declared(Thing::Barrier, id.index(), Some(u64::from(info.count))));
    let sems = trace.sems().map(|(id, info)| declared(Thing::Sem, id.index(), Some(info.initial)));
    let events = trace.observed().filter(|id| !trace.event(*id).is_access()).map(|id| step(trace, id));
    barriers.chain(sems).chain(events).collect()
}

fn step(trace: &Trace, id: EventId) -> Step {
    let (act, object) = event_act(trace, trace.event(id));
    Step { thread: id.thread.0, stamp: trace.stamp(id), position: u64::from(id.index), act, object }
}

fn event_act(trace: &Trace, event: Event) -> (Act, u64) {
    let class = |lock: LockId| trace.lock(lock).class;
    let (act, object) = match event {
        Event::Start => (Act::Start(0), 0),
        Event::End => (Act::End, 0),
        Event::Fork(t) => (Act::Fork, t.0),
        Event::Join(t) => (Act::Join, t.0),
        Event::Lock(m, _) => (Act::Lock(class(m)), m.0),
        Event::RdLock(m, _) => (Act::RdLock, m.0),
        Event::Unlock(m) => (Act::Unlock, m.0),
        Event::Signal(c) => (Act::Signal, c.0),
        Event::Broadcast(c) => (Act::Broadcast, c.0),
        Event::Wait(c, m, _) => (Act::Wait(u64::from(m.0)), c.0),
        Event::FailedWait(m) => (Act::WaitFailed(u64::from(m.0)), 0),
        Event::BarrierEnter(b) => (Act::BarrierEnter, b.0),
        Event::BarrierExit(b) => (Act::BarrierExit, b.0),
        Event::SemWait(s, _) => (Act::SemWait, s.0),
        Event::SemPost(s) => (Act::SemPost, s.0),
        Event::OnceRun(o) => (Act::OnceRun, o.0),
        Event::OnceDone(o) => (Act::OnceDone, o.0),
        Event::OnceAbort(o) => (Act::OnceAbort, o.0),
        Event::OncePass(o) => (Act::OncePass, o.0),
        Event::AtomicLoad(a, _, v) => return (atomic(trace, a, Act::Load(8, v.into())), bytes_of(a)),
        Event::AtomicStore(a, _, v) => return (atomic(trace, a, Act::Store(8, v.into())), bytes_of(a)),
        Event::AtomicRmw(a, _, v, w) => return (atomic(trace, a, Act::Rmw(8, v.into(), w.into())), bytes_of(a)),
        _ => (Act::Other, 0),
    };
    (act, u64::from(object))
}

/// Gives each atomic variable of a trace eight bytes.
fn bytes_of(atomic: AtomicId) -> u64 {
    u64::from(atomic.0) * 8
}

/// Where plain accesses reach an atomic variable, its values prove nothing.
fn atomic(trace: &Trace, atomic: AtomicId, act: Act) -> Act {
    if trace.atomic(atomic).intervals.is_empty() { act } else { Act::Other }
}
