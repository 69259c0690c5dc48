//! Recordings of any size, as the runtime would have written them, for benchmarks of readers.

use std::io::{self, Seek, Write};

use foretrace_event::wire::{Access, Detail, Op, Sync};
use foretrace_trace::RecordingWriter;

use crate::Random;

/// The shape of a synthetic run: threads that work on their own memory and, under one of several locks, on shared
/// memory; one in a million sections forgets the lock.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Threads besides the main one.
    pub threads: u32,
    /// Critical sections of all threads together; each is two sync events.
    pub sections: u64,
    /// Accesses a section, half of them inside.
    pub accesses: u32,
    /// Locks, each with its own shared lines.
    pub locks: u32,
}

const LOCKS: u64 = 0x10_0000;
const SHARED: u64 = 0x100_0000;
const PRIVATE: u64 = 0x1000_0000;
const LINES_A_LOCK: u32 = 64;
const PRIVATE_LINES: u32 = 4096;
const BUFFER: usize = 1 << 16;

/// Writes such a run; returns how many sync and access records it has.
///
/// # Errors
/// If writing fails.
pub fn write<W: Write + Seek>(out: W, workload: &Workload) -> io::Result<(u64, u64)> {
    let mut run = Run { writer: RecordingWriter::new(out, BUFFER)?, random: Random::new(1), sync: 0, accesses: 0 };
    let sync = |op, object, arg| Sync { op, stamp: 0, pc: 0x1000, object, arg, detail: Detail::default() };
    (1..=workload.threads).try_for_each(|thread| run.sync(0, sync(Op::Fork, 0, u64::from(thread))))?;
    (1..=workload.threads).try_for_each(|thread| run.sync(thread, sync(Op::Start, 0, 0)))?;
    for section in 0..workload.sections {
        let thread = 1 + run.random.below(workload.threads);
        let lock = run.random.below(workload.locks);
        let forgets = section % 1_000_003 == 7;
        let address = if forgets { LOCKS + 0x8_0000 } else { LOCKS + u64::from(lock) * 64 };
        run.work(thread, PRIVATE + u64::from(thread) * u64::from(PRIVATE_LINES), PRIVATE_LINES, workload.accesses / 2)?;
        run.sync(thread, sync(Op::Lock, address, 0))?;
        let shared = SHARED + u64::from(lock * LINES_A_LOCK);
        run.work(thread, shared, LINES_A_LOCK, workload.accesses - workload.accesses / 2)?;
        run.sync(thread, sync(Op::Unlock, address, 0))?;
    }
    for thread in 1..=workload.threads {
        run.sync(thread, sync(Op::End, 0, 0))?;
        run.sync(0, sync(Op::Join, 0, u64::from(thread)))?;
    }
    run.writer.finish()?.flush()?;
    Ok((run.sync, run.accesses))
}

struct Run<W> {
    writer: RecordingWriter<W>,
    random: Random,
    sync: u64,
    accesses: u64,
}

impl<W: Write + Seek> Run<W> {
    fn sync(&mut self, thread: u32, mut record: Sync) -> io::Result<()> {
        self.sync += 1;
        record.stamp = self.writer.stamp();
        self.writer.sync(thread, &record)
    }

    /// Accesses to lines from `first` on.
    fn work(&mut self, thread: u32, first: u64, lines: u32, count: u32) -> io::Result<()> {
        let start = self.random.below(lines);
        for index in 0..count {
            let line = first + u64::from((start + index) % lines);
            let word = 0xff << (8 * (index % 8));
            let (reads, writes) = if index % 3 == 0 { (0, word) } else { (word, 0) };
            self.accesses += 1;
            self.writer.access(thread, &Access { line, reads, writes, pc: 0x2000 + u64::from(index % 4) })?;
        }
        Ok(())
    }
}
