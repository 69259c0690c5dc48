//! What threads do that take part in the gate or in the watch: they wait for their turn in a schedule, if there is one, and
//! what they do is watched for failures and, if they are recorded, written down.
//!
//! A thread has a lock for what others may ask of it: what it holds, and what it waits for. Whoever works out whether
//! anyone can go on takes all of these locks (`StopTheWorld`); that is rare. No lock of ours is held while the program's own
//! code runs.

mod memory;
mod wait;

use crate::axes;
use crate::fast;
use crate::gate::limit::{self, Limit};
use crate::gate::order::{self, Next};
use crate::gate::turn::{self, Arrival};
use crate::gate::{self, answer, backoff, controlled as one_by_one, delay, schedule, stuck, symbolic};
use crate::op::controlled;
use crate::sys::settings::{Gate, Settings};
use crate::sys::{self, Activity};
use crate::thread::stack::{self, Place};
use crate::thread::tls::{Section, tls};
use crate::thread::waiting::Waiting;
use crate::thread::{self, Body, Thread, count, objects, threads};
use crate::watch::{fault, horizon, segment, unseen};
use core::sync::atomic::{AtomicU32, Ordering};
use foretrace_event::schedule::{is_file, is_step};
use foretrace_event::wire::Op;
use memory::forget;
pub use memory::{access, before_access, expire, note_early, renew, touched};
pub use wait::{
    await_wake, block, is_signalled, look_for_signal, signal, unlock_to_wait, wait_on, waits_again, waits_for,
    wakes_unsignalled,
};

/// Threads that the schedule does not know.
static STRANGERS: AtomicU32 = AtomicU32::new(0);

/// Opens the files of the answer and, if there is one, the schedule. The error is `EEXIST` if another process is the one
/// that is replayed.
pub fn open(settings: &Settings) -> sys::Result<()> {
    if settings.only_started && !settings.is_started() {
        return Err(libc::EEXIST);
    }
    if !matches!(settings.gate, Gate::Controlled { server: true, .. }) {
        answer::open(settings)?;
        fault::open();
    }
    backoff::open();
    stuck::set_patience(settings.patience);
    match settings.gate {
        Gate::Free => Ok(()),
        Gate::Schedule { loose } => {
            limit::allow(settings.patience);
            if gate::open(settings, loose) { Ok(()) } else { Err(libc::ENOENT) }
        }
        Gate::Controlled { .. } if one_by_one::open(settings) => {
            symbolic::open(settings);
            Ok(())
        }
        Gate::Controlled { .. } => Err(libc::ENOENT),
    }
}

/// The current thread takes part from now on.
pub fn join_in(index: u32, parent: u32) {
    let _section = Section::nest();
    let own = fast::body(index);
    let Some(new) = thread::join(index, own.unwrap_or_else(Body::of_caller), axes::is_recording()) else { return };
    if index != schedule::MAIN {
        count::one_less_coming();
    }
    order::set_player(new);
    count::one_more();
    thread::attach(new);
    fault::prepare_thread();
    if own.is_none() {
        // Only a stack of ours has never been another's.
        forget(new.stack.0, new.stack.1 - new.stack.0);
    }
    answer::thread(index, parent);
}

/// The index of the thread that the current one is about to create.
pub fn next_child() -> u32 {
    let known = thread::taking_part().and_then(|player| {
        let ordinal = player.children.replace(player.children.get() + 1);
        match one_by_one::is_open() {
            true => Some(one_by_one::child_of(player.index, ordinal)),
            false => schedule::child(player.index, ordinal),
        }
    });
    // The main thread is always known.
    known.unwrap_or_else(|| schedule::threads().max(1) + STRANGERS.fetch_add(1, Ordering::Relaxed))
}

/// Is there a schedule, or a plan?
pub fn is_steered() -> bool {
    schedule::threads() > 0 || one_by_one::is_open()
}

/// Does the controlled gate decide who goes on?
pub fn is_controlled() -> bool {
    one_by_one::is_on()
}

/// That thread could not be created after all.
pub fn no_child() {
    if let Some(player) = thread::taking_part() {
        player.children.set(player.children.get() - 1);
    }
}

/// Comes to an operation that may block or fail.
pub fn arrive(op: Op, failed: Op, object: usize, arg: u64, limit: Limit, pc: usize) -> Arrival {
    let Some(player) = thread::taking_part() else { return Arrival::Go };
    unseen::touch(pc);
    // One line after the other would come from where it was used last; so they come together.
    objects::prefetch(object as *const u8);
    player.objects.prefetch(object as u64);
    // Who waits for its turn leaves nothing unchecked meanwhile.
    flush(player);
    if one_by_one::is_on() {
        return controlled::arrive(player, op, object, arg, limit, pc);
    }
    let arrival = turn::arrive(player, op, failed);
    if arrival == Arrival::Fail && limit.is_far() {
        // It cannot fail, or not so soon.
        answer::diverged(player.index, failed, op, pc);
    }
    if matches!(limit, Limit::Forever) {
        if op == Op::Join {
            player.published.set_awaited(Some(arg as u32));
        }
        stuck::wait_for(player, Waiting::new(op, object, arg, pc));
    }
    arrival
}

/// It is the current thread's turn: may the step be to join that one? Strictly, joins come after ends.
pub fn is_to_join(index: u32) -> bool {
    let next = thread::taking_part().map(|player| order::next(player.index));
    matches!(next, Some(Next::Mine(step)) if step.op == Op::Join) && (order::is_loose() || order::has_finished(index))
}

/// An operation of the current thread: waits for its turn, and takes part in the order that the race detector sees.
pub fn sync(op: Op, object: usize, arg: u64, pc: usize) {
    let Some(player) = thread::taking_part().filter(|_| tls().sections.get() == 0) else { return };
    flush(player);
    unseen::touch(pc);
    if one_by_one::is_open() {
        controlled::before(player, op, object, arg, pc);
    }
    if is_step(op) && !is_file(object as u64) {
        turn::pass_with(player, op, object, pc, || take_part(player, op, object, arg, pc));
    } else {
        take_part(player, op, object, arg, pc);
    }
}

/// An event of the user's own: waits for its turn, and is recorded before anyone else may take a step.
pub fn custom(name: usize, pc: usize, record: impl FnOnce(&'static Thread)) {
    let Some(player) = thread::taking_part().filter(|_| tls().sections.get() == 0) else { return };
    flush(player);
    unseen::touch(pc);
    turn::pass_with(player, Op::Custom, name, pc, || {
        let _section = Section::nest();
        player.rounds.get().end();
        player.spins.set(0);
        player.repeats.end();
        record(player);
    });
}

/// An operation that the thread has asked for takes part in the order that the race detector sees.
pub fn quietly(op: Op, object: usize, arg: u64, pc: usize) {
    if let Some(player) = thread::taking_part() {
        take_part(player, op, object, arg, pc);
    }
}

/// An operation whose turn it is takes part in the order of all operations.
fn take_part(player: &'static Thread, op: Op, object: usize, arg: u64, pc: usize) {
    let _section = Section::nest();
    if op == Op::Fork {
        count::one_more_coming();
        horizon::fork();
        let place = Place::of_call(pc);
        answer::created(arg as u32, stack::capture(player, place), stack::frame_pointers(player, place));
    }
    player.rounds.get().end();
    player.spins.set(0);
    player.repeats.end();
    let shared = stuck::note(player, op, object, arg, pc);
    player.clock.get().sync(&player.objects, op, object, arg, player.index, shared);
    player.record(op, object, arg, pc);
    if op == Op::Join {
        player.published.set_awaited(None);
    }
}

/// The order that the reuse of a number makes, such as a descriptor's: whoever gets it comes after whoever gave it back. That
/// is no step and is not recorded, because in another order of the threads the number could be another one.
pub fn reuse(op: Op, object: usize) {
    if let Some(player) = thread::taking_part().filter(|_| tls().sections.get() == 0) {
        flush(player);
        let _section = Section::nest();
        player.clock.get().sync(&player.objects, op, object, 0, player.index, false);
    }
}

/// Has the last step been taken?
pub fn is_over() -> bool {
    order::is_over()
}

/// So many lines and ends of segments, and a thread looks at the horizon.
const LONG: u32 = 1024;
/// The end of a segment counts as so many lines.
const END: u32 = 8;

/// Ends a segment: its accesses are written and checked.
pub fn flush(player: &'static Thread) {
    if let Some(_section) = Section::enter()
        && !player.lines.get().is_empty()
    {
        segment::end(player);
        work(player, END);
    }
}

#[inline]
fn work(player: &'static Thread, lines: u32) {
    let done = player.work.get() + lines;
    player.work.set(done);
    if done >= LONG {
        player.work.set(0);
        horizon::refresh(player);
    }
}

/// The current thread, which takes part, ends.
pub fn end() {
    sync(Op::End, 0, 0, 0);
    if let Some(player) = thread::taking_part() {
        {
            let _section = Section::nest();
            player.set_ended();
            count::one_less();
            player.published.end(player.clock.get());
            thread::detach();
            player.release(true);
        }
        if one_by_one::is_on() {
            return one_by_one::end_thread(player.shared());
        }
        stuck::consider(player.shared());
    }
}

/// The current thread is about to end the process, and waits for the others; false: it does not. Whose steps are not all
/// taken yet goes on to them, unless this is the last moment.
pub fn begin_leaving(last: bool) -> bool {
    let Some(player) = thread::taking_part().filter(|_| tls().sections.get() == 0) else { return false };
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
    if let Some(player) = thread::taking_part() {
        player.set_waiting(None);
    }
}

/// Tells of a thread, by its number in the kernel, whether it is idle. `last`: one at a delay point is not.
pub fn is_idle(last: bool) -> impl Fn(u32) -> bool {
    move |tid| match threads().find(|other| other.tid == tid && !other.ended.load(Ordering::Relaxed)) {
        Some(player) => stuck::is_idle(player, last),
        None => sys::activity(tid) == Activity::Waits,
    }
}

/// Has a race been seen?
pub fn has_failed() -> bool {
    answer::has_told()
}

/// The program ends: what this thread did last is checked, and what it does from now on at once.
pub fn finish() {
    if let Some(player) = thread::taking_part() {
        thread::use_no_lines();
        flush(player);
        delay::report_passes();
        answer::say_what_is_unchecked();
    }
}
