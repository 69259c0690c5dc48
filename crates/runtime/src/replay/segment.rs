//! The race detector on segments: the cheap way. A thread's accesses are gathered by line, as when recording, and checked
//! all at once when the segment ends; the vector clock does not change in between, so nothing is missed.
//!
//! It sees every race that [`super::race`] sees access by access, but knows of an access only the first place that
//! touched its line. A replay that finds a race is run once more to tell the places.

use super::clock::Epoch;
use super::outcome::{self, Line};
use super::pages::Pages;
use super::{Player, WORLD};
use crate::arena;
use crate::lines::{Entry, Sink};
use crate::spin::Raw;
use foretrace_event::wire::Op;

/// Bytes of a line.
const LINE: usize = 64;

/// The bytes of a line that were accessed, by kind.
#[derive(Clone, Copy, Default)]
pub struct Masks {
    reads: u64,
    writes: u64,
    atomic_reads: u64,
    atomic_writes: u64,
}

impl Masks {
    /// The bytes that two sets of accesses conflict on.
    const fn conflicts(self, other: Self) -> u64 {
        self.writes & other.all()
            | self.reads & (other.writes | other.atomic_writes)
            | self.atomic_reads & other.writes
            | self.atomic_writes & (other.reads | other.writes)
    }

    /// What need not be remembered of earlier accesses when these come after them: whoever races with those races
    /// with these.
    fn covers(self, earlier: &mut Self) {
        let written = self.writes;
        earlier.writes &= !written;
        earlier.reads &= !(written | self.reads);
        earlier.atomic_writes &= !(written | self.atomic_writes);
        earlier.atomic_reads &= !(written | self.atomic_reads);
    }

    const fn all(self) -> u64 {
        self.reads | self.writes | self.atomic_reads | self.atomic_writes
    }
}

/// Accesses of one segment to a line.
#[derive(Clone, Copy)]
struct Past {
    /// All bytes accessed: most of a line's past is about other bytes, and passed over by looking at this alone.
    bytes: u64,
    epoch: Epoch,
    masks: Masks,
    pc: usize,
}

/// What is known of a line. All zero: nothing.
struct Known {
    lock: Raw,
    count: u32,
    capacity: u32,
    at: *mut Past,
}

static LINES: Pages<Known, LINE> = Pages::new();

impl Known {
    fn past(&mut self) -> &mut [Past] {
        if self.count == 0 {
            return &mut [];
        }
        // SAFETY: the first `count` have been written; the line's lock is held.
        unsafe { core::slice::from_raw_parts_mut(self.at, self.count as usize) }
    }

    /// Drops what has become empty.
    fn prune(&mut self) {
        let mut kept = 0;
        for index in 0..self.count as usize {
            let past = self.past()[index];
            if past.bytes != 0 {
                self.past()[kept] = past;
                kept += 1;
            }
        }
        self.count = kept as u32;
    }

    fn push(&mut self, past: Past) {
        if self.count == self.capacity {
            let capacity = (self.capacity * 2).max(2);
            let Some(at) = arena::allocate(capacity as usize * size_of::<Past>()) else { return };
            let at: *mut Past = at.cast();
            // SAFETY: the new memory is larger than the old.
            unsafe { at.copy_from_nonoverlapping(self.at.cast_const(), self.count as usize) };
            (self.at, self.capacity) = (at, capacity);
        }
        // SAFETY: there is room.
        unsafe { self.at.add(self.count as usize).write(past) };
        self.count += 1;
    }
}

/// A player's segment, to whose end the lines are handed.
pub struct Segment(pub &'static Player);

impl Sink for Segment {
    fn take(&mut self, entry: &Entry) {
        let masks = Masks { reads: entry.reads, writes: entry.writes, ..Masks::default() };
        check(self.0, entry.line as usize, masks, entry.pc as usize);
    }
}

/// Checks an atomic access, which lies within a line.
pub fn atomic(player: &'static Player, op: Op, address: usize, size: usize, pc: usize) {
    let mask = (u64::MAX >> (64 - size)) << (address % LINE);
    let masks = match op {
        Op::AtomicLoad | Op::AtomicCasFailed => Masks { atomic_reads: mask, ..Masks::default() },
        _ => Masks { atomic_writes: mask, ..Masks::default() },
    };
    check(player, address & !(LINE - 1), masks, pc);
}

fn check(player: &'static Player, line: usize, masks: Masks, pc: usize) {
    let Some(known) = LINES.cell(line) else { return };
    // SAFETY: the cell is valid for ever; all but its lock is used under the lock.
    let known = unsafe { &mut *known };
    known.lock.lock();
    let clock = player.clock();
    let epoch = clock.epoch();
    let bytes = masks.all();
    let mut race = None;
    let mut emptied = false;
    for past in known.past().iter_mut().filter(|past| past.bytes & bytes != 0) {
        let own = past.epoch >> 32 == epoch >> 32;
        if own || clock.knows(past.epoch) {
            masks.covers(&mut past.masks);
            past.bytes = past.masks.all();
            emptied |= past.bytes == 0;
        } else if race.is_none() && masks.conflicts(past.masks) != 0 {
            race = Some((*past, masks.conflicts(past.masks)));
        }
    }
    if emptied {
        known.prune();
    }
    known.push(Past { bytes, epoch, masks, pc });
    known.lock.unlock();
    if let Some((past, bytes)) = race {
        tell(player, line + bytes.trailing_zeros() as usize, bytes, masks, pc, past);
    }
}

fn tell(player: &'static Player, address: usize, bytes: u64, masks: Masks, pc: usize, past: Past) {
    if !outcome::is_news(pc as u64 ^ (past.pc as u64).rotate_left(32)) {
        return;
    }
    let other = WORLD.lock().players().find(|other| other.number() == (past.epoch >> 32) as u32);
    let first = 1u64 << bytes.trailing_zeros();
    let size = (bytes >> bytes.trailing_zeros()).trailing_ones();
    Line::new(b"race").hex("address", address).decimal("size", size.into()).write();
    access(player.index, masks, first, size, pc);
    access(other.map_or(u32::MAX, |other| other.index), past.masks, first, size, past.pc);
    outcome::__foretrace_failed();
}

fn access(thread: u32, masks: Masks, byte: u64, size: u32, pc: usize) {
    let kind = if (masks.writes | masks.atomic_writes) & byte != 0 { "write" } else { "read" };
    let atomic = (masks.reads | masks.writes) & byte == 0;
    let line = Line::new(b"access").decimal("thread", thread.into()).word("kind", kind);
    line.decimal("atomic", atomic.into()).decimal("size", size.into()).hex("pc", pc).word("exact", "0").write();
}

/// Checks the end of a block: a write of all that is known of it.
pub fn free(player: &'static Player, start: usize, size: usize, pc: usize) {
    LINES.each(start, size, |_, line| {
        let (from, to) = (start.max(line) - line, start.saturating_add(size).min(line + LINE) - line);
        let writes = (u64::MAX >> (64 - (to - from))) << from;
        check(player, line, Masks { writes, ..Masks::default() }, pc);
    });
}

/// Forgets what is known of a block.
pub fn clear(start: usize, size: usize) {
    LINES.each(start, size, |known, line| {
        // SAFETY: as in `check`.
        let known = unsafe { &mut *known };
        known.lock.lock();
        let (from, to) = (start.max(line) - line, start.saturating_add(size).min(line + LINE) - line);
        let gone = (u64::MAX >> (64 - (to - from))) << from;
        for past in known.past() {
            Masks { writes: gone, ..Masks::default() }.covers(&mut past.masks);
            past.bytes = past.masks.all();
        }
        known.prune();
        known.lock.unlock();
    });
}
