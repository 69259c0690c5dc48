//! Whose turn it is, strictly or loosely.
//!
//! Strictly, steps are taken one after the other, as they stand in the schedule. Loosely, each thread takes its own steps in
//! order, and the steps on one object are taken in order; what happens before what is the same, because nothing orders
//! steps of different threads but the objects they are on, and threads that have nothing to do with each other run side
//! by side. A program that depends on the order of other things, such as plain variables, needs the strict order.
//!
//! Either way a thread stands in a queue for its next step: the one queue of the strict order, or the object's. A queue says
//! whose turn it is, and for how many steps in a row: only the last of them changes what others look at.

use crate::gate::schedule::{self, Streams};
use crate::memory::arena;
use crate::thread::{Shared, Thread};
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use foretrace_event::schedule::{NO_OBJECT, Run, Step};
use foretrace_event::wire::Op;

/// What a thread is to do.
#[derive(Clone, Copy)]
pub enum Next {
    /// The schedule is over.
    Over,
    /// This step.
    Mine(Step),
    /// Wait.
    NotYet,
}

/// What a step leaves behind.
pub struct Taken {
    /// The thread whose turn it is now, if it is another's and threads sleep until their turn.
    pub heir: Option<u32>,
    /// It was the last step of all.
    pub over: bool,
}

/// A thread of the schedule, with a line of the cache for itself.
#[repr(C, align(64))]
struct ThreadSlot {
    /// The thread, once it runs.
    player: AtomicPtr<Shared>,
    /// Its next step: the operation from bit 32, and the object; zero if none is left.
    next: AtomicU64,
    /// The steps after that; its own alone.
    steps: Cell<&'static [u8]>,
}

/// Who may take steps, in turn, with a line of the cache for itself.
#[repr(C, align(64))]
struct Queue {
    /// The thread whose turn it is.
    turn: AtomicU32,
    /// For how many steps; of concern to that thread alone, as is what follows.
    left: Cell<u32>,
    /// Who comes after that.
    runs: Cell<&'static [u8]>,
    /// How many threads sleep here until it is their turn.
    asleep: AtomicU32,
    /// Where the object is; zero until its first use.
    address: AtomicUsize,
}

/// No thread.
const NOBODY: u32 = u32::MAX;

static SLOTS: AtomicPtr<ThreadSlot> = AtomicPtr::new(core::ptr::null_mut());
/// The queue of the strict order, then those of the objects.
static QUEUES: AtomicPtr<Queue> = AtomicPtr::new(core::ptr::null_mut());
static OBJECTS: AtomicU32 = AtomicU32::new(0);
static LOOSE: AtomicBool = AtomicBool::new(false);
/// Threads that have steps left.
static UNFINISHED: AtomicU32 = AtomicU32::new(0);

fn array<T>(count: usize) -> Option<*mut T> {
    arena::allocate(count.checked_mul(size_of::<T>())?).map(<*mut u8>::cast)
}

/// Takes its places; false if there is no memory.
pub fn open(streams: &Streams, objects: u32, loose: bool) -> bool {
    let (threads, queues) = (schedule::threads(), 1 + objects as usize);
    let (Some(slots), Some(places)) = (array::<ThreadSlot>(threads as usize), array::<Queue>(queues)) else {
        return false;
    };
    let mut unfinished = 0;
    for thread in 0..threads {
        let (player, next) = (AtomicPtr::new(core::ptr::null_mut()), AtomicU64::new(0));
        let slot = ThreadSlot { player, next, steps: Cell::new(streams.steps(thread)) };
        unfinished += u32::from(slot.advance());
        // SAFETY: there is room for each thread, and nobody else knows of it yet.
        unsafe { slots.add(thread as usize).write(slot) };
    }
    for number in 0..queues {
        let (turn, runs) = (AtomicU32::new(NOBODY), Cell::new(streams.order(number)));
        let queue = Queue { turn, left: Cell::new(0), runs, asleep: AtomicU32::new(0), address: AtomicUsize::new(0) };
        queue.next_run();
        // SAFETY: as above, for each queue.
        unsafe { places.add(number).write(queue) };
    }
    SLOTS.store(slots, Ordering::Relaxed);
    QUEUES.store(places, Ordering::Relaxed);
    OBJECTS.store(objects, Ordering::Relaxed);
    LOOSE.store(loose, Ordering::Relaxed);
    UNFINISHED.store(unfinished, Ordering::Release);
    true
}

impl ThreadSlot {
    /// Looks at the next step; false if there is none.
    fn advance(&self) -> bool {
        let mut steps = self.steps.get();
        let next = Step::decode(&mut steps).map_or(0, |step| u64::from(step.op as u8) << 32 | u64::from(step.object));
        self.steps.set(steps);
        self.next.store(next, Ordering::Release);
        next != 0
    }

    #[inline]
    fn next(&self) -> Option<Step> {
        let next = self.next.load(Ordering::Acquire);
        Some(Step { op: Op::from_code((next >> 32) as u8)?, object: next as u32 })
    }
}

impl Queue {
    /// One step less for the thread whose turn it is. If that was its last, who may sleep and has to be woken?
    #[inline]
    fn advance(&self) -> Option<u32> {
        let left = self.left.get().saturating_sub(1);
        self.left.set(left);
        if left > 0 { None } else { self.next_run() }
    }

    fn next_run(&self) -> Option<u32> {
        let mut runs = self.runs.get();
        let run = Run::decode(&mut runs).unwrap_or(Run { thread: NOBODY, steps: 0 });
        self.runs.set(runs);
        self.left.set(run.steps);
        // Those who go to sleep say so before they look: one of both sees the other. What they look at and what they say is
        // on one line of the cache; the heir's own is not touched for nothing.
        self.turn.swap(run.thread, Ordering::SeqCst);
        (self.asleep.load(Ordering::SeqCst) > 0 && run.thread != NOBODY).then_some(run.thread)
    }
}

#[inline]
fn slot(thread: u32) -> Option<&'static ThreadSlot> {
    // SAFETY: there is a slot for each thread of the schedule, never freed.
    (thread < schedule::threads()).then(|| unsafe { &*SLOTS.load(Ordering::Relaxed).add(thread as usize) })
}

#[inline]
fn object_queue(object: u32) -> Option<&'static Queue> {
    // SAFETY: there is a queue for each object of the schedule, never freed.
    (object < OBJECTS.load(Ordering::Relaxed))
        .then(|| unsafe { &*QUEUES.load(Ordering::Relaxed).add(1 + object as usize) })
}

/// Where one stands for a step; none: nowhere.
#[inline]
fn queue(step: Step) -> Option<&'static Queue> {
    if LOOSE.load(Ordering::Relaxed) {
        return object_queue(step.object);
    }
    // SAFETY: as above; the first is always there.
    unsafe { QUEUES.load(Ordering::Relaxed).as_ref() }
}

/// Is the order loose?
pub fn is_loose() -> bool {
    LOOSE.load(Ordering::Relaxed)
}

/// Has the last step been taken?
#[inline]
pub fn is_over() -> bool {
    UNFINISHED.load(Ordering::Acquire) == 0
}

/// Has the thread taken all its steps?
pub fn has_finished(thread: u32) -> bool {
    slot(thread).is_none_or(|slot| slot.next().is_none())
}

/// Is the thread's next step, whether or not its turn has come, to look at this variable?
pub fn is_next_look(thread: u32, address: usize) -> bool {
    let step = slot(thread).and_then(ThreadSlot::next);
    step.filter(|step| matches!(step.op, Op::AtomicLoad | Op::AtomicCasFailed | Op::AtomicRmw))
        .and_then(|step| object_queue(step.object))
        .is_some_and(|queue| queue.address.load(Ordering::Relaxed) == address)
}

/// What the thread is to do.
#[inline]
pub fn next(thread: u32) -> Next {
    match slot(thread).map(ThreadSlot::next) {
        None => Next::Over,
        Some(None) if is_over() => Next::Over,
        Some(None) => Next::NotYet,
        Some(Some(step)) if is_turn(thread, step) => Next::Mine(step),
        Some(Some(_)) => Next::NotYet,
    }
}

#[inline]
fn is_turn(thread: u32, step: Step) -> bool {
    queue(step).is_none_or(|queue| queue.turn.load(Ordering::Acquire) == thread)
}

/// Takes the thread's next step, whose turn it is; for the thread itself.
#[inline]
pub fn take(thread: u32, step: Step) -> Taken {
    let taken = schedule::taken_by(thread);
    taken.store(taken.load(Ordering::Relaxed) + 1, Ordering::Release);
    let goes_on = slot(thread).is_some_and(ThreadSlot::advance);
    let heir = queue(step).and_then(Queue::advance);
    Taken { heir, over: !goes_on && UNFINISHED.fetch_sub(1, Ordering::SeqCst) == 1 }
}

/// A thread is about to sleep until its turn comes, or does not sleep any more. Its next step stays the same meanwhile.
pub fn set_asleep(thread: u32, asleep: bool) {
    let Some(queue) = slot(thread).and_then(ThreadSlot::next).and_then(queue) else { return };
    if asleep {
        queue.asleep.fetch_add(1, Ordering::SeqCst);
    } else {
        queue.asleep.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A thread that has not come though it is its turn, or else one that has steps left.
pub fn missing() -> Option<u32> {
    let open = || (0..schedule::threads()).filter_map(|thread| Some((thread, slot(thread)?.next()?)));
    let (thread, _) = open().find(|(thread, step)| is_turn(*thread, *step)).or_else(|| open().next())?;
    Some(thread)
}

/// The thread with that index, if it runs.
pub fn player(thread: u32) -> Option<&'static Shared> {
    // SAFETY: null, or a player of our own, which is never freed.
    slot(thread).and_then(|slot| unsafe { slot.player.load(Ordering::Acquire).as_ref() })
}

/// A thread begins: the schedule may know it.
pub fn set_player(player: &'static Thread) {
    if let Some(slot) = slot(player.index) {
        slot.player.store(core::ptr::from_ref(player.shared()).cast_mut(), Ordering::Release);
    }
}

/// Is the object with that number the one at this address? Its first use says so. For the thread whose turn it is.
#[inline]
pub fn is_object(number: u32, address: usize) -> bool {
    let Some(queue) = object_queue(number).filter(|_| number != NO_OBJECT) else { return true };
    match queue.address.load(Ordering::Relaxed) {
        0 => queue.address.store(address, Ordering::Relaxed),
        known => return known == address,
    }
    true
}
