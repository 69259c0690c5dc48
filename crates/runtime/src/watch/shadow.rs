//! Shadow memory: what is known of each four bytes of the program's memory.
//!
//! Cells of parts that are accessed byte by byte are split into one cell a byte.

use crate::memory::arena;
use crate::memory::pages::Pages;
use crate::thread::clock::Epoch;
use crate::thread::stack::StackId;
use core::sync::atomic::{AtomicU64, Ordering};

/// Bytes a cell stands for, unless it is split.
pub const GRAIN: usize = 4;

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
        if self.parts().is_none() {
            let parts: *mut [Self; GRAIN] = arena::allocate(size_of::<[Self; GRAIN]>())?.cast();
            // SAFETY: zeroed memory of our own, which is four valid cells.
            unsafe { &mut *parts }.iter_mut().for_each(|part| part.take_over(self));
            self.more()?.bytes = parts;
        }
        self.parts()
    }

    /// Comes to know what another cell does, which is not split; it knew nothing.
    fn take_over(&mut self, whole: &mut Self) {
        (self.write, self.read) = (whole.write, whole.read);
        (self.write_stack, self.read_stack) = (whole.write_stack, whole.read_stack);
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
    pub fn parts(&mut self) -> Option<&mut [Self; GRAIN]> {
        // SAFETY: null, or four cells of our own.
        self.known_more().and_then(|more| unsafe { more.bytes.as_mut() })
    }
}

static CELLS: Pages<Cell, GRAIN> = Pages::new();

/// The cell of an address.
#[inline]
pub fn cell(address: usize) -> Option<*mut Cell> {
    CELLS.cell(address)
}

/// Was the last write of a cell, or the last access if only a read is asked for, made in that epoch? Without the cell's lock.
#[inline]
pub fn is(cell: *const Cell, epoch: Epoch, write: bool) -> bool {
    // SAFETY: cells are valid for ever; what others change meanwhile is read word by word, and none of them writes this
    // epoch.
    unsafe {
        let last = |word: *const Epoch| AtomicU64::from_ptr(word.cast_mut()).load(Ordering::Relaxed);
        let more = (&raw const (*cell).more).read_volatile();
        more.is_null() && (last(&raw const (*cell).write) == epoch || !write && last(&raw const (*cell).read) == epoch)
    }
}

/// Calls `change` with each cell of a block, and its address; with those there are, if the block is large.
pub fn each(start: usize, size: usize, change: impl FnMut(*mut Cell, usize)) {
    CELLS.each_made(start, size, change);
}

/// Forgets what is known of a block.
pub fn clear(start: usize, size: usize) {
    // SAFETY: the cells are valid; a thread that still uses the block races with its end.
    CELLS.each(start, size, |cell, _| unsafe { cell.write_bytes(0, 1) });
}
