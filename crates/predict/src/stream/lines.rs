//! The first pass: which lines could race, and which threads use which barrier.

use std::cell::Cell;

use foretrace_event::wire::{Op, Record};
use foretrace_trace::{Recording, RecordingError};
use rustc_hash::{FxHashMap, FxHashSet};

const SHARED: u16 = 1 << 15;
const WRITTEN: u16 = 1 << 14;
const OWNER: u16 = WRITTEN - 1;

/// A page of 64 lines. For each line: the thread that touched it (plus one), whether others did, and whether any wrote
/// it.
type Page = [u16; 64];

/// The result of the first pass.
#[derive(Debug)]
pub(super) struct Survey {
    index: FxHashMap<u64, u32>,
    pages: Vec<Page>,
    /// The last page looked up and its position: the next lookup is often in the same page.
    last: Cell<(u64, u32)>,
    /// The threads that entered each barrier, and its count.
    barriers: FxHashMap<u64, (FxHashSet<usize>, u64)>,
    /// The locks that the thread being read holds, with counts.
    reading: (usize, FxHashMap<u64, u32>),
    /// Locks that are unlocked by a thread other than the one that locked them.
    passed_on: FxHashSet<u64>,
    /// Threads that others create, by their numbers.
    created: FxHashSet<u64>,
    /// Blocks that the program's own code frees: the thread, the first byte, the length.
    ends: Vec<(usize, u64, u64)>,
}

impl Survey {
    /// Reads all records once.
    pub(super) fn of(recording: &Recording) -> Result<Self, RecordingError> {
        let (index, pages, barriers, reading, passed_on, created, ends) = Default::default();
        let last = Cell::new((u64::MAX, 0));
        let mut survey = Self { index, pages, last, barriers, reading, passed_on, created, ends };
        recording.scan(|thread, record| survey.record(thread, record))?;
        for (thread, start, length) in std::mem::take(&mut survey.ends) {
            for line in survey.touched_within(start, length) {
                survey.touch(thread, line, true);
            }
        }
        Ok(survey)
    }

    fn record(&mut self, thread: usize, record: &Record) {
        match record {
            Record::Access(access) => self.touch(thread, access.line, access.writes != 0),
            Record::Sync(sync) => match sync.op {
                Op::Lock | Op::RdLock | Op::Unlock => self.hold(thread, sync.object, sync.op != Op::Unlock),
                Op::Fork => drop(self.created.insert(sync.arg)),
                Op::BarrierInit => self.barriers.entry(sync.object).or_default().1 = sync.arg,
                Op::BarrierEnter => drop(self.barriers.entry(sync.object).or_default().0.insert(thread)),
                Op::Free if sync.pc != 0 && sync.arg != 0 => self.ends.push((thread, sync.object, sync.arg)),
                op if op.has_detail() => {
                    let writes = matches!(op, Op::AtomicStore | Op::AtomicRmw);
                    let last = sync.object.saturating_add(u64::from(sync.detail.size.max(1)) - 1);
                    self.touch(thread, sync.object / 64, writes);
                    self.touch(thread, last / 64, writes);
                }
                _ => {}
            },
        }
    }

    fn hold(&mut self, thread: usize, lock: u64, takes: bool) {
        if self.reading.0 != thread {
            self.reading = (thread, FxHashMap::default());
        }
        let depth = self.reading.1.entry(lock).or_default();
        match (takes, *depth) {
            (true, _) => *depth += 1,
            (false, 0) => drop(self.passed_on.insert(lock)),
            (false, _) => *depth -= 1,
        }
    }

    /// Does holding this lock exclude others until its holder unlocks it?
    pub(super) fn protects(&self, lock: u64) -> bool {
        !self.passed_on.contains(&lock)
    }

    /// Does another thread create the one with this number?
    pub(super) fn is_created(&self, number: u32) -> bool {
        self.created.contains(&u64::from(number))
    }

    #[inline]
    fn page(&self, number: u64) -> Option<u32> {
        match self.last.get() {
            (last, page) if last == number => Some(page),
            _ => {
                let page = *self.index.get(&number)?;
                self.last.set((number, page));
                Some(page)
            }
        }
    }

    fn new_page(&mut self, number: u64) -> u32 {
        let page = u32::try_from(self.pages.len()).expect("fewer than four thousand million pages");
        self.pages.push([0; 64]);
        self.index.insert(number, page);
        page
    }

    #[inline]
    fn touch(&mut self, thread: usize, line: u64, writes: bool) {
        let page = self.page(line / 64).unwrap_or_else(|| self.new_page(line / 64));
        let cell = &mut self.pages[page as usize][(line % 64) as usize];
        *cell = both(*cell, owner(thread) | if writes { WRITTEN } else { 0 });
    }

    /// The lines of this block that any thread touched.
    pub(super) fn touched_within(&self, start: u64, length: u64) -> Vec<u64> {
        let (first, last) = (start / 64, start.saturating_add(length).saturating_sub(1) / 64);
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

    /// Could an access to this line race?
    #[inline]
    pub(super) fn matters(&self, line: u64) -> bool {
        let cell = self.page(line / 64).map_or(0, |page| self.pages[page as usize][(line % 64) as usize]);
        cell & (SHARED | WRITTEN) == SHARED | WRITTEN
    }

    /// How many lines could.
    pub(super) fn shared(&self) -> u64 {
        let cells = self.pages.iter().flatten();
        cells.filter(|cell| **cell & (SHARED | WRITTEN) == SHARED | WRITTEN).count() as u64
    }

    /// Barriers that exactly as many threads enter as they wait for, with that number.
    pub(super) fn regular_barriers(&self) -> FxHashMap<u64, u64> {
        let regular = self.barriers.iter().filter(|(_, (threads, count))| threads.len() as u64 == *count);
        regular.map(|(address, (_, count))| (*address, *count)).collect()
    }
}

/// The thread that touched a line, as a cell. Threads beyond the largest number share one cell, which would make a line
/// look private to that cell, so they count as others.
fn owner(thread: usize) -> u16 {
    u16::try_from(thread + 1).ok().filter(|owner| *owner < OWNER).unwrap_or(OWNER | SHARED)
}

/// The combination of two cells.
#[inline]
fn both(one: u16, other: u16) -> u16 {
    let (a, b) = (one & OWNER, other & OWNER);
    let flags = (one | other) & (SHARED | WRITTEN);
    if a == 0 || b == 0 || a == b { flags | a | b } else { flags | SHARED | a }
}
