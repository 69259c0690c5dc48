//! The lines of memory that could race: those that two threads touch and one writes.
//!
//! Freeing a block writes everything in it that was ever touched, if the program's own code frees it (only then does
//! the record have a place).
//!
//! Most memory is private to a thread or never written; excluding it first keeps the rest small. The lines that pass
//! are examined again, byte by byte and by generation, in [`super::intervals`].

use std::cell::Cell;

use foretrace_event::wire::{Op, Record, Sync};
use rustc_hash::FxHashMap;

use crate::recording::{Recording, RecordingError};

const SHARED: u16 = 1 << 15;
const WRITTEN: u16 = 1 << 14;
/// Threads from this number on cannot be told apart in a cell: the lines that they touch count as shared.
const OWNER: u16 = WRITTEN - 1;

/// A page of 64 lines. For each line: the thread that touched it (plus one), whether others did, and whether any wrote
/// it.
type Page = [u16; 64];

/// The lines touched so far, by page.
#[derive(Debug, Default)]
pub(super) struct SharedLines {
    index: FxHashMap<u64, u32>,
    pages: Vec<Page>,
    /// The last page looked up, which is often the next one too.
    last: Cell<Option<(u64, u32)>>,
}

/// The freeing of a block: the thread, the first byte and the length.
type End = (u32, u64, u64);

impl SharedLines {
    /// Reads all accesses once.
    pub(super) fn scan(recording: &Recording) -> Result<Self, RecordingError> {
        let mut lines = Self::default();
        let mut ends: Vec<End> = Vec::new();
        recording.scan(|index, record| match record {
            Record::Sync(sync) if is_access(sync) => ends.push((index as u32, sync.object, sync.arg)),
            record => lines.record(index as u32, record),
        })?;
        for (thread, start, length) in ends {
            for line in lines.touched_within(start, length) {
                lines.touch(thread, line, true);
            }
        }
        Ok(lines)
    }

    fn page(&self, number: u64) -> Option<u32> {
        match self.last.get() {
            Some((last, page)) if last == number => Some(page),
            _ => {
                let page = *self.index.get(&number)?;
                self.last.set(Some((number, page)));
                Some(page)
            }
        }
    }

    fn new_page(&mut self, number: u64) -> u32 {
        let page = self.pages.len() as u32;
        self.pages.push([0; 64]);
        self.index.insert(number, page);
        page
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
        let page = self.page(line / 64).unwrap_or_else(|| self.new_page(line / 64));
        let cell = &mut self.pages[page as usize][(line % 64) as usize];
        let owner = u16::try_from(thread + 1).unwrap_or(OWNER).min(OWNER);
        if *cell & OWNER == 0 && owner != OWNER {
            *cell |= owner;
        } else if *cell & OWNER != owner || owner == OWNER {
            *cell |= SHARED;
        }
        *cell |= if writes { WRITTEN } else { 0 };
    }

    /// The lines of this block that any thread touched.
    pub(super) fn touched_within(&self, start: u64, length: u64) -> Vec<u64> {
        let end = start.saturating_add(length);
        let (first, last) = (start / 64, end.saturating_sub(1) / 64);
        let pages = first / 64..=last / 64;
        let mut known: Vec<(u64, u32)> = if last / 64 - first / 64 < self.pages.len() as u64 {
            pages.filter_map(|number| Some((number, self.page(number)?))).collect()
        } else {
            let within = self.index.iter().filter(|(number, _)| pages.contains(number));
            within.map(|(number, page)| (*number, *page)).collect()
        };
        known.sort_unstable();
        let lines = known.into_iter().flat_map(|(number, page)| {
            let touched = self.pages[page as usize].iter().enumerate().filter(|(_, cell)| **cell != 0);
            touched.map(move |(index, _)| number * 64 + index as u64)
        });
        lines.filter(|line| (first..=last).contains(line)).collect()
    }

    /// Forgets all lines but these.
    pub(super) fn only(&mut self, lines: impl IntoIterator<Item = u64>) {
        let mut kept = Self::default();
        for line in lines.into_iter().filter(|line| self.matters(*line)) {
            let page = kept.page(line / 64).unwrap_or_else(|| kept.new_page(line / 64));
            kept.pages[page as usize][(line % 64) as usize] = SHARED | WRITTEN;
        }
        *self = kept;
    }

    /// Could an access to this line race?
    pub(super) fn matters(&self, line: u64) -> bool {
        let cell = self.page(line / 64).map_or(0, |page| self.pages[page as usize][(line % 64) as usize]);
        cell & (SHARED | WRITTEN) == SHARED | WRITTEN
    }
}

/// Is this the freeing of a block by the program's own code?
pub(super) fn is_access(sync: &Sync) -> bool {
    sync.op == Op::Free && sync.pc != 0 && sync.arg != 0
}
