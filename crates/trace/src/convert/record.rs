//! A trace as the records that a run would have left.
//!
//! Things without an address get one of their own, far from those that have one, so that the recording reads back as
//! the same trace up to names. What one address held in turn is told by initialisations, allocations and frees.

use std::io::{self, Seek, Write};

use foretrace_event::wire::{Access, Detail, LockArg, Op, Sync};
use foretrace_event::{AtomicId, Event, EventId, IntervalId, LockId, Order, Patience, ThreadId};

use crate::recording::RecordingWriter;
use crate::trace::Trace;

/// Why a trace cannot be written as a recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// An interval of a length that no memory has.
    #[error("interval {interval} has {length} bytes, more than can be written")]
    TooLong {
        /// Which.
        interval: IntervalId,
        /// How many bytes.
        length: u64,
    },
}

/// Where made-up things lie: each kind in a region of its own, which no program's memory reaches.
const MADE_UP: u64 = 1 << 56;
/// Bytes from one made-up thing to the next: a line, so that no two share one.
const STRIDE: u64 = 64;
/// No interval is longer.
const LONGEST: u64 = 1 << 32;

/// Kinds of made-up addresses.
#[derive(Clone, Copy)]
enum Region {
    Lock = 1,
    Condition,
    Barrier,
    Sem,
    Once,
    Channel,
    Atomic,
    Custom,
    Interval,
}

/// Writes a trace as the `events` file of a recording.
///
/// # Errors
/// If writing fails, or an interval is impossibly long.
pub fn record<W: Write + Seek>(trace: &Trace, out: W) -> Result<W, RecordError> {
    let mut recorder = Recorder { trace, writer: RecordingWriter::new(out, 64 << 10)?, intervals: layout(trace)? };
    recorder.preamble()?;
    for id in trace.observed() {
        recorder.event(id)?;
    }
    Ok(recorder.writer.finish()?)
}

/// Addresses of intervals: one after the other, a line apart, unless an atomic variable lies over them.
fn layout(trace: &Trace) -> Result<Vec<u64>, RecordError> {
    let mut next = made_up(Region::Interval, 0);
    let mut addresses = Vec::new();
    for (interval, info) in trace.intervals() {
        if info.length > LONGEST {
            return Err(RecordError::TooLong { interval, length: info.length });
        }
        addresses.push(next);
        next += info.length.max(1).next_multiple_of(STRIDE) + STRIDE;
    }
    for (atomic, info) in trace.atomics() {
        let mut at = atomic_address(atomic);
        for interval in &info.intervals {
            addresses[interval.index()] = at;
            at += trace.interval(*interval).length.max(1);
        }
    }
    Ok(addresses)
}

fn made_up(region: Region, index: usize) -> u64 {
    (region as u64) * MADE_UP + STRIDE * (index as u64 + 1)
}

fn atomic_address(atomic: AtomicId) -> u64 {
    made_up(Region::Atomic, atomic.index() * 64)
}
