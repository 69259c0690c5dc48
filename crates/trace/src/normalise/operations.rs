//! The walk over all records in the order of their stamps: addresses become ids, and the builder checks each event.

use foretrace_event::wire::{ARG_TEXT, Access, LockArg, Op, Record, Sync, WireError};
use foretrace_event::{
    ArgsId, Check, Event, LockClass, LockId, Order, Orders, Patience, Reader, Sort, ThreadId, Value,
};
use rustc_hash::FxHashMap;

use super::addresses::Addresses;
use super::generations::{Generations, Part};
use super::intervals::{Threads, Touch};
use super::lines::SharedLines;
use super::misuse::Misuses;
use crate::builder::as_read;
use crate::note::Note;
use crate::recording::{Damage, Entry, Recording, RecordingError};
use crate::trace::{AllocationInfo, BarrierInfo, SemInfo, ThreadInfo};
use crate::{Illegal, PlaceId, TraceBuilder};

/// The state of the walk.
pub(super) struct Normaliser<'a> {
    pub(super) recording: &'a Recording,
    pub(super) builder: TraceBuilder,
    pub(super) lines: SharedLines,
    pub(super) addresses: Addresses,
    pub(super) generations: Generations,
    pub(super) allocations: Vec<AllocationInfo>,
    pub(super) walkers: Vec<Walker>,
    threads: FxHashMap<u64, ThreadId>,
    /// For each segment with accesses to keep: its thread, and how many of its events come before them.
    pub(super) segments: Vec<(ThreadId, u32)>,
    pub(super) atomics: Vec<AtomicUse>,
    pub(super) touches: Vec<Touch>,
    /// Scratch space for the parts of one line.
    pub(super) parts: Vec<Part>,
    pub(super) unforked: u32,
    /// Events of signal handlers that interrupted a wait or a barrier.
    pub(super) interrupting: u64,
    /// The misuses of the program.
    pub(super) misuses: Misuses,
}

/// The position of the walk in one recorded thread.
#[derive(Debug, Default)]
pub(super) struct Walker {
    number: u32,
    pub(super) thread: Option<ThreadId>,
    pub(super) cut: bool,
    /// The segment that its accesses belong to, once there is one to keep.
    pub(super) segment: Option<u32>,
    /// Accesses to memory that was not allocated when they were read.
    pub(super) pending: Vec<Access>,
    /// Its stack.
    pub(super) stack: (u64, u64),
    /// Signal handlers it is in.
    pub(super) handlers: u32,
    /// Values of its next custom event.
    values: Vec<Value>,
}

/// How an atomic variable was used.
#[derive(Debug)]
pub(super) struct AtomicUse {
    pub(super) threads: Threads,
    pub(super) generation: u32,
    pub(super) stored: bool,
}

impl<'a> Normaliser<'a> {
    pub(super) fn new(recording: &'a Recording, lines: SharedLines) -> Self {
        let walkers = recording.threads().map(|thread| Walker { number: thread.id, ..Walker::default() });
        let mut normaliser = Self {
            recording,
            builder: TraceBuilder::new(),
            lines,
            addresses: Addresses::default(),
            generations: Generations::default(),
            allocations: Vec::new(),
            walkers: walkers.collect(),
            threads: FxHashMap::default(),
            segments: Vec::new(),
            atomics: Vec::new(),
            touches: Vec::new(),
            parts: Vec::new(),
            unforked: 0,
            interrupting: 0,
            misuses: Misuses::default(),
        };
        if recording.threads().next().is_some_and(|first| first.id == 0) {
            normaliser.thread(0);
        }
        normaliser
    }

    pub(super) fn note(&mut self, note: Note) {
        self.builder.note(note);
    }

    /// The next record of the merged order.
    pub(super) fn entry(&mut self, index: usize, entry: &Entry) -> Result<(), RecordingError> {
        if self.walkers[index].cut {
            return Ok(());
        }
        match &entry.record {
            Record::Access(access) => self.access(index, access),
            Record::Sync(sync) => {
                self.settle_pending(index);
                let thread = self.walker_thread(index);
                self.settle(index, thread, sync).map_err(|bad| self.damaged(index, entry, bad))?;
            }
        }
        Ok(())
    }

    fn damaged(&self, index: usize, entry: &Entry, field: &'static str) -> RecordingError {
        let damage = Damage::Record { thread: self.walkers[index].number, error: WireError::BadField(field) };
        RecordingError::Damaged { path: self.recording.path().to_owned(), byte: entry.byte, damage }
    }

    /// The thread with this number in the recording.
    fn thread(&mut self, number: u64) -> ThreadId {
        let (recording, builder) = (self.recording, &mut self.builder);
        *self.threads.entry(number).or_insert_with(|| {
            let recorded = u32::try_from(number).unwrap_or(u32::MAX);
            let name = recording.thread_name(recorded).map(Into::into);
            builder.thread(ThreadInfo { name, recorded, ..ThreadInfo::default() })
        })
    }

    pub(super) fn walker_thread(&mut self, index: usize) -> ThreadId {
        if let Some(thread) = self.walkers[index].thread {
            return thread;
        }
        let number = u64::from(self.walkers[index].number);
        self.unforked += u32::from(number != 0 && !self.threads.contains_key(&number));
        let thread = self.thread(number);
        self.walkers[index].thread = Some(thread);
        thread
    }

    /// Adds an event; it ends the thread's segment.
    pub(super) fn push(&mut self, index: usize, thread: ThreadId, event: Event, place: PlaceId) -> Result<(), Illegal> {
        self.walkers[index].segment = None;
        self.builder.push(thread, event, place)
    }

    /// Applies one record. The outer error is a field that no writer writes, the inner one an impossible event.
    pub(super) fn operation(
        &mut self,
        index: usize,
        thread: ThreadId,
        sync: &Sync,
    ) -> Result<Result<(), Illegal>, &'static str> {
        let place = self.builder.at_pc(sync.pc);
        let Some(kind) = sync.op.kind() else {
            self.bookkeeping(index, thread, sync);
            return Ok(Ok(()));
        };
        let event = kind.read(&mut Fields {
            normaliser: self,
            index,
            thread,
            sync,
            value: sync.arg,
            high: sync.detail.high[0],
        })?;
        Ok(match event {
            Event::Lock(lock, _)
            | Event::FailedLock(lock, _)
            | Event::RdLock(lock, _)
            | Event::FailedRdLock(lock, _)
            | Event::Unlock(lock) => self.lock_operation(index, thread, event, lock, sync, place),
            Event::Signal(_) | Event::Broadcast(_) | Event::Wait(..) => {
                self.walkers[index].segment = None;
                self.builder.push_read(thread, event, place)
            }
            _ => self.push(index, thread, event, place).inspect(|()| self.after(index, thread, sync)),
        })
    }

    /// A thread's stack is allocated at its start and freed at its end.
    fn after(&mut self, index: usize, thread: ThreadId, sync: &Sync) {
        match sync.op {
            Op::Start => {
                self.walkers[index].stack = (sync.object, sync.arg);
                self.allocate(thread, sync.object, sync.arg, 0);
            }
            Op::End => {
                let (start, size) = self.walkers[index].stack;
                self.free(start, size);
            }
            _ => {}
        }
    }

    /// Operations without an event.
    fn bookkeeping(&mut self, index: usize, thread: ThreadId, sync: &Sync) {
        let object = sync.object;
        match sync.op {
            Op::Detach => {
                let detached = self.thread(sync.arg);
                self.builder.detach(detached);
            }
            Op::LockInit | Op::LockDestroy => self.renew_lock(object),
            Op::CondInit | Op::CondDestroy => self.addresses.forget(Sort::Condition, object),
            Op::BarrierDestroy => self.addresses.forget(Sort::Barrier, object),
            Op::SemDestroy => self.addresses.forget(Sort::Sem, object),
            Op::BarrierInit => {
                let count = u32::try_from(sync.arg).unwrap_or(u32::MAX);
                let barrier = self.builder.barrier(BarrierInfo { count, name: None, address: object });
                self.addresses.set(Sort::Barrier, object, barrier.0);
            }
            Op::SemInit => {
                let sem =
                    self.builder.sem(SemInfo { initial: sync.arg.min(SemInfo::MOST), name: None, address: object });
                self.addresses.set(Sort::Sem, object, sem.0);
            }
            Op::SignalEnter | Op::SignalExit => {
                let handlers = self.walkers[index].handlers;
                let now =
                    if sync.op == Op::SignalEnter { handlers.saturating_add(1) } else { handlers.saturating_sub(1) };
                self.walkers[index].handlers = now;
                self.builder.set_in_handler(thread, now > 0);
            }
            Op::Alloc => self.allocate(thread, object, sync.arg, sync.pc),
            Op::Free => {
                self.write_all(index, sync);
                self.free(object, sync.arg);
            }
            Op::CustomArg => self.value(index, sync),
            Op::Gap => {
                let number = self.builder.recorded(thread);
                self.note(Note::Gap { thread: number, events: sync.arg });
            }
            _ => {}
        }
    }

    /// One more value of the thread's next custom event; values beyond the limit are left out.
    fn value(&mut self, index: usize, sync: &Sync) {
        let value = match sync.object {
            ARG_TEXT => {
                let text = self.recording.string(sync.arg);
                Value::Text(self.builder.text(&text))
            }
            _ => Value::Number(sync.arg.cast_signed()),
        };
        let values = &mut self.walkers[index].values;
        if values.len() < Value::MOST {
            values.push(value);
        }
    }

    fn lock_operation(
        &mut self,
        index: usize,
        thread: ThreadId,
        event: Event,
        lock: LockId,
        sync: &Sync,
        place: PlaceId,
    ) -> Result<(), Illegal> {
        let owner_died = LockArg::decode(sync.arg).is_some_and(|arg| arg.owner_died);
        if owner_died && self.builder.owner(lock).is_some_and(|owner| owner != thread) {
            self.push(index, thread, Event::Unlock(lock), place)?;
        }
        match self.push(index, thread, event, place) {
            Err(Illegal::NotHeld(_)) if self.builder.assume_held(thread, lock) => {
                self.push(index, thread, event, place)
            }
            Err(why @ Illegal::NotHeld(_)) => {
                self.misuses.note(thread, why, sync.pc);
                self.push(index, thread, Event::StrayUnlock(lock), place)
            }
            outcome => outcome,
        }
    }
}

/// What an event carries, from the fields of its record: addresses become ids.
struct Fields<'n, 'a, 's> {
    normaliser: &'n mut Normaliser<'a>,
    /// Which walker's record it is.
    index: usize,
    thread: ThreadId,
    sync: &'s Sync,
    /// The next value, and its upper half.
    value: u64,
    high: u64,
}

impl Fields<'_, '_, '_> {
    /// The argument of a wait is its lock, which the thread has just released, so it is known.
    fn lock(&mut self) -> Result<LockId, &'static str> {
        let object = self.sync.object;
        if matches!(self.sync.op, Op::Wait | Op::FailedWait) {
            return Ok(self.normaliser.lock(self.sync.arg & !Check::BIT, LockClass::Mutex));
        }
        let class = self.lock_arg()?.class;
        Ok(match self.sync.op {
            Op::Unlock => self.normaliser.released_lock(self.thread, object, class),
            _ => self.normaliser.lock(object, class),
        })
    }

    /// The values of a custom event: the one in its record, or those in the records before it.
    fn values(&mut self) -> ArgsId {
        let Self { normaliser, index, sync, .. } = self;
        let collected = std::mem::take(&mut normaliser.walkers[*index].values);
        if sync.op == Op::Custom {
            return normaliser.builder.values(&[Value::Number(sync.arg.cast_signed())]);
        }
        normaliser.builder.values(&collected)
    }

    fn lock_arg(&self) -> Result<LockArg, &'static str> {
        LockArg::decode(self.sync.arg).ok_or("argument of a lock")
    }
}

impl Reader for Fields<'_, '_, '_> {
    type Error = &'static str;

    fn id(&mut self, sort: Sort) -> Result<u32, &'static str> {
        let (object, normaliser) = (self.sync.object, &mut *self.normaliser);
        Ok(match sort {
            Sort::Thread => normaliser.thread(self.sync.arg).0,
            Sort::Lock => self.lock()?.0,
            Sort::Condition => as_read(normaliser.condition(object)).0,
            Sort::Barrier => normaliser.barrier(object).0,
            Sort::Sem => normaliser.sem(object).0,
            Sort::Once => normaliser.once(object).0,
            Sort::Channel => normaliser.channel(object).0,
            Sort::Atomic => normaliser.atomic(self.thread, self.sync).0,
            Sort::Custom => normaliser.custom(object).0,
            Sort::Args => self.values().0,
            Sort::Interval => return Err("operation on an interval"),
        })
    }

    fn patience(&mut self) -> Result<Patience, &'static str> {
        if matches!(self.sync.op, Op::SemWait | Op::FailedSemWait) {
            return Patience::from_code(self.sync.arg).ok_or("argument of a semaphore");
        }
        Ok(self.lock_arg()?.patience)
    }

    fn check(&mut self) -> Result<Check, &'static str> {
        Ok(Check::of_arg(self.sync.arg))
    }

    fn order(&mut self, _: Orders) -> Result<Order, &'static str> {
        let has_detail = self.sync.op.has_detail();
        Ok(if has_detail { self.sync.detail.order() } else { Order::from_abi(self.sync.arg as u32) })
    }

    fn number(&mut self) -> Result<u64, &'static str> {
        let value = fold(self.value, self.high);
        (self.value, self.high) = (self.sync.detail.new, self.sync.detail.high[1]);
        Ok(value)
    }
}

/// The value of a sixteen-byte operation in eight bytes: equal values stay equal, and small ones are unchanged.
fn fold(low: u64, high: u64) -> u64 {
    low ^ high.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
