//! What an atomic operation did.

use super::word::Word;
use crate::thread::Thread;
use crate::thread::polling::Poll;
use foretrace_event::wire::{Detail, Op};

/// What happened to a variable: the record's operation, the value read or stored, the value written by a
/// read-modify-write, and the order.
pub struct Outcome<T> {
    pub op: Op,
    pub value: T,
    pub new: Option<T>,
    pub order: u8,
}

impl<T: Word> Outcome<T> {
    /// The operation at that address and place, if it has not changed the variable.
    pub fn poll(&self, at: usize, pc: usize) -> Option<Poll> {
        let loads = matches!(self.op, Op::AtomicLoad | Op::AtomicCasFailed);
        let modifies = self.changes_nothing();
        (loads || modifies).then(|| Poll { at, value: self.value.halves(), pc, modifies })
    }

    /// Records it.
    #[inline]
    pub fn record(&self, thread: &'static Thread, stamp: u64, at: usize, pc: usize) {
        let [value, high] = self.value.halves();
        let [new, new_high] = self.new.map_or([0; 2], T::halves);
        let detail = Detail { size: T::SIZE, order: self.order.min(5), new, high: [high, new_high] };
        if self.poll(at, pc).is_none() {
            thread.rounds.get().end();
        }
        thread.write_at(stamp, self.op, at, value, pc, detail);
    }

    /// It is a read-modify-write that left the variable as it was, as the turns of a test-and-set loop do.
    pub fn changes_nothing(&self) -> bool {
        self.new.is_some_and(|new| new.halves() == self.value.halves())
    }
}
