//! The one way in for operations and accesses: the gate, the sink and the watch answer. Nothing above knows which are on.

pub mod access;
pub mod at_exit;
pub mod atomic;
pub mod cancel;
pub mod controlled;
pub mod custom;
pub mod end;
pub mod in_gate;
pub mod lifetime;
pub mod part;
pub mod polling;
pub mod prelude;
pub mod record;
pub mod symbolic;
pub mod text;

use crate::axes;
use crate::fast;
use crate::sink::lines::{LARGE, READ, WRITE, split};
use crate::sink::recording;
use crate::thread::tls::{Outermost, Section, tls};
use crate::thread::{self, Thread, handle, polling::Rounds, signals};
use crate::watch::{segment, unseen};
use foretrace_event::wire::{Access, Op};

/// Records an operation of a thread of which nothing else is asked; false: of the current thread, more is. The operation must
/// be none that writes its object. Inlined, because it is most of what recording a critical section costs.
#[inline(always)]
pub fn record_plainly(op: Op, object: usize, arg: u64, pc: usize) -> bool {
    let Some((tls, thread)) = thread::recorded_plainly() else { return false };
    let _section = Outermost::begin(tls);
    thread.record_plainly(op, object, arg, pc, lifetime::is_use(op, arg) && access::is_noted_plainly(pc));
    true
}

/// An operation of the current thread, done at `pc`, at this moment.
#[inline]
pub fn sync(op: Op, object: usize, arg: u64, pc: usize) {
    if axes::is_replaying() {
        return part::sync(op, object, arg, pc);
    }
    let Some(_section) = Section::enter() else { return };
    adopt();
    if let Some(thread) = thread::current() {
        thread.record_reading(op, object, arg, pc, lifetime::is_use(op, arg) && access::is_noted(READ, pc));
    }
}

/// An attempt of the current thread to take a mutex has failed because that is taken.
pub fn failed_try(mutex: usize, arg: u64, pc: usize) {
    if axes::is_replaying() {
        return polling::failed_try(mutex, arg, pc);
    }
    let Some(_section) = Section::enter() else { return };
    adopt();
    if let Some(thread) = thread::current() {
        thread.record_failed_try(mutex, arg, pc);
    }
}

/// A thread that was not created through us, such as one of libc's own helpers, gets an object when it first does
/// something. Under a schedule it is left alone.
#[inline]
fn adopt() {
    let tls = tls();
    if tls.thread.get().is_null() && !tls.ended.get() {
        begin_thread(recording::next_thread(), u32::MAX);
        end::notice_end();
    }
}

/// The main thread begins, with what it has done before.
pub fn begin_first(index: u32) {
    unseen::look();
    begin_thread(index, u32::MAX);
    // What was done before was not done here.
    let frame = tls().frame.replace(0);
    if axes::is_replaying() {
        prelude::replay(part::sync);
    } else if let Some(thread) = thread::current() {
        prelude::replay(|op, object, arg, pc| thread.record(op, object, arg, pc));
    }
    tls().frame.set(frame);
}

/// Are threads numbered by the gate? Else the recording numbers them.
fn gate_numbers() -> bool {
    part::is_steered() || !axes::is_recording()
}

/// The number of the thread that the current one is about to create.
pub fn next_thread() -> u32 {
    if gate_numbers() { part::next_child() } else { recording::next_thread() }
}

/// That thread could not be created after all.
pub fn no_thread() {
    if gate_numbers() {
        part::no_child();
    }
}

/// The current thread begins.
pub fn begin_thread(index: u32, parent: u32) {
    if axes::is_recording() {
        recording::add_thread(index);
    }
    thread::handle::name_handle(handle::handle(), index);
    if axes::is_replaying() {
        part::join_in(index, parent);
        return part::sync(Op::Start, 0, 0, 0);
    }
    let _section = Section::nest();
    if let Some(thread) = thread::prepare(index, handle::stack()) {
        thread::attach(thread);
        thread.record(Op::Start, 0, 0, 0);
    }
}

/// The current thread ends.
pub fn end_thread() {
    // What a handler did from now on would not count: signals go to other threads.
    if !fast::is_on() {
        signals::block_all();
    }
    if axes::is_replaying() {
        part::end();
    }
    let _section = Section::nest();
    tls().ended.set(true);
    if let Some(thread) = thread::detach() {
        retire(thread);
    }
}

/// Makes an object for a thread that does not run yet, and records its start. Its stack is not known.
pub fn create_thread(index: u32) -> Option<&'static Thread> {
    let _section = Section::nest();
    let thread = thread::prepare(index, (0, 0))?;
    thread.record(Op::Start, 0, 0, 0);
    Some(thread)
}

/// Records the end of a thread that does not run any more, and takes its object back.
pub fn retire(thread: &'static Thread) {
    let _section = Section::nest();
    segment::end(thread);
    thread.record(Op::End, 0, 0, 0);
    thread.release(false);
}

/// So many evictions in one segment show that it comes back to lines that had to make room. A segment that passes over
/// much memory once has fewer, and would gain nothing from a larger table.
const CROWDED: usize = 4 * LARGE;
/// Sooner than that, if segments are checked: to check a line takes longer than to write it.
const CROWDED_IF_CHECKED: usize = LARGE / 2;

/// A plain access of any size, of kinds that count.
pub fn access(address: usize, size: usize, kind: u32, pc: usize, frame: usize) {
    if axes::is_replaying() {
        return access_taking_part(address, size, kind, pc, frame);
    }
    let Some(_section) = Section::enter() else { return };
    if let Some(thread) = thread::current() {
        gather(thread, address, size, kind, pc, Thread::note_line);
        if thread.lines.get().is_crowded(CROWDED) {
            grow_lines(thread);
        }
    }
}

/// Notes an access within one line, by a thread of which nothing else is asked; false: of the current thread, more is.
#[inline(always)]
pub fn note_plainly(address: usize, size: usize, kind: u32, pc: usize) -> bool {
    let Some((tls, thread)) = thread::recorded_plainly() else { return false };
    let _section = Outermost::begin(tls);
    let mask = u64::MAX >> (64 - size) << (address & 63);
    thread.note_line(address, if kind & READ != 0 { mask } else { 0 }, if kind & WRITE != 0 { mask } else { 0 }, pc);
    if thread.lines.get().is_crowded(CROWDED) {
        grow_lines(thread);
    }
    true
}

/// Writes the lines of a segment, and goes on with a larger table.
#[cold]
fn grow_lines(thread: &'static Thread) {
    segment::end(thread);
    thread.grow_lines(LARGE);
}

/// The same, of a thread that takes part in the gate or in the watch.
fn access_taking_part(address: usize, size: usize, kind: u32, pc: usize, frame: usize) {
    let Some(thread) = thread::own().filter(|_| !tls().waiting.get()) else { return };
    part::before_access(thread, address, size, kind, pc);
    let Some(_section) = Section::enter() else { return };
    part::access(thread, address, size, kind, pc, frame);
    if axes::watches_segments() || thread.is_recorded() && thread::current().is_some() {
        gather(thread, address, size, kind, pc, note_and_check);
        let crowded = if axes::watches_segments() { CROWDED_IF_CHECKED } else { CROWDED };
        if thread.lines.get().is_crowded(crowded) {
            grow_lines(thread);
        }
    }
}

/// Notes bytes of one line, which is checked when the segment ends.
fn note_and_check(thread: &'static Thread, at: usize, reads: u64, writes: u64, pc: usize) {
    segment::touch(thread, at, reads, writes, pc);
    if axes::watches_segments() {
        part::touched(thread, at);
    }
}

/// Notes the lines of an access: in the table, or at once if the table belongs to code that a signal interrupted.
#[inline(always)]
fn gather(
    thread: &'static Thread,
    address: usize,
    size: usize,
    kind: u32,
    pc: usize,
    note: impl Fn(&'static Thread, usize, u64, u64, usize),
) {
    let direct = tls().handlers.get() != 0;
    split(address, size, |at, mask| {
        let reads = if kind & READ != 0 { mask } else { 0 };
        let writes = if kind & WRITE != 0 { mask } else { 0 };
        if direct {
            segment::take(thread, &Access { line: at as u64 / 64, reads, writes, pc: pc as u64 });
        } else {
            note(thread, at, reads, writes, pc);
        }
    });
    if thread::uses_no_lines() {
        segment::end(thread);
    }
}

/// A block has come into being, or has another meaning from now on. It ends no segment: nobody can have touched the block
/// in this one.
pub fn begin_block(at: usize, size: usize, asked: usize, origin: crate::watch::blocks::Origin, pc: usize) {
    if axes::is_replaying() {
        unseen::touch(pc);
        return part::renew(at, size, asked, origin, pc);
    }
    if !axes::is_recording() {
        return part::note_early(at, asked, origin, pc);
    }
    if let Some(_section) = Section::enter()
        && let Some(thread) = thread::current()
    {
        thread.record(Op::Alloc, at, size as u64, pc);
    }
}

/// A block is about to end. What this thread did to it in the current segment is written and checked first. Code of the
/// program's own that frees it, at `writes`, writes it.
pub fn end_block(at: usize, size: usize, pc: usize, writes: Option<usize>) {
    if axes::is_replaying() {
        unseen::touch(pc);
        return part::expire(at, size, writes);
    }
    if let Some(_section) = Section::enter()
        && let Some(thread) = thread::current()
    {
        segment::end_block(thread, at, size);
        thread.record(Op::Free, at, size as u64, writes.unwrap_or(0));
    }
}

/// What the thread polls, when a handler begins.
pub fn rounds() -> Rounds {
    let _section = Section::nest();
    let Some(thread) = thread::current() else { return Rounds::default() };
    thread.note_touched();
    core::mem::take(thread.rounds.get())
}

/// The handler has returned: whatever it did, the thread still polls what it polled.
pub fn resume(rounds: Rounds) {
    let _section = Section::nest();
    if let Some(thread) = thread::current() {
        *thread.rounds.get() = rounds;
    }
}
