//! The access hooks, and the cache of touched lines behind them.
//!
//! Each thread has a direct-mapped table of 64-byte lines with the bytes read and the bytes written in the current
//! segment. An access that finds its line sets bits, in about fifteen instructions and without a call. One that does not
//! takes the slow path: a line that is in the way is written to the stream. When the segment ends, the lines it touched
//! are written in the order of their first access, so that neighbours stand beside each other and take a byte or two.
//!
//! The table lies in the recording's file: the lines of a segment that never ends, because the program was killed or
//! left threads running, are read from there.
//!
//! *Deviations* from the thesis's cache (5.5.1): a line is merged byte by byte whatever the order of accesses, and it
//! keeps the program counter of the first access alone; exact places come from replay.

use crate::access::heeded;
use crate::replay;
use crate::stream::Stream;
use crate::thread::{self, Thread};
use crate::tls::{Section, tls};
use core::cell::UnsafeCell;
use foretrace_event::layout::ENTRY_SIZE;
use foretrace_event::wire::Access;

/// Entries of a table; a power of two.
pub const LINES: usize = 4096;

/// What turns a hashed address, shifted right by one, into the offset of an entry.
pub const OFFSET_MASK: usize = (LINES - 1) * ENTRY_SIZE;

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

/// A table in which nothing is found: what the hooks look into where nothing is recorded.
#[repr(C, align(64))]
pub struct NoLines(UnsafeCell<[u8; LINES * ENTRY_SIZE]>);

// SAFETY: nothing but the assembly below touches it, and what it holds does not matter.
unsafe impl Sync for NoLines {}

/// See [`NoLines`].
pub static NO_LINES: NoLines = NoLines(UnsafeCell::new([0; LINES * ENTRY_SIZE]));

/// The table of a thread that records nothing.
pub fn no_lines() -> *mut Entry {
    NO_LINES.0.get().cast()
}

/// Where an address is looked for: the same computation as in the hooks.
const fn slot(address: usize) -> usize {
    (((address >> 13) ^ address) >> 1 & OFFSET_MASK) / ENTRY_SIZE
}

/// Where a line is looked for that is kept apart by program counter.
const fn place_slot(address: usize, pc: usize) -> usize {
    slot(address ^ pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20 << 6)
}

/// Where lines go that leave a table.
pub trait Sink {
    /// Takes a line.
    fn take(&mut self, entry: &Entry);
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
    touched: [u16; LINES],
    count: usize,
    /// Lines are kept apart by program counter; the hooks look elsewhere and always take the slow path.
    by_place: bool,
}

impl Lines {
    /// Bytes that a table's entries take.
    pub const SIZE: usize = LINES * ENTRY_SIZE;

    /// Initialises the table in place, with entries in zeroed memory.
    pub fn init(&mut self, entries: *mut u8, by_place: bool) {
        self.entries = entries.cast();
        self.count = 0;
        self.by_place = by_place;
    }

    /// Has the current segment touched nothing?
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The table that the hooks look into.
    pub fn for_hooks(&self) -> *mut Entry {
        if self.by_place { no_lines() } else { self.entries }
    }

    fn entry(&self, slot: usize) -> &'static mut Entry {
        // SAFETY: slots are below `LINES`, the table lies in the mapping, and it is this thread's alone.
        unsafe { &mut *self.entries.add(slot) }
    }

    /// Notes bytes of one line.
    pub fn touch(&mut self, sink: &mut impl Sink, address: usize, reads: u64, writes: u64, pc: usize) {
        let line = (address & !63) as u64;
        let slot = if self.by_place { place_slot(address, pc) } else { slot(address) };
        let entry = self.entry(slot);
        if entry.line == line && (!self.by_place || entry.pc == pc as u64) {
            entry.reads |= reads;
            entry.writes |= writes;
            return;
        }
        if entry.line == 0 {
            self.touched[self.count] = slot as u16;
            self.count += 1;
        } else {
            give(sink, entry);
        }
        *entry = Entry { line, reads, writes, pc: pc as u64 };
    }

    /// Ends a segment: writes what it touched.
    #[inline]
    pub fn flush(&mut self, sink: &mut impl Sink) {
        for index in 0..self.count {
            let entry = self.entry(self.touched[index] as usize);
            give(sink, entry);
            entry.line = 0;
        }
        self.count = 0;
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
            let entry = self.entry(slot(line));
            if entry.line == line as u64 {
                give(sink, entry);
                (entry.reads, entry.writes) = (0, 0);
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

/// Splits a block into the bytes of each of its lines.
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
                "mov rdx, qword ptr [rip + ft_tls@gottpoff]",
                "mov rdx, qword ptr fs:[rdx]",
                "mov rax, rdi",
                "shr rax, 13",
                "xor rax, rdi",
                "shr eax, 1",
                "and eax, {offset_mask}",
                "mov rcx, rdi",
                "and rcx, -64",
                "cmp qword ptr [rdx + rax], rcx",
                "jne 3f",
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
                "3:",
                "mov esi, {what}",
                "mov rdx, qword ptr [rsp]",
                "mov rcx, rbp",
                "jmp {slow}",
                offset_mask = const $crate::lines::OFFSET_MASK,
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
            assert!(slot(address) < LINES);
            assert!(place_slot(address, !address) < LINES);
        }
    }
}
