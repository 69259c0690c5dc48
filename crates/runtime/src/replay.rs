//! Replay: the mirror of recording. The same functions are interposed and the same hooks called; here threads wait at
//! them for their turn in a schedule, and what they do is watched for the failure the schedule leads to.
//!
//! The enforcing algorithm is the thesis's (Figure 4.15): a thread passes a scheduling point only when the schedule's next
//! step is its own. *Deviations*: an operation that another kind of step was expected for ends the attempt at once; waits
//! on condition variables are not left to the kernel while the schedule lasts, so that the right waiter wakes; and who is
//! stuck is worked out from what the threads wait for, not from time alone.
//!
//! One lock, [`WORLD`], guards all that threads know of each other. It is held for a few instructions at a time and
//! never while the program's own code runs.

pub mod clock;
pub mod gate;
pub mod outcome;
pub mod pages;
pub mod race;
pub mod schedule;
pub mod segment;
pub mod shadow;
pub mod stack;
pub mod stuck;

use crate::hooks::atomic::{self, LastLoad, Outcome, Word};
use crate::lines::{Entry, LARGE, Lines, READ, SMALL, WRITE, split};
use crate::map::Map;
use crate::settings::Settings;
use crate::spin::Spin;
use crate::tls::{Section, tls};
use crate::{arena, prelude, thread};
use clock::{Clock, Synchronised};
use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use foretrace_event::layout::ENTRY_SIZE;
use foretrace_event::schedule::is_step;
use foretrace_event::wire::Op;
use foretrace_event::{Order, Patience};
use gate::Arrival;
use segment::Segment;
use stuck::{Held, Waiting};

/// A thread under replay. What others look at is changed under the world's lock only.
pub struct Player {
    /// Its index in the schedule; those that are not in it are numbered on.
    pub index: u32,
    /// Its number in vector clocks.
    number: u32,
    /// The bounds of its stack.
    pub stack: (usize, usize),
    /// Woken when its turn may have come.
    pub wake: AtomicU32,
    /// How many threads it has created.
    children: Cell<u32>,
    /// The last operation, if it was an atomic load.
    last_load: Cell<Option<LastLoad>>,
    /// How often that load has been repeated since the thread's last step.
    spins: Cell<u32>,
    /// The lines it has touched in the current segment; its own alone.
    lines: UnsafeCell<Lines>,
    /// Its vector clock: its own alone.
    clock: UnsafeCell<Synchronised>,
    /// What it holds: changed under the world's lock.
    held: UnsafeCell<Held>,
    /// What it is waiting for: changed under the world's lock.
    waiting: Cell<Option<Waiting>>,
    /// It has ended: changed under the world's lock.
    ended: Cell<bool>,
    next: *mut Self,
}

impl Player {
    /// Its vector clock, for the thread itself.
    #[expect(clippy::mut_from_ref, reason = "a thread's clock is used by that thread alone, one call at a time")]
    pub fn clock(&self) -> &mut Synchronised {
        // SAFETY: only the player's own thread calls this, in a section, and keeps no reference between calls.
        unsafe { &mut *self.clock.get() }
    }

    /// The lines of the current segment, for the thread itself.
    #[expect(clippy::mut_from_ref, reason = "a thread's lines are used by that thread alone, one call at a time")]
    fn lines(&self) -> &mut Lines {
        // SAFETY: as for the clock.
        unsafe { &mut *self.lines.get() }
    }

    /// Its number in vector clocks.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// What it holds.
    pub fn held<'a>(&'a self, _world: &'a World) -> &'a Held {
        // SAFETY: it is changed only by those who have the world mutably.
        unsafe { &*self.held.get() }
    }

    /// What it holds, to be changed.
    pub fn held_mut<'a>(&'a self, _world: &'a mut World) -> &'a mut Held {
        // SAFETY: the world is borrowed mutably, so nobody else has a reference.
        unsafe { &mut *self.held.get() }
    }

    /// What it is waiting for.
    pub fn waiting(&self, _world: &World) -> Option<Waiting> {
        self.waiting.get()
    }

    /// Has it ended?
    pub fn has_ended(&self, _world: &World) -> bool {
        self.ended.get()
    }

    /// Says what the thread waits for from now on.
    pub fn set_waiting(&self, waiting: Option<Waiting>) {
        let _section = Section::nest();
        let _world = WORLD.lock();
        self.waiting.set(waiting);
    }
}

/// Threads that the schedule does not know.
static STRANGERS: AtomicU32 = AtomicU32::new(0);

/// Threads that have been created and do not run yet.
static COMING: AtomicU32 = AtomicU32::new(0);

/// Is a thread on its way? Then not everybody is known to wait.
pub fn is_someone_coming() -> bool {
    COMING.load(Ordering::Acquire) > 0
}

/// A thread has come, or will not come. Those that nobody has announced are not counted.
fn one_less_coming() {
    let _ = COMING.fetch_update(Ordering::AcqRel, Ordering::Acquire, |coming| coming.checked_sub(1));
}

/// What threads know of each other.
pub struct World {
    players: *mut Player,
    count: u32,
    /// Clocks of objects, by address.
    clocks: Map,
    /// What is known of objects' states, by address: see `stuck`.
    pub objects: Map,
    /// Operations so far: if it does not change, nothing happens.
    pub progress: u64,
}

// SAFETY: players and clocks are memory of our own, reached under the lock or by their own thread.
unsafe impl Send for World {}

/// See [`World`].
pub static WORLD: Spin<World> =
    Spin::new(World { players: core::ptr::null_mut(), count: 0, clocks: Map::new(), objects: Map::new(), progress: 0 });

impl World {
    /// All threads there have been, the newest first.
    pub fn players(&self) -> impl Iterator<Item = &'static Player> + use<> {
        // SAFETY: players are never freed, and the list only grows at its head.
        let mut at = unsafe { self.players.as_ref() };
        core::iter::from_fn(move || {
            let player = at?;
            // SAFETY: as above.
            at = unsafe { player.next.as_ref() };
            Some(player)
        })
    }

    /// The clock of an object.
    pub fn clock(&mut self, object: u64) -> Option<&'static mut Clock> {
        let slot = self.clocks.entry(object)?;
        if *slot == 0 {
            *slot = arena::allocate(size_of::<Clock>())? as u64;
        }
        // SAFETY: the slot holds a zeroed clock of our own, which is never freed and guarded by the world's lock.
        unsafe { (*slot as *mut Clock).as_mut() }
    }
}

/// This thread's player.
#[inline]
pub fn player() -> Option<&'static Player> {
    // SAFETY: null, or a player of our own, which is never freed.
    unsafe { tls().player.get().as_ref() }
}

/// Accesses are examined one by one, for their places, and not by segments.
static EXACT: AtomicBool = AtomicBool::new(false);

/// Opens the schedule and the files of the answer.
pub fn open(settings: &Settings) -> bool {
    EXACT.store(settings.exact, Ordering::Relaxed);
    if !schedule::load(settings) {
        return false;
    }
    outcome::open(settings);
    true
}

/// Begins with the main thread.
pub fn begin() {
    join_in(schedule::MAIN, u32::MAX);
    sync(Op::Start, 0, 0, 0);
    prelude::replay(sync);
}

/// Makes the current thread one of the players.
pub fn join_in(index: u32, parent: u32) {
    let _section = Section::nest();
    let lines = arena::allocate(SMALL * ENTRY_SIZE);
    let (Some(player), Some(lines)) = (arena::allocate(size_of::<Player>()), lines) else { return };
    let player: *mut Player = player.cast();
    let stack = thread::stack();
    let mut world = WORLD.lock();
    // SAFETY: the memory is zeroed, which is valid for all fields, and nobody else knows of it yet.
    let new = unsafe { &mut *player };
    (new.index, new.number, new.stack) = (index, world.count, (stack.0, stack.0 + stack.1));
    new.clock().begin(world.count);
    if !new.lines().init(lines, SMALL, EXACT.load(Ordering::Relaxed)) {
        return;
    }
    (new.next, world.players) = (world.players, player);
    world.count += 1;
    if index != schedule::MAIN {
        one_less_coming();
    }
    drop(world);
    tls().player.set(player);
    thread::choose_lines();
    forget(stack.0, stack.1);
    outcome::thread(index, parent);
}

/// The index of the thread that the current one is about to create.
pub fn next_child() -> u32 {
    let known = player().and_then(|player| {
        let ordinal = player.children.replace(player.children.get() + 1);
        schedule::child(player.index, ordinal)
    });
    known.unwrap_or_else(|| schedule::threads() + STRANGERS.fetch_add(1, Ordering::Relaxed))
}

/// That thread could not be created after all.
pub fn no_child() {
    one_less_coming();
    if let Some(player) = player() {
        player.children.set(player.children.get() - 1);
    }
}

/// Comes to an operation that may block or fail.
pub fn arrive(op: Op, failed: Op, object: usize, arg: u64, patience: Patience, pc: usize) -> Arrival {
    let Some(player) = player() else { return Arrival::Go };
    let arrival = gate::arrive(player, op, failed, object, pc);
    if patience == Patience::Blocking && arrival != Arrival::Fail {
        stuck::wait_for(player, Waiting::new(op, object, arg, pc));
    }
    arrival
}

/// An operation of the current thread: waits for its turn, and takes part in the order that the race detector sees.
pub fn sync(op: Op, object: usize, arg: u64, pc: usize) {
    let Some(player) = player() else { return };
    flush(player);
    if is_step(op) {
        gate::pass_with(player, op, object, pc, || take_part(player, op, object, arg));
    } else {
        take_part(player, op, object, arg);
    }
}

/// An operation whose turn it is takes part in the order of all operations.
fn take_part(player: &'static Player, op: Op, object: usize, arg: u64) {
    let Some(_section) = Section::enter() else { return };
    if op == Op::Fork {
        COMING.fetch_add(1, Ordering::Release);
    }
    player.last_load.set(None);
    let mut world = WORLD.lock();
    world.progress += 1;
    player.waiting.set(None);
    let shared = player.held(&world).is_shared(object);
    player.clock().sync(&mut world, op, object, arg, player.index, shared);
    stuck::note(&mut world, player, op, object, arg);
}

/// The thread waits for something that it has passed the gate for.
pub fn block(op: Op, object: usize, arg: u64, pc: usize) {
    if let Some(player) = player() {
        stuck::wait_for(player, Waiting::new(op, object, arg, pc));
    }
}

/// The thread is about to wait on a condition variable.
pub fn begin_wait(cond: usize) {
    let _section = Section::nest();
    stuck::begin_wait(&mut WORLD.lock(), cond);
}

/// Waits as long as the schedule wants, and says how the wait ends; none if the schedule ends first.
pub fn await_wake() -> Option<Op> {
    let step = gate::peek(player()?)?;
    Some(if step == Op::WaitFailed { step } else { Op::Wait })
}

/// May one of those who wait on the condition variable go on?
pub fn is_signalled(cond: usize) -> bool {
    let _section = Section::nest();
    stuck::is_signalled(&WORLD.lock(), cond)
}

/// Has the last step been taken?
pub fn is_over() -> bool {
    schedule::step(schedule::taken().load(Ordering::Acquire)).is_none()
}

/// The table of lines that the access hooks may use.
pub fn lines_for_hooks() -> Option<(*mut Entry, u32)> {
    player().map(|player| player.lines().for_hooks())
}

/// Ends a segment: its accesses are checked.
fn flush(player: &'static Player) {
    if let Some(_section) = Section::enter()
        && !player.lines().is_empty()
    {
        player.lines().flush(&mut Segment(player));
    }
}

/// A plain access that the hook could not note by itself.
pub fn access(player: &'static Player, address: usize, size: usize, kind: u32, pc: usize, frame: usize) {
    let Some(_section) = Section::enter() else { return };
    if EXACT.load(Ordering::Relaxed) {
        return race::access(player, address, size, kind, pc, frame);
    }
    split(address, size, |at, mask| {
        let reads = if kind & READ != 0 { mask } else { 0 };
        let writes = if kind & WRITE != 0 { mask } else { 0 };
        player.lines().touch(&mut Segment(player), at, reads, writes, pc);
    });
    if player.lines().is_crowded() {
        enlarge_lines(player);
    }
}

/// See `Thread::enlarge_lines`.
#[cold]
fn enlarge_lines(player: &'static Player) {
    player.lines().flush(&mut Segment(player));
    if let Some(entries) = arena::allocate(LARGE * ENTRY_SIZE) {
        player.lines().grow(entries);
        thread::choose_lines();
    }
}

/// An atomic operation has been done: watches it as an access, and lets it take part in the order it makes.
fn note_atomic(player: &'static Player, op: Op, address: usize, size: usize, order: Order, pc: usize) {
    if EXACT.load(Ordering::Relaxed) {
        race::atomic(player, op, address, size, pc, tls().frame.get());
    } else {
        segment::atomic(player, op, address, size, pc);
    }
    let mut world = WORLD.lock();
    world.progress += 1;
    player.clock().atomic(&mut world, op, address, order);
}

/// So often a thread may look for a change while it is its turn to do something else: the change will not come, because
/// everybody else waits for that turn. A loop that sleeps between its looks takes long on a busy machine, so it is asked
/// more often whether they all wait.
const PATIENT_SPINS: u32 = 5000;
const SPINS_BETWEEN: u32 = 32;

/// An atomic operation: waits for its turn, and is watched as an access.
pub fn atomic<T: Word>(player: &'static Player, at: *mut T, pc: usize, operate: impl Fn() -> Outcome<T>) -> Outcome<T> {
    // SAFETY: the program passes an atomic variable.
    let load = LastLoad::new(at as usize, unsafe { T::load(at) }.halves(), pc);
    let spins = player.last_load.get() == Some(load);
    if !spins {
        flush(player);
        gate::peek(player);
    }
    let section = Section::nest();
    let outcome = atomic::exclusively(at as usize, || {
        let outcome = operate();
        let order = Order::from_abi(u32::from(outcome.order));
        note_atomic(player, outcome.op, at as usize, usize::from(T::SIZE), order, pc);
        outcome
    });
    drop(section);
    let load = LastLoad::new(at as usize, outcome.value.halves(), pc);
    let loads = matches!(outcome.op, Op::AtomicLoad | Op::AtomicCasFailed);
    if !(spins && loads && player.last_load.get() == Some(load)) {
        gate::pass(player, outcome.op, at as usize, pc);
        player.spins.set(0);
    } else {
        player.spins.set(player.spins.get() + 1);
        let spins = player.spins.get();
        if spins > PATIENT_SPINS || spins.is_multiple_of(SPINS_BETWEEN) && stuck::do_others_wait(player) {
            gate::no_more_waiting(player, outcome.op, pc);
        }
        crate::sys::yield_now();
    }
    player.last_load.set(loads.then_some(load));
    outcome
}

/// The current thread ends.
pub fn end() {
    sync(Op::End, 0, 0, 0);
    if let Some(player) = player() {
        {
            let _section = Section::nest();
            let _world = WORLD.lock();
            player.ended.set(true);
        }
        tls().player.set(core::ptr::null_mut());
        stuck::consider(player);
    }
}

/// Memory has come into being, or has another meaning from now on.
pub fn renew(at: usize, size: usize, pc: usize) {
    if let Some(player) = player()
        && let Some(_section) = Section::enter()
    {
        forget(at, size);
        if EXACT.load(Ordering::Relaxed) {
            race::note_block(player, at, size, pc);
        }
    }
}

/// Memory is about to go away: what this thread did to it is checked first. Code of the program's own that frees it, at
/// `pc`, writes it.
pub fn expire(at: usize, size: usize, pc: Option<usize>) {
    if let Some(player) = player()
        && let Some(_section) = Section::enter()
    {
        player.lines().flush_block(&mut Segment(player), at, size);
        match pc {
            Some(pc) if EXACT.load(Ordering::Relaxed) => race::free(player, at, size, pc, tls().frame.get()),
            Some(pc) => segment::free(player, at, size, pc),
            None => {}
        }
    }
}

/// The program ends: what this thread did last is checked.
pub fn finish() {
    if let Some(player) = player() {
        flush(player);
    }
}

/// Forgets what is known of a block.
fn forget(at: usize, size: usize) {
    if EXACT.load(Ordering::Relaxed) { shadow::clear(at, size) } else { segment::clear(at, size) }
}
