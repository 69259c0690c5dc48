//! From a recording to a trace, one file for each step:
//!
//! 1. [`lines`] finds the lines of memory that could race: touched by two threads, written by one.
//! 2. [`operations`] walks the records of all threads in the order of their stamps: addresses become ids ([`naming`],
//!    [`addresses`]), and the builder takes or refuses each event; [`touching`] gives each access its allocation
//!    ([`generations`]).
//! 3. [`intervals`] groups the bytes that are always accessed together, and drops what cannot race.
//!
//! An event that those before it do not allow is an error of the program or of the recording. Only that event is
//! repaired or left out ([`misuse`]), so the rest of its thread is kept, the trace is a legal history, and the notes
//! list what was wrong.

mod addresses;
mod generations;
pub(crate) mod intervals;
mod lines;
mod misuse;
mod naming;
mod operations;
mod repair;
mod touching;

use crate::note::Note;
use crate::recording::{Recording, RecordingError};
use crate::trace::Trace;

impl Recording {
    /// The normalised form of this recording.
    ///
    /// # Errors
    /// If a record cannot be decoded.
    pub fn trace(&self) -> Result<Trace, RecordingError> {
        self.normalise(lines::SharedLines::scan(self)?)
    }

    /// The same with accesses to these lines of memory only (addresses divided by 64): for an analysis that does not
    /// need the others.
    ///
    /// # Errors
    /// If a record cannot be decoded.
    pub fn trace_of_lines(&self, only: impl IntoIterator<Item = u64>) -> Result<Trace, RecordingError> {
        let mut lines = lines::SharedLines::scan(self)?;
        lines.only(only);
        self.normalise(lines)
    }

    fn normalise(&self, lines: lines::SharedLines) -> Result<Trace, RecordingError> {
        let mut normaliser = operations::Normaliser::new(self, lines);
        self.notes().iter().for_each(|note| normaliser.note(note.clone()));
        let mut merged = self.merged();
        for entry in merged.by_ref() {
            let (index, entry) = entry?;
            normaliser.entry(index, &entry)?;
        }
        let numbers: Vec<u32> = self.threads().map(|thread| thread.id).collect();
        merged.unordered().for_each(|index| normaliser.note(Note::UnorderedStamps { thread: numbers[index] }));
        Ok(normaliser.finish())
    }
}
