//! Shadow memory: what is known of each four bytes of the program's memory.
//!
//! A table of pages, found by hashing: no fixed place in the address space is needed, so no layout of it is unexpected.
//! Cells of parts that are accessed byte by byte are split into one cell a byte.

use super::clock::Epoch;
use super::stack::StackId;
use crate::arena;
use core::sync::atomic::{AtomicU64, Ordering};

/// Bytes a cell stands for, unless it is split.
pub const GRAIN: usize = 4;
const PAGE: usize = 4096;
const CELLS: usize = PAGE / GRAIN;
/// Slots of the page table; a power of two. Memory beyond so many pages is not watched.
const SLOTS: usize = 1 << 20;

/// What is known of some bytes. All zero: nothing.
#[repr(C)]
pub struct Cell {
    /// The last write.
    pub write: Epoch,
    /// The last read, if no other is concurrent with it.
    pub read: Epoch,
    /// Where the last write was made.
    pub write_stack: StackId,
    /// Where the last read was made.
    pub read_stack: StackId,
    /// More than the common case needs.
    pub more: *mut More,
}

/// What few cells have.
pub struct More {
    /// Concurrent reads.
    pub reads: Accesses,
    /// Atomic writes.
    pub atomic_writes: Accesses,
    /// Atomic reads.
    pub atomic_reads: Accesses,
    /// One cell a byte, once the bytes have been accessed by themselves.
    pub bytes: *mut [Cell; GRAIN],
}

/// The last access of each thread.
pub struct Accesses {
    at: *mut (Epoch, StackId),
    capacity: usize,
    count: usize,
}

impl Accesses {
    /// All of them.
    pub fn all(&self) -> &[(Epoch, StackId)] {
        if self.count == 0 {
            return &[];
        }
        // SAFETY: the first `count` have been written.
        unsafe { core::slice::from_raw_parts(self.at, self.count) }
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Notes an access, in place of the same thread's last.
    pub fn note(&mut self, epoch: Epoch, stack: StackId) {
        let same = self.all().iter().position(|(other, _)| other >> 32 == epoch >> 32);
        let index = match same {
            Some(index) => index,
            None if self.count < self.capacity || self.grow() => {
                self.count += 1;
                self.count - 1
            }
            None => return,
        };
        // SAFETY: there is room up to `count`.
        unsafe { self.at.add(index).write((epoch, stack)) };
    }

    fn grow(&mut self) -> bool {
        let capacity = (self.capacity * 2).max(4);
        let Some(at) = arena::allocate(capacity * size_of::<(Epoch, StackId)>()) else { return false };
        let at: *mut (Epoch, StackId) = at.cast();
        // SAFETY: the new memory is larger than the old.
        unsafe { at.copy_from_nonoverlapping(self.at.cast_const(), self.count) };
        (self.at, self.capacity) = (at, capacity);
        true
    }
}

impl Cell {
    /// The parts that few cells have, made at first use.
    pub fn more(&mut self) -> Option<&mut More> {
        if self.more.is_null() {
            self.more = arena::allocate(size_of::<More>())?.cast();
        }
        // SAFETY: zeroed memory of our own, which is a valid `More`.
        unsafe { self.more.as_mut() }
    }

    /// The parts, if it has them.
    pub fn known_more(&mut self) -> Option<&mut More> {
        // SAFETY: null, or as above.
        unsafe { self.more.as_mut() }
    }

    /// One cell a byte; what was known of all is known of each.
    pub fn split(&mut self) -> Option<&mut [Self; GRAIN]> {
        let whole = (self.write, self.read, self.write_stack, self.read_stack);
        let more = self.more()?;
        if more.bytes.is_null() {
            more.bytes = arena::allocate(size_of::<[Self; GRAIN]>())?.cast();
            // SAFETY: zeroed memory of our own, which is four valid cells.
            for cell in unsafe { &mut *more.bytes } {
                (cell.write, cell.read, cell.write_stack, cell.read_stack) = whole;
            }
        }
        // SAFETY: as above.
        unsafe { more.bytes.as_mut() }
    }

    /// The cells of its bytes, if it is split.
    pub fn parts(&mut self) -> Option<&mut [Self; GRAIN]> {
        // SAFETY: null, or four cells of our own.
        self.known_more().and_then(|more| unsafe { more.bytes.as_mut() })
    }
}

/// A slot of the page table: the page's number and its cells.
struct Slot {
    page: AtomicU64,
    cells: AtomicU64,
}

static TABLE: [Slot; SLOTS] = [const { Slot { page: AtomicU64::new(0), cells: AtomicU64::new(0) } }; SLOTS];

fn slot(page: u64) -> usize {
    (page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44) as usize % SLOTS
}

/// The cells of a page, if there are any.
fn find(page: u64) -> Option<*mut Cell> {
    let mut at = slot(page);
    loop {
        match TABLE[at].page.load(Ordering::Acquire) {
            0 => return None,
            known if known == page => {
                let cells = TABLE[at].cells.load(Ordering::Acquire);
                return (cells != 0).then_some(cells as *mut Cell);
            }
            _ => at = (at + 1) % SLOTS,
        }
    }
}

#[cold]
fn make(page: u64) -> Option<*mut Cell> {
    let mut at = slot(page);
    for _ in 0..SLOTS / 2 {
        let claimed = TABLE[at].page.compare_exchange(0, page, Ordering::AcqRel, Ordering::Acquire);
        match claimed {
            Ok(_) => {
                let cells = arena::allocate(CELLS * size_of::<Cell>())?;
                TABLE[at].cells.store(cells as u64, Ordering::Release);
                return Some(cells.cast());
            }
            Err(known) if known == page => loop {
                // Another thread is making it.
                let cells = TABLE[at].cells.load(Ordering::Acquire);
                if cells != 0 {
                    return Some(cells as *mut Cell);
                }
                core::hint::spin_loop();
            },
            Err(_) => at = (at + 1) % SLOTS,
        }
    }
    None
}

/// The cell of an address.
#[inline]
pub fn cell(address: usize) -> Option<*mut Cell> {
    let page = (address / PAGE) as u64;
    let cells = find(page).or_else(|| make(page))?;
    // SAFETY: the index is below the number of cells of a page.
    Some(unsafe { cells.add(address % PAGE / GRAIN) })
}

/// Forgets what is known of a block.
pub fn clear(start: usize, size: usize) {
    let mut at = start & !(GRAIN - 1);
    let end = start.saturating_add(size);
    while at < end {
        let stop = (at & !(PAGE - 1)).saturating_add(PAGE).min(end);
        if let Some(cells) = find((at / PAGE) as u64) {
            let (first, last) = (at % PAGE / GRAIN, (stop - 1) % PAGE / GRAIN);
            // SAFETY: the cells of one page. A thread that still uses the block races with its end.
            unsafe { cells.add(first).write_bytes(0, last - first + 1) };
        }
        at = stop;
    }
}
