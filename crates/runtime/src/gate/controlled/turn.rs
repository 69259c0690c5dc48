//! Who has the turn: one thread at a time. A thread that comes to a visible operation asks, and whoever has the turn chooses
//! who goes on.

use crate::fast;
use crate::gate::controlled::enabled::{as_it_happens, is_enabled, times_out, waiters};
use crate::gate::controlled::slots::{self, Granted, Request, Slot, Stage, asking, slot};
use crate::gate::controlled::stop::{Why, stop};
use crate::gate::controlled::{barrier, channel};
use core::cell::{Cell, UnsafeCell};
use foretrace_event::channel::{Header, MOST_STEPS, StepRecord, notes};
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::{Scheduler, ThreadId, ThreadSet};

/// An execution under way. Only the thread that has the turn uses it.
struct Execution {
    /// Steps taken.
    taken: Cell<u32>,
    /// Choices that the plan prescribes.
    prefix: Cell<u32>,
    /// The most steps.
    most: Cell<u32>,
    /// After so many steps the failure is certain; zero: it is not known when.
    certain: Cell<u32>,
    /// The last step, as it happened.
    last: Cell<Option<StepRecord>>,
    scheduler: UnsafeCell<Option<Scheduler>>,
    /// Steps taken when a thread first wanted to end the process.
    leaving: Cell<Option<u32>>,
}

// SAFETY: see above; handing the turn over orders the uses.
unsafe impl Sync for Execution {}

static NOW: Execution = Execution {
    taken: Cell::new(0),
    prefix: Cell::new(0),
    most: Cell::new(0),
    certain: Cell::new(0),
    last: Cell::new(None),
    scheduler: UnsafeCell::new(None),
    leaving: Cell::new(None),
};

/// So many steps of others, and the process may end before them.
const PATIENCE: u32 = 2000;

/// An execution begins: the main thread has the turn.
pub fn begin() {
    let most = (channel::get(Header::MostSteps) as usize).clamp(1, MOST_STEPS);
    NOW.prefix.set(channel::prefix() as u32);
    NOW.most.set(most as u32);
    NOW.certain.set(channel::get(Header::Certain) as u32);
    // SAFETY: only the thread that has the turn comes here, and no reference outlives a call.
    unsafe { *NOW.scheduler.get() = Some(Scheduler::new(channel::policy(), &channel::lengths())) };
    slots::add(ThreadId(0), Stage::Running);
}

/// How many steps have been taken.
pub fn taken() -> u32 {
    NOW.taken.get()
}

/// The current thread asks, and returns when it may go on.
pub fn ask(thread: ThreadId, request: Request) -> Granted {
    let own = slot(thread);
    own.request.set(request);
    own.stage.set(Stage::Asking);
    let chosen = choose(thread);
    if chosen != thread {
        hand_over(thread, chosen);
    }
    if taken() == NOW.certain.get() {
        __foretrace_certain();
    }
    own.granted.get()
}

/// Whatever comes after the operation that the current thread is about to do, the program fails. A breakpoint here stops it.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[inline(never)]
pub extern "C" fn __foretrace_certain() {
    // Not as the function that is called at the failure, or both would be one.
    core::hint::black_box(taken());
}

/// The current thread, which is new, waits for its first step.
pub fn begin_thread(thread: ThreadId) {
    if !fast::is_on() {
        slot(thread).park();
    }
}

/// Lets another thread go on, and waits until this one may.
fn hand_over(from: ThreadId, to: ThreadId) {
    if fast::is_on() {
        return fast::hand_over(from.0, to.0);
    }
    slot(to).release();
    slot(from).park();
}

/// The current thread has taken its last step.
pub fn end_thread(thread: ThreadId) {
    slot(thread).stage.set(Stage::Ended);
    let chosen = choose(thread);
    if fast::is_on() {
        return fast::hand_over(thread.0, chosen.0);
    }
    slot(chosen).release();
}

/// The last step was something else than it seemed, as a compare-and-exchange that failed.
pub fn amend(operation: Operation) {
    if let Some(step) = NOW.last.get() {
        let step = StepRecord { operation, ..step };
        NOW.last.set(Some(step));
        channel::put_step(NOW.taken.get() as usize - 1, &step);
    }
}

/// Chooses who goes on, takes that thread's step, and says who it is.
fn choose(current: ThreadId) -> ThreadId {
    settle_last();
    let mut enabled = enabled();
    let taken = NOW.taken.get();
    if enabled.is_empty() && await_outside() {
        enabled = self::enabled();
    }
    if enabled.is_empty() {
        enabled = another_round();
    }
    if enabled.is_empty() {
        let spins = asking().any(|(_, slot)| slot.operation().kind == OpKind::Spin);
        stop(if spins { Why::Livelock } else { Why::Deadlock });
    }
    if taken >= NOW.most.get() {
        stop(Why::TooLong);
    }
    let (thread, alternative) = match taken < NOW.prefix.get() {
        true => prescribed(&mut enabled),
        false => (free(&enabled, current), 0),
    };
    take(thread, alternative, enabled);
    thread
}

/// Nobody can go on. If threads wait for input, it must come from outside; false if nobody does.
fn await_outside() -> bool {
    let waits = |slot: &Slot| slot.request.get().files;
    let Some(first) = asking().find_map(|(_, slot)| waits(slot)) else { return false };
    channel::add(Header::Notes, notes::OUTSIDE);
    while !asking().filter_map(|(_, slot)| waits(slot)).any(|files| files.are_ready(false)) {
        first.are_ready(true);
    }
    true
}

/// Rounds that a loop is given to end by itself when nobody can go on.
const ROUNDS: u32 = 1000;

/// Nobody can go on, and threads wait in loops. A loop may end by itself, so the one that had the fewest rounds is given another.
fn another_round() -> ThreadSet {
    let spinning = asking().filter(|(_, slot)| slot.spins() && slot.rounds.get() < ROUNDS);
    let Some((thread, slot)) = spinning.min_by_key(|(_, slot)| slot.rounds.get()) else {
        // None of them ends: that is no loop that was left.
        channel::set(Header::Notes, channel::get(Header::Notes) & !notes::LEAVES_LOOPS);
        return ThreadSet::EMPTY;
    };
    slot.rounds.set(slot.rounds.get() + 1);
    channel::add(Header::Notes, notes::LEAVES_LOOPS);
    core::iter::once(thread).collect()
}

/// What the last step did to those who wait for something to change.
fn settle_last() {
    let Some(last) = NOW.last.get() else { return };
    if is_read(last.operation.kind) {
        slot(last.thread).note_read(last.operation);
    }
    for (_, slot) in asking().filter(|(thread, _)| *thread != last.thread) {
        slot.note_change(&last.operation);
        if slot.asleep.get() && last.operation.conflicts_with(&slot.operation()) {
            slot.asleep.set(false);
        }
    }
    let asks = |thread| Some(slot(thread)).filter(|slot| slot.stage.get() == Stage::Asking);
    with_scheduler(|scheduler| {
        scheduler.executed(last.thread, &last.operation, |thread| asks(thread).map(Slot::operation));
    });
}

/// Does such an operation read something and change nothing, as those of polling loops do?
const fn is_read(kind: OpKind) -> bool {
    use OpKind::{JoinFailed, Load, LockFailed, PlainRead, ReadLockFailed, SemRead, SemWaitFailed, UpdateFailed};
    matches!(kind, JoinFailed | Load | LockFailed | PlainRead | ReadLockFailed | SemRead | SemWaitFailed | UpdateFailed)
}

/// Who can go on. The process ends only if nobody else can, or after a long time.
fn enabled() -> ThreadSet {
    let is_exit = |slot: &Slot| slot.operation().kind == OpKind::Exit;
    let others = asking().filter(|(thread, slot)| !is_exit(slot) && is_enabled(*thread, slot));
    let mut enabled: ThreadSet = others.map(|(thread, _)| thread).collect();
    let mut exits = asking().filter(|(_, slot)| is_exit(slot)).map(|(thread, _)| thread).peekable();
    if exits.peek().is_some() {
        let since = NOW.leaving.get().unwrap_or(NOW.taken.get());
        NOW.leaving.set(Some(since));
        let is_long = NOW.taken.get() - since >= PATIENCE;
        if is_long && !enabled.is_empty() {
            channel::add(Header::Notes, notes::CUT_AT_EXIT);
        }
        if is_long || enabled.is_empty() {
            exits.for_each(|thread| enabled.insert(thread));
        }
    }
    enabled
}

/// The plan's next choice. A thread that waits in a loop may always make another round.
fn prescribed(enabled: &mut ThreadSet) -> (ThreadId, u32) {
    let (thread, alternative) = channel::choice(NOW.taken.get() as usize);
    if slot(thread).stage.get() == Stage::Asking && slot(thread).spins() {
        enabled.insert(thread);
    }
    if !enabled.contains(thread) {
        stop(Why::Diverged { at: NOW.taken.get(), thread });
    }
    if alternative >= alternatives(slot(thread)) {
        stop(Why::Diverged { at: NOW.taken.get(), thread });
    }
    (thread, alternative)
}

/// The policy's choice.
fn free(enabled: &ThreadSet, current: ThreadId) -> ThreadId {
    if NOW.taken.get() == NOW.prefix.get() {
        channel::sleepers().for_each(|(thread, _)| slot(thread).asleep.set(true));
    }
    let awake: ThreadSet = enabled.iter().filter(|thread| !slot(*thread).asleep.get()).collect();
    if awake.is_empty() {
        stop(Why::AllAsleep);
    }
    let at_once: ThreadSet = awake.iter().filter(|thread| !times_out(*thread, slot(*thread))).collect();
    let candidates = if at_once.is_empty() { awake } else { at_once };
    let others: ThreadSet = candidates.iter().filter(|thread| *thread != current).collect();
    let yields = slot(current).operation().kind == OpKind::Yield && !others.is_empty();
    let candidates = if yields { others } else { candidates };
    let chosen = with_scheduler(|scheduler| scheduler.choose(&candidates, |thread| slot(thread).operation()));
    chosen.flatten().unwrap_or(current)
}

fn with_scheduler<R>(work: impl FnOnce(&mut Scheduler) -> R) -> Option<R> {
    // SAFETY: only the thread that has the turn comes here, and no reference outlives the call.
    unsafe { (*NOW.scheduler.get()).as_mut().map(work) }
}

/// How many outcomes the operation has that a thread asks for.
fn alternatives(slot: &Slot) -> u32 {
    let operation = slot.operation();
    match operation.kind {
        OpKind::Signal => (waiters(operation.object.0).count() as u32).max(1),
        _ => 1,
    }
}

/// Takes a step.
fn take(thread: ThreadId, alternative: u32, enabled: ThreadSet) {
    let own = slot(thread);
    let operation = match as_it_happens(thread, own) {
        arrival if arrival.kind == OpKind::BarrierArrive => arrival.with(barrier::arrival(arrival.object.0)),
        operation => operation,
    };
    let step = StepRecord {
        thread,
        alternative: alternative as u16,
        alternatives: alternatives(own) as u16,
        operation,
        place: own.request.get().place as u64,
        enabled,
    };
    let taken = NOW.taken.get();
    channel::put_step(taken as usize, &step);
    NOW.taken.set(taken + 1);
    NOW.last.set(Some(step));
    own.granted.set(Granted { operation });
    own.stage.set(Stage::Running);
    if own.operation().kind != OpKind::Spin {
        own.steps.set(own.steps.get() + 1);
    }
    happen(own, &operation, alternative);
}

/// What a step does to those who wait.
fn happen(own: &Slot, operation: &Operation, alternative: u32) {
    let object = operation.object.0;
    match operation.kind {
        OpKind::Wait | OpKind::FutexWait => own.woken.set(false),
        OpKind::Signal => own.woke.set(wake(waiters(object).skip(alternative as usize).take(1))),
        OpKind::Broadcast => own.woke.set(wake(waiters(object))),
        OpKind::Cancel => slot(ThreadId(operation.argument as u32)).cancelled.set(true),
        OpKind::BarrierArrive => {
            own.woken.set(false);
            own.serial.set(false);
            if barrier::arrive(object) {
                complete(own, object);
            }
        }
        OpKind::Create => create(ThreadId(operation.argument as u32)),
        _ => {}
    }
}

/// Wakes threads that wait, and says how many.
fn wake(waiters: impl Iterator<Item = &'static Slot>) -> u32 {
    waiters.map(|waiter| waiter.woken.set(true)).count() as u32
}

/// Who waits on the futex of this word may go on, now that one is woken whom the gate does not see.
pub fn wake_unseen(word: u64) {
    wake(waiters(Operation::futex(OpKind::Broadcast, word).object.0));
}

/// All threads that a barrier needs have arrived. The one with the lowest number is the serial one.
fn complete(last: &Slot, barrier: u64) {
    let waiting = || asking().filter(|(_, slot)| slot.asks_for(OpKind::BarrierLeave, barrier) && !slot.woken.get());
    let last_number = NOW.last.get().map_or(ThreadId(0), |step| step.thread);
    let first = waiting().next().filter(|(thread, _)| *thread < last_number);
    first.map_or(last, |(_, slot)| slot).serial.set(true);
    waiting().for_each(|(_, slot)| slot.woken.set(true));
    last.woken.set(true);
}

fn create(thread: ThreadId) {
    let operation = Operation::new(OpKind::Start, 0);
    slot(thread).request.set(Request::new(operation, 0));
    slots::add(thread, Stage::Asking);
}
