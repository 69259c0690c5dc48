//! The access hooks, and the cache of touched lines behind them.
//!
//! Each thread has a table, small at first, of 64-byte lines with the bytes read and the bytes written in the current
//! segment; a line has two places in it. An access that finds its line sets bits, in about fifteen instructions and without a call. One that does not
//! takes the slow path: a line that is in the way is written to the stream. When the segment ends, the lines it touched
//! are written in the order of their first access, so that neighbours stand beside each other and take a byte or two.
//!
//! The table lies in the recording's file: the lines of a segment that never ends, because the program was killed or
//! left threads running, are read from there.
//!
//! *Deviations* from the thesis's cache (5.5.1): a line is merged byte by byte whatever the order of accesses, and it
//! keeps the program counter of the first access alone; exact places come from replay.

use crate::access::heeded;
use crate::arena;
use crate::replay;
use crate::stream::Stream;
use crate::thread::{self, Thread};
use crate::tls::{Section, tls};
use core::cell::UnsafeCell;
use foretrace_event::layout::ENTRY_SIZE;
use foretrace_event::wire::Access;

/// Entries of a thread's first table; a power of two.
pub const SMALL: usize = 4096;
/// Entries of the table it gets when many lines had to make room for others; a power of two.
pub const LARGE: usize = 65536;
/// So many evictions in one segment show that it comes back to lines that had to make room. A segment that passes over
/// much memory once has fewer, and would gain nothing.
const CROWDED: usize = 4 * LARGE;

/// A line is announced so many lines before it is handed over.
const SOON: usize = 4;

/// What turns a hashed address, shifted right by one, into the offset of an entry of a table of that many.
pub const fn offset_mask(entries: usize) -> u32 {
    ((entries - 1) * ENTRY_SIZE) as u32
}

/// A touched line; the layout crate documents it as a record of table chunks.
#[repr(C)]
pub struct Entry {
    /// Address of the line; zero if the entry is empty.
    pub line: u64,
    /// One bit a byte read.
    pub reads: u64,
    /// One bit a byte written.
    pub writes: u64,
    /// The first place that touched the line.
    pub pc: u64,
}

const _: () = assert!(size_of::<Entry>() == ENTRY_SIZE);

/// A table in which nothing is found: what the hooks look into where nothing is recorded. It is as large as any.
#[repr(C, align(64))]
pub struct NoLines(UnsafeCell<[u8; LARGE * ENTRY_SIZE]>);

// SAFETY: nothing but the assembly below touches it, and what it holds does not matter.
unsafe impl Sync for NoLines {}

/// See [`NoLines`].
pub static NO_LINES: NoLines = NoLines(UnsafeCell::new([0; LARGE * ENTRY_SIZE]));

/// The table of a thread that records nothing.
pub fn no_lines() -> *mut Entry {
    NO_LINES.0.get().cast()
}

/// Where an address is looked for: the same computation as in the hooks.
const fn slot(address: usize, offset_mask: u32) -> usize {
    (((address >> 13) ^ address) >> 1 & offset_mask as usize) / ENTRY_SIZE
}

/// The second place for a line: in the other half of the table, so that two arrays at addresses that collide have room.
const fn other(slot: usize, offset_mask: u32) -> usize {
    let entries = offset_mask as usize / ENTRY_SIZE + 1;
    slot ^ (entries >> 1)
}

/// Where a line is looked for that is kept apart by program counter.
const fn place_slot(address: usize, pc: usize, offset_mask: u32) -> usize {
    slot(address ^ pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20 << 6, offset_mask)
}

/// Where lines go that leave a table.
pub trait Sink {
    /// Takes a line.
    fn take(&mut self, entry: &Entry);

    /// A line will be handed over soon.
    #[inline]
    fn soon(&mut self, _entry: &Entry) {}
}

impl Sink for Stream {
    #[inline]
    fn take(&mut self, entry: &Entry) {
        self.access(&Access { line: entry.line / 64, reads: entry.reads, writes: entry.writes, pc: entry.pc });
    }
}

/// A thread's table.
pub struct Lines {
    entries: *mut Entry,
    /// The entries in use, in the order of their first use.
    touched: *mut u16,
    count: usize,
    offset_mask: u32,
    evictions: usize,
    /// Lines are kept apart by program counter; the hooks look elsewhere and always take the slow path.
    by_place: bool,
}

impl Lines {
    /// Initialises the table in place, with `size` entries in zeroed memory; false if there is no memory for the rest.
    pub fn init(&mut self, entries: *mut u8, size: usize, by_place: bool) -> bool {
        let Some(touched) = arena::allocate(size * size_of::<u16>()) else { return false };
        (self.entries, self.touched) = (entries.cast(), touched.cast());
        (self.count, self.evictions) = (0, 0);
        (self.offset_mask, self.by_place) = (offset_mask(size), by_place);
        true
    }

    /// Should the thread have a large table, if it should after so many evictions?
    pub const fn is_crowded(&self, evictions: usize) -> bool {
        self.evictions >= evictions && self.offset_mask == offset_mask(SMALL)
    }

    /// Moves to a large table; the current one is empty.
    pub fn grow(&mut self, entries: *mut u8) {
        debug_assert!(self.is_empty());
        // Without memory for it the small one goes on.
        self.init(entries, LARGE, self.by_place);
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
        (if self.by_place { no_lines() } else { self.entries }, self.offset_mask)
    }

    fn entry(&self, slot: usize) -> &'static mut Entry {
        // SAFETY: slots are below the table's size, it lies in memory of our own, and it is this thread's alone.
        unsafe { &mut *self.entries.add(slot) }
    }

    /// Notes bytes of one line.
    pub fn touch(&mut self, sink: &mut impl Sink, address: usize, reads: u64, writes: u64, pc: usize) {
        let line = (address & !63) as u64;
        let mask = self.offset_mask;
        let first = if self.by_place { place_slot(address, pc, mask) } else { slot(address, mask) };
        let second = other(first, mask);
        for slot in [first, second] {
            let entry = self.entry(slot);
            if entry.line == line && (!self.by_place || entry.pc == pc as u64) {
                entry.reads |= reads;
                entry.writes |= writes;
                return;
            }
        }
        let slot = match (self.entry(first).line, self.entry(second).line) {
            (0, _) => first,
            (_, 0) => second,
            _ => [first, second][self.evictions % 2],
        };
        let entry = self.entry(slot);
        if entry.line == 0 {
            // SAFETY: the list has room for every entry, and none is in it twice.
            unsafe { self.touched.add(self.count).write(slot as u16) };
            self.count += 1;
        } else {
            give(sink, entry);
            self.evictions += 1;
        }
        *entry = Entry { line, reads, writes, pc: pc as u64 };
    }

    /// Ends a segment: writes what it touched.
    #[inline]
    pub fn flush(&mut self, sink: &mut impl Sink) {
        for index in 0..self.count {
            // SAFETY: the first `count` have been written.
            let entry = self.entry(unsafe { *self.touched.add(index) } as usize);
            if index + SOON < self.count {
                // SAFETY: as above.
                sink.soon(self.entry(unsafe { *self.touched.add(index + SOON) } as usize));
            }
            give(sink, entry);
            entry.line = 0;
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
        let mut line = start & !63;
        while line < start.saturating_add(size) {
            let first = slot(line, self.offset_mask);
            for slot in [first, other(first, self.offset_mask)] {
                let entry = self.entry(slot);
                if entry.line == line as u64 {
                    give(sink, entry);
                    (entry.reads, entry.writes) = (0, 0);
                }
            }
            line += 64;
        }
    }
}

#[inline]
fn give(sink: &mut impl Sink, entry: &Entry) {
    if entry.reads | entry.writes != 0 {
        sink.take(entry);
    }
}

/// What kind of access a hook stands for.
pub const READ: u32 = 1;
/// See [`READ`].
pub const WRITE: u32 = 2;

/// An access that the hook could not note by itself: `what` is the size, and the kind from bit 8.
pub unsafe extern "C" fn slow(address: usize, what: u32, pc: usize, frame: usize) {
    access_from(address, (what & 0xff) as usize, what >> 8, pc, frame);
}

/// Notes an access of any size by an interposed function.
pub fn access(address: usize, size: usize, kind: u32, pc: usize) {
    access_from(address, size, kind, pc, tls().frame.get());
}

fn access_from(address: usize, size: usize, kind: u32, pc: usize, frame: usize) {
    if size == 0 {
        return;
    }
    if let Some(player) = replay::player() {
        let kind = heeded(kind);
        if kind != 0 && !tls().waiting.get() {
            replay::access(player, address, size, kind, pc, frame);
        }
        return;
    }
    if tls().thread.get().is_null() {
        return;
    }
    let kind = heeded(kind);
    if kind == 0 {
        return;
    }
    let Some(_section) = Section::enter() else { return };
    if let Some(thread) = thread::current() {
        let direct = tls().handlers.get() != 0;
        split(address, size, |at, mask| {
            let reads = if kind & READ != 0 { mask } else { 0 };
            let writes = if kind & WRITE != 0 { mask } else { 0 };
            thread.access(direct, at, reads, writes, pc);
        });
    }
}

/// A series of accesses that a loop makes: `count` of them, `step` apart. The line is looked for here as in the hooks.
pub fn series(at: usize, step: isize, count: usize, size: usize, kind: u32, pc: usize) {
    let stride = step.unsigned_abs();
    let bytes = stride.saturating_mul(count.saturating_sub(1)).saturating_add(size);
    if count == 0 || bytes > LONGEST {
        return access(at, size, kind, pc);
    }
    // Without gaps it is one access.
    if stride <= size || count == 1 {
        return block(if step < 0 { at.wrapping_sub(bytes - size) } else { at }, bytes, kind, pc);
    }
    let element = |round| at.wrapping_add_signed(step.wrapping_mul(round as isize));
    if stride >= 64 {
        return (0..count).for_each(|round| block(element(round), size, kind, pc));
    }
    // Several in one line are noted at once.
    let (mut line, mut bytes) = (at & !63, 0);
    for round in 0..count {
        split(element(round), size, |at, part| {
            if at & !63 != line {
                note(line, bytes, kind, pc);
                (line, bytes) = (at & !63, 0);
            }
            bytes |= part;
        });
    }
    note(line, bytes, kind, pc);
}

/// A series that reaches further than this has not been counted right: the program does not come to its end either.
const LONGEST: usize = 1 << 40;

/// Notes an access of any size, from a hook.
#[inline]
fn block(address: usize, size: usize, kind: u32, pc: usize) {
    split(address, size, |at, bytes| note(at, bytes, kind, pc));
}

/// Notes bytes of one line: if it is in the table, that costs no more than in the hooks.
#[inline]
fn note(at: usize, bytes: u64, kind: u32, pc: usize) {
    let tls = tls();
    let (entries, mask) = (tls.lines.get(), tls.offset_mask.get());
    let line = (at & !63) as u64;
    let first = slot(at, mask);
    // SAFETY: the table that the hooks look into is as large as its mask says, and this thread's alone.
    let mut entry = unsafe { &mut *entries.add(first) };
    if entry.line != line {
        // SAFETY: as above.
        entry = unsafe { &mut *entries.add(other(first, mask)) };
    }
    if entry.line == line {
        entry.reads |= if kind & READ != 0 { bytes } else { 0 };
        entry.writes |= if kind & WRITE != 0 { bytes } else { 0 };
    } else {
        missed(line as usize, bytes, kind, pc);
    }
}

/// The bytes of a line that is not in the table, run by run.
#[cold]
fn missed(line: usize, mut bytes: u64, kind: u32, pc: usize) {
    while bytes != 0 {
        let start = bytes.trailing_zeros();
        let size = (bytes >> start).trailing_ones();
        access(line + start as usize, size as usize, kind, pc);
        bytes &= u64::MAX.checked_shl(start + size).unwrap_or(0);
    }
}

/// Splits a block into the bytes of each of its lines.
#[inline]
pub fn split(address: usize, size: usize, mut part: impl FnMut(usize, u64)) {
    let end = address.saturating_add(size);
    let mut at = address;
    while at < end {
        let stop = (at | 63).saturating_add(1).min(end);
        part(at, u64::MAX >> (64 - (stop - at)) << (at & 63));
        at = stop;
    }
}

impl Thread {
    /// Notes bytes of one line: in the table, or straight in the stream if the table belongs to code that a signal
    /// interrupted.
    fn access(&mut self, direct: bool, address: usize, reads: u64, writes: u64, pc: usize) {
        if direct {
            self.stream.access(&Access { line: address as u64 / 64, reads, writes, pc: pc as u64 });
        } else {
            self.lines.touch(&mut self.stream, address, reads, writes, pc);
            if self.lines.is_crowded(CROWDED) {
                self.enlarge_lines();
            }
        }
    }
}

/// A hook: looks for the line, sets the bits, or takes the slow path. `$check` comes first and may jump to `3:`.
macro_rules! hook {
    ($name:ident, $size:literal, $kind:expr $(, $check:expr)*) => {
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name(address: usize) {
            core::arch::naked_asm!(
                $($check,)*
                "mov rcx, qword ptr [rip + ft_tls@gottpoff]",
                "mov rdx, qword ptr fs:[rcx]",
                "mov rax, rdi",
                "shr rax, 13",
                "xor rax, rdi",
                "shr eax, 1",
                "and eax, dword ptr fs:[rcx + {offset_mask}]",
                "mov rcx, rdi",
                "and rcx, -64",
                "cmp qword ptr [rdx + rax], rcx",
                "jne 4f",
                "2:",
                "mov ecx, edi",
                "mov esi, {mask}",
                "shl rsi, cl",
                ".if {kind} & 1",
                "or qword ptr [rdx + rax + 8], rsi",
                ".endif",
                ".if {kind} & 2",
                "or qword ptr [rdx + rax + 16], rsi",
                ".endif",
                "ret",
                // The second place: see `other`.
                "4:",
                "mov rsi, qword ptr [rip + ft_tls@gottpoff]",
                "mov esi, dword ptr fs:[rsi + {offset_mask}]",
                "add esi, {entry}",
                "shr esi, 1",
                "xor eax, esi",
                "cmp qword ptr [rdx + rax], rcx",
                "je 2b",
                "3:",
                "mov esi, {what}",
                "mov rdx, qword ptr [rsp]",
                "mov rcx, rbp",
                "jmp {slow}",
                offset_mask = const $crate::tls::OFFSET_MASK,
                entry = const foretrace_event::layout::ENTRY_SIZE,
                mask = const (1u64 << $size) - 1,
                kind = const $kind,
                what = const $size | $kind << 8,
                slow = sym $crate::lines::slow,
            )
        }
    };
}

/// A hook for accesses that lie within a line, being aligned to their size.
macro_rules! aligned_hooks {
    ($($name:ident $size:literal $kind:expr;)*) => {
        $(hook!($name, $size, $kind);)*
    };
}

/// A hook for accesses that may cross the end of a line; those take the slow path.
macro_rules! crossing_hooks {
    ($($name:ident $size:literal $kind:expr;)*) => {
        $(hook!($name, $size, $kind, "mov ecx, edi", "and ecx, 63", concat!("cmp ecx, 64 - ", $size), "ja 3f");)*
    };
}

pub(crate) use {aligned_hooks, crossing_hooks, hook};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_split_at_the_ends_of_lines() {
        let parts = |address, size| {
            let mut parts = Vec::new();
            split(address, size, |at, mask| parts.push((at, mask)));
            parts
        };
        assert_eq!(parts(128, 64), [(128, u64::MAX)]);
        assert_eq!(parts(126, 4), [(126, 3 << 62), (128, 3)]);
        assert_eq!(parts(usize::MAX - 1, 8), [(usize::MAX - 1, 1 << 62)]);
    }

    #[test]
    fn slots_are_in_the_table() {
        for address in [0, 63, 64, usize::MAX, 0x7fff_ffff_ffff] {
            for size in [SMALL, LARGE] {
                assert!(slot(address, offset_mask(size)) < size);
                assert!(place_slot(address, !address, offset_mask(size)) < size);
                assert!(other(slot(address, offset_mask(size)), offset_mask(size)) < size);
            }
        }
    }
}
