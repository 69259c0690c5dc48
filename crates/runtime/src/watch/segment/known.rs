//! What is known of a line: which bytes were accessed by whom, and how.

use crate::memory::arena;
use crate::memory::spin::Brief;
use crate::thread::clock::Epoch;
use core::cell::Cell;

/// Bytes of a line.
pub const LINE: usize = 64;

/// The bytes of a line that a segment accesses: all plainly, or all atomically.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Masks {
    pub reads: u64,
    pub writes: u64,
    pub atomic: bool,
}

/// Accesses of one segment and one kind to a line. All zero: none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Past {
    /// When, and in the highest bits the kind.
    pub when: u64,
    pub bytes: u64,
}

const ATOMIC: u64 = 1 << 63;
const WRITE: u64 = 1 << 62;

impl Past {
    pub const fn is_write(self) -> bool {
        self.when & WRITE != 0
    }

    pub const fn is_atomic(self) -> bool {
        self.when & ATOMIC != 0
    }

    pub const fn epoch(self) -> Epoch {
        self.when & !(ATOMIC | WRITE)
    }
}

impl Masks {
    /// Of an atomic access.
    pub const fn atomic(address: usize, size: usize, write: bool) -> Self {
        let mask = (u64::MAX >> (64 - size)) << (address % LINE);
        let (reads, writes) = if write { (0, mask) } else { (mask, 0) };
        Self { reads, writes, atomic: true }
    }

    pub const fn all(self) -> u64 {
        self.reads | self.writes
    }

    /// The bytes on which these accesses conflict with earlier ones.
    pub const fn conflicts(self, past: Past) -> u64 {
        match (self.atomic && past.is_atomic(), past.is_write()) {
            (true, _) => 0,
            (false, true) => past.bytes & self.all(),
            (false, false) => past.bytes & self.writes,
        }
    }

    /// The bytes of earlier accesses that need not be remembered when these come after them: whoever races with
    /// those races with these.
    pub const fn covers(self, past: Past) -> u64 {
        match (self.atomic, past.is_atomic(), past.is_write()) {
            (false, false, false) | (true, true, false) => self.all(),
            (false, ..) | (true, true, true) => self.writes,
            (true, false, _) => 0,
        }
    }

    /// What is remembered of them: the writes, and the reads of other bytes.
    pub const fn kinds(self, epoch: Epoch) -> [Past; 2] {
        let atomic = if self.atomic { ATOMIC } else { 0 };
        let writes = Past { when: epoch | atomic | WRITE, bytes: self.writes };
        [writes, Past { when: epoch | atomic, bytes: self.reads & !self.writes }]
    }
}

/// So many stand beside the line's lock.
const NEAR: usize = 7;

/// What is known of a line. All zero: nothing. Two lines of the cache, of which the first mostly suffices.
#[repr(C, align(64))]
pub struct Known {
    lock: Brief,
    /// The rest, from here on, is used under the lock alone.
    pub count: Cell<u16>,
    /// How many there is room for far away.
    capacity: Cell<u16>,
    far: Cell<*mut Past>,
    near: [Cell<Past>; NEAR],
}

const _: () = assert!(size_of::<Known>() == 128);

impl Known {
    /// Holds the line's lock while `work` works with it.
    #[inline]
    pub fn with<R>(&self, work: impl FnOnce(&Self) -> R) -> R {
        self.lock.lock();
        let result = work(self);
        self.lock.unlock();
        result
    }

    pub fn near(&self) -> &[Cell<Past>] {
        &self.near[..usize::from(self.count.get()).min(NEAR)]
    }

    pub fn far(&self) -> &[Cell<Past>] {
        match usize::from(self.count.get()).checked_sub(NEAR) {
            None | Some(0) => &[],
            // SAFETY: so many have been written there; the line's lock is held.
            Some(count) => unsafe { core::slice::from_raw_parts(self.far.get().cast::<Cell<Past>>(), count) },
        }
    }

    pub fn push(&self, past: Past) {
        let count = usize::from(self.count.get());
        if count < NEAR {
            self.near[count].set(past);
        } else {
            if count - NEAR == usize::from(self.capacity.get()) && !self.grow() {
                return;
            }
            // SAFETY: there is room.
            unsafe { self.far.get().add(count - NEAR).write(past) };
        }
        self.count.set(self.count.get() + 1);
    }

    /// Makes more room. A line that has so many pasts that there is none belongs to a program with so many threads that
    /// one more does not matter.
    #[cold]
    pub fn grow(&self) -> bool {
        let old = self.capacity.get();
        let capacity = (old * 2).max(8);
        if capacity > 1 << 14 {
            return false;
        }
        let Some(far) = arena::allocate(usize::from(capacity) * size_of::<Past>()) else { return false };
        let far: *mut Past = far.cast();
        // SAFETY: the new memory is larger than the old.
        unsafe { far.copy_from_nonoverlapping(self.far.get().cast_const(), old.into()) };
        self.far.set(far);
        self.capacity.set(capacity);
        true
    }

    /// Drops what has become empty.
    pub fn prune(&self) {
        let count = usize::from(self.count.get());
        let at = |index: usize| if index < NEAR { &self.near[index] } else { &self.far()[index - NEAR] };
        let mut kept = 0;
        for index in 0..count {
            let past = at(index).get();
            if past.bytes == 0 {
                continue;
            }
            if kept < index {
                at(kept).set(past);
            }
            kept += 1;
        }
        self.count.set(kept as u16);
    }

    /// Lets `change` change each past.
    #[inline]
    pub fn each(&self, mut change: impl FnMut(&mut Past)) {
        let mut one = |cell: &Cell<Past>| {
            let before = cell.get();
            let mut past = before;
            change(&mut past);
            if past != before {
                cell.set(past);
            }
        };
        self.near().iter().for_each(&mut one);
        if usize::from(self.count.get()) > NEAR {
            self.far().iter().for_each(&mut one);
        }
    }
}
