//! One thread's records, in order, decoded on demand.

use foretrace_event::layout::Flags;
use foretrace_event::table::{self, ENTRY_SIZE};
use foretrace_event::wire::{Decoder, Op, Record, WireError};
use std::ops::Range;

use super::chunks::{Chunk, ThreadChunks};
use super::{Damage, Recording, RecordingError};

/// A record and where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its first byte in the `events` file.
    pub byte: u64,
    /// Its contents.
    pub record: Record,
}

/// The records of one thread, without those that were undone, followed by the open lines of its last segment.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    raw: Raw<'a>,
    /// The remaining undone sync records, by their number among the thread's, ascending.
    undone: &'a [u64],
    syncs: u64,
    ended: bool,
}

impl<'a> Records<'a> {
    pub(super) fn new(recording: &'a Recording, thread: &'a ThreadChunks, undone: &'a [u64]) -> Self {
        Self { raw: Raw::new(recording, thread), undone, syncs: 0, ended: false }
    }

    /// Was the next sync record undone?
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

/// Passes all records of a thread to `each` in the order of the file; returns the undone sync records.
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

/// How many bytes of a chunk are in memory at once: a recording may have thousands of threads.
const WINDOW: usize = 16 << 10;

/// The records in the order of the file.
#[derive(Clone, Debug)]
struct Raw<'a> {
    recording: &'a Recording,
    thread: &'a ThreadChunks,
    /// The chunk that is being decoded.
    current: Option<Chunk>,
    /// The chunks after it begin here.
    next_chunk: usize,
    decoder: Decoder<Vec<u8>>,
    /// Where the bytes in memory lie in their file.
    window: Range<usize>,
    table: usize,
    /// The entries of the table that are in memory, and where the next of them lies in the file.
    entries: Vec<u8>,
    next_entry: usize,
}

impl<'a> Raw<'a> {
    fn new(recording: &'a Recording, thread: &'a ThreadChunks) -> Self {
        let next_entry = thread.tables.first().map_or(0, |table| table.start);
        let decoder = Decoder::new(Vec::new());
        Self {
            recording,
            thread,
            current: None,
            next_chunk: 0,
            decoder,
            window: 0..0,
            table: 0,
            entries: Vec::new(),
            next_entry,
        }
    }

    fn damaged(&self, chunk: &Chunk, byte: usize, damage: Damage) -> RecordingError {
        RecordingError::Damaged { path: self.recording.files[chunk.file].0.clone(), byte: byte as u64, damage }
    }

    #[inline]
    fn next_record(&mut self) -> Option<Result<Entry, RecordingError>> {
        loop {
            let byte = self.window.start + self.decoder.position();
            let error = match self.decoder.next() {
                Some(Ok(record)) => return Some(Ok(Entry { byte: byte as u64, record })),
                Some(Err(error)) => Some(error),
                None => None,
            };
            match self.refill(byte, error) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(self.give_up(error))),
            }
        }
    }

    /// Continues at this byte, in the same chunk or in the next; returns whether there is more. A record that cannot be
    /// decoded is an error, unless it continues beyond the window, or is cut off by the end of the file, as in the
    /// recording of a program that was killed.
    #[cold]
    fn refill(&mut self, byte: usize, error: Option<WireError>) -> Result<bool, RecordingError> {
        if let Some(chunk) = self.current {
            let cut_off = error == Some(WireError::Truncated);
            if self.window.end < chunk.end && (cut_off || error.is_none()) {
                self.window = byte..chunk.end.min(byte + WINDOW);
                self.decoder.refill(self.recording.read(&chunk, self.window.clone())?);
                return Ok(true);
            }
            if let Some(error) = error.filter(|_| !(chunk.cut && cut_off)) {
                return Err(self.damaged(&chunk, byte, Damage::Record { thread: self.thread.id, error }));
            }
        }
        let Some(chunk) = self.thread.records.get(self.next_chunk) else { return Ok(false) };
        self.window = chunk.start..chunk.end.min(chunk.start + WINDOW);
        self.decoder = Decoder::new(self.recording.read(chunk, self.window.clone())?);
        self.current = Some(*chunk);
        self.next_chunk += 1;
        Ok(true)
    }

    /// After an error, the thread has no more records.
    fn give_up(&mut self, error: RecordingError) -> RecordingError {
        self.current = None;
        self.next_chunk = self.thread.records.len();
        self.table = self.thread.tables.len();
        self.decoder = Decoder::new(Vec::new());
        error
    }

    fn next_open_line(&mut self) -> Option<Result<Entry, RecordingError>> {
        let header = &self.recording.header;
        loop {
            let chunk = *self.thread.tables.get(self.table)?;
            let (byte, slot) = (self.next_entry, (self.next_entry - chunk.start) / ENTRY_SIZE);
            let entry = match self.entry(&chunk) {
                Ok(Some(entry)) => entry,
                Ok(None) => {
                    self.table += 1;
                    self.next_entry = self.thread.tables.get(self.table).map_or(0, |table| table.start);
                    continue;
                }
                Err(error) => return Some(Err(self.give_up(error))),
            };
            match table::read(&entry, slot, &header.windows, header.flags.has(Flags::LOCATIONS)) {
                Ok(None) => {}
                Ok(Some(access)) => return Some(Ok(Entry { byte: byte as u64, record: Record::Access(access) })),
                Err(table::NoWindow) => {
                    let error = self.damaged(&chunk, byte, Damage::Line { thread: self.thread.id });
                    return Some(Err(self.give_up(error)));
                }
            }
        }
    }

    /// The next entry of this table, if it has one more.
    fn entry(&mut self, table: &Chunk) -> Result<Option<[u8; ENTRY_SIZE]>, RecordingError> {
        /// A multiple of the size of an entry.
        const ENTRIES: usize = WINDOW / ENTRY_SIZE * ENTRY_SIZE;
        let at = (self.next_entry - table.start) % ENTRIES;
        if at == 0 {
            let range = self.next_entry..table.end.min(self.next_entry + ENTRIES);
            self.entries = self.recording.read(table, range)?;
        }
        let entry = self.entries[at.min(self.entries.len())..].first_chunk().copied();
        self.next_entry += ENTRY_SIZE;
        Ok(entry)
    }
}

impl Iterator for Raw<'_> {
    type Item = Result<Entry, RecordingError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().or_else(|| self.next_open_line())
    }
}
