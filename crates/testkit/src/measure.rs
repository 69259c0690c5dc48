//! How fast recordings are read: synthetic ones of growing size, from file to trace.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use foretrace_event::wire::{Access, Detail, Op, Sync};
use foretrace_trace::{Recording, RecordingError, RecordingWriter};

use crate::Random;

/// How a synthetic program is built.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Threads that work.
    pub threads: u32,
    /// Access records in all.
    pub accesses: u64,
    /// Access records of one critical section.
    pub section: u64,
    /// Lines that all threads use.
    pub shared: u32,
}

impl Program {
    /// Eight threads with critical sections of fifty lines; half of the accesses go to a million shared lines.
    pub const fn new(accesses: u64) -> Self {
        Self { threads: 8, accesses, section: 50, shared: 1 << 20 }
    }

    /// Writes its recording.
    ///
    /// # Errors
    /// If writing fails.
    pub fn record<W: Write + Seek>(&self, out: W) -> io::Result<W> {
        let mut run = Running { writer: RecordingWriter::new(out, 256 << 10)?, random: Random::new(1) };
        run.sync(0, Op::Start, 0, 0)?;
        for thread in 1..=self.threads {
            run.sync(0, Op::Fork, 0, thread.into())?;
            run.sync(thread, Op::Start, 0, 0)?;
        }
        for round in 0..self.accesses / self.section {
            let thread = 1 + (round % u64::from(self.threads)) as u32;
            let lock = 0x1000 + 64 * u64::from(run.random.below(64));
            run.sync(thread, Op::Lock, lock, 0)?;
            run.section(self, thread)?;
            run.sync(thread, Op::Unlock, lock, 0)?;
        }
        for thread in 1..=self.threads {
            run.sync(thread, Op::End, 0, 0)?;
            run.sync(0, Op::Join, 0, thread.into())?;
        }
        run.writer.finish()
    }
}

struct Running<W> {
    writer: RecordingWriter<W>,
    random: Random,
}

impl<W: Write + Seek> Running<W> {
    fn sync(&mut self, thread: u32, op: Op, object: u64, arg: u64) -> io::Result<()> {
        let stamp = self.writer.stamp();
        self.writer.sync(thread, &Sync { op, stamp, pc: 0x40_1000, object, arg, detail: Detail::default() })
    }

    /// Runs of lines, every other one in the thread's own memory.
    fn section(&mut self, program: &Program, thread: u32) -> io::Result<()> {
        let mut line = 0;
        for index in 0..program.section {
            if index % 10 == 0 {
                let own = index % 20 == 0;
                let base = if own { u64::from(thread) << 30 } else { 1 << 29 };
                line = base + u64::from(self.random.below(program.shared));
            }
            let mask = 0xff << (8 * self.random.below(8));
            let (reads, writes) = if self.random.one_in(3) { (0, mask) } else { (mask, 0) };
            self.writer.access(thread, &Access { line, reads, writes, pc: 0x40_1000 + 16 * (index % 8) })?;
            line += 1;
        }
        Ok(())
    }
}

/// One size: how long each step took.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Access records.
    pub accesses: u64,
    /// Bytes of the recording.
    pub bytes: u64,
    /// Decoding all records in the order of their stamps, in processor time.
    pub decode: Duration,
    /// From file to trace, in processor time.
    pub trace: Duration,
    /// Intervals found.
    pub intervals: u64,
    /// Events of the trace.
    pub events: u64,
}

/// Why a measurement failed.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The synthetic recording could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The synthetic recording could not be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

/// The processor time that something takes on this thread, so that other load on the machine matters little.
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let (wall, before) = (Instant::now(), processor_time());
    let result = work();
    let time = before.zip(processor_time()).map(|(before, after)| after.saturating_sub(before));
    (time.unwrap_or_else(|| wall.elapsed()), result)
}

/// The processor time of this thread, as Linux reports it.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}

/// Writes a synthetic recording of this size into a scratch directory, and reads it.
///
/// # Errors
/// If it cannot be written or read.
pub fn read(scratch: &Path, accesses: u64) -> Result<Row, MeasureError> {
    let events = scratch.join("events");
    Program::new(accesses).record(BufWriter::new(File::create(&events)?))?;
    let recording = Recording::open(scratch)?;
    let (decode, decoded) = timed(|| recording.merged().try_for_each(|entry| entry.map(drop)));
    decoded?;
    let (time, trace) = timed(|| recording.trace());
    let trace = trace?;
    let row = Row {
        accesses,
        bytes: recording.size(),
        decode,
        trace: time,
        intervals: trace.intervals().len() as u64,
        events: trace.stats().events,
    };
    std::fs::remove_file(&events)?;
    Ok(row)
}

/// Reads recordings of these sizes and prints a table: how many access records a second, and how time grows with size.
///
/// # Errors
/// If one cannot be written or read, or the table not printed.
pub fn reading(scratch: &Path, sizes: &[u64], out: &mut dyn Write) -> Result<(), MeasureError> {
    writeln!(
        out,
        "{:>12} {:>9} {:>13} {:>13} {:>11} {:>12} {:>7}",
        "accesses", "MB", "decode M/s", "trace M/s", "intervals", "events", "growth"
    )?;
    let mut last: Option<Row> = None;
    for size in sizes {
        let row = read(scratch, *size)?;
        let rate = |time: Duration| row.accesses as f64 / time.as_secs_f64() / 1e6;
        let each = |row: &Row| row.trace.as_secs_f64() / row.accesses as f64;
        let growth = last.map_or(1.0, |last| each(&row) / each(&last));
        writeln!(
            out,
            "{:>12} {:>9.1} {:>13.1} {:>13.1} {:>11} {:>12} {growth:>7.2}",
            row.accesses,
            row.bytes as f64 / 1e6,
            rate(row.decode),
            rate(row.trace),
            row.intervals,
            row.events,
        )?;
        last = Some(row);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_synthetic_recording_is_a_legal_history() {
        let bytes = Program { shared: 64, ..Program::new(5_000) }
            .record(io::Cursor::new(Vec::new()))
            .expect("memory takes all writes")
            .into_inner();
        let recording = Recording::from_vec(Path::new("events"), bytes, None).expect("a whole recording");
        assert_eq!(foretrace_trace::check::recording(&recording).expect("good records"), []);
        let trace = recording.trace().expect("good records");
        assert_eq!(trace.notes(), []);
        assert!(trace.intervals().len() > 0);
    }
}
