//! Shadow pages: for each page of the program's memory, room for what is known of it. Found through a table of tables: no
//! fixed place in the address space is needed, so no layout of it is unexpected.

use crate::memory::lasting;
use core::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a page of the program.
pub const PAGE: usize = 4096;
/// Bytes of the address space that one table of pages stands for.
const REGION: usize = 1 << 30;
/// Regions: memory beyond them is not watched. The kernel gives out none unless a program asks for it by address.
const REGIONS: usize = 1 << 17;
/// In place of a table or page that another thread is making.
const IN_THE_MAKING: u64 = 1;

/// A table of shadow pages with cells of type `T`, which is valid when zeroed, each for `GRAIN` bytes.
#[repr(C, align(4096))]
pub struct Pages<T, const GRAIN: usize> {
    regions: [AtomicU64; REGIONS],
    cells: core::marker::PhantomData<fn() -> T>,
}

/// What a slot points to, made by `make` at first use; none if there is no memory.
#[inline]
fn get(slot: &AtomicU64, make: impl FnOnce() -> Option<*mut u8>) -> Option<u64> {
    match slot.load(Ordering::Acquire) {
        0 | IN_THE_MAKING => get_new(slot, make),
        known => Some(known),
    }
}

#[cold]
fn get_new(slot: &AtomicU64, make: impl FnOnce() -> Option<*mut u8>) -> Option<u64> {
    if slot.compare_exchange(0, IN_THE_MAKING, Ordering::AcqRel, Ordering::Acquire).is_ok() {
        let made = make().map_or(0, |made| made as u64);
        slot.store(made, Ordering::Release);
        return (made != 0).then_some(made);
    }
    loop {
        match slot.load(Ordering::Acquire) {
            IN_THE_MAKING => core::hint::spin_loop(),
            0 => return None,
            made => return Some(made),
        }
    }
}

/// Bytes of a table of the pages of a region.
const TABLE: usize = REGION / PAGE * size_of::<AtomicU64>();

impl<T, const GRAIN: usize> Pages<T, GRAIN> {
    /// The cells of a page are in the same place in each execution from now on.
    pub fn keep(&'static self) {
        lasting::keep(core::ptr::from_ref(self).addr(), size_of::<Self>());
    }

    /// Empty.
    #[expect(clippy::large_stack_arrays, reason = "evaluated at compile time")]
    pub const fn new() -> Self {
        Self { regions: [const { AtomicU64::new(0) }; REGIONS], cells: core::marker::PhantomData }
    }

    /// The slot of a page in the table of its region.
    fn slot(table: u64, address: usize) -> &'static AtomicU64 {
        // SAFETY: tables of regions are never unmapped and have a slot for each page.
        unsafe { &*(table as *const AtomicU64).add(address % REGION / PAGE) }
    }

    /// The cell of an address.
    #[inline]
    pub fn cell(&self, address: usize) -> Option<*mut T> {
        let region = self.regions.get(address / REGION)?;
        let table = get(region, || lasting::table(TABLE))?;
        let cells = get(Self::slot(table, address), || lasting::content(PAGE / GRAIN * size_of::<T>()))?;
        // SAFETY: the index is below the number of cells of a page.
        Some(unsafe { (cells as *mut T).add(address % PAGE / GRAIN) })
    }

    /// The cell of an address will be needed soon.
    #[inline]
    pub fn prefetch(&self, address: usize) {
        let known = |slot: &AtomicU64| Some(slot.load(Ordering::Acquire)).filter(|known| *known > IN_THE_MAKING);
        let Some(table) = self.regions.get(address / REGION).and_then(known) else { return };
        if let Some(cells) = known(Self::slot(table, address)) {
            let cell = cells as usize + address % PAGE / GRAIN * size_of::<T>();
            // SAFETY: a hint, which touches nothing.
            unsafe { core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(cell as *const i8) };
        }
    }

    /// As [`Self::each`], but a block that is no larger than a page has all its cells made first.
    pub fn each_made(&self, start: usize, size: usize, change: impl FnMut(*mut T, usize)) {
        if (1..=PAGE).contains(&size) {
            let _ = (self.cell(start), self.cell(start.saturating_add(size - 1)));
        }
        self.each(start, size, change);
    }

    /// Calls `change` with each cell that exists of a block, and the addresses of the cell.
    pub fn each(&self, start: usize, size: usize, mut change: impl FnMut(*mut T, usize)) {
        let end = start.saturating_add(size);
        let mut at = start & !(GRAIN - 1);
        while at < end {
            let known = |slot: &AtomicU64| Some(slot.load(Ordering::Acquire)).filter(|known| *known > IN_THE_MAKING);
            let Some(table) = self.regions.get(at / REGION).and_then(known) else {
                at = (at | (REGION - 1)).saturating_add(1);
                continue;
            };
            let stop = (at | (PAGE - 1)).saturating_add(1).min(end);
            if let Some(cells) = known(Self::slot(table, at)) {
                for cell in (at..stop).step_by(GRAIN) {
                    // SAFETY: the index is below the number of cells of a page.
                    change(unsafe { (cells as *mut T).add(cell % PAGE / GRAIN) }, cell);
                }
            }
            at = stop;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_of_a_block_is_seen_once() {
        static PAGES: Pages<u32, 64> = Pages::new();
        let count = |start, size| {
            let seen = core::cell::Cell::new(0);
            PAGES.each(start, size, |cell, _| {
                // SAFETY: the cells are ours, and nobody else has them.
                unsafe { *cell += 1 };
                seen.set(seen.get() + 1);
            });
            seen.get()
        };
        assert_eq!(count(0x7000, 0x2000), 0);
        let mut made = 0;
        PAGES.each_made(0x3ffc0, 128, |_, _| made += 1);
        PAGES.each_made(0x5_0000, PAGE + 1, |_, _| made += 100);
        assert_eq!(made, 2);
        for page in [0x7000, 0x8000, REGION - PAGE, REGION] {
            assert!(PAGES.cell(page + 100).is_some());
        }
        assert_eq!(count(0x7fff, 2), 2);
        assert_eq!(count(0x7000, 0x2000), 128);
        assert_eq!(count(REGION - 1, 66), 3);
        assert_eq!(count(0x7001, 1), 1);
        assert!(PAGES.cell(usize::MAX).is_none());
        assert_eq!(count(usize::MAX - 10, 100), 0);
        // SAFETY: as above.
        assert_eq!(unsafe { *PAGES.cell(0x8000).unwrap() }, 2);
    }
}
