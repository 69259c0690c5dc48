//! Which lines of memory could matter: those that two threads touch and one writes.
//!
//! Most memory is private to a thread or never written; knowing that before anything else is kept makes the rest small.
//! What passes here is decided again, byte by byte and by generation, in [`super::intervals`].

use foretrace_event::wire::{Op, Record};
use rustc_hash::FxHashMap;

use crate::recording::{Recording, RecordingError};

const SHARED: u32 = 1 << 31;
const WRITTEN: u32 = 1 << 30;
const OWNER: u32 = WRITTEN - 1;

/// A page of 64 lines: for each who touched it (plus one), whether others did, and whether anybody wrote.
type Page = [u32; 64];

/// The lines touched so far, by page.
#[derive(Debug, Default)]
pub(super) struct SharedLines {
    pages: FxHashMap<u64, Box<Page>>,
}

impl SharedLines {
    /// Reads all accesses once.
    pub(super) fn scan(recording: &Recording) -> Result<Self, RecordingError> {
        let mut lines = Self::default();
        for index in 0..recording.threads().len() {
            for entry in recording.records(index) {
                lines.record(index as u32, &entry?.record);
            }
        }
        Ok(lines)
    }

    fn record(&mut self, thread: u32, record: &Record) {
        match record {
            Record::Access(access) => self.touch(thread, access.line, access.writes != 0),
            Record::Sync(sync) if sync.op.has_detail() => {
                let writes = matches!(sync.op, Op::AtomicStore | Op::AtomicRmw);
                let last = sync.object.saturating_add(u64::from(sync.detail.size.max(1)) - 1);
                self.touch(thread, sync.object / 64, writes);
                self.touch(thread, last / 64, writes);
            }
            Record::Sync(_) => {}
        }
    }

    fn touch(&mut self, thread: u32, line: u64, writes: bool) {
        let page = self.pages.entry(line / 64).or_insert_with(|| Box::new([0; 64]));
        let cell = &mut page[(line % 64) as usize];
        let owner = thread % OWNER + 1;
        if *cell & OWNER == 0 {
            *cell |= owner;
        } else if *cell & OWNER != owner {
            *cell |= SHARED;
        }
        *cell |= if writes { WRITTEN } else { 0 };
    }

    /// Could an access to this line race?
    pub(super) fn matters(&self, line: u64) -> bool {
        let cell = self.pages.get(&(line / 64)).map_or(0, |page| page[(line % 64) as usize]);
        cell & (SHARED | WRITTEN) == SHARED | WRITTEN
    }
}
