//! Vector clocks.

use crate::memory::arena;

/// When something happened in one thread: the thread's number in the upper half, its clock in the lower.
pub type Epoch = u64;

/// Entries that fill a line of the cache.
pub const ROOM: usize = 16;

/// A vector clock; entries that are not there are zero.
pub struct Clock {
    at: *mut u32,
    len: usize,
}

impl Clock {
    /// A clock that has room for the first threads where it is used, and none yet elsewhere.
    ///
    /// # Safety
    /// The entries are zero, nobody else's, and never freed.
    pub const unsafe fn with_room(entries: *mut [u32; ROOM]) -> Self {
        Self { at: entries.cast(), len: ROOM }
    }

    fn entries(&self) -> &[u32] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: `at` points to `len` numbers of our own.
        unsafe { core::slice::from_raw_parts(self.at, self.len) }
    }

    fn entries_mut(&mut self, len: usize) -> &mut [u32] {
        if self.len < len && !self.grow(len) || self.len == 0 {
            return &mut [];
        }
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts_mut(self.at, self.len) }
    }

    fn grow(&mut self, len: usize) -> bool {
        let len = len.next_power_of_two().max(ROOM);
        let Some(at) = arena::allocate(len * size_of::<u32>()) else { return false };
        let at: *mut u32 = at.cast();
        // SAFETY: the new memory is larger than the old.
        unsafe { at.copy_from_nonoverlapping(self.at.cast_const(), self.len) };
        (self.at, self.len) = (at, len);
        true
    }

    /// A thread's entry.
    #[inline]
    pub fn get(&self, thread: u32) -> u32 {
        self.entries().get(thread as usize).copied().unwrap_or(0)
    }

    /// Sets it.
    pub fn set(&mut self, thread: u32, value: u32) {
        if let Some(entry) = self.entries_mut(thread as usize + 1).get_mut(thread as usize) {
            *entry = value;
        }
    }

    /// Takes over all that another clock knows.
    pub fn join(&mut self, other: &Self) {
        let entries = self.entries_mut(other.len);
        for (mine, theirs) in entries.iter_mut().zip(other.entries()) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Knows what another does, and no more.
    pub fn assign(&mut self, other: &Self) {
        self.entries_mut(0).fill(0);
        self.join(other);
    }

    /// Knows nothing.
    pub fn clear(&mut self) {
        self.entries_mut(0).fill(0);
    }

    /// Does the clock know of that moment?
    #[inline]
    pub fn knows(&self, epoch: Epoch) -> bool {
        self.get((epoch >> 32) as u32) >= epoch as u32
    }
}
