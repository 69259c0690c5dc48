//! Replay: the mirror of recording. The same functions are interposed and the same hooks called; here threads wait at
//! them for their turn in a schedule, and what they do is watched for the failure the schedule leads to.
//!
//! The enforcing algorithm is the thesis's (Figure 4.15): a thread passes a scheduling point only when the schedule's next
//! step is its own. *Deviations*: an operation that another kind of step was expected for ends the attempt at once; waits
//! on condition variables are not left to the kernel while the schedule lasts, so that the right waiter wakes; and who is
//! stuck is worked out from what the threads wait for, not from time alone.
//!
//! A thread has a lock of its own for what others may ask of it: what it holds, and what it waits for. Those who work out
//! whether anyone can go on hold everybody [`Still`]; that is rare. No lock of ours is held while the program's own code
//! runs.

pub mod blocks;
pub mod clock;
pub mod fault;
pub mod gate;
mod horizon;
mod late;
pub mod look;
mod moments;
#[cfg(test)]
mod naive;
pub mod objects;
pub mod order;
pub mod outcome;
pub mod pages;
pub mod polling;
pub mod race;
pub mod schedule;
pub mod segment;
pub mod shadow;
pub mod stack;
pub mod stuck;

use crate::hooks::atomic;
use crate::interpose::limit::{self, Limit};
use crate::interpose::signal::{self, Slots};
use crate::lines::{Entry, LARGE, Lines, READ, SMALL, WRITE, split};
use crate::polling::Rounds;
use crate::settings::Settings;
use crate::spin::{Brief, Guard, Spin};
use crate::sys::Activity;
use crate::tls::{Section, tls};
use crate::{arena, prelude, sys, thread, unseen};
use blocks::Origin;
use clock::Synchronised;
use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use foretrace_event::Order;
use foretrace_event::schedule::{is_file, is_step};
use foretrace_event::table::ENTRY_SIZE;
use foretrace_event::wire::Op;
use gate::Arrival;
use horizon::Published;
use moments::Moments;
use objects::Remembered;
use order::Next;
use segment::Segment;
use stack::Place;
use stuck::{Held, Waiting};

/// A thread under replay. What others look at is changed under its lock only.
pub struct Player {
    /// Its index in the schedule; those that are not in it are numbered on.
    pub index: u32,
    /// Its number in vector clocks.
    number: u32,
    /// The bounds of its stack.
    pub stack: (usize, usize),
    /// What it finds its own storage by.
    pub pointer: usize,
    /// Its number in the kernel.
    pub tid: u32,
    /// One while it sleeps until its turn comes.
    pub sleeping: AtomicU32,
    /// How many threads it has created.
    children: Cell<u32>,
    /// What it polls; its own alone.
    rounds: UnsafeCell<Rounds>,
    /// How many operations it has repeated since its last step.
    spins: Cell<u32>,
    /// What it does again and again.
    repeats: late::Repeats,
    /// The lines it has touched in the current segment; its own alone.
    lines: UnsafeCell<Lines>,
    /// Its vector clock: its own alone.
    clock: UnsafeCell<Synchronised>,
    /// Where its last objects are; its own alone.
    objects: Remembered,
    /// The call stacks it saw last; its own alone.
    stacks: stack::Seen,
    /// The locks it held when it was last asked, and how often they had changed then, and what it held last if it holds
    /// none; its own alone.
    locks: Cell<(u32, stack::StackId, stack::StackId)>,
    /// Where it has called `abort` or failed an assertion, and the frame there; zero: nowhere; its own alone.
    gave_up: Cell<(usize, usize)>,
    /// What it had done when; only it adds to that.
    moments: Moments,
    /// What others may know of its clock.
    published: Published,
    /// What it has done since it last looked at the horizon.
    work: Cell<u32>,
    /// Its operations so far.
    progress: AtomicU64,
    /// The operations of all when it last let others run and came back late; its own alone.
    progress_when_late: Cell<u64>,
    /// For what follows.
    lock: Brief,
    /// What it holds.
    held: UnsafeCell<Held>,
    /// The libraries that it is in touch with.
    pub libraries: unseen::Libraries,
    /// What it is waiting for: only the thread itself changes it.
    waiting: Cell<Option<Waiting>>,
    /// It has ended.
    ended: Cell<bool>,
    next: *mut Self,
    /// The condition variable and the place of its last wait, if that ended without a signal and without a deadline; its own
    /// alone.
    unsignalled: Cell<(usize, usize)>,
    /// It waits on a condition variable, and looks from time to time whether it was signalled.
    looks_for_signal: AtomicBool,
    /// Signals that wait for the end of a section; its own alone. They take no memory until they come.
    pub deferred: Slots,
}

impl Player {
    /// A thread that begins, with that number in vector clocks; none if there is no memory for it.
    fn new(index: u32, number: u32, exact: bool) -> Option<&'static mut Self> {
        let lines = arena::allocate(SMALL * ENTRY_SIZE)?;
        let player: *mut Self = arena::allocate(size_of::<Self>())?.cast();
        // SAFETY: the memory is zeroed, which is valid for all fields but for the one that is written first, and it is
        // nobody else's.
        let new = unsafe {
            (&raw mut (*player).waiting).write(Cell::new(None));
            &mut *player
        };
        (new.index, new.number) = (index, number);
        new.clock().begin(number);
        new.lines().init(lines, SMALL, exact).then_some(new)
    }

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

    /// What it polls, for the thread itself.
    #[expect(clippy::mut_from_ref, reason = "as for the lines")]
    fn rounds(&self) -> &mut Rounds {
        // SAFETY: as for the clock.
        unsafe { &mut *self.rounds.get() }
    }

    /// Its number in vector clocks.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// What it holds.
    pub fn held<'a>(&'a self, _still: &'a Still) -> &'a Held {
        // SAFETY: it is changed only under the thread's lock, which is held.
        unsafe { &*self.held.get() }
    }

    /// What it is waiting for.
    pub fn waiting(&self, _still: &Still) -> Option<Waiting> {
        self.waiting.get()
    }

    /// Has it ended?
    pub fn has_ended(&self, _still: &Still) -> bool {
        self.ended.get()
    }

    /// Works with what others may ask of the thread. The caller is in a section.
    #[inline]
    fn with_held<R>(&self, work: impl FnOnce(&mut Held) -> R) -> R {
        self.lock.lock();
        // SAFETY: the lock is held.
        let result = work(unsafe { &mut *self.held.get() });
        self.lock.unlock();
        result
    }

    /// The locks it holds, by a number that stands for them; for the thread itself.
    fn locks_held(&self) -> stack::StackId {
        let (version, number, last) = self.locks.get();
        let changed = self.with_held(|held| {
            let changed = held.version() != version;
            changed.then(|| (held.version(), stack::put_locks(held.words(), last)))
        });
        let Some((version, number)) = changed else { return number };
        self.locks.set((version, number, if number == 0 { last } else { number }));
        number
    }

    /// An access is about to be examined; for the thread itself.
    #[inline]
    fn note_moment(&self) {
        let known = self.index < schedule::threads();
        let taken = if known { schedule::taken_by(self.index).load(Ordering::Relaxed) } else { 0 };
        self.moments.note(self.clock(), taken);
    }

    /// Says what the thread waits for from now on; for the thread itself.
    pub fn set_waiting(&self, waiting: Option<Waiting>) {
        let _section = Section::nest();
        self.with_held(|_| self.wait(waiting));
    }

    /// Under the thread's lock.
    fn wait(&self, waiting: Option<Waiting>) {
        match (self.waiting.replace(waiting), waiting) {
            (None, Some(_)) => look::one_less(),
            (Some(_), None) => look::one_more(),
            _ => {}
        }
    }

    /// One more operation, after which the thread waits for nothing and holds something else; for the thread itself.
    fn move_on<R>(&self, change: Option<impl FnOnce(&mut Held) -> R>) -> Option<R> {
        self.progress.store(self.progress.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if change.is_none() && self.waiting.get().is_none() {
            return None;
        }
        self.with_held(|held| {
            self.wait(None);
            change.map(|change| change(held))
        })
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

/// A thread has come. Those that nobody has announced are not counted.
fn one_less_coming() {
    let _ = COMING.fetch_update(Ordering::AcqRel, Ordering::Acquire, |coming| coming.checked_sub(1));
}

/// How many threads there have been. Who holds the lock may add one.
static WORLD: Spin<u32> = Spin::new(0);
/// The newest of them.
static NEWEST: AtomicPtr<Player> = AtomicPtr::new(core::ptr::null_mut());

/// All threads there have been, the newest first.
pub fn players() -> impl Iterator<Item = &'static Player> + Clone {
    // SAFETY: players are never freed, and the list only grows at its head.
    let mut at = unsafe { NEWEST.load(Ordering::Acquire).as_ref() };
    core::iter::from_fn(move || {
        let player = at?;
        // SAFETY: as above.
        at = unsafe { player.next.as_ref() };
        Some(player)
    })
}

/// While it lives, no thread begins or ceases to wait, and none takes or gives anything back. The caller is in a section.
pub struct Still(#[expect(dead_code, reason = "held, not read")] Guard<'static, u32>);

impl Still {
    /// Holds everybody still.
    pub fn new() -> Self {
        let world = WORLD.lock();
        players().for_each(|player| player.lock.lock());
        Self(world)
    }

    /// Operations so far: if it does not change, nothing happens.
    pub fn progress(&self) -> u64 {
        players().map(|player| player.progress.load(Ordering::Relaxed)).sum()
    }
}

impl Drop for Still {
    fn drop(&mut self) {
        players().for_each(|player| player.lock.unlock());
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

/// Are they?
pub fn is_exact() -> bool {
    EXACT.load(Ordering::Relaxed)
}

/// Opens the files of the answer and the schedule. The error is `EEXIST` if another process is the one that is replayed.
pub fn open(settings: &Settings) -> sys::Result<()> {
    if settings.only_started && !settings.is_started() {
        return Err(libc::EEXIST);
    }
    EXACT.store(settings.exact, Ordering::Relaxed);
    outcome::open(settings)?;
    look::open();
    stuck::set_patience(settings.patience);
    limit::allow(settings.patience);
    fault::open();
    if schedule::load(settings) { Ok(()) } else { Err(libc::ENOENT) }
}

/// Begins with the main thread.
pub fn begin() {
    unseen::look();
    join_in(schedule::MAIN, u32::MAX);
    sync(Op::Start, 0, 0, 0);
    // What was done before was not done here.
    let frame = tls().frame.replace(0);
    prelude::replay(sync);
    tls().frame.set(frame);
}

/// Makes the current thread one of the players.
pub fn join_in(index: u32, parent: u32) {
    let _section = Section::nest();
    let stack = thread::stack();
    let mut count = WORLD.lock();
    let Some(new) = Player::new(index, *count, EXACT.load(Ordering::Relaxed)) else { return };
    new.stack = (stack.0, stack.0 + stack.1);
    (new.tid, new.pointer) = (sys::tid(), thread::handle() as usize);
    new.next = NEWEST.load(Ordering::Relaxed);
    let player: *mut Player = new;
    NEWEST.store(player, Ordering::Release);
    *count += 1;
    if index != schedule::MAIN {
        one_less_coming();
    }
    drop(count);
    order::set_player(new);
    look::one_more();
    tls().player.set(player);
    fault::prepare_thread();
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
    if let Some(player) = player() {
        player.children.set(player.children.get() - 1);
    }
}

/// Comes to an operation that may block or fail.
pub fn arrive(op: Op, failed: Op, object: usize, arg: u64, limit: Limit, pc: usize) -> Arrival {
    let Some(player) = player() else { return Arrival::Go };
    unseen::touch(pc);
    // One line after the other would come from where it was used last; so they come together.
    objects::prefetch(object as *const u8);
    player.objects.prefetch(object as u64);
    let arrival = gate::arrive(player, op, failed);
    if arrival == Arrival::Fail && limit.is_far() {
        // It cannot fail, or not so soon.
        outcome::diverged(player.index, failed, op, pc);
    }
    if matches!(limit, Limit::Forever) {
        flush(player);
        if op == Op::Join {
            player.published.set_awaited(Some(arg as u32));
        }
        stuck::wait_for(player, Waiting::new(op, object, arg, pc));
    }
    arrival
}

/// It is the current thread's turn: may the step be to join that one? Strictly, joins come after ends.
pub fn is_to_join(index: u32) -> bool {
    let next = player().map(|player| order::next(player.index));
    matches!(next, Some(Next::Mine(step)) if step.op == Op::Join) && (order::is_loose() || order::has_finished(index))
}

/// An operation of the current thread: waits for its turn, and takes part in the order that the race detector sees.
pub fn sync(op: Op, object: usize, arg: u64, pc: usize) {
    let Some(player) = player().filter(|_| tls().sections.get() == 0) else { return };
    flush(player);
    unseen::touch(pc);
    if is_step(op) && !is_file(object as u64) {
        gate::pass_with(player, op, object, pc, || take_part(player, op, object, arg, pc));
    } else {
        take_part(player, op, object, arg, pc);
    }
}

/// An operation whose turn it is takes part in the order of all operations.
fn take_part(player: &'static Player, op: Op, object: usize, arg: u64, pc: usize) {
    let _section = Section::nest();
    if op == Op::Fork {
        COMING.fetch_add(1, Ordering::SeqCst);
        horizon::fork();
        let place = Place::of_call(pc);
        outcome::created(arg as u32, stack::capture(player, place), stack::frame_pointers(player, place));
    }
    player.rounds().end();
    player.spins.set(0);
    player.repeats.end();
    let shared = stuck::note(player, op, object, arg, pc);
    player.clock().sync(&player.objects, op, object, arg, player.index, shared);
    if op == Op::Join {
        player.published.set_awaited(None);
    }
}

/// The thread waits for something that it has passed the gate for.
pub fn block(op: Op, object: usize, arg: u64, pc: usize) {
    if let Some(player) = player() {
        flush(player);
        stuck::wait_for(player, Waiting::new(op, object, arg, pc));
    }
}

/// What the thread waits for when a signal handler is about to run.
pub fn waits_for() -> Option<Waiting> {
    player()?.waiting.get()
}

/// The handler has returned: whatever it did, the thread still waits for what it waited for.
pub fn wait_on(waiting: Option<Waiting>) {
    if let Some((player, waiting)) = player().zip(waiting) {
        stuck::wait_for(player, waiting);
    }
}

/// A signal or broadcast, which `real` gives. Nobody takes another step before it is given: else it would wake those who begin to
/// wait after it.
pub fn signal(op: Op, cond: usize, pc: usize, real: impl FnOnce()) {
    let Some(player) = player().filter(|_| tls().sections.get() == 0) else { return real() };
    flush(player);
    gate::pass_with(player, op, cond, pc, || {
        take_part(player, op, cond, 0, pc);
        real();
    });
}

/// The thread gives its lock back to wait on a condition variable. Both are one step: a signal that is given before reaches
/// it no more than one that is given before the thread comes.
pub fn unlock_to_wait(lock: usize, arg: u64, cond: usize, pc: usize) {
    let Some(player) = player().filter(|_| tls().sections.get() == 0) else { return };
    flush(player);
    gate::pass_with(player, Op::Unlock, lock, pc, || {
        let _section = Section::nest();
        stuck::begin_wait(cond);
        take_part(player, Op::Unlock, lock, arg, pc);
    });
}

/// Waits as long as the schedule wants, and says how the wait ends; none if the schedule ends first.
pub fn await_wake() -> Option<Op> {
    let step = gate::peek(player()?)?;
    Some(if step == Op::WaitFailed { step } else { Op::Wait })
}

/// A wait without a deadline ends without a signal.
pub fn wakes_unsignalled(cond: usize, pc: usize) {
    if let Some(player) = player() {
        let _section = Section::nest();
        player.unsignalled.set((cond, pc));
        outcome::unsignalled(player.index, pc, stack::capture(player, Place::of_call(pc)));
    }
}

/// A thread is about to wait. One that was woken without a signal from the same wait has looked at its condition, and waits on.
pub fn waits_again(cond: usize, pc: usize) {
    if let Some(player) = player()
        && player.unsignalled.replace((0, 0)) == (cond, pc)
    {
        outcome::again(player.index);
    }
}

/// The thread begins or ceases to wait on a condition variable in short slices: to the kernel that is a wait with a limit.
pub fn look_for_signal(looks: bool) {
    if let Some(player) = player() {
        player.looks_for_signal.store(looks, Ordering::Relaxed);
    }
}

/// May one of those who wait on the condition variable go on?
pub fn is_signalled(cond: usize) -> bool {
    let _section = Section::nest();
    stuck::is_signalled(cond)
}

/// Has the last step been taken?
pub fn is_over() -> bool {
    order::is_over()
}

/// The table of lines that the access hooks may use.
pub fn lines_for_hooks() -> Option<(*mut Entry, u32)> {
    player().filter(|_| !ENDING.load(Ordering::Relaxed)).map(|player| player.lines().for_hooks())
}

/// So many lines and ends of segments, and a thread looks at the horizon.
const LONG: u32 = 1024;
/// The end of a segment counts as so many lines.
const END: u32 = 8;

/// Ends a segment: its accesses are checked.
fn flush(player: &'static Player) {
    if let Some(_section) = Section::enter()
        && !player.lines().is_empty()
    {
        player.lines().flush(&mut Segment(player));
        work(player, END);
    }
}

#[inline]
fn work(player: &'static Player, lines: u32) {
    let done = player.work.get() + lines;
    player.work.set(done);
    if done >= LONG {
        player.work.set(0);
        horizon::refresh(player);
    }
}

/// A thread whose lines had to make room so often gets a larger table. That is sooner than when recording: to check a line
/// takes longer than to write it.
const CROWDED: usize = LARGE / 2;

/// A plain access that the hook could not note by itself.
pub fn access(player: &'static Player, address: usize, size: usize, kind: u32, pc: usize, frame: usize) {
    late::come(player, pc, address);
    let Some(_section) = Section::enter() else { return };
    if player.published.is_awaiting() {
        // What it waited for has failed.
        player.published.set_awaited(None);
    }
    if EXACT.load(Ordering::Relaxed) {
        polling::note_exact(player, address, size, kind);
        return race::access(player, address, size, kind, pc, frame);
    }
    split(address, size, |at, mask| {
        let reads = if kind & READ != 0 { mask } else { 0 };
        let writes = if kind & WRITE != 0 { mask } else { 0 };
        player.lines().touch(&mut Segment(player), at, reads, writes, pc);
        if player.lines().is_calm() {
            segment::prefetch(at);
        }
        work(player, 1);
    });
    if player.lines().is_crowded(CROWDED) {
        enlarge_lines(player);
    }
    if ENDING.load(Ordering::Relaxed) {
        player.lines().flush(&mut Segment(player));
    }
}

/// See `Thread::enlarge_lines`.
#[cold]
fn enlarge_lines(player: &'static Player) {
    player.lines().flush(&mut Segment(player));
    if let Some(entries) = arena::allocate(LARGE * ENTRY_SIZE)
        && player.lines().grow(entries)
    {
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
    player.move_on(None::<fn(&mut Held)>);
    if let Some(variable) = player.objects.find(address as u64) {
        player.clock().atomic(variable, op, order);
    }
}

/// A store that is not instrumented, which `store` does: nobody takes another step before it is done.
pub fn store(at: usize, size: usize, pc: usize, store: impl FnOnce()) {
    let Some(player) = player().filter(|_| tls().sections.get() == 0) else { return store() };
    flush(player);
    gate::pass_with(player, Op::AtomicStore, at, pc, || {
        let _section = Section::nest();
        atomic::exclusively(at, || {
            note_atomic(player, Op::AtomicStore, at, size, Order::Release, pc);
            store();
        });
    });
    player.rounds().end();
    player.repeats.end();
}

/// The current thread ends.
pub fn end() {
    // As when recording: signals go to other threads from now on.
    signal::block_all();
    sync(Op::End, 0, 0, 0);
    if let Some(player) = player() {
        {
            let _section = Section::nest();
            player.with_held(|_| player.ended.set(true));
            look::one_less();
            player.published.end(player.clock());
        }
        tls().player.set(core::ptr::null_mut());
        stuck::consider(player);
    }
}

/// Memory has come into being, or has another meaning from now on.
pub fn renew(at: usize, size: usize, asked: usize, origin: Origin, pc: usize) {
    if player().is_some()
        && let Some(_section) = Section::enter()
    {
        forget(at, size);
        if is_exact() {
            blocks::note(at, asked, origin, pc);
        }
    }
}

/// Memory has come into being before there is anything to replay.
pub fn note_early(at: usize, asked: usize, origin: Origin, pc: usize) {
    if let Some(_section) = Section::enter() {
        blocks::note(at, asked, origin, pc);
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

/// The program is ending: what is done from now on, by functions that are called at exit, is checked at once.
static ENDING: AtomicBool = AtomicBool::new(false);

/// The current thread is about to end the process, and waits for the others; false: it does not. Whose steps are not all
/// taken yet goes on to them, unless this is the last moment.
pub fn begin_leaving(last: bool) -> bool {
    let Some(player) = player().filter(|_| tls().sections.get() == 0) else { return false };
    if !last && !order::has_finished(player.index) {
        return false;
    }
    flush(player);
    if last {
        player.set_waiting(Some(Waiting::Leaving));
    }
    true
}

/// It has waited.
pub fn end_leaving() {
    if let Some(player) = player() {
        player.set_waiting(None);
    }
}

/// Tells of a thread, by its number in the kernel, whether it is idle. `last`: one at a delay point is not.
pub fn is_idle(last: bool) -> impl Fn(u32) -> bool {
    move |tid| match players().find(|player| player.tid == tid && !player.ended.get()) {
        Some(player) => stuck::is_idle(player, last),
        None => sys::activity(tid) == Activity::Waits,
    }
}

/// Has a race been seen?
pub fn has_failed() -> bool {
    outcome::has_told()
}

/// The program ends: what this thread did last is checked.
pub fn finish() {
    if let Some(player) = player() {
        ENDING.store(true, Ordering::Relaxed);
        thread::choose_lines();
        flush(player);
        late::say_how_often();
        say_what_is_unchecked();
    }
}

/// Says so if there are accesses of other threads that will not be checked, because these still run.
fn say_what_is_unchecked() {
    let own = tls().player.get().cast_const();
    let runs = |player: &Player| !player.ended.get() && player.waiting.get().is_none();
    // SAFETY: what is read its thread may be changing; too old a value costs one look too many.
    let leaves_some = |player: &Player| unsafe { !(*player.lines.get()).is_empty() };
    let exact = EXACT.load(Ordering::Relaxed);
    if !exact && players().any(|player| leaves_some(player) || runs(player) && !core::ptr::eq(player, own)) {
        outcome::unchecked();
    }
}

/// Forgets what is known of a block.
fn forget(at: usize, size: usize) {
    if EXACT.load(Ordering::Relaxed) { shadow::clear(at, size) } else { segment::clear(at, size) }
}
