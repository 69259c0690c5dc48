//! The trace: what every analysis reads.

mod arguments;
mod objects;
mod observed;
mod packed;

use foretrace_event::{
    ArgsId, AtomicId, BarrierId, ChannelId, CondInstance, CustomId, Event, EventId, IntervalId, Kind, LockId, OnceId,
    SemId, TextId, ThreadId, Value,
};

pub(crate) use arguments::Arguments;
pub(crate) use objects::Objects;
pub use objects::{
    AllocationInfo, AtomicInfo, BarrierInfo, ConditionId, ConditionInfo, InstanceInfo, IntervalInfo, LockInfo, Name,
    Named, PlainInfo, SemInfo, ThreadInfo,
};
pub use observed::Observed;
pub(crate) use packed::{Extras, Slot};

use crate::note::Note;

/// Where in the program an event took place.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Place {
    /// The return address of the call; zero if unknown.
    pub pc: u64,
    /// The place as a text trace spells it, where there is no program to look it up in.
    pub source: Name,
}

/// One thread of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Thread {
    pub(crate) info: ThreadInfo,
    pub(crate) slots: Vec<Slot>,
}

/// The normalised, matched form of one run.
///
/// Every trace is a legal history: its builder refuses events that those before it do not allow. Threads are dense and
/// numbered in the order of their creation. Each thread's events are a chain, and [`Trace::observed`] is the order in
/// which they took place, up to commuting.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub(crate) threads: Vec<Thread>,
    pub(crate) objects: Objects,
    pub(crate) extras: Extras,
    pub(crate) arguments: Arguments,
    pub(crate) places: Vec<Place>,
    pub(crate) notes: Vec<Note>,
    pub(crate) stamps: u32,
}

/// Sizes of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// How many events, by [`Kind`].
    pub kinds: Vec<(Kind, u64)>,
    /// All events.
    pub events: u64,
    /// Of those, memory accesses.
    pub accesses: u64,
    /// Bytes the events take in memory.
    pub bytes: u64,
}

impl Trace {
    /// The threads, in the order of their creation.
    pub fn threads(&self) -> impl ExactSizeIterator<Item = ThreadId> + DoubleEndedIterator + Clone + use<> {
        (0..self.threads.len()).map(ThreadId::from_index)
    }

    /// How many events a thread has.
    pub fn len(&self, thread: ThreadId) -> u32 {
        self.slots(thread).len() as u32
    }

    /// Has no thread any event?
    pub fn is_empty(&self) -> bool {
        self.threads.iter().all(|thread| thread.slots.is_empty())
    }

    /// An event.
    ///
    /// # Panics
    /// If there is no such event.
    pub fn event(&self, id: EventId) -> Event {
        self.extras.unpack(self.slot(id))
    }

    /// A thread's events, in order.
    pub fn events(&self, thread: ThreadId) -> impl ExactSizeIterator<Item = Event> + DoubleEndedIterator + Clone + '_ {
        self.slots(thread).iter().map(|slot| self.extras.unpack(slot))
    }

    /// Which event it is, without decoding what it carries.
    pub fn kind(&self, id: EventId) -> Kind {
        self.slot(id).kind
    }

    /// The values that a custom event carries.
    pub fn values(&self, values: ArgsId) -> &[Value] {
        self.arguments.of(values)
    }

    /// How many different lists of values the custom events carry.
    pub fn value_lists(&self) -> usize {
        self.arguments.len()
    }

    /// A text among the values of custom events.
    pub fn value_text(&self, text: TextId) -> &str {
        self.arguments.text_of(text)
    }

    /// All these texts.
    pub fn value_texts(&self) -> impl Iterator<Item = (TextId, &str)> {
        self.arguments.texts()
    }

    /// Did a signal handler perform it? Its thread may run the handler at any time.
    pub fn is_by_handler(&self, id: EventId) -> bool {
        self.slot(id).by_handler
    }

    /// When it took place: sync events are numbered from 1 in the observed order; an access has the stamp of the
    /// preceding sync event of its thread, zero if there is none.
    pub fn stamp(&self, id: EventId) -> u64 {
        u64::from(self.slot(id).stamp)
    }

    /// The stamp of the last sync event.
    pub fn last_stamp(&self) -> u64 {
        u64::from(self.stamps)
    }

    /// All events in the observed order.
    pub fn observed(&self) -> Observed<'_> {
        Observed::new(self)
    }

    /// The return address of the call that performed the event; zero if unknown. Places of text traces get artificial
    /// numbers, so that equal numbers still mean equal places.
    pub fn pc(&self, id: EventId) -> u64 {
        self.place(id).pc
    }

    /// Where it took place.
    pub fn place(&self, id: EventId) -> &Place {
        &self.places[self.slot(id).place as usize]
    }

    /// What is known of a thread.
    pub fn thread(&self, thread: ThreadId) -> &ThreadInfo {
        &self.threads[thread.index()].info
    }

    /// The thread that created this one; none for the main thread and for threads without a recorded creation.
    pub fn parent(&self, thread: ThreadId) -> Option<ThreadId> {
        self.fork_of(thread).map(|fork| fork.thread)
    }

    /// The event that created this thread.
    pub fn fork_of(&self, thread: ThreadId) -> Option<EventId> {
        self.thread(thread).forked
    }

    /// The threads this one created, in order.
    pub fn children(&self, thread: ThreadId) -> impl Iterator<Item = ThreadId> + '_ {
        self.threads().filter(move |child| self.parent(*child) == Some(thread))
    }

    /// The name for display: the given name, or the id.
    pub fn name<I: Named>(&self, id: I) -> String {
        id.given(self).map_or_else(|| id.to_string(), str::to_owned)
    }

    /// What was cut off, dropped, assumed or repaired while the trace was read.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Counts events by kind.
    pub fn stats(&self) -> Stats {
        let mut counts = vec![0u64; Kind::ALL.len()];
        let slots = || self.threads.iter().flat_map(|thread| &thread.slots);
        slots().for_each(|slot| counts[slot.kind as usize] += 1);
        let kinds = Kind::ALL.iter().map(|kind| (*kind, counts[*kind as usize])).filter(|(_, count)| *count > 0);
        Stats {
            kinds: kinds.collect(),
            events: counts.iter().sum(),
            accesses: counts[Kind::Read as usize] + counts[Kind::Write as usize],
            bytes: (slots().count() * size_of::<Slot>() + self.extras.bytes()) as u64,
        }
    }

    fn slots(&self, thread: ThreadId) -> &[Slot] {
        &self.threads[thread.index()].slots
    }

    fn slot(&self, id: EventId) -> &Slot {
        &self.threads[id.thread.index()].slots[id.index as usize]
    }
}

macro_rules! tables {
    ($($(#[$doc:meta])* $one:ident($id:ident) -> $info:ident, $(#[$docs:meta])* $all:ident;)*) => {
        impl Trace {$(
            $(#[$doc])*
            pub fn $one(&self, id: $id) -> &$info {
                &self.objects.$all[id.index()]
            }

            $(#[$docs])*
            pub fn $all(&self) -> impl ExactSizeIterator<Item = ($id, &$info)> + '_ {
                self.objects.$all.iter().enumerate().map(|(index, info)| ($id(index as u32), info))
            }
        )*}
    };
}

tables! {
    /// A lock.
    lock(LockId) -> LockInfo,
    /// All locks.
    locks;
    /// A condition variable.
    condition(ConditionId) -> ConditionInfo,
    /// All condition variables.
    conditions;
    /// One use of a condition variable.
    instance(CondInstance) -> InstanceInfo,
    /// All uses of condition variables.
    instances;
    /// A barrier.
    barrier(BarrierId) -> BarrierInfo,
    /// All barriers.
    barriers;
    /// A semaphore.
    sem(SemId) -> SemInfo,
    /// All semaphores.
    sems;
    /// A once control.
    once(OnceId) -> PlainInfo,
    /// All once controls.
    onces;
    /// A channel.
    channel(ChannelId) -> PlainInfo,
    /// All channels.
    channels;
    /// An atomic variable.
    atomic(AtomicId) -> AtomicInfo,
    /// All atomic variables.
    atomics;
    /// An interval.
    interval(IntervalId) -> IntervalInfo,
    /// All intervals.
    intervals;
    /// A kind of custom event.
    custom(CustomId) -> PlainInfo,
    /// All kinds of custom events.
    customs;
}

impl Trace {
    /// The allocation an interval's memory belongs to.
    pub fn allocation(&self, interval: IntervalId) -> Option<&AllocationInfo> {
        let generation = self.interval(interval).generation;
        let table = &self.objects.allocations;
        table.binary_search_by_key(&generation, |(number, _)| *number).ok().map(|index| &table[index].1)
    }
}
