//! A thread's records in the file.

use crate::recording::{self, Chunk};
use foretrace_event::layout::ChunkKind;
use foretrace_event::wire::{Access, Encoder, MAX_RECORD, Sync};

/// Chunks begin small, for the sake of programs with many short threads, and quadruple.
const FIRST: usize = 512;
const LARGEST: usize = 256 << 10;

/// The writing end of a thread's records. All fields are plain: a stream belongs to one thread.
pub struct Stream {
    thread: u32,
    sequence: u32,
    chunk: Option<Chunk>,
    used: usize,
    encoder: Encoder,
    next_size: usize,
    full: bool,
}

impl Stream {
    /// The stream of a new thread; takes no space.
    pub const fn new(thread: u32) -> Self {
        Self { thread, sequence: 0, chunk: None, used: 0, encoder: Encoder::new(), next_size: FIRST, full: false }
    }

    /// Room for one record, in a new chunk if need be.
    #[inline]
    fn room(&mut self) -> Option<&'static mut [u8; MAX_RECORD]> {
        let chunk = match self.chunk {
            Some(chunk) if self.used + MAX_RECORD <= chunk.room() => chunk,
            _ => self.next_chunk()?,
        };
        // SAFETY: the record's bytes are inside the chunk, which is this thread's, and below no published mark.
        Some(unsafe { &mut *chunk.content().add(self.used).cast() })
    }

    #[cold]
    fn next_chunk(&mut self) -> Option<Chunk> {
        if self.full {
            recording::lost(1);
            return None;
        }
        self.close();
        self.chunk = Chunk::take(ChunkKind::Records, self.thread, self.sequence, self.next_size);
        self.sequence += 1;
        self.next_size = (self.next_size * 4).min(LARGEST);
        self.encoder = Encoder::new();
        self.used = 0;
        if self.chunk.is_none() {
            self.full = true;
            recording::lost(1);
        }
        self.chunk
    }

    /// Writes an operation and makes it visible, with all that came before.
    #[inline]
    pub fn sync(&mut self, record: &Sync) {
        if let Some(out) = self.room() {
            self.used += self.encoder.sync(out, record);
            self.publish();
        }
    }

    /// Writes an access; the next operation, or [`Self::publish`], makes it visible.
    #[inline]
    pub fn access(&mut self, record: &Access) {
        if let Some(out) = self.room() {
            self.used += self.encoder.access(out, record);
        }
    }

    /// Makes all that was written visible.
    #[inline]
    pub fn publish(&mut self) {
        if let Some(chunk) = self.chunk {
            chunk.publish(self.used);
        }
    }

    /// No more will be written to the current chunk.
    pub fn close(&mut self) {
        self.publish();
        if let Some(chunk) = self.chunk.take() {
            chunk.finish();
        }
    }
}
