//! The cache of touched lines behind the access hooks.
//!
//! Each thread has a table, small at first, of 64-byte lines with the bytes read and the bytes written in the current
//! segment; a line has two places in it. An access that finds its line sets bits, in about fifteen instructions and without
//! a call. One that does not takes the slow path: a line that is in the way is written to the stream. When the segment
//! ends, the lines it touched are written in the order of their first access or, if they are many, of the table, so that
//! neighbours stand beside each other and take a byte or two.
//!
//! The table lies in the recording's file: the lines of a segment that never ends, because the program was killed or
//! left threads running, are read from there.
//!
//! *Deviations* from the thesis's cache (5.5.1): a line is merged byte by byte whatever the order of accesses, and it
//! keeps the program counter of the first access alone; exact places come from replay.

mod entry;
mod recent;

use crate::memory::arena;
use crate::sink::places::{self, Latest};
use core::cell::UnsafeCell;
pub use entry::Entry;
use foretrace_event::table::{self, ENTRY_SIZE, SMALLEST, pc_salt, slot, tag};
use foretrace_event::wire::Access;
pub use recent::{ENTRY as RECENT_ENTRY, LINE as RECENT_LINE, PLACES as RECENT_PLACES, Recent, SHIFT as RECENT_SHIFT};

/// Entries of a thread's first table; a power of two.
pub const SMALL: usize = 4096;
const _: () = assert!(SMALL >= SMALLEST);
/// Entries of the table it gets when many lines had to make room for others; a power of two.
pub const LARGE: usize = 65536;
/// So many entries in use are listed. If more are, most of the table is: it is looked through as a whole.
const LISTED: usize = LARGE / 8;
const _: () = assert!(LISTED >= SMALL);
/// Lines that count as few; and if each place that touched a line has an entry of its own.
const FEW: usize = 8;
const FEW_PLACES: usize = 64;

/// A line is announced so many lines before it is handed over.
const SOON: usize = 4;

/// What turns a hashed address into a slot of a table of that many entries.
pub const fn slot_mask(entries: usize) -> u32 {
    (entries - 1) as u32
}

/// A table in which nothing is found: what the hooks look into where nothing is recorded. It is as large as any.
#[repr(C, align(64))]
pub struct NoLines(UnsafeCell<[u8; LARGE * ENTRY_SIZE]>);

// SAFETY: nothing but the assembly below touches it, and what it holds does not matter.
unsafe impl Sync for NoLines {}

/// See [`NoLines`].
pub static NO_LINES: NoLines = NoLines(UnsafeCell::new([0; LARGE * ENTRY_SIZE]));

/// The mask for that table: hooks that find nothing look at one entry only.
pub const NO_SLOTS: u32 = 0;

/// The table of a thread that records nothing.
pub fn no_lines() -> *mut Entry {
    NO_LINES.0.get().cast()
}

/// The second place for a line: in the other half of the table, so that two arrays at addresses that collide have room.
pub const fn other(slot: u32, mask: u32) -> u32 {
    slot ^ (mask + 1) >> 1
}

/// Where lines go that leave a table.
pub trait Sink {
    /// Does it want to know of lines before it takes them?
    const LOOKS_AHEAD: bool = false;

    /// Takes a line.
    fn take(&mut self, access: &Access);

    /// The line at this address will be handed over soon.
    #[inline]
    fn soon(&mut self, _address: usize) {}
}

/// A thread's table.
pub struct Lines {
    entries: *mut Entry,
    /// The entries in use, in the order of their first use, if they are no more than [`LISTED`].
    touched: *mut u16,
    /// How many are in use.
    count: usize,
    mask: u32,
    evictions: usize,
    windows: Latest,
    /// Lines are kept apart by program counter; the hooks look into `recent`, and then [`Self::add_at_place`] looks.
    by_place: bool,
    /// What the hooks look into then.
    recent: *mut Recent,
    /// Nothing is kept: each access is a record of its own.
    every: bool,
}

impl Lines {
    /// Initialises the table in place, with `size` entries in zeroed memory; false if there is no memory for the rest.
    pub fn init(&mut self, entries: *mut u8, size: usize, by_place: bool) -> bool {
        let Some(touched) = arena::allocate(size.min(LISTED) * size_of::<u16>()) else { return false };
        (self.entries, self.touched) = (entries.cast(), touched.cast());
        (self.count, self.evictions) = (0, 0);
        (self.mask, self.by_place) = (slot_mask(size), by_place);
        if by_place && self.recent.is_null() {
            self.recent = recent::new();
        }
        self.every = crate::axes::keeps_every_access();
        true
    }

    /// Should the thread have a large table, if it should after so many evictions?
    pub const fn is_crowded(&self, evictions: usize) -> bool {
        self.evictions >= evictions && self.is_small()
    }

    /// Moves to a large table; the current one is empty. False if there is no memory for it: the current one goes on.
    pub fn grow(&mut self, entries: *mut u8) -> bool {
        debug_assert!(self.is_empty());
        self.init(entries, LARGE, self.by_place)
    }

    /// Is it the first table of a thread?
    pub const fn is_small(&self) -> bool {
        self.mask == slot_mask(SMALL)
    }

    /// Has the current segment touched nothing?
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Have few lines had to make room for others, so that what is touched will be there when the segment ends?
    pub const fn is_calm(&self) -> bool {
        self.evictions < SMALL / 64
    }

    /// The table that the hooks look into, and its mask.
    pub fn for_hooks(&self) -> (*mut Entry, u32) {
        if self.by_place { (no_lines(), NO_SLOTS) } else { (self.entries, self.mask) }
    }

    /// An entry, which nobody else uses while the reference lives: callers take one at a time.
    #[inline]
    fn entry(&mut self, slot: u32) -> &mut Entry {
        // SAFETY: slots are below the table's size, it lies in memory of our own, and it is this thread's alone; the borrow
        // of the table keeps others away.
        unsafe { &mut *self.entries.add(slot as usize) }
    }

    /// An entry as it is now.
    #[inline]
    fn copy(&self, slot: u32) -> Entry {
        // SAFETY: as above; nothing else is borrowed.
        unsafe { self.entries.add(slot as usize).read() }
    }

    /// The tag of an entry.
    #[inline]
    fn tag(&self, slot: u32) -> u32 {
        // SAFETY: as above.
        unsafe { (*self.entries.add(slot as usize)).tag }
    }

    /// Notes bytes of one line.
    #[inline(never)]
    pub fn touch(&mut self, sink: &mut impl Sink, address: usize, reads: u64, writes: u64, pc: usize) {
        let (line, pc) = (address as u64 & !63, pc as u64);
        let Some(place) = self.windows.place(pc).filter(|_| table::fits(line) && !self.every) else {
            return sink.take(&Access { line: line / 64, reads, writes, pc });
        };
        let (tag, mask, by_place) = (tag(line), self.mask, self.by_place);
        let first = slot(if by_place { line ^ pc_salt(pc) } else { line }, mask);
        let second = other(first, mask);
        for slot in [first, second] {
            let entry = self.entry(slot);
            if entry.tag == tag && (!by_place || entry.place == place) {
                return entry.add(reads, writes);
            }
        }
        let slot = match (self.tag(first), self.tag(second)) {
            (0, _) => first,
            (_, 0) => second,
            _ if self.evictions.is_multiple_of(2) => first,
            _ => second,
        };
        if self.tag(slot) == 0 {
            if self.count < LISTED {
                // SAFETY: the list has room for so many, or for every entry, and none is in it twice.
                unsafe { self.touched.add(self.count).write(slot as u16) };
            }
            self.count += 1;
        } else {
            self.give(sink, slot);
            self.evictions += 1;
        }
        self.entry(slot).fill(tag, place, reads, writes);
        if by_place {
            recent::note(self.recent, line, pc, self.entry(slot));
        }
    }

    /// The address of the line at a slot.
    #[inline]
    fn line(&self, entry: &Entry, slot: u32) -> u64 {
        table::line(entry.tag, slot, if self.by_place { pc_salt(places::pc(entry.place)) } else { 0 })
    }

    #[inline]
    fn give(&self, sink: &mut impl Sink, slot: u32) {
        if self.by_place {
            let entry = self.copy(slot);
            let pc = places::pc(entry.place);
            recent::forget(self.recent, pc);
            give_entry(sink, &entry, self.line(&entry, slot), pc);
        } else {
            self.give_line(sink, slot);
        }
    }

    /// The same where lines are not kept apart by place.
    #[inline]
    fn give_line(&self, sink: &mut impl Sink, slot: u32) {
        let entry = self.copy(slot);
        give_entry(sink, &entry, table::line(entry.tag, slot, 0), places::pc(entry.place));
    }

    /// Reports each line with the bytes read and written; false, with some left out, if there are too many.
    pub fn each_of_few(&self, tell: &mut dyn FnMut(usize, u64, u64)) -> bool {
        let few = if self.by_place { FEW_PLACES } else { FEW };
        if self.count > few || self.evictions > 0 {
            return false;
        }
        for index in 0..self.count {
            let slot = self.listed(index);
            let entry = self.copy(slot);
            tell(self.line(&entry, slot) as usize, entry.reads, entry.writes);
        }
        true
    }

    /// Ends a segment of which nothing is to be written.
    pub fn discard(&mut self) {
        struct Nowhere;
        impl Sink for Nowhere {
            fn take(&mut self, _access: &Access) {}
        }
        self.flush(&mut Nowhere);
    }

    /// Ends a segment: writes what it touched.
    #[inline]
    pub fn flush(&mut self, sink: &mut impl Sink) {
        if self.count > LISTED {
            return self.flush_all(sink);
        }
        if self.by_place { self.flush_listed(sink, Self::give) } else { self.flush_listed(sink, Self::give_line) }
    }

    #[inline(always)]
    fn flush_listed<S: Sink>(&mut self, sink: &mut S, give: impl Fn(&Self, &mut S, u32)) {
        for index in 0..self.count {
            if S::LOOKS_AHEAD && index + SOON < self.count {
                let soon = self.listed(index + SOON);
                sink.soon(self.line(&self.copy(soon), soon) as usize);
            }
            let slot = self.listed(index);
            give(self, sink, slot);
            self.entry(slot).tag = 0;
        }
        (self.count, self.evictions) = (0, 0);
    }

    /// The slot that came into use as the one of this number.
    #[inline]
    fn listed(&self, index: usize) -> u32 {
        // SAFETY: the first `count` have been written.
        u32::from(unsafe { *self.touched.add(index) })
    }

    #[cold]
    fn flush_all(&mut self, sink: &mut impl Sink) {
        for slot in 0..=self.mask {
            if self.tag(slot) != 0 {
                self.give(sink, slot);
                self.entry(slot).tag = 0;
            }
        }
        (self.count, self.evictions) = (0, 0);
    }

    /// Writes the lines of a block whose memory is about to have another meaning.
    pub fn flush_block(&mut self, sink: &mut impl Sink, start: usize, size: usize) {
        if self.count == 0 {
            return;
        }
        if self.by_place || size / 64 > self.count.max(64) {
            return self.flush(sink);
        }
        let mut line = start as u64 & !63;
        while line < start.saturating_add(size) as u64 {
            let first = slot(line, self.mask);
            for slot in [first, other(first, self.mask)] {
                if self.tag(slot) == tag(line) && table::fits(line) {
                    self.give(sink, slot);
                    let entry = self.entry(slot);
                    (entry.reads, entry.writes) = (0, 0);
                }
            }
            line += 64;
        }
    }
}

/// Hands an entry over, unless what it had is written already.
#[inline]
fn give_entry(sink: &mut impl Sink, &Entry { reads, writes, .. }: &Entry, address: u64, pc: u64) {
    if reads | writes != 0 {
        sink.take(&Access { line: address / 64, reads, writes, pc });
    }
}

/// What kind of access a hook stands for.
pub const READ: u32 = 1;
/// See [`READ`].
pub const WRITE: u32 = 2;

/// Splits a block into the bytes of each of its lines.
#[inline(always)]
pub fn split(address: usize, size: usize, mut part: impl FnMut(usize, u64)) {
    let end = address.saturating_add(size);
    let mut at = address;
    while at < end {
        let stop = (at | 63).saturating_add(1).min(end);
        part(at, u64::MAX >> (64 - (stop - at)) << (at & 63));
        at = stop;
    }
}

#[cfg(test)]
mod tests;
