//! The misuses of the program, counted by thread and place. `repair` says what becomes of each.

use std::mem::discriminant;

use foretrace_event::{LockId, ThreadId};
use rustc_hash::FxHashMap;

use crate::note::Note;
use crate::{Illegal, TraceBuilder};

/// The most places that have separate notes; misuse at further places is counted with the last.
const MOST_PLACES: usize = 64;

/// The misuses of the program, by thread and place.
#[derive(Debug, Default)]
pub(super) struct Misuses {
    places: Vec<(ThreadId, u64, Illegal, u64)>,
    pub(super) after_end: u64,
    /// Locks that were held when their address became another lock.
    pub(super) held: FxHashMap<u64, Vec<LockId>>,
}

impl Misuses {
    pub(super) fn note(&mut self, thread: ThreadId, why: Illegal, pc: u64) {
        let same = |known: &(ThreadId, u64, Illegal, u64)| {
            (known.0, known.1) == (thread, pc) && discriminant(&known.2) == discriminant(&why)
        };
        let known = self.places.iter().position(same);
        match known.or((self.places.len() >= MOST_PLACES).then_some(MOST_PLACES - 1)) {
            Some(index) => self.places[index].3 += 1,
            None => self.places.push((thread, pc, why, 1)),
        }
    }

    pub(super) fn keep_held(&mut self, builder: &TraceBuilder, address: u64, lock: LockId) {
        if builder.is_held(lock) {
            self.held.entry(address).or_default().push(lock);
        }
    }

    pub(super) fn notes(self) -> impl Iterator<Item = Note> {
        let misuses = self.places.into_iter().map(|(thread, pc, why, times)| Note::Misuse { thread, why, pc, times });
        misuses.chain((self.after_end > 0).then_some(Note::AfterEnd(self.after_end)))
    }
}
