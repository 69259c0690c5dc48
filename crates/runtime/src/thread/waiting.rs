//! What a thread holds, and what it waits for.

use crate::memory::arena;
use crate::thread::stack::{Place, StackId};
use foretrace_event::wire::Op;

/// A lock that a thread holds.
#[derive(Clone, Copy)]
pub struct HeldLock {
    /// Its address.
    pub object: usize,
    /// For reading.
    pub shared: bool,
    /// Where it was taken.
    pub stack: StackId,
}

/// The locks a thread holds, in the order it took them.
pub struct Held {
    at: *mut HeldLock,
    capacity: usize,
    count: usize,
    /// How often it has changed.
    version: u32,
}

// SAFETY: the memory is ours and reached through it alone.
unsafe impl Send for Held {}

impl Held {
    /// Nothing.
    pub const fn new() -> Self {
        Self { at: core::ptr::null_mut(), capacity: 0, count: 0, version: 0 }
    }

    /// How often it has changed.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// All of them, two words each: the address; where it was taken, and in the lowest bit whether for reading.
    pub fn words(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.all().iter().flat_map(|lock| [lock.object, (lock.stack as usize) << 1 | usize::from(lock.shared)])
    }

    /// All of them.
    pub fn all(&self) -> &[HeldLock] {
        if self.count == 0 {
            return &[];
        }
        // SAFETY: the first `count` have been written.
        unsafe { core::slice::from_raw_parts(self.at, self.count) }
    }

    pub fn push(&mut self, lock: HeldLock) {
        if self.count == self.capacity {
            let capacity = (self.capacity * 2).max(16);
            let Some(at) = arena::allocate(capacity * size_of::<HeldLock>()) else { return };
            let at: *mut HeldLock = at.cast();
            // SAFETY: the new memory is larger than the old.
            unsafe { at.copy_from_nonoverlapping(self.at.cast_const(), self.count) };
            (self.at, self.capacity) = (at, capacity);
        }
        // SAFETY: there is room.
        unsafe { self.at.add(self.count).write(lock) };
        self.count += 1;
        self.version = self.version.wrapping_add(1);
    }

    pub fn remove(&mut self, object: usize) -> Option<HeldLock> {
        let index = self.all().iter().rposition(|lock| lock.object == object)?;
        let lock = self.all()[index];
        // SAFETY: the locks after it, moved down by one.
        unsafe { self.at.add(index).copy_from(self.at.add(index + 1), self.count - index - 1) };
        self.count -= 1;
        self.version = self.version.wrapping_add(1);
        Some(lock)
    }
}

/// What a thread is waiting for.
#[derive(Clone, Copy)]
pub enum Waiting {
    /// Its turn in the schedule.
    Turn,
    /// That no other thread can go on, at the delay point with this number.
    Delayed(usize),
    /// That others go on before it ends the process.
    Leaving,
    /// That an operation becomes possible.
    Operation(Wanted),
}

/// An operation that a thread wants to complete.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// The operation.
    pub op: Op,
    /// On what.
    pub object: usize,
    /// For locks what they are, for a join the thread.
    pub arg: u64,
    /// Where in the program: while the thread waits, its stack stays as it is.
    pub place: Place,
}

impl Waiting {
    /// Until no other thread can go on, at the delay point with this number.
    pub const fn to_be_last(number: usize) -> Self {
        Self::Delayed(number)
    }

    /// The delay point that it waits at, if any.
    pub const fn delayed_at(self) -> Option<usize> {
        if let Self::Delayed(number) = self { Some(number) } else { None }
    }

    /// For an operation to become possible.
    pub fn new(op: Op, object: usize, arg: u64, pc: usize) -> Self {
        Self::Operation(Wanted { op, object, arg, place: Place::of_call(pc) })
    }

    /// The operation that it waits for, if it does.
    pub const fn operation(self) -> Option<Wanted> {
        if let Self::Operation(wanted) = self { Some(wanted) } else { None }
    }
}
