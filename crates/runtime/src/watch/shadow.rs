//! Shadow memory: what is known of each four bytes of the program's memory.
//!
//! Cells of parts that are accessed byte by byte are split into one cell a byte.

use crate::memory::arena;
use crate::memory::pages::Pages;
use crate::thread::clock::Epoch;
use crate::thread::stack::StackId;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// Bytes a cell stands for, unless it is split.
pub const GRAIN: usize = 4;

/// What is known of some bytes. All zero: nothing. It changes under its lock; some of it is read without.
#[repr(C)]
pub struct Cell {
    /// The last write.
    write: AtomicU64,
    /// The last read, if no other is concurrent with it.
    read: AtomicU64,
    /// Where the last write was made.
    write_stack: AtomicU32,
    /// Where the last read was made.
    read_stack: AtomicU32,
    /// More than the common case needs.
    more: AtomicPtr<More>,
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

impl More {
    const LISTS: [fn(&mut Self) -> &mut Accesses; 3] =
        [|more| &mut more.reads, |more| &mut more.atomic_writes, |more| &mut more.atomic_reads];
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
    /// The last write, and where it was made; zeros if there was none.
    #[inline]
    pub fn write(&self) -> (Epoch, StackId) {
        (self.write.load(Ordering::Relaxed), self.write_stack.load(Ordering::Relaxed))
    }

    /// The last read, if no other is concurrent with it, and where it was made.
    #[inline]
    pub fn read(&self) -> (Epoch, StackId) {
        (self.read.load(Ordering::Relaxed), self.read_stack.load(Ordering::Relaxed))
    }

    /// When the last write was made. The compiler keeps every atomic load, so that what is not needed is not asked for.
    #[inline]
    pub fn write_epoch(&self) -> Epoch {
        self.write.load(Ordering::Relaxed)
    }

    /// When the last read was made, if no other is concurrent with it.
    #[inline]
    pub fn read_epoch(&self) -> Epoch {
        self.read.load(Ordering::Relaxed)
    }

    /// Notes a write, and that there was no read since.
    #[inline]
    pub fn set_write(&self, epoch: Epoch, stack: StackId) {
        self.write_stack.store(stack, Ordering::Relaxed);
        self.write.store(epoch, Ordering::Relaxed);
        self.read.store(0, Ordering::Relaxed);
    }

    /// Notes a read.
    #[inline]
    pub fn set_read(&self, epoch: Epoch, stack: StackId) {
        self.read_stack.store(stack, Ordering::Relaxed);
        self.read.store(epoch, Ordering::Relaxed);
    }

    /// Has it no more than most cells?
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.more.load(Ordering::Relaxed).is_null()
    }

    /// The parts that few cells have, made at first use. The caller holds the cell's lock, and no other part of it.
    pub fn more(&self) -> Option<&mut More> {
        if self.is_plain() {
            self.more.store(arena::allocate(size_of::<More>())?.cast(), Ordering::Relaxed);
        }
        self.known_more()
    }

    /// The parts, if it has them. As above.
    #[expect(clippy::mut_from_ref, reason = "as above")]
    pub fn known_more(&self) -> Option<&mut More> {
        // SAFETY: null, or zeroed memory of our own, which is a valid `More` and used under the lock.
        unsafe { self.more.load(Ordering::Relaxed).as_mut() }
    }

    /// One cell a byte; what was known of all is known of each.
    pub fn split(&self) -> Option<&[Self; GRAIN]> {
        if self.parts().is_none() {
            let parts: *mut [Self; GRAIN] = arena::allocate(size_of::<[Self; GRAIN]>())?.cast();
            // SAFETY: zeroed memory of our own, which is four valid cells.
            unsafe { &*parts }.iter().for_each(|part| part.take_over(self));
            self.more()?.bytes = parts;
        }
        self.parts()
    }

    /// Comes to know what another cell does, which is not split; it knew nothing.
    fn take_over(&self, whole: &Self) {
        let ((read, read_stack), (write, write_stack)) = (whole.read(), whole.write());
        self.set_write(write, write_stack);
        self.set_read(read, read_stack);
        let Some(known) = whole.known_more() else { return };
        for list in More::LISTS {
            for &(epoch, stack) in list(known).all() {
                if let Some(more) = self.more() {
                    list(more).note(epoch, stack);
                }
            }
        }
    }

    /// The cells of its bytes, if it is split.
    pub fn parts(&self) -> Option<&[Self; GRAIN]> {
        // SAFETY: null, or four cells of our own.
        self.known_more().and_then(|more| unsafe { more.bytes.as_ref() })
    }

    /// Forgets what is known.
    fn clear(&self) {
        self.set_write(0, 0);
        self.set_read(0, 0);
        self.more.store(core::ptr::null_mut(), Ordering::Relaxed);
    }
}

static CELLS: Pages<Cell, GRAIN> = Pages::new();

/// The cells of a page are in the same place in each execution from now on.
pub fn keep() {
    CELLS.keep();
}

/// The cell of an address.
#[inline]
pub fn cell(address: usize) -> Option<&'static Cell> {
    // SAFETY: cells are valid for ever, and change through atomics alone.
    CELLS.cell(address).map(|cell| unsafe { &*cell })
}

/// Was the last write of a cell, or the last access if only a read is asked for, made in that epoch? Without the cell's
/// lock: none of those who change it meanwhile writes this epoch.
#[inline]
pub fn is(cell: &Cell, epoch: Epoch, write: bool) -> bool {
    cell.is_plain() && (cell.write_epoch() == epoch || !write && cell.read_epoch() == epoch)
}

/// Calls `change` with each cell of a block, and its address; with those there are, if the block is large.
pub fn each(start: usize, size: usize, mut change: impl FnMut(&'static Cell, usize)) {
    // SAFETY: as above.
    CELLS.each_made(start, size, |cell, at| change(unsafe { &*cell }, at));
}

/// Forgets what is known of a block.
pub fn clear(start: usize, size: usize) {
    // SAFETY: as above. A thread that still uses the block races with its end.
    CELLS.each(start, size, |cell, _| unsafe { &*cell }.clear());
}
