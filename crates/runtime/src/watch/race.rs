//! The race detector: FastTrack over shadow cells. Two accesses to the same bytes race if one at least writes, one at
//! least is not atomic, and neither happens before the other.

use crate::gate::answer::{self, Answer};
use crate::gate::{controlled, schedule};
use crate::memory::spin::Brief;
use crate::sink::lines::WRITE;
use crate::thread::stack::{self, Circumstances, StackId};
use crate::thread::{StopTheWorld, Thread, threads};
use crate::watch::shadow::{self, Cell, GRAIN};
use crate::watch::{benign, blocks, unseen};
use core::sync::atomic::Ordering;
use foretrace_event::wire::Op;

/// An access under examination.
#[derive(Clone, Copy)]
struct Access {
    address: usize,
    size: usize,
    write: bool,
    atomic: bool,
    free: bool,
    pc: usize,
    frame: usize,
}

impl Access {
    /// Where it is made, and how.
    fn stack(&self, player: &'static Thread) -> StackId {
        let size = u32::try_from(self.size).unwrap_or(u32::MAX);
        let circumstances = Circumstances { size, locks: player.locks_held() };
        let free = if self.free { stack::FREE } else { 0 };
        stack::capture_access(player, self.pc, self.frame, circumstances) | free
    }
}

/// One that was there before.
#[derive(Clone, Copy)]
struct Before {
    /// The first byte that both touch.
    at: usize,
    epoch: u64,
    stack: StackId,
    write: bool,
    atomic: bool,
}

/// Locks of the cells, by address: those of a line have one.
#[repr(align(64))]
struct Stripe(Brief);
const STRIPES: usize = 1024;
const LINE: usize = 64;
static LOCKS: [Stripe; STRIPES] = [const { Stripe(Brief::new()) }; STRIPES];

fn lock_of(address: usize) -> &'static Brief {
    &LOCKS[(address / LINE) % STRIPES].0
}

/// Watches a plain access. The caller is in a section.
pub fn access(player: &'static Thread, address: usize, size: usize, kind: u32, pc: usize, frame: usize) {
    check(player, Access { address, size, write: kind & WRITE != 0, atomic: false, free: false, pc, frame });
}

/// Watches an atomic access, which has been done. The caller is in a section.
pub fn atomic(player: &'static Thread, op: Op, address: usize, size: usize, pc: usize, frame: usize) {
    let write = matches!(op, Op::AtomicStore | Op::AtomicRmw);
    check(player, Access { address, size, write, atomic: true, free: false, pc, frame });
}

/// Watches the end of a block: a write of it, remembered until the memory is used again. Of a large block, only what is known
/// is looked at. The caller is in a section.
pub fn free(player: &'static Thread, start: usize, size: usize, pc: usize, frame: usize) {
    note_moment(player);
    let access = Access { address: start, size, write: true, atomic: false, free: true, pc, frame };
    let mut stack = Some(access.stack(player));
    let mut found = None;
    shadow::each(start, size, |cell, grain| {
        let lock = lock_of(grain);
        lock.lock();
        let (from, to) = (grain.max(start), (grain + GRAIN).min(start.saturating_add(size)));
        let before = check_grain(player, &access, &mut stack, cell, from, to);
        lock.unlock();
        found = found.or_else(|| before.and_then(|before| reportable(&access, before)));
    });
    if let Some(before) = found {
        tell(player, &access, stack, before);
    }
}

fn check(player: &'static Thread, access: Access) {
    let (stack, found) = examine(player, &access);
    if let Some(before) = found {
        tell(player, &access, stack, before);
    }
}

/// An access is about to be examined, after so many steps.
#[inline]
fn note_moment(thread: &'static Thread) {
    let known = thread.index < schedule::threads();
    let taken = if known { schedule::taken_by(thread.index).load(Ordering::Relaxed) } else { 0 };
    thread.moments.note(thread.clock.get(), taken);
}

/// Notes an access, and looks for an earlier one that it races with. Says where it is made, too, if it had to be known.
fn examine(player: &'static Thread, access: &Access) -> (Option<StackId>, Option<Before>) {
    note_moment(player);
    let end = access.address.saturating_add(access.size);
    let mut stack = None;
    let mut found = None;
    let mut at = access.address;
    while at < end {
        let stop = (at | (LINE - 1)).saturating_add(1).min(end);
        if !is_known(player, access, at, stop) {
            // What comes after the first byte of a race is noted as well, or another access would race there again.
            let before = check_line(player, access, &mut stack, at, stop);
            found = found.or(before);
        }
        at = stop;
    }
    (stack, found)
}

/// Has the thread accessed all these bytes, which are of one line, in the same way since it last synchronised? Then whoever
/// raced with this access would race with that one. Cells say so without their lock: nobody else writes this epoch.
#[inline]
fn is_known(player: &'static Thread, access: &Access, at: usize, stop: usize) -> bool {
    let epoch = player.clock.get().epoch();
    let whole = at.is_multiple_of(GRAIN) && stop.is_multiple_of(GRAIN);
    !access.atomic
        && whole
        && (at..stop)
            .step_by(GRAIN)
            .all(|grain| shadow::cell(grain).is_some_and(|cell| shadow::is(cell, epoch, access.write)))
}

/// How many bytes from the first common one both accesses touch: no more than what is left of the one, and than the other
/// has.
fn common(access: &Access, before: &Before) -> usize {
    let most = stack::circumstances(before.stack).size as usize;
    (access.address + access.size - before.at).min(most)
}

/// The race from its first byte on that the program has not declared harmless, if there is one.
fn reportable(access: &Access, before: Before) -> Option<Before> {
    if !benign::covers(before.at) {
        return Some(before);
    }
    let bytes = before.at..before.at.saturating_add(common(access, &before));
    bytes.into_iter().find(|at| !benign::covers(*at)).map(|at| Before { at, ..before })
}

/// Checks the bytes from `at` to `stop`, which are of one line.
fn check_line(
    player: &'static Thread,
    access: &Access,
    stack: &mut Option<StackId>,
    at: usize,
    stop: usize,
) -> Option<Before> {
    let lock = lock_of(at);
    let mut found = None;
    lock.lock();
    let mut grain = at;
    while grain < stop {
        let next = ((grain | (GRAIN - 1)) + 1).min(stop);
        if let Some(cell) = shadow::cell(grain) {
            let before = check_grain(player, access, stack, cell, grain, next);
            found = found.or_else(|| before.and_then(|before| reportable(access, before)));
        }
        grain = next;
    }
    lock.unlock();
    found
}

/// Checks the bytes from `at` to `stop`, which are of one cell.
fn check_grain(
    player: &'static Thread,
    access: &Access,
    stack: &mut Option<StackId>,
    cell: &Cell,
    at: usize,
    stop: usize,
) -> Option<Before> {
    let whole = stop - at == GRAIN;
    if whole && cell.parts().is_none() {
        return check_cell(player, access, stack, cell, at);
    }
    let parts = cell.split()?;
    let mut found = None;
    for (part, at) in parts[at % GRAIN..at % GRAIN + (stop - at)].iter().zip(at..) {
        found = found.or(check_cell(player, access, stack, part, at));
    }
    found
}

fn check_cell(
    player: &'static Thread,
    access: &Access,
    stack: &mut Option<StackId>,
    cell: &Cell,
    at: usize,
) -> Option<Before> {
    let epoch = player.clock.get().epoch();
    if !access.atomic && shadow::is(cell, epoch, access.write) {
        return None;
    }
    let stack = *stack.get_or_insert_with(|| access.stack(player));
    let race = conflict(player, access, cell).map(|before| Before { at, ..before });
    note(player, access, cell, epoch, stack);
    race
}

/// An earlier access that this one races with.
fn conflict(player: &'static Thread, access: &Access, cell: &Cell) -> Option<Before> {
    let concurrent = |epoch: u64| epoch != 0 && !player.clock.get().knows(epoch);
    if concurrent(cell.write_epoch()) {
        let (epoch, stack) = cell.write();
        return Some(Before { at: 0, epoch, stack, write: true, atomic: false });
    }
    if access.write && concurrent(cell.read_epoch()) {
        let (epoch, stack) = cell.read();
        return Some(Before { at: 0, epoch, stack, write: false, atomic: false });
    }
    let more = cell.known_more()?;
    let find = |accesses: &shadow::Accesses, write, atomic| {
        let found = accesses.all().iter().find(|(epoch, _)| concurrent(*epoch));
        found.map(|&(epoch, stack)| Before { at: 0, epoch, stack, write, atomic })
    };
    let mut found = if access.write { find(&more.reads, false, false) } else { None };
    if !access.atomic {
        found = found.or_else(|| find(&more.atomic_writes, true, true));
        if access.write {
            found = found.or_else(|| find(&more.atomic_reads, false, true));
        }
    }
    found
}

/// Notes the access in the cell.
fn note(player: &'static Thread, access: &Access, cell: &Cell, epoch: u64, stack: StackId) {
    if access.atomic {
        if let Some(more) = cell.more() {
            let list = if access.write { &mut more.atomic_writes } else { &mut more.atomic_reads };
            list.note(epoch, stack);
        }
    } else if access.write {
        cell.set_write(epoch, stack);
        if let Some(more) = cell.known_more() {
            more.reads.clear();
        }
    } else {
        note_read(player, cell, epoch, stack);
    }
}

/// Notes a plain read: in place of the last one, if that happened before, or beside it.
fn note_read(player: &'static Thread, cell: &Cell, epoch: u64, stack: StackId) {
    let last = cell.read_epoch();
    if last == 0 || player.clock.get().knows(last) {
        return cell.set_read(epoch, stack);
    }
    let (other, other_stack) = cell.read();
    if let Some(more) = cell.more() {
        more.reads.note(other, other_stack);
        more.reads.note(epoch, stack);
    }
}

/// Tells of a race, once for each pair of places.
fn tell(player: &'static Thread, access: &Access, stack: Option<StackId>, before: Before) {
    let stack = stack.unwrap_or_else(|| access.stack(player));
    let other = threads().find(|other| other.number == (before.epoch >> 32) as u32);
    let in_touch = other.map_or(0, |other| unseen::of(other, stack::frames(before.stack)));
    let libraries = in_touch & unseen::of(player, stack::frames(stack));
    if !answer::is_news((access.pc as u64) << 32 ^ calls(before.stack), libraries) {
        return;
    }
    let size = common(access, &before);
    let earlier = stack::frames(before.stack).next().unwrap_or(0);
    let threads = [player.index, other.map_or(u32::MAX, |other| other.index)];
    controlled::put_race(before.at, size, [access.pc, earlier], threads);
    let stopped = StopTheWorld::new();
    let mut answer = Answer::new();
    let line = answer.line("race").hex("address", before.at).decimal("size", size as i64);
    line.decimal("step", schedule::taken().into()).library(unseen::address_of(libraries));
    let now = player.moments.at(player.clock.get().own());
    tell_access(&mut answer, player.index, access.write, access.atomic, now, stack);
    let then = other.and_then(|other| other.moments.at(before.epoch as u32));
    let other = other.map_or(u32::MAX, |other| other.index);
    tell_access(&mut answer, other, before.write, before.atomic, then, before.stack);
    drop(stopped);
    blocks::tell(&mut answer, before.at);
    drop(answer);
    answer::__foretrace_failed();
}

/// What is the same of the same calls.
fn calls(stack: StackId) -> u64 {
    let mix = |hash: u64, frame: usize| (hash ^ frame as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    stack::frames(stack).fold(0, mix) >> 32
}

/// An access, and the locks that its thread held.
fn tell_access(answer: &mut Answer, thread: u32, write: bool, atomic: bool, step: Option<u32>, stack: StackId) {
    let kind = match write {
        true if stack & stack::FREE != 0 => "free",
        true => "write",
        false => "read",
    };
    let Circumstances { size, locks } = stack::circumstances(stack);
    let line = answer.line("access").decimal("thread", thread.into()).word("kind", kind);
    let line = line.decimal("atomic", atomic.into()).decimal("size", size.into());
    let line = line.decimal("step", step.map_or(-1, i64::from));
    let pc = stack::frames(stack).next().unwrap_or(0);
    line.hex("pc", pc).list("stack", stack::frames(stack));
    answer::locks(answer, stack::frames(locks));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::tls::Section;
    use crate::watch::naive::{self, Trace};

    /// What is found must be there, at the first byte that races.
    fn compare(trace: &Trace, found: Option<Before>, epochs: &[u64], base: usize, number: u64) {
        assert_eq!(found.is_some(), trace.races, "trace {number}: {:?}", trace.events);
        let Some(before) = found else { return };
        let first = trace.partners().map(|(.., byte)| base + byte).min();
        assert_eq!(Some(before.at), first, "trace {number}");
        let is_it = |(index, access, byte): (usize, naive::Access, usize)| {
            epochs[index] == before.epoch
                && (access.write, access.atomic) == (before.write, before.atomic)
                && base + byte == before.at
        };
        assert!(trace.partners().any(is_it), "trace {number}: {:?}", trace.events);
    }

    #[test]
    fn agrees_with_the_definition() {
        let _section = Section::nest();
        let (players, mut races, mut clean) = (naive::players(), 0, 0);
        for number in 0..6_000 {
            let (trace, base) = (Trace::random(number), Trace::base(number));
            let mut found = None;
            let examine = |player, access: naive::Access| {
                let naive::Access { at, size, write, atomic } = access;
                let access = Access { address: base + at, size, write, atomic, free: false, pc: 0x1000, frame: 0 };
                assert!(found.is_none(), "trace {number}: {:?}", trace.events);
                found = super::examine(player, &access).1;
            };
            let epochs = trace.play(base, &players, examine, |_| {});
            compare(&trace, found, &epochs, base, number);
            *(if trace.races { &mut races } else { &mut clean }) += 1;
        }
        assert!(races > 2000 && clean > 500, "{races} races, {clean} without");
    }
}
