//! One thread's records, in order, decoded as they are asked for.

use foretrace_event::layout::ENTRY_SIZE;
use foretrace_event::wire::{Access, Decoder, Op, Record, WireError};

use super::chunks::{Chunk, ThreadChunks};
use super::{Damage, Recording, RecordingError};

/// A record and where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its first byte in the `events` file.
    pub byte: u64,
    /// What it says.
    pub record: Record,
}

/// The records of one thread: those that were undone left out, and the open lines of its last segment at the end.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    raw: Raw<'a>,
    ended: bool,
}

impl<'a> Records<'a> {
    pub(super) fn new(recording: &'a Recording, thread: &'a ThreadChunks) -> Self {
        Self { raw: Raw { recording, thread, chunk: 0, decoder: None, table: 0, entry: 0 }, ended: false }
    }

    /// Is the sync record just read taken back by the next one?
    fn is_undone(&self) -> bool {
        let next_sync = self.raw.clone().find_map(|entry| match entry {
            Ok(Entry { record: Record::Sync(sync), .. }) => Some(sync.op),
            _ => None,
        });
        next_sync == Some(Op::Undo)
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Entry, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.raw.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error)),
            };
            match entry.record {
                Record::Sync(sync) if sync.op == Op::Undo || self.is_undone() => continue,
                Record::Sync(sync) => self.ended = sync.op == Op::End,
                Record::Access(_) if self.ended => continue,
                Record::Access(_) => {}
            }
            return Some(Ok(entry));
        }
    }
}

/// The records as they lie in the file.
#[derive(Clone, Debug)]
struct Raw<'a> {
    recording: &'a Recording,
    thread: &'a ThreadChunks,
    chunk: usize,
    decoder: Option<Decoder<'a>>,
    table: usize,
    entry: usize,
}

impl Raw<'_> {
    fn damaged(&self, chunk: &Chunk, byte: usize, damage: Damage) -> RecordingError {
        RecordingError::Damaged { path: self.recording.files[chunk.file].0.clone(), byte: byte as u64, damage }
    }

    fn next_record(&mut self) -> Option<Result<Entry, RecordingError>> {
        loop {
            let chunk = *self.thread.records.get(self.chunk)?;
            let bytes = &self.recording.bytes(&chunk)[chunk.start..chunk.end];
            let decoder = self.decoder.get_or_insert_with(|| Decoder::new(bytes));
            let byte = chunk.start + Decoder::position(decoder);
            match decoder.next() {
                Some(Ok(record)) => return Some(Ok(Entry { byte: byte as u64, record })),
                Some(Err(WireError::Truncated)) if chunk.cut => {}
                Some(Err(error)) => {
                    self.chunk = self.thread.records.len();
                    self.table = self.thread.tables.len();
                    return Some(Err(self.damaged(&chunk, byte, Damage::Record { thread: self.thread.id, error })));
                }
                None => {}
            }
            self.chunk += 1;
            self.decoder = None;
        }
    }

    fn next_open_line(&mut self) -> Option<Result<Entry, RecordingError>> {
        loop {
            let chunk = *self.thread.tables.get(self.table)?;
            let byte = chunk.start + self.entry * ENTRY_SIZE;
            let Some(entry) = self.recording.bytes(&chunk)[..chunk.end].get(byte..byte + ENTRY_SIZE) else {
                self.table += 1;
                self.entry = 0;
                continue;
            };
            self.entry += 1;
            let field = |at: usize| u64::from_le_bytes(entry[at..at + 8].try_into().expect("eight bytes"));
            let access = Access { line: field(0) / 64, reads: field(8), writes: field(16), pc: field(24) };
            if field(0) % 64 != 0 {
                self.table = self.thread.tables.len();
                return Some(Err(self.damaged(&chunk, byte, Damage::Line { thread: self.thread.id })));
            }
            if access.line != 0 {
                return Some(Ok(Entry { byte: byte as u64, record: Record::Access(access) }));
            }
        }
    }
}

impl Iterator for Raw<'_> {
    type Item = Result<Entry, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().or_else(|| self.next_open_line())
    }
}
