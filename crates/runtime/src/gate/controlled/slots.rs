//! What the gate knows of each thread. Only the thread that has the turn reads or writes it.

use crate::sys;
use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering};
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::{ThreadId, ThreadSet};

/// What a thread asks for.
#[derive(Clone, Copy)]
pub struct Request {
    /// The operation, as far as it is known before it happens.
    pub operation: Operation,
    /// It gives up at a deadline.
    pub timed: bool,
    /// Where in the program.
    pub place: usize,
}

/// What a thread is allowed to do.
#[derive(Clone, Copy)]
pub struct Granted {
    /// The operation as it happens.
    pub operation: Operation,
}

const NOTHING: Operation = Operation::new(OpKind::Other, 0);

/// Where a thread is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It has not been created.
    Absent,
    /// It has the turn.
    Running,
    /// It asks.
    Asking,
    /// It has ended.
    Ended,
}

/// A thread.
pub struct Slot {
    /// One when it may go on.
    go: AtomicU32,
    /// Where it is.
    pub stage: Cell<Stage>,
    /// What it asks for.
    pub request: Cell<Request>,
    /// What it was allowed last.
    pub granted: Cell<Granted>,
    /// A wait on a condition variable has been ended by a signal, or the barrier is complete.
    pub woken: Cell<bool>,
    /// It returns from a barrier as the serial thread.
    pub serial: Cell<bool>,
    /// Someone has changed what its loop reads.
    pub changed: Cell<bool>,
    /// It sleeps until a conflicting operation happens.
    pub asleep: Cell<bool>,
    /// Its priority, for policies that have some.
    pub priority: Cell<u64>,
}

// SAFETY: only the thread that has the turn uses the cells, and handing the turn over orders the uses.
unsafe impl Sync for Slot {}

impl Slot {
    const fn new() -> Self {
        Self {
            go: AtomicU32::new(0),
            stage: Cell::new(Stage::Absent),
            request: Cell::new(Request { operation: NOTHING, timed: false, place: 0 }),
            granted: Cell::new(Granted { operation: NOTHING }),
            woken: Cell::new(false),
            serial: Cell::new(false),
            changed: Cell::new(false),
            asleep: Cell::new(false),
            priority: Cell::new(0),
        }
    }

    /// What it asks for.
    pub fn operation(&self) -> Operation {
        self.request.get().operation
    }

    /// Does it ask for an operation of this kind on this object?
    pub fn asks_for(&self, kind: OpKind, object: u64) -> bool {
        let operation = self.operation();
        self.stage.get() == Stage::Asking && operation.kind == kind && operation.object.0 == object
    }

    /// Lets the thread go on.
    pub fn release(&self) {
        self.go.store(1, Ordering::Release);
        sys::futex_wake(self.go.as_ptr(), 1);
    }

    /// The current thread waits until it may go on.
    pub fn park(&self) {
        while self.go.swap(0, Ordering::Acquire) == 0 {
            sys::futex_wait(self.go.as_ptr(), 0);
        }
    }
}

const CAPACITY: usize = ThreadSet::CAPACITY as usize;
static SLOTS: [Slot; CAPACITY] = [const { Slot::new() }; CAPACITY];
/// One more than the highest number of a thread.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The slot of a thread, whose number is in range.
pub fn slot(thread: ThreadId) -> &'static Slot {
    &SLOTS[thread.index() % CAPACITY]
}

/// A thread has been created; its first step is still to come.
pub fn add(thread: ThreadId, stage: Stage) {
    slot(thread).stage.set(stage);
    COUNT.fetch_max(thread.0 + 1, Ordering::Relaxed);
}

/// All threads that ask, in the order of their numbers.
pub fn asking() -> impl Iterator<Item = (ThreadId, &'static Slot)> {
    let all = SLOTS[..COUNT.load(Ordering::Relaxed) as usize].iter().zip(0..);
    all.filter(|(slot, _)| slot.stage.get() == Stage::Asking).map(|(slot, number)| (ThreadId(number), slot))
}

/// Has the thread ended?
pub fn has_ended(thread: u64) -> bool {
    SLOTS.get(thread as usize).is_some_and(|slot| slot.stage.get() == Stage::Ended)
}
