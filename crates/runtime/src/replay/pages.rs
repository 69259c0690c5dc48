//! Shadow pages: for each page of the program's memory, room for what is known of it. Found by hashing: no fixed place in
//! the address space is needed, so no layout of it is unexpected.

use crate::arena;
use core::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a page of the program.
pub const PAGE: usize = 4096;
/// Slots of the table; a power of two. Memory beyond half as many pages is not watched.
const SLOTS: usize = 1 << 20;

struct Slot {
    page: AtomicU64,
    cells: AtomicU64,
}

/// A table of shadow pages with cells of type `T`, which is valid when zeroed, each for `GRAIN` bytes.
pub struct Pages<T, const GRAIN: usize> {
    slots: [Slot; SLOTS],
    cells: core::marker::PhantomData<fn() -> T>,
}

impl<T, const GRAIN: usize> Pages<T, GRAIN> {
    /// Empty.
    #[expect(clippy::large_stack_arrays, reason = "evaluated at compile time")]
    pub const fn new() -> Self {
        let slots = [const { Slot { page: AtomicU64::new(0), cells: AtomicU64::new(0) } }; SLOTS];
        Self { slots, cells: core::marker::PhantomData }
    }

    /// The cells of a page, if there are any.
    #[inline]
    fn find(&self, page: u64) -> Option<*mut T> {
        let mut at = slot(page);
        loop {
            match self.slots[at].page.load(Ordering::Acquire) {
                0 => return None,
                known if known == page => {
                    let cells = self.slots[at].cells.load(Ordering::Acquire);
                    return (cells != 0).then_some(cells as *mut T);
                }
                _ => at = (at + 1) % SLOTS,
            }
        }
    }

    #[cold]
    fn make(&self, page: u64) -> Option<*mut T> {
        let mut at = slot(page);
        for _ in 0..SLOTS / 2 {
            match self.slots[at].page.compare_exchange(0, page, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    let cells = arena::allocate(PAGE / GRAIN * size_of::<T>())?;
                    self.slots[at].cells.store(cells as u64, Ordering::Release);
                    return Some(cells.cast());
                }
                Err(known) if known == page => return Some(self.wait(at)),
                Err(_) => at = (at + 1) % SLOTS,
            }
        }
        None
    }

    /// Waits for the thread that is making a page.
    fn wait(&self, at: usize) -> *mut T {
        loop {
            match self.slots[at].cells.load(Ordering::Acquire) {
                0 => core::hint::spin_loop(),
                cells => return cells as *mut T,
            }
        }
    }

    /// The cell of an address.
    #[inline]
    pub fn cell(&self, address: usize) -> Option<*mut T> {
        let page = (address / PAGE) as u64;
        let cells = self.find(page).or_else(|| self.make(page))?;
        // SAFETY: the index is below the number of cells of a page.
        Some(unsafe { cells.add(address % PAGE / GRAIN) })
    }

    /// Calls `change` with each cell that exists of a block, and the addresses of the cell.
    pub fn each(&self, start: usize, size: usize, mut change: impl FnMut(*mut T, usize)) {
        let end = start.saturating_add(size);
        let mut page = start & !(PAGE - 1);
        while page < end {
            if let Some(cells) = self.find((page / PAGE) as u64) {
                for index in 0..PAGE / GRAIN {
                    let at = page + index * GRAIN;
                    if at + GRAIN > start && at < end {
                        // SAFETY: the index is below the number of cells of a page.
                        change(unsafe { cells.add(index) }, at);
                    }
                }
            }
            page = page.saturating_add(PAGE);
        }
    }
}

const fn slot(page: u64) -> usize {
    (page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44) as usize % SLOTS
}
