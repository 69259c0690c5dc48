//! The latest line of each place, where lines are kept apart by program counter.
//!
//! The hooks of a table by line compute a slot from the address alone. With the program counter in it, that takes three
//! times the instructions. A place in a loop touches the same line several times in a row, so the hooks look at the latest
//! line of their place first: a table with one entry for all places that have their lowest bits in common.
//!
//! An entry is forgotten as soon as the line leaves the table of lines.

use super::{Entry, Lines, READ, WRITE, other};
use crate::memory::arena;
use foretrace_event::table::{fits, pc_salt, slot as slot_of, tag};

/// The number of entries; a power of two.
pub const PLACES: usize = 256;
/// The bytes of an entry, as a power of two.
pub const SHIFT: usize = 5;

/// The latest line of a place.
#[repr(C)]
pub struct Recent {
    /// The program counter; zero: none.
    pc: u64,
    /// The number of the line: its address divided by 64.
    line: u64,
    /// Where the line is in the table.
    entry: *mut Entry,
    unused: u64,
}

/// Offset of `line`, for the hooks.
pub const LINE: usize = core::mem::offset_of!(Recent, line);
/// Offset of `entry`, for the hooks.
pub const ENTRY: usize = core::mem::offset_of!(Recent, entry);
const _: () = assert!(size_of::<Recent>() == 1 << SHIFT && core::mem::offset_of!(Recent, pc) == 0);

/// A table in which nothing is found yet; null if there is no memory for it.
pub fn new() -> *mut Recent {
    arena::allocate(PLACES << SHIFT).map_or(core::ptr::null_mut(), <*mut u8>::cast)
}

fn slot(table: *mut Recent, pc: u64) -> Option<&'static mut Recent> {
    // SAFETY: the table is null or has that many entries; it is the thread's alone, and callers take one at a time.
    unsafe { table.wrapping_add(pc as usize & (PLACES - 1)).as_mut().filter(|_| !table.is_null()) }
}

/// This place touched this line, which is there in the table.
#[inline]
pub fn note(table: *mut Recent, line: u64, pc: u64, entry: *mut Entry) {
    if let Some(recent) = slot(table, pc) {
        *recent = Recent { pc, line: line >> 6, entry, unused: 0 };
    }
}

/// A line of this place leaves the table.
#[inline]
pub fn forget(table: *mut Recent, pc: u64) {
    if let Some(recent) = slot(table, pc) {
        recent.pc = 0;
    }
}

impl Lines {
    /// What the hooks look into if lines are kept apart by program counter; else null.
    pub const fn recent_for_hooks(&self) -> *mut Recent {
        self.recent
    }

    /// Adds an access to the entry of its line and place. False if there is none, or if the access crosses the end of a
    /// line.
    #[inline(always)]
    pub fn add_at_place(&mut self, address: usize, size: usize, kind: u32, pc: usize) -> bool {
        let (line, pc) = (address as u64 & !63, pc as u64);
        let may = (address & 63) + size <= 64 && fits(line);
        let Some(place) = self.windows.near(pc).filter(|_| may) else { return false };
        let (first, tag) = (slot_of(line ^ pc_salt(pc), self.mask), tag(line));
        for slot in [first, other(first, self.mask)] {
            let entry = self.entry(slot);
            if entry.tag == tag && entry.place == place {
                let bytes = u64::MAX >> (64 - size) << (address & 63);
                entry.add(if kind & READ != 0 { bytes } else { 0 }, if kind & WRITE != 0 { bytes } else { 0 });
                let entry: *mut Entry = entry;
                note(self.recent, line, pc, entry);
                return true;
            }
        }
        false
    }
}
