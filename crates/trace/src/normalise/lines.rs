//! Which lines of memory could matter: those that two threads touch and one writes.
//!
//! Most memory is private to a thread or never written; knowing that before anything else is kept makes the rest small.
//! What passes here is decided again, byte by byte and by generation, in [`super::intervals`].

use std::cell::Cell;

use foretrace_event::wire::{Op, Record};
use rustc_hash::FxHashMap;

use crate::recording::{Recording, RecordingError};

const SHARED: u16 = 1 << 15;
const WRITTEN: u16 = 1 << 14;
/// Threads from this number on cannot be told apart in a cell: what they touch counts as shared.
const OWNER: u16 = WRITTEN - 1;

/// A page of 64 lines: for each who touched it (plus one), whether others did, and whether anybody wrote.
type Page = [u16; 64];

/// The lines touched so far, by page.
#[derive(Debug, Default)]
pub(super) struct SharedLines {
    index: FxHashMap<u64, u32>,
    pages: Vec<Page>,
    /// The last page asked for: the next question is often about it, too.
    last: Cell<Option<(u64, u32)>>,
}

impl SharedLines {
    /// Reads all accesses once.
    pub(super) fn scan(recording: &Recording) -> Result<Self, RecordingError> {
        let mut lines = Self::default();
        recording.scan(|index, record| lines.record(index as u32, record))?;
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
