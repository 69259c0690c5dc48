//! The walk over all records in the order of their stamps: addresses become ids, and the builder checks each event.

use foretrace_event::wire::{Access, LockArg, Op, Record, Sync, WireError};
use foretrace_event::{Event, LockClass, LockId, Order, Patience, ThreadId};
use rustc_hash::FxHashMap;

use super::addresses::{Addresses, Thing};
use super::generations::{Generations, Part};
use super::intervals::{Threads, Touch};
use super::lines::SharedLines;
use super::misuse::Misuses;
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
        let object = sync.object;
        match sync.op {
            Op::Lock | Op::LockFailed | Op::RdLock | Op::RdLockFailed | Op::Unlock => {
                let arg = LockArg::decode(sync.arg).ok_or("argument of a lock")?;
                return Ok(self.lock_operation(index, thread, sync, arg, place));
            }
            Op::SemWait | Op::SemWaitFailed => {
                let patience = Patience::from_code(sync.arg).ok_or("argument of a semaphore")?;
                let sem = self.sem(object);
                let failed = sync.op == Op::SemWaitFailed;
                let event = if failed { Event::FailedSemWait(sem, patience) } else { Event::SemWait(sem, patience) };
                return Ok(self.push(index, thread, event, place));
            }
            Op::Signal | Op::Broadcast | Op::Wait | Op::WaitFailed => {
                return Ok(self.condition_operation(index, thread, sync, place));
            }
            _ => {}
        }
        match self.simple_event(thread, sync) {
            Some(event) => Ok(self.push(index, thread, event, place).inspect(|()| self.after(index, thread, sync))),
            None => {
                self.bookkeeping(index, thread, sync);
                Ok(Ok(()))
            }
        }
    }

    /// The event of an operation that has no other effect.
    fn simple_event(&mut self, thread: ThreadId, sync: &Sync) -> Option<Event> {
        let object = sync.object;
        Some(match sync.op {
            Op::Start => Event::Start,
            Op::End => Event::End,
            Op::Fork => Event::Fork(self.thread(sync.arg)),
            Op::Join => Event::Join(self.thread(sync.arg)),
            Op::BarrierEnter => Event::BarrierEnter(self.barrier(object)),
            Op::BarrierExit => Event::BarrierExit(self.barrier(object)),
            Op::SemPost => Event::SemPost(self.sem(object)),
            Op::OnceRun => Event::OnceRun(self.once(object)),
            Op::OnceDone => Event::OnceDone(self.once(object)),
            Op::OnceAbort => Event::OnceAbort(self.once(object)),
            Op::OncePass => Event::OncePass(self.once(object)),
            Op::Release => Event::Release(self.channel(object)),
            Op::Acquire => Event::Acquire(self.channel(object)),
            Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCasFailed => self.atomic_event(thread, sync),
            Op::Fence => Event::Fence(Order::from_abi(sync.arg as u32)),
            Op::Custom => Event::Custom(self.custom(object), sync.arg),
            _ => return None,
        })
    }

    fn atomic_event(&mut self, thread: ThreadId, sync: &Sync) -> Event {
        let atomic = self.atomic(thread, sync);
        let (order, [high, new_high]) = (sync.detail.order(), sync.detail.high);
        let value = fold(sync.arg, high);
        match sync.op {
            Op::AtomicStore => Event::AtomicStore(atomic, order.into(), value),
            Op::AtomicRmw => Event::AtomicRmw(atomic, order, value, fold(sync.detail.new, new_high)),
            _ => Event::AtomicLoad(atomic, order.into(), value),
        }
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
            Op::CondInit | Op::CondDestroy => self.addresses.forget(Thing::Condition, object),
            Op::BarrierDestroy => self.addresses.forget(Thing::Barrier, object),
            Op::SemDestroy => self.addresses.forget(Thing::Sem, object),
            Op::BarrierInit => {
                let count = u32::try_from(sync.arg).unwrap_or(u32::MAX);
                let barrier = self.builder.barrier(BarrierInfo { count, name: None, address: object });
                self.addresses.set(Thing::Barrier, object, barrier.0);
            }
            Op::SemInit => {
                let sem =
                    self.builder.sem(SemInfo { initial: sync.arg.min(SemInfo::MOST), name: None, address: object });
                self.addresses.set(Thing::Sem, object, sem.0);
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
            Op::Gap => {
                let number = self.builder.recorded(thread);
                self.note(Note::Gap { thread: number, events: sync.arg });
            }
            _ => {}
        }
    }

    fn lock_operation(
        &mut self,
        index: usize,
        thread: ThreadId,
        sync: &Sync,
        arg: LockArg,
        place: PlaceId,
    ) -> Result<(), Illegal> {
        let lock = match sync.op {
            Op::Unlock => self.released_lock(thread, sync.object, arg.class),
            _ => self.lock(sync.object, arg.class),
        };
        let event = match sync.op {
            Op::Lock => Event::Lock(lock, arg.patience),
            Op::LockFailed => Event::FailedLock(lock, arg.patience),
            Op::RdLock => Event::RdLock(lock, arg.patience),
            Op::RdLockFailed => Event::FailedRdLock(lock, arg.patience),
            _ => Event::Unlock(lock),
        };
        if arg.owner_died && self.builder.owner(lock).is_some_and(|owner| owner != thread) {
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

    fn condition_operation(
        &mut self,
        index: usize,
        thread: ThreadId,
        sync: &Sync,
        place: PlaceId,
    ) -> Result<(), Illegal> {
        self.walkers[index].segment = None;
        if sync.op == Op::WaitFailed {
            let lock = self.wait_lock(sync.arg);
            return self.builder.push(thread, Event::FailedWait(lock), place);
        }
        let condition = self.condition(sync.object);
        match sync.op {
            Op::Signal => self.builder.signal(thread, condition, place),
            Op::Broadcast => self.builder.broadcast(thread, condition, place),
            _ => {
                let lock = self.wait_lock(sync.arg);
                self.builder.wait(thread, condition, lock, place)
            }
        }
    }

    /// The lock of a wait: the thread has just released it, so it is known.
    fn wait_lock(&mut self, address: u64) -> LockId {
        self.lock(address, LockClass::Mutex)
    }
}

/// The value of a sixteen-byte operation in eight bytes: equal values stay equal, and small ones are unchanged.
fn fold(low: u64, high: u64) -> u64 {
    low ^ high.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
