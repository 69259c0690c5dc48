//! A thread of the program, as the runtime knows it: one object for the gate, the sink and the watch.
//!
//! [`Shared`] is what others may read: it is `Sync`, made of atomics and of values behind locks. The rest of a [`Thread`]
//! is its owner's alone. Other threads find each other through [`threads`], which hands out shared parts only; the whole
//! object comes from [`current`], for the thread that it stands for. So the compiler refuses to pass what is private.

pub mod callers;
pub mod clock;
pub mod count;
pub mod handle;
pub mod moments;
pub mod objects;
pub mod order;
pub mod polling;
mod pool;
pub mod published;
pub mod repeats;
pub mod signals;
pub mod stack;
pub mod tls;
pub mod waiting;
mod world;

use crate::axes;
use crate::memory::spin::Locked;
use crate::memory::{arena, fork};
use crate::sink::lines::{Lines, SMALL};
use crate::sink::recording::{self, Chunk};
use crate::sink::stamp::Stamps;
use crate::sink::stream::Stream;
use crate::sys::lineage;
use crate::thread::tls::{Section, Tls, tls};
use core::cell::{Cell, UnsafeCell};
use core::ops::Deref;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use foretrace_event::layout::ChunkKind;
use foretrace_event::table::ENTRY_SIZE;
use moments::Moments;
use objects::Remembered;
use order::Synchronised;
use polling::{Poll, Rounds};
pub use pool::{Body, join, prepare};
use published::Published;
use repeats::Repeats;
use signals::Slots;
use stack::StackId;
use waiting::{Held, Waiting};
pub use world::{StopTheWorld, progress, threads};

/// A value that only the owner of its thread uses, one call at a time, in a section.
pub struct Owned<T>(UnsafeCell<T>);

impl<T> Owned<T> {
    /// The value, for the owner. A caller keeps the reference no longer than its own work with it takes, and calls nothing
    /// meanwhile that asks for the same value.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "the owner uses it one call at a time")]
    pub fn get(&self) -> &mut T {
        // SAFETY: only the owner has a reference to its thread; sections keep its signal handlers out.
        unsafe { &mut *self.0.get() }
    }
}

/// A thread.
#[repr(C)]
pub struct Thread {
    /// The lines it has touched in the current segment.
    pub lines: Owned<Lines>,
    /// Its records, if it is recorded.
    pub stream: Owned<Option<Stream>>,
    /// Where the lines lie in the recording, if it is recorded.
    table: Cell<Option<Chunk>>,
    /// Its place in the order of the recording.
    pub stamps: Owned<Stamps>,
    /// What it polls.
    pub rounds: Owned<Rounds>,
    /// The object itself, as it was allocated.
    this: Cell<*mut Self>,
    /// The next one that is free.
    next_free: Cell<*mut Self>,
    /// What others may read.
    shared: Shared,
    /// Its vector clock.
    pub clock: Owned<Synchronised>,
    /// How many threads it has created.
    pub children: Cell<u32>,
    /// It has asked the controlled gate for the operation that it is about to note.
    pub asked: Cell<bool>,
    /// The operations that it has done last and that changed nothing, the newest first; for the controlled gate.
    pub last_polls: Owned<[Poll; polling::LONGEST]>,
    /// How many operations are left of a round of polling that it goes through again because something has changed.
    pub round_left: Cell<usize>,
    /// How many operations it has repeated since its last step.
    pub spins: Cell<u32>,
    /// The locks it held when it was last asked, and how often they had changed then, and what it held last if it holds
    /// none.
    locks: Cell<(u32, StackId, StackId)>,
    /// Where it has called `abort` or failed an assertion, and the frame there; zero: nowhere.
    pub gave_up: Cell<(usize, usize)>,
    /// What it has done since it last looked at the horizon.
    pub work: Cell<u32>,
    /// How many operations all threads had made when it last lost its core.
    pub progress_when_lost: Cell<u64>,
    /// What it waits for, as the others see it.
    waiting: Cell<Option<Waiting>>,
    /// The condition variable and the place of its last wait, if that ended without a signal and without a deadline.
    pub unsignalled: Cell<(usize, usize)>,
    /// Where its last objects are.
    pub objects: Remembered,
    /// The call stacks it saw last.
    pub stacks: stack::Seen,
    /// Signals that wait for the end of a section. They take no memory until they come.
    pub deferred: Slots,
}

/// What other threads may read of a thread.
pub struct Shared {
    /// Its number: in the recording and, if there is one, in the schedule; those that are not in it are numbered on.
    pub index: u32,
    /// Its number in vector clocks.
    pub number: u32,
    /// The bounds of its stack.
    pub stack: (usize, usize),
    /// What it finds its own storage by.
    pub pointer: usize,
    /// Its number in the kernel.
    pub tid: u32,
    /// One while it sleeps until its turn comes.
    pub sleeping: AtomicU32,
    /// What it does again and again; only it adds to that.
    pub repeats: Repeats,
    /// What it had done when; only it adds to that.
    pub moments: Moments,
    /// What others may know of its clock.
    pub published: Published,
    /// Its operations so far; only it counts.
    pub progress: AtomicU64,
    /// The libraries that it is in touch with.
    pub libraries: AtomicU64,
    /// It waits on a condition variable, and looks from time to time whether it was signalled.
    pub looks_for_signal: AtomicBool,
    /// It has ended. See [`StopTheWorld`] for an answer that stays true.
    pub ended: AtomicBool,
    /// It says what it waits for. As above.
    pub waits: AtomicBool,
    status: Locked<Status>,
    next: AtomicPtr<Self>,
}

/// What changes under the thread's lock.
pub struct Status {
    /// What it holds.
    pub held: Held,
    waiting: Option<Waiting>,
}

const fn _is_sync<T: Sync>() {}
const _: () = _is_sync::<Shared>();

impl Deref for Thread {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Thread {
    /// A thread that begins, with that number in vector clocks; none if there is no memory for it.
    pub fn new(index: u32, number: u32) -> Option<&'static mut Self> {
        let new = Self::empty()?;
        (new.shared.index, new.shared.number) = (index, number);
        new.clock.get().begin(number);
        // Where each access is examined at once, no line is kept.
        let has_lines =
            axes::watches_accesses() || new.lines.get().init(arena::allocate(SMALL * ENTRY_SIZE)?, SMALL, false);
        has_lines.then_some(new)
    }

    fn empty() -> Option<&'static mut Self> {
        let thread: *mut Self = arena::allocate(size_of::<Self>())?.cast();
        // SAFETY: the memory is zeroed, which is valid for all fields but for those that are written first, and it is
        // nobody else's.
        unsafe {
            (&raw mut (*thread).this).write(Cell::new(thread));
            (&raw mut (*thread).stream).write(Owned(UnsafeCell::new(None)));
            (&raw mut (*thread).table).write(Cell::new(None));
            (&raw mut (*thread).waiting).write(Cell::new(None));
            (&raw mut (*thread).shared.status).write(Locked::new(Status { held: Held::new(), waiting: None }));
            Some(&mut *thread)
        }
    }

    /// What others may read of it.
    pub const fn shared(&'static self) -> &'static Shared {
        &self.shared
    }

    /// Remembers an operation that changed nothing.
    pub fn note_poll(&self, poll: Poll) {
        let polls = self.last_polls.get();
        polls.rotate_right(1);
        polls[0] = poll;
    }

    /// The locks it holds, by a number that stands for them.
    pub fn locks_held(&self) -> StackId {
        let (version, number, last) = self.locks.get();
        let changed = self.with_held(|held| {
            let changed = held.version() != version;
            changed.then(|| (held.version(), stack::put_locks(held.words(), last)))
        });
        let Some((version, number)) = changed else { return number };
        self.locks.set((version, number, if number == 0 { last } else { number }));
        number
    }

    /// What it has said that it waits for.
    pub fn own_waiting(&self) -> Option<Waiting> {
        self.waiting.get()
    }

    /// Says what the thread waits for from now on.
    pub fn set_waiting(&self, waiting: Option<Waiting>) {
        let _section = Section::nest();
        self.shared.status.with(|status| self.wait(status, waiting));
    }

    /// The same, for one that has stopped the world.
    pub fn set_waiting_among(&self, _stopped: &StopTheWorld, waiting: Option<Waiting>) {
        // SAFETY: who has stopped the world holds the lock.
        self.wait(unsafe { &mut *self.shared.status.value() }, waiting);
    }

    fn wait(&self, status: &mut Status, waiting: Option<Waiting>) {
        status.waiting = waiting;
        self.waits.store(waiting.is_some(), Ordering::Relaxed);
        match (self.waiting.replace(waiting), waiting) {
            (None, Some(_)) => count::one_less(),
            (Some(_), None) => count::one_more(),
            _ => {}
        }
    }

    /// One more operation, after which the thread waits for nothing and holds something else.
    pub fn move_on<R>(&self, change: Option<impl FnOnce(&mut Held) -> R>) -> Option<R> {
        self.progress.store(self.progress.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if change.is_none() && self.waiting.get().is_none() {
            return None;
        }
        self.shared.status.with(|status| {
            self.wait(status, None);
            change.map(|change| change(&mut status.held))
        })
    }

    /// The thread takes no part any more.
    pub fn set_ended(&self) {
        self.shared.status.with(|_| self.ended.store(true, Ordering::Relaxed));
    }

    /// Moves to a larger table of lines, which the recording has or which is memory of our own. The current one is empty.
    pub fn grow_lines(&self, large: usize) {
        let Some(table) = self.table.get() else {
            if let Some(entries) = arena::allocate(large * ENTRY_SIZE)
                && self.lines.get().grow(entries)
            {
                choose_lines();
            }
            return;
        };
        if let Some(larger) = Chunk::take(ChunkKind::Table, large * ENTRY_SIZE)
            && self.lines.get().grow(larger.content())
        {
            larger.hand_to(self.index);
            choose_lines();
            self.table.set(Some(larger));
            table.discard();
        }
    }
}

/// This thread's object, where its operations count. The caller is in a section.
#[inline]
pub fn current() -> Option<&'static Thread> {
    let tls = tls();
    if tls.waiting.get() {
        return None;
    }
    if !lineage::is_own() {
        leave();
    }
    own()
}

/// This thread's object, if all that is to be done with an operation is to record it: the thread takes no part in the gate
/// or the watch, is in nothing out of the ordinary, and is in the process that the recording is of.
#[inline(always)]
pub fn recorded_plainly() -> Option<(&'static Tls, &'static Thread)> {
    let tls = tls();
    // SAFETY: as in `own`.
    let thread = unsafe { tls.recorded.get().as_ref() }?;
    (tls.is_plain() && lineage::is_own()).then_some((tls, thread))
}

/// This thread's object.
#[inline]
pub fn own() -> Option<&'static Thread> {
    // SAFETY: the object is this thread's alone from its beginning to its end, and is never freed.
    unsafe { tls().thread.get().as_ref() }
}

/// This thread, if it takes part in the gate or in the watch.
#[inline]
pub fn taking_part() -> Option<&'static Thread> {
    own().filter(|_| axes::is_replaying())
}

/// This thread's number in the recording.
pub fn current_id() -> Option<u32> {
    let _section = Section::nest();
    current().map(|thread| thread.index)
}

/// Makes this object the current thread's.
pub fn attach(thread: &'static Thread) {
    let tls = tls();
    tls.thread.set(thread.this.get());
    let only_recorded = thread.stream.get().is_some() && !axes::is_replaying();
    tls.recorded.set(if only_recorded { thread.this.get() } else { core::ptr::null_mut() });
    tls.ended.set(false);
    choose_lines();
}

/// Takes the current thread's object away from it.
pub fn detach() -> Option<&'static Thread> {
    let tls = tls();
    find_no_lines(tls);
    tls.recorded.set(core::ptr::null_mut());
    // SAFETY: as in `own`; nobody else has the pointer.
    unsafe { tls.thread.replace(core::ptr::null_mut()).as_ref() }
}

/// The program is ending, so accesses are examined at once and no table is used.
static DIRECT: AtomicBool = AtomicBool::new(false);

/// From now on the access hooks use no table.
pub fn use_no_lines() {
    DIRECT.store(true, Ordering::Relaxed);
    choose_lines();
}

/// Do they?
pub fn uses_no_lines() -> bool {
    DIRECT.load(Ordering::Relaxed)
}

/// Points the access hooks to the table they may use: none in a signal handler, where accesses are ignored, or where each
/// access is examined.
pub fn choose_lines() {
    let tls = tls();
    let quiet = tls.handlers.get() != 0 || tls.ignores.get();
    let by_line = !quiet && !axes::watches_accesses() && !DIRECT.load(Ordering::Relaxed);
    let lines = own().filter(|_| by_line).map(|thread| thread.lines.get());
    // In this order the mask never reaches beyond the table: none is larger than the one where nothing is found.
    find_no_lines(tls);
    if let Some(lines) = lines {
        let (entries, slot_mask) = lines.for_hooks();
        tls.slot_mask.set(slot_mask);
        tls.lines.set(entries);
        tls.recent.set(lines.recent_for_hooks());
    }
}

/// From now on the hooks of this thread find no line.
fn find_no_lines(tls: &Tls) {
    tls.lines.set(crate::sink::lines::no_lines());
    tls.recent.set(core::ptr::null_mut());
}

/// In a forked child: the recording is the parent's. If processes are followed, the child's begins with its first
/// thread.
pub fn leave() {
    axes::SETTINGS.reset();
    fork::reset_all();
    detach();
    if axes::leave() {
        recording::abandon();
    }
}
