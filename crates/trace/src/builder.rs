//! Builds a trace event by event, in the observed order. Every form is read through it.

mod conditions;
mod finish;
mod recorded;
mod rules;

use foretrace_event::{
    ArgsId, AtomicId, BarrierId, ChannelId, Check, CondInstance, CustomId, Event, IntervalId, LockId, OnceId, SemId,
    TextId, ThreadId, Value,
};
use rustc_hash::FxHashMap;

use crate::illegal::Illegal;
use crate::note::Note;
use crate::trace::{
    Arguments, AtomicInfo, BarrierInfo, ConditionId, ConditionInfo, Extras, IntervalInfo, LockInfo, Name, Objects,
    Place, PlainInfo, SemInfo, Slot, Thread, ThreadInfo,
};
use conditions::Conditions;
pub(crate) use recorded::Placed;
use rules::{Lesson, Phase, Rules};

/// A place of the program, known to a builder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PlaceId(u32);

impl PlaceId {
    /// An unknown place.
    pub const UNKNOWN: Self = Self(0);

    pub(crate) const fn index(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_index(index: u32) -> Self {
        Self(index)
    }
}

/// The pc from which on places have only a spelling: no program is loaded at these addresses.
const SOURCE_PC: u64 = 1 << 63;

/// Builds a [`Trace`](crate::Trace).
///
/// Things are declared first and get their ids in that order; then each event is pushed in the observed order. An event
/// that those before it do not allow is refused, and the builder stays as it was. Callers name condition variables; the
/// builder numbers their instances.
///
/// Missing starts of created threads, and missing ends of joined ones, are added.
#[derive(Clone, Debug)]
pub struct TraceBuilder {
    threads: Vec<Thread>,
    /// Events that precede each thread's first: locks held since before the recording.
    prologues: Vec<Vec<Slot>>,
    /// Whether each thread is in a signal handler.
    in_handlers: Vec<bool>,
    objects: Objects,
    extras: Extras,
    arguments: Arguments,
    places: Places,
    rules: Rules,
    conditions: Conditions,
    notes: Vec<Note>,
    counts: Counts,
    clock: u32,
}

#[derive(Clone, Debug, Default)]
struct Places {
    list: Vec<Place>,
    by_pc: FxHashMap<u64, u32>,
    by_source: FxHashMap<Box<str>, u32>,
}

/// How often something was repaired, for the notes.
#[derive(Clone, Debug, Default)]
struct Counts {
    ends: u32,
    held: u32,
    running: u32,
    sems: Vec<SemId>,
    barriers: u32,
    spurious: u64,
}

impl Default for TraceBuilder {
    fn default() -> Self {
        let places =
            Places { list: vec![Place::default()], by_pc: FxHashMap::from_iter([(0, 0)]), ..Places::default() };
        Self {
            threads: Vec::new(),
            prologues: Vec::new(),
            in_handlers: Vec::new(),
            objects: Objects::default(),
            extras: Extras::default(),
            arguments: Arguments::default(),
            places,
            rules: Rules::default(),
            conditions: Conditions::default(),
            notes: Vec::new(),
            counts: Counts::default(),
            clock: 0,
        }
    }
}

/// Declaring what events name.
impl TraceBuilder {
    /// An empty trace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a thread. It exists from the beginning unless a fork creates it; what its info says about that is
    /// ignored.
    pub fn thread(&mut self, info: ThreadInfo) -> ThreadId {
        self.threads.push(Thread { info: ThreadInfo { forked: None, ..info }, slots: Vec::new() });
        self.prologues.push(Vec::new());
        self.in_handlers.push(false);
        self.rules.add_thread();
        ThreadId::from_index(self.threads.len() - 1)
    }

    /// A thread with this name.
    pub fn named_thread(&mut self, name: &str) -> ThreadId {
        self.thread(ThreadInfo { name: Some(name.into()), ..ThreadInfo::default() })
    }

    /// The thread enters or leaves a signal handler.
    pub fn set_in_handler(&mut self, thread: ThreadId, is_in: bool) {
        self.in_handlers[thread.index()] = is_in;
    }

    /// The thread is detached.
    pub fn detach(&mut self, thread: ThreadId) {
        self.threads[thread.index()].info.detached = true;
    }

    /// A lock.
    pub fn lock(&mut self, info: LockInfo) -> LockId {
        self.rules.add_lock(info.class);
        add(&mut self.objects.locks, info, LockId::from_index)
    }

    /// A condition variable.
    pub fn condition(&mut self, info: ConditionInfo) -> ConditionId {
        self.conditions.add();
        add(&mut self.objects.conditions, info, |index| ConditionId(index as u32))
    }

    /// Declares a barrier; a count of zero is derived from the events.
    pub fn barrier(&mut self, info: BarrierInfo) -> BarrierId {
        self.rules.add_barrier(info.count);
        add(&mut self.objects.barriers, info, BarrierId::from_index)
    }

    /// A semaphore with this initial value.
    pub fn sem(&mut self, info: SemInfo) -> SemId {
        self.rules.add_sem(Some(info.initial));
        add(&mut self.objects.sems, info, SemId::from_index)
    }

    /// Declares a semaphore of unknown initial value: the smallest legal one is derived from the events.
    pub fn unknown_sem(&mut self, name: Name, address: u64) -> SemId {
        self.rules.add_sem(None);
        add(&mut self.objects.sems, SemInfo { initial: 0, name, address }, SemId::from_index)
    }

    /// A once control.
    pub fn once(&mut self, info: PlainInfo) -> OnceId {
        self.rules.add_once();
        add(&mut self.objects.onces, info, OnceId::from_index)
    }

    /// A channel.
    pub fn channel(&mut self, info: PlainInfo) -> ChannelId {
        add(&mut self.objects.channels, info, ChannelId::from_index)
    }

    /// An atomic variable.
    pub fn atomic(&mut self, info: AtomicInfo) -> AtomicId {
        add(&mut self.objects.atomics, info, AtomicId::from_index)
    }

    /// An interval.
    pub fn interval(&mut self, info: IntervalInfo) -> IntervalId {
        add(&mut self.objects.intervals, info, IntervalId::from_index)
    }

    /// A kind of custom event.
    pub fn custom(&mut self, info: PlainInfo) -> CustomId {
        add(&mut self.objects.customs, info, CustomId::from_index)
    }

    /// The values of a custom event.
    pub fn values(&mut self, values: &[Value]) -> ArgsId {
        self.arguments.values(values)
    }

    /// A text among such values.
    pub fn text(&mut self, text: &str) -> TextId {
        self.arguments.text(text)
    }

    /// The place at this return address.
    pub fn at_pc(&mut self, pc: u64) -> PlaceId {
        let list = &mut self.places.list;
        PlaceId(*self.places.by_pc.entry(pc).or_insert_with(|| {
            list.push(Place { pc, source: None });
            (list.len() - 1) as u32
        }))
    }

    /// The place a text trace spells like this.
    pub fn at_source(&mut self, source: &str) -> PlaceId {
        if let Some(place) = self.places.by_source.get(source) {
            return PlaceId(*place);
        }
        let index = self.places.list.len() as u32;
        self.places.list.push(Place { pc: SOURCE_PC | u64::from(index), source: Some(source.into()) });
        self.places.by_source.insert(source.into(), index);
        PlaceId(index)
    }
}

/// Stands for a condition variable in an event whose instance is not known yet.
pub(crate) fn as_read(condition: ConditionId) -> CondInstance {
    CondInstance(condition.0)
}

fn add<T, I>(table: &mut Vec<T>, info: T, id: impl Fn(usize) -> I) -> I {
    table.push(info);
    id(table.len() - 1)
}

/// Adding events.
impl TraceBuilder {
    /// The thread's next event.
    ///
    /// # Errors
    /// If the events so far do not allow it.
    pub fn push(&mut self, thread: ThreadId, event: Event, place: PlaceId) -> Result<(), Illegal> {
        match event {
            Event::Signal(_) | Event::Broadcast(_) | Event::Wait(..) => return Err(Illegal::ExplicitInstance),
            Event::Join(child) if child != thread => self.end_for_join(child)?,
            _ => {}
        }
        self.put(thread, event, place)
    }

    /// The thread's next event, as a file has it: instead of an instance, it carries the number of a condition variable
    /// ([`as_read`]).
    pub(crate) fn push_read(&mut self, thread: ThreadId, event: Event, place: PlaceId) -> Result<(), Illegal> {
        match event {
            Event::Signal(read) => self.signal(thread, ConditionId(read.0), place),
            Event::Broadcast(read) => self.broadcast(thread, ConditionId(read.0), place),
            Event::Wait(read, lock, check) => self.checked_wait(thread, ConditionId(read.0), (lock, check), place),
            _ => self.push(thread, event, place),
        }
    }

    /// The thread signals the condition variable.
    ///
    /// # Errors
    /// If the events so far do not allow it.
    pub fn signal(&mut self, thread: ThreadId, condition: ConditionId, place: PlaceId) -> Result<(), Illegal> {
        self.wake(thread, condition, false, place)
    }

    /// The thread broadcasts the condition variable.
    ///
    /// # Errors
    /// If the events so far do not allow it.
    pub fn broadcast(&mut self, thread: ThreadId, condition: ConditionId, place: PlaceId) -> Result<(), Illegal> {
        self.wake(thread, condition, true, place)
    }

    /// The thread returns from a wait; if no signal can have woken it, the wait is a failed one.
    ///
    /// # Errors
    /// If the events so far do not allow it.
    pub fn wait(&mut self, thread: ThreadId, cond: ConditionId, lock: LockId, place: PlaceId) -> Result<(), Illegal> {
        self.checked_wait(thread, cond, (lock, Check::Unknown), place)
    }

    fn checked_wait(
        &mut self,
        thread: ThreadId,
        cond: ConditionId,
        (lock, check): (LockId, Check),
        place: PlaceId,
    ) -> Result<(), Illegal> {
        self.rules.may_wait(thread, lock)?;
        let begin = self.threads[thread.index()].slots.last().map_or(0, |slot| slot.stamp);
        let event = match self.conditions.wait(cond, begin) {
            Some(instance) => Event::Wait(instance, lock, check),
            None => {
                self.counts.spurious += 1;
                Event::FailedWait(lock)
            }
        };
        self.put(thread, event, place)
    }

    fn wake(&mut self, thread: ThreadId, cond: ConditionId, all: bool, place: PlaceId) -> Result<(), Illegal> {
        // Whether an event is legal does not depend on the instance, so only legal events get one.
        let next = CondInstance::from_index(self.conditions.instances.len());
        self.put(thread, if all { Event::Broadcast(next) } else { Event::Signal(next) }, place)?;
        self.conditions.wake(cond, all, self.clock);
        Ok(())
    }

    fn put(&mut self, thread: ThreadId, event: Event, place: PlaceId) -> Result<(), Illegal> {
        if self.rules.phase(thread) == Phase::Forked && event != Event::Start {
            self.append(thread, Event::Start, PlaceId::UNKNOWN)?;
        }
        self.append(thread, event, place)
    }

    fn append(&mut self, thread: ThreadId, event: Event, place: PlaceId) -> Result<(), Illegal> {
        let clock = if event.is_access() { self.clock } else { self.clock.checked_add(1).ok_or(Illegal::TooMany)? };
        match self.rules.step(thread, event)? {
            Lesson::Nothing => {}
            Lesson::MoreInitially(sem) => self.assume_more(sem),
            Lesson::Count(barrier, count) => {
                self.objects.barriers[barrier.index()].count = count;
                self.counts.barriers += 1;
            }
        }
        self.clock = clock;
        let slots = &mut self.threads[thread.index()].slots;
        let stamp = if event.is_access() { slots.last().map_or(0, |slot| slot.stamp) } else { clock };
        let mut slot = self.extras.pack(event, stamp, place.0);
        slot.by_handler = self.in_handlers[thread.index()];
        slots.push(slot);
        Ok(())
    }

    fn assume_more(&mut self, sem: SemId) {
        let info = &mut self.objects.sems[sem.index()];
        info.initial += 1;
        if info.initial == 1 {
            self.counts.sems.push(sem);
        }
    }

    /// A thread that was joined has ended, whether or not its end was recorded.
    fn end_for_join(&mut self, child: ThreadId) -> Result<(), Illegal> {
        if matches!(self.rules.phase(child), Phase::New | Phase::Forked | Phase::Running) {
            self.put(child, Event::End, PlaceId::UNKNOWN).map_err(|_| Illegal::JoinOfCut(child))?;
            self.counts.ends += 1;
        }
        Ok(())
    }
}
