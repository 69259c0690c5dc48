//! An entry of a table of touched lines.

use core::sync::atomic::{Ordering, compiler_fence};
use foretrace_event::table::{self, ENTRY_SIZE, READS, TAG, WRITES};

/// A touched line, as [`table`] describes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Entry {
    pub(super) tag: u32,
    pub(super) place: u32,
    pub(super) reads: u64,
    pub(super) writes: u64,
}

impl Entry {
    /// Is it this line's?
    #[inline]
    pub const fn is_of(&self, tag: u32) -> bool {
        self.tag == tag
    }

    /// Adds bytes.
    #[inline]
    pub const fn add(&mut self, reads: u64, writes: u64) {
        self.reads |= reads;
        self.writes |= writes;
    }
}

const _: () = assert!(size_of::<Entry>() == ENTRY_SIZE);
const _: () = assert!(core::mem::offset_of!(Entry, tag) == TAG);
const _: () = assert!(core::mem::offset_of!(Entry, place) == table::PLACE);
const _: () = assert!(core::mem::offset_of!(Entry, reads) == READS);
const _: () = assert!(core::mem::offset_of!(Entry, writes) == WRITES);

impl Entry {
    /// Becomes another line's. Killed in between, a program leaves an empty entry and not a mixture of the two.
    #[inline]
    pub(super) fn fill(&mut self, tag: u32, place: u32, reads: u64, writes: u64) {
        self.tag = 0;
        compiler_fence(Ordering::SeqCst);
        (self.place, self.reads, self.writes) = (place, reads, writes);
        compiler_fence(Ordering::SeqCst);
        self.tag = tag;
    }
}
