//! The first pass: which lines could matter, and who uses which barrier.

use foretrace_event::wire::{Op, Record};
use foretrace_trace::{Recording, RecordingError};
use rustc_hash::{FxHashMap, FxHashSet};

const SHARED: u16 = 1 << 15;
const WRITTEN: u16 = 1 << 14;
const OWNER: u16 = WRITTEN - 1;

/// A page of 64 lines: for each who touched it (plus one), whether others did, and whether anybody wrote.
type Page = [u16; 64];

/// What the first pass found.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pages: FxHashMap<u64, Box<Page>>,
    /// Who entered each barrier, and how many it waits for.
    barriers: FxHashMap<u64, (FxHashSet<usize>, u64)>,
}

impl Survey {
    /// Reads all records once, threads side by side.
    pub(super) fn of(recording: &Recording, jobs: usize) -> Result<Self, RecordingError> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let workers = if jobs == 0 { cores } else { jobs }.clamp(1, recording.threads().len().max(1));
        if workers == 1 {
            return Self::part(recording, 0, 1);
        }
        let parts: Result<Vec<Self>, _> = std::thread::scope(|scope| {
            let handles: Vec<_> =
                (0..workers).map(|worker| scope.spawn(move || Self::part(recording, worker, workers))).collect();
            handles.into_iter().map(|handle| handle.join().expect("a worker does not panic")).collect()
        });
        let mut parts = parts?.into_iter();
        let mut whole = parts.next().unwrap_or_default();
        parts.for_each(|part| whole.add(part));
        Ok(whole)
    }

    /// Every so many-th thread.
    fn part(recording: &Recording, first: usize, step: usize) -> Result<Self, RecordingError> {
        let mut survey = Self::default();
        for thread in (first..recording.threads().len()).step_by(step) {
            for entry in recording.records(thread) {
                survey.record(thread, &entry?.record);
            }
        }
        Ok(survey)
    }

    fn record(&mut self, thread: usize, record: &Record) {
        match record {
            Record::Access(access) => self.touch(thread, access.line, access.writes != 0),
            Record::Sync(sync) => match sync.op {
                Op::BarrierInit => self.barriers.entry(sync.object).or_default().1 = sync.arg,
                Op::BarrierEnter => drop(self.barriers.entry(sync.object).or_default().0.insert(thread)),
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

    #[inline]
    fn touch(&mut self, thread: usize, line: u64, writes: bool) {
        let page = self.pages.entry(line / 64).or_insert_with(|| Box::new([0; 64]));
        let cell = &mut page[(line % 64) as usize];
        *cell = both(*cell, owner(thread) | if writes { WRITTEN } else { 0 });
    }

    fn add(&mut self, other: Self) {
        for (number, page) in other.pages {
            let mine = self.pages.entry(number).or_insert_with(|| Box::new([0; 64]));
            mine.iter_mut().zip(page.iter()).for_each(|(cell, theirs)| *cell = both(*cell, *theirs));
        }
        for (barrier, (threads, count)) in other.barriers {
            let mine = self.barriers.entry(barrier).or_default();
            mine.0.extend(threads);
            mine.1 = mine.1.max(count);
        }
    }

    /// Could an access to this line race?
    #[inline]
    pub(super) fn matters(&self, line: u64) -> bool {
        let cell = self.pages.get(&(line / 64)).map_or(0, |page| page[(line % 64) as usize]);
        cell & (SHARED | WRITTEN) == SHARED | WRITTEN
    }

    /// How many lines could.
    pub(super) fn shared(&self) -> u64 {
        let cells = self.pages.values().flat_map(|page| page.iter());
        cells.filter(|cell| **cell & (SHARED | WRITTEN) == SHARED | WRITTEN).count() as u64
    }

    /// Barriers that are entered by exactly as many threads as they wait for, with that number.
    pub(super) fn regular_barriers(&self) -> FxHashMap<u64, u64> {
        let regular = self.barriers.iter().filter(|(_, (threads, count))| threads.len() as u64 == *count);
        regular.map(|(address, (_, count))| (*address, *count)).collect()
    }
}

/// Who touched a line, as a cell. Threads too many to number are all one, which only makes a line look private to it:
/// so they count as others.
fn owner(thread: usize) -> u16 {
    u16::try_from(thread + 1).ok().filter(|owner| *owner < OWNER).unwrap_or(OWNER | SHARED)
}

/// What two cells say together.
#[inline]
fn both(one: u16, other: u16) -> u16 {
    let (a, b) = (one & OWNER, other & OWNER);
    let flags = (one | other) & (SHARED | WRITTEN);
    if a == 0 || b == 0 || a == b { flags | a | b } else { flags | SHARED | a }
}
