//! One thread's records, in order, decoded as they are asked for.

use foretrace_event::layout::Flags;
use foretrace_event::table::{self, ENTRY_SIZE};
use foretrace_event::wire::{Decoder, Op, Record, WireError};

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
    /// Which of the coming sync records are taken back, by their number among the thread's, ascending.
    undone: &'a [u64],
    syncs: u64,
    ended: bool,
}

impl<'a> Records<'a> {
    pub(super) fn new(recording: &'a Recording, thread: &'a ThreadChunks, undone: &'a [u64]) -> Self {
        Self { raw: Raw::new(recording, thread), undone, syncs: 0, ended: false }
    }

    /// Is the next sync record taken back?
    fn is_undone(&mut self) -> bool {
        let undone = self.undone.first() == Some(&self.syncs);
        self.undone = &self.undone[usize::from(undone)..];
        self.syncs += 1;
        undone
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Entry, RecordingError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.raw.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error)),
            };
            match &entry.record {
                Record::Access(_) if self.ended => continue,
                Record::Access(_) => {}
                Record::Sync(sync) if sync.op == Op::Undo => continue,
                Record::Sync(_) if self.is_undone() => continue,
                Record::Sync(sync) => self.ended = sync.op == Op::End,
            }
            return Some(Ok(entry));
        }
    }
}

/// Hands all records of a thread to `each` as they lie in the file; returns which sync records are taken back.
pub(super) fn scan(
    recording: &Recording,
    thread: &ThreadChunks,
    mut each: impl FnMut(&Record),
) -> Result<Vec<u64>, RecordingError> {
    let mut undone = Vec::new();
    let mut syncs = 0u64;
    for (number, entry) in (0..).zip(Raw::new(recording, thread)) {
        let entry = entry?;
        if recording.limits.reached_at(number) {
            return Err(recording.stopped());
        }
        match entry.record {
            Record::Sync(sync) if sync.op == Op::Undo => undone.extend(syncs.checked_sub(1)),
            Record::Sync(_) => syncs += 1,
            Record::Access(_) => {}
        }
        each(&entry.record);
    }
    undone.dedup();
    Ok(undone)
}

/// The records as they lie in the file.
#[derive(Clone, Debug)]
struct Raw<'a> {
    recording: &'a Recording,
    thread: &'a ThreadChunks,
    /// The chunk after the one that is being decoded.
    chunk: usize,
    decoder: Decoder<'a>,
    /// Where the decoded bytes begin in their file.
    start: usize,
    table: usize,
    entry: usize,
}

impl<'a> Raw<'a> {
    fn new(recording: &'a Recording, thread: &'a ThreadChunks) -> Self {
        Self { recording, thread, chunk: 0, decoder: Decoder::new(&[]), start: 0, table: 0, entry: 0 }
    }

    fn damaged(&self, chunk: &Chunk, byte: usize, damage: Damage) -> RecordingError {
        RecordingError::Damaged { path: self.recording.files[chunk.file].0.clone(), byte: byte as u64, damage }
    }

    #[inline]
    fn next_record(&mut self) -> Option<Result<Entry, RecordingError>> {
        loop {
            let byte = self.start + Decoder::position(&self.decoder);
            match self.decoder.next() {
                Some(Ok(record)) => return Some(Ok(Entry { byte: byte as u64, record })),
                Some(Err(error)) => {
                    if let Some(error) = self.broken(byte, error) {
                        return Some(Err(error));
                    }
                }
                None => {}
            }
            self.next_chunk()?;
        }
    }

    #[cold]
    fn next_chunk(&mut self) -> Option<()> {
        let chunk = self.thread.records.get(self.chunk)?;
        self.decoder = Decoder::new(&self.recording.bytes(chunk)[chunk.start..chunk.end]);
        self.start = chunk.start;
        self.chunk += 1;
        Some(())
    }

    /// A record that cannot be decoded ends the thread; one that the end of the file cuts off was to be expected.
    #[cold]
    fn broken(&mut self, byte: usize, error: WireError) -> Option<RecordingError> {
        let chunk = self.thread.records[self.chunk - 1];
        if chunk.cut && error == WireError::Truncated {
            return None;
        }
        self.chunk = self.thread.records.len();
        self.table = self.thread.tables.len();
        Some(self.damaged(&chunk, byte, Damage::Record { thread: self.thread.id, error }))
    }

    fn next_open_line(&mut self) -> Option<Result<Entry, RecordingError>> {
        let header = &self.recording.header;
        loop {
            let chunk = *self.thread.tables.get(self.table)?;
            let slot = self.entry;
            let byte = chunk.start + slot * ENTRY_SIZE;
            let Some(entry) = self.recording.bytes(&chunk)[byte.min(chunk.end)..chunk.end].first_chunk() else {
                self.table += 1;
                self.entry = 0;
                continue;
            };
            self.entry += 1;
            match table::read(entry, slot, &header.windows, header.flags.has(Flags::LOCATIONS)) {
                Ok(None) => {}
                Ok(Some(access)) => return Some(Ok(Entry { byte: byte as u64, record: Record::Access(access) })),
                Err(table::NoWindow) => {
                    self.table = self.thread.tables.len();
                    return Some(Err(self.damaged(&chunk, byte, Damage::Line { thread: self.thread.id })));
                }
            }
        }
    }
}

impl Iterator for Raw<'_> {
    type Item = Result<Entry, RecordingError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().or_else(|| self.next_open_line())
    }
}
