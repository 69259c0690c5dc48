//! Writes recordings as the runtime does: for conversion, tests and benchmarks.

use std::io::{self, Seek, SeekFrom, Write};

use foretrace_event::layout::{
    CHUNK_HEADER_SIZE, CHUNK_MAGIC, ChunkKind, Flags, HEADER_SIZE, MAGIC, UNIT, VERSION, chunk, header,
};
use foretrace_event::wire::{Access, Encoder, MAX_RECORD, Sync};

/// Writes the `events` file of a recording.
#[derive(Debug)]
pub struct RecordingWriter<W> {
    out: W,
    next: u64,
    stamp: u64,
    chunk: usize,
    threads: Vec<Open>,
}

/// A thread's chunk that is being filled.
#[derive(Debug, Default)]
struct Open {
    sequence: u32,
    records: Vec<u8>,
    encoder: Encoder,
}

impl<W: Write + Seek> RecordingWriter<W> {
    /// Begins a recording in chunks of at most `chunk` bytes.
    ///
    /// # Errors
    /// If writing fails.
    pub fn new(mut out: W, chunk: usize) -> io::Result<Self> {
        out.write_all(&[0; HEADER_SIZE])?;
        let chunk = chunk.clamp(UNIT, 1 << 30).next_multiple_of(UNIT);
        Ok(Self { out, next: HEADER_SIZE as u64, stamp: 1, chunk, threads: Vec::new() })
    }

    /// The next stamp.
    pub fn stamp(&mut self) -> u64 {
        self.stamp += 1;
        self.stamp - 1
    }

    /// Writes an operation of a thread.
    ///
    /// # Errors
    /// If writing fails.
    pub fn sync(&mut self, thread: u32, record: &Sync) -> io::Result<()> {
        self.stamp = self.stamp.max(record.stamp.saturating_add(1));
        self.record(thread, |encoder, out| encoder.sync(out, record))
    }

    /// Writes an access of a thread.
    ///
    /// # Errors
    /// If writing fails.
    pub fn access(&mut self, thread: u32, record: &Access) -> io::Result<()> {
        self.record(thread, |encoder, out| encoder.access(out, record))
    }

    fn record(
        &mut self,
        thread: u32,
        encode: impl FnOnce(&mut Encoder, &mut [u8; MAX_RECORD]) -> usize,
    ) -> io::Result<()> {
        let index = thread as usize;
        if index >= self.threads.len() {
            self.threads.resize_with(index + 1, Open::default);
        }
        if self.threads[index].records.len() + MAX_RECORD > self.chunk - CHUNK_HEADER_SIZE {
            self.close(index)?;
        }
        let open = &mut self.threads[index];
        let mut out = [0; MAX_RECORD];
        let length = encode(&mut open.encoder, &mut out);
        open.records.extend_from_slice(&out[..length]);
        Ok(())
    }

    /// Writes a thread's chunk and begins its next.
    fn close(&mut self, index: usize) -> io::Result<()> {
        let open = &mut self.threads[index];
        let records = std::mem::take(&mut open.records);
        let capacity = (CHUNK_HEADER_SIZE + records.len()).next_multiple_of(UNIT);
        let mut bytes = vec![0; capacity];
        let mut put = |at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        put(chunk::MAGIC, CHUNK_MAGIC);
        put(chunk::KIND, ChunkKind::Records as u32);
        put(chunk::THREAD, index as u32);
        put(chunk::SEQUENCE, open.sequence);
        put(chunk::CAPACITY, capacity as u32);
        put(chunk::USED, records.len() as u32);
        bytes[CHUNK_HEADER_SIZE..CHUNK_HEADER_SIZE + records.len()].copy_from_slice(&records);
        (open.sequence, open.encoder) = (open.sequence + 1, Encoder::new());
        self.next += capacity as u64;
        self.out.write_all(&bytes)
    }

    /// Writes the unfinished chunks and the header.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self) -> io::Result<W> {
        for index in 0..self.threads.len() {
            if !self.threads[index].records.is_empty() {
                self.close(index)?;
            }
        }
        let mut bytes = [0; HEADER_SIZE];
        let flags = Flags::CLOSED | Flags::ACCESSES;
        bytes[header::MAGIC..header::MAGIC + 8].copy_from_slice(&MAGIC);
        bytes[header::VERSION..header::VERSION + 4].copy_from_slice(&VERSION.to_le_bytes());
        bytes[header::FLAGS..header::FLAGS + 4].copy_from_slice(&flags.to_le_bytes());
        for (at, value) in [(header::NEXT, self.next), (header::THREADS, self.threads.len() as u64)] {
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&bytes)?;
        self.out.flush()?;
        Ok(self.out)
    }
}
