//! Recordings written operation by operation.

use std::io::Cursor;
use std::path::Path;

use foretrace_event::wire::{Access, Detail, Op, Sync};
use foretrace_trace::{Recording, RecordingWriter};

/// A recording under construction: operations in the order of their stamps.
pub struct Writer(RecordingWriter<Cursor<Vec<u8>>>);

impl Writer {
    /// With a main thread and one that it created.
    pub fn new() -> Self {
        let writer = RecordingWriter::new(Cursor::new(Vec::new()), 512).expect("memory takes all writes");
        let mut writer = Self(writer);
        writer.op(0, Op::Start, 0, 0).op(0, Op::Fork, 0, 1).op(1, Op::Start, 0x9000, 0x1000);
        writer
    }

    /// The next operation.
    pub fn op(&mut self, thread: u32, op: Op, object: u64, arg: u64) -> &mut Self {
        let stamp = self.0.stamp();
        self.put(thread, stamp, op, object, arg)
    }

    /// An operation at this stamp.
    #[allow(dead_code)] // Not every test file needs it.
    pub fn stamped(&mut self, thread: u32, stamp: u64, op: Op) -> &mut Self {
        self.put(thread, stamp, op, 0, 0)
    }

    fn put(&mut self, thread: u32, stamp: u64, op: Op, object: u64, arg: u64) -> &mut Self {
        let detail = Detail { size: 4, order: 5, ..Detail::default() };
        self.0.sync(thread, &Sync { op, stamp, pc: 1, object, arg, detail }).expect("memory takes all writes");
        self
    }

    /// Four bytes written.
    #[allow(dead_code)] // Not every test file needs it.
    pub fn write(&mut self, thread: u32, address: u64) -> &mut Self {
        let access = Access { line: address / 64, reads: 0, writes: 0xf << (address % 64), pc: 2 };
        self.0.access(thread, &access).expect("memory takes all writes");
        self
    }

    pub fn recording(self) -> Recording {
        let bytes = self.0.finish().expect("memory takes all writes").into_inner();
        Recording::from_vec(Path::new("events"), bytes, None).expect("a whole recording")
    }
}
