//! A summary of a recording: sizes, threads, counts by kind, and whether it is complete.

use std::fmt;

use foretrace_event::wire::{Op, Record};

use crate::note::Note;
use crate::recording::{Recording, RecordingError};

/// The sizes of a recording.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// What was run, and how it ended: `key`, `value`.
    pub run: Vec<(String, String)>,
    /// Bytes written.
    pub bytes: u64,
    /// Threads that left records.
    pub threads: u64,
    /// Mapped files.
    pub modules: u64,
    /// Operations by kind, most frequent first.
    pub operations: Vec<(Op, u64)>,
    /// Access records: lines touched in a segment.
    pub lines: u64,
    /// Bytes read or written in all lines.
    pub accessed: u64,
    /// What is missing.
    pub notes: Vec<Note>,
}

impl Info {
    /// Reads the whole recording once.
    ///
    /// # Errors
    /// If a record cannot be decoded.
    pub fn new(recording: &Recording) -> Result<Self, RecordingError> {
        let mut info = Self {
            run: recording.run().iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
            bytes: recording.size(),
            threads: recording.threads().len() as u64,
            modules: recording.modules().len() as u64,
            notes: recording.notes().to_vec(),
            ..Self::default()
        };
        let mut counts = [0u64; 128];
        for index in 0..recording.threads().len() {
            for entry in recording.records(index) {
                match entry?.record {
                    Record::Sync(sync) => counts[sync.op as usize] += 1,
                    Record::Access(access) => {
                        info.lines += 1;
                        info.accessed += u64::from((access.reads | access.writes).count_ones());
                    }
                }
            }
        }
        let counted = Op::all().map(|op| (op, counts[op as usize])).filter(|(_, count)| *count > 0);
        info.operations = counted.collect();
        info.operations.sort_by_key(|(op, count)| (u64::MAX - count, *op));
        Ok(info)
    }

    /// All operations.
    pub fn sync_records(&self) -> u64 {
        self.operations.iter().map(|(_, count)| count).sum()
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in &self.run {
            writeln!(f, "{key:<14}{value}")?;
        }
        writeln!(f, "{:<14}{}", "bytes", self.bytes)?;
        writeln!(f, "{:<14}{}", "threads", self.threads)?;
        writeln!(f, "{:<14}{}", "modules", self.modules)?;
        writeln!(f, "{:<14}{}", "lines touched", self.lines)?;
        writeln!(f, "{:<14}{}", "bytes touched", self.accessed)?;
        let records = self.lines + self.sync_records();
        if records > 0 {
            writeln!(f, "{:<14}{:.2}", "bytes/record", self.bytes as f64 / records as f64)?;
        }
        writeln!(f, "{:<14}{}", "operations", self.sync_records())?;
        for (op, count) in &self.operations {
            writeln!(f, "  {:<16}{count:>12}", op.name())?;
        }
        match &self.notes[..] {
            [] => writeln!(f, "complete"),
            notes => notes.iter().try_for_each(|note| writeln!(f, "note: {note}")),
        }
    }
}
