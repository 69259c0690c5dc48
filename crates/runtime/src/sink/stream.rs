//! A thread's records on their way to the file.

use crate::sink::lines::Sink;
use crate::sink::recording::{self, Chunk, ROOM};
use foretrace_event::layout::ChunkKind;
use foretrace_event::wire::{Access, Encoder, Head, MAX_RECORD, Sync};

/// The writing end of a thread's records. All fields are plain: a stream belongs to one thread.
pub struct Stream {
    chunk: Chunk,
    used: usize,
    /// How many records are gathered: decoding them, to say how many were lost, would take as long as writing them.
    records: u32,
    encoder: Encoder,
}

impl Sink for Stream {
    #[inline]
    fn take(&mut self, access: &Access) {
        self.access(access);
    }
}

impl Stream {
    /// Space for a stream.
    pub fn take() -> Option<Chunk> {
        Chunk::take(ChunkKind::Records, ROOM)
    }

    /// The stream of a new thread.
    pub fn new(chunk: Chunk, thread: u32) -> Self {
        chunk.hand_to(thread);
        Self { chunk, used: 0, records: 0, encoder: Encoder::new() }
    }

    /// The space it uses.
    pub const fn chunk(&self) -> Chunk {
        self.chunk
    }

    /// Room for one record.
    #[inline]
    fn room(&mut self) -> &'static mut [u8; MAX_RECORD] {
        if self.used + MAX_RECORD > self.chunk.room() {
            self.spill();
        }
        // SAFETY: the record's bytes are inside the chunk, which is this thread's, and above what has been published.
        unsafe { &mut *self.chunk.content().add(self.used).cast() }
    }

    /// Writes an operation and makes it visible, with all that came before.
    #[inline]
    pub fn sync(&mut self, record: &Sync) {
        let out = self.room();
        self.used += self.encoder.sync(out, record);
        self.records += 1;
        self.publish();
    }

    /// The same of an operation without a detail. All that it is given is in registers.
    #[inline(never)]
    pub fn short(&mut self, head: Head, stamp: u64, pc: u64, object: u64, arg: u64) {
        let out = self.room();
        self.used += self.encoder.short(out, head, stamp, pc, object, arg);
        self.records += head.records();
        self.publish();
    }

    /// Writes an access; the next operation, or [`Self::publish`], makes it visible.
    #[inline]
    pub fn access(&mut self, record: &Access) {
        let out = self.room();
        self.used += self.encoder.access(out, record);
        self.records += 1;
    }

    /// Makes all that was written visible.
    #[inline]
    pub fn publish(&mut self) {
        self.chunk.publish(self.used);
    }

    /// Writes what has been gathered to the file.
    #[cold]
    pub fn spill(&mut self) {
        self.publish();
        if self.used > 0 {
            match self.chunk.keep(self.used) {
                Some(next) => self.chunk = next,
                None if self.chunk.spill(self.used) => {}
                None => recording::lost(u64::from(self.records)),
            }
        }
        (self.used, self.records) = (0, 0);
        self.encoder = Encoder::new();
    }
}
