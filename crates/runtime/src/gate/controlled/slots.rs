//! What the gate knows of each thread. Only the thread that has the turn reads or writes it.

use crate::sys::{self, Files};
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
    /// It waits until one of these files can be used.
    pub files: Option<Files>,
    /// If the thread has been cancelled, it ends here instead.
    pub cancellable: bool,
    /// Where in the program.
    pub place: usize,
}

impl Request {
    /// For an operation that nothing else is said of.
    pub const fn new(operation: Operation, place: usize) -> Self {
        Self { operation, timed: false, files: None, cancellable: false, place }
    }
}

/// What a thread is allowed to do.
#[derive(Clone, Copy)]
pub struct Granted {
    /// The operation as it happens.
    pub operation: Operation,
}

const NOTHING: Operation = Operation::new(OpKind::Other, 0);

/// How many reads are remembered: a loop with more in a round is not known as one.
pub const LAST_READS: usize = 8;

/// An operation that read something and changed nothing.
#[derive(Clone, Copy)]
pub struct Read {
    /// The operation.
    pub operation: Operation,
    /// Another thread has changed since what it read.
    pub changed: bool,
    /// How many steps the thread had taken before.
    pub at: u32,
}

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
    /// How many steps it has taken, but for those in which it waits for a change.
    pub steps: Cell<u32>,
    /// What it has read last, and whether another thread has changed that since; each before the one
    /// that is newer.
    reads: [Cell<Read>; LAST_READS],
    /// Which of them is the newest.
    newest: Cell<usize>,
    /// How many rounds of a loop that waits for a change it has made although nothing had changed.
    pub rounds: Cell<u32>,
    /// It has been cancelled, and has not ended yet;
    pub cancelled: Cell<bool>,
    /// libc knows that.
    pub told: Cell<bool>,
    /// How many threads its last signal or broadcast has woken.
    pub woke: Cell<u32>,
    /// It sleeps until a conflicting operation happens.
    pub asleep: Cell<bool>,
}

// SAFETY: only the thread that has the turn uses the cells, and handing the turn over orders the uses.
unsafe impl Sync for Slot {}

impl Slot {
    const fn new() -> Self {
        Self {
            go: AtomicU32::new(0),
            stage: Cell::new(Stage::Absent),
            request: Cell::new(Request::new(NOTHING, 0)),
            granted: Cell::new(Granted { operation: NOTHING }),
            woken: Cell::new(false),
            serial: Cell::new(false),
            steps: Cell::new(0),
            reads: [const { Cell::new(Read { operation: NOTHING, changed: true, at: 0 }) }; LAST_READS],
            newest: Cell::new(0),
            rounds: Cell::new(0),
            cancelled: Cell::new(false),
            told: Cell::new(false),
            woke: Cell::new(0),
            asleep: Cell::new(false),
        }
    }

    /// What it asks for.
    pub fn operation(&self) -> Operation {
        self.request.get().operation
    }

    /// Remembers an operation that read something.
    pub fn note_read(&self, operation: Operation) {
        let next = (self.newest.get() + 1) % LAST_READS;
        self.reads[next].set(Read { operation, changed: false, at: self.steps.get() - 1 });
        self.newest.set(next);
    }

    /// Another thread has done something: what this one has read may have changed.
    pub fn note_change(&self, by: &Operation) {
        for cell in &self.reads {
            let read = cell.get();
            if !read.changed && by.changes(&read.operation) {
                cell.set(Read { changed: true, ..read });
            }
        }
    }

    /// How many steps the thread has taken since the read that was so many reads ago, that one included.
    pub fn steps_of(&self, reads: usize) -> u32 {
        let back = reads.clamp(1, LAST_READS) - 1;
        let read = self.reads[(self.newest.get() + LAST_READS - back) % LAST_READS].get();
        self.steps.get().saturating_sub(read.at).max(1)
    }

    /// Has what the thread has read in its last steps been changed since?
    pub fn has_change(&self, steps: u32) -> bool {
        let first = self.steps.get().saturating_sub(steps);
        self.reads.iter().map(Cell::get).any(|read| read.changed && read.at >= first)
    }

    /// Does it end instead of what it asks for?
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.get() && self.request.get().cancellable
    }

    /// Does it wait in a loop of the program for a change?
    pub fn spins(&self) -> bool {
        let Request { operation, files, .. } = self.request.get();
        operation.kind == OpKind::Spin && files.is_none()
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
