//! Candidates from a recording of any length, without a trace in memory.
//!
//! There are two passes over the records on disk. The first finds the lines of memory that two threads touch and one
//! writes. The second goes through all threads in the order of their stamps, with a vector clock of the must-order and
//! a lock set for each thread. For each such line it keeps the last accesses of each thread under each lock set. Two
//! accesses that conflict, that the must-order does not order and that share no lock are a candidate: the thesis's
//! hybrid filter (5.5.2), online. Accesses that are ordered before everything to come are dropped, and so is freed
//! memory, so the memory needed is bounded by what is live, not by the length of the run.
//!
//! The filter never drops a race of the model, and only lines with a candidate need to be read into a trace and decided
//! there.
//!
//! Orders are dropped rather than invented: a barrier whose threads vary orders nothing here, only a bounded number of
//! signals of a condition variable is remembered, and atomics order nothing.

mod clocks;
mod lines;
mod locksets;
mod shadow;

use std::collections::BTreeMap;

use foretrace_event::Patience;
use foretrace_event::wire::{Access, LockArg, Op, Record, Sync};
use foretrace_trace::{Recording, RecordingError};

use crate::spread::spread;
use clocks::Clocks;
use lines::Survey;
use locksets::Locksets;
use shadow::{Shadow, Touch};

/// A line of memory with a candidate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CandidateLine {
    /// Its address divided by 64.
    pub line: u64,
    /// The bytes on which two accesses conflict.
    pub bytes: u64,
    /// The program counters of the first two conflicting accesses.
    pub pcs: (u64, u64),
}

/// The result of the two passes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Streamed {
    /// Lines with candidates, by address.
    pub lines: Vec<CandidateLine>,
    /// Sync records.
    pub sync: u64,
    /// Access records.
    pub accesses: u64,
    /// Lines that two threads touch and one writes.
    pub shared: u64,
    /// The largest number of entries kept at one time.
    pub entries: u64,
}

impl Streamed {
    /// The lines with candidates; of those whose candidates are at the same two places, this many, spread from the
    /// first to the last.
    pub fn some_of_each_kind(&self, most: usize) -> Vec<u64> {
        let mut kinds: BTreeMap<(u64, u64), Vec<u64>> = BTreeMap::new();
        for candidate in &self.lines {
            let (one, other) = candidate.pcs;
            kinds.entry((one.min(other), one.max(other))).or_default().push(candidate.line);
        }
        let mut some: Vec<u64> = kinds.values().flat_map(|kind| spread(kind, most)).copied().collect();
        some.sort_unstable();
        some
    }
}

/// Finds the lines of a recording that could race.
///
/// # Errors
/// If a record cannot be decoded.
pub fn candidates(recording: &Recording) -> Result<Streamed, RecordingError> {
    let survey = Survey::of(recording)?;
    let mut finder = Finder::new(recording, &survey);
    for entry in recording.merged() {
        let (thread, entry) = entry?;
        match entry.record {
            Record::Access(access) => finder.access(thread, &access),
            Record::Sync(sync) => finder.sync(thread, &sync),
        }
    }
    Ok(finder.finish())
}

struct Finder<'a> {
    survey: &'a Survey,
    clocks: Clocks,
    locksets: Locksets,
    shadow: Shadow,
    streamed: Streamed,
}

impl<'a> Finder<'a> {
    fn new(recording: &Recording, survey: &'a Survey) -> Self {
        let numbers: Vec<u32> = recording.threads().map(|thread| thread.id).collect();
        Self {
            survey,
            clocks: Clocks::new(&numbers, survey.regular_barriers(), |number| survey.is_created(number)),
            locksets: Locksets::new(numbers.len()),
            shadow: Shadow::default(),
            streamed: Streamed { shared: survey.shared(), ..Streamed::default() },
        }
    }

    #[inline]
    fn access(&mut self, thread: usize, access: &Access) {
        self.streamed.accesses += 1;
        if self.survey.matters(access.line) {
            let Access { line, reads, writes, pc } = *access;
            self.touch(line, Touch { thread, reads, writes, pc, atomic: false });
        }
    }

    fn touch(&mut self, line: u64, touch: Touch) {
        let held = self.locksets.held(touch.thread);
        self.shadow.touch(line, &touch, held, &self.locksets, &self.clocks);
    }

    fn sync(&mut self, thread: usize, sync: &Sync) {
        self.streamed.sync += 1;
        match sync.op {
            Op::Lock | Op::RdLock => {
                let blocks = LockArg::decode(sync.arg).is_some_and(|arg| arg.patience == Patience::Blocking);
                let protects = blocks && self.survey.protects(sync.object);
                self.locksets.take(thread, sync.object, sync.op == Op::Lock, protects);
            }
            Op::Unlock => self.locksets.give_back(thread, sync.object),
            Op::AtomicLoad | Op::AtomicCasFailed => self.atomic(thread, sync, false),
            Op::AtomicStore | Op::AtomicRmw => self.atomic(thread, sync, true),
            Op::Alloc => self.shadow.forget(sync.object, sync.arg),
            Op::Free => {
                self.write_all(thread, sync);
                self.shadow.forget(sync.object, sync.arg);
            }
            _ => {}
        }
        self.clocks.sync(thread, sync);
    }

    /// A thread of the program's own code that frees a block writes all of it.
    fn write_all(&mut self, thread: usize, sync: &Sync) {
        if sync.pc == 0 || sync.arg == 0 {
            return;
        }
        let (start, end) = (sync.object, sync.object.saturating_add(sync.arg));
        for line in self.survey.touched_within(start, sync.arg) {
            if self.survey.matters(line) {
                let (from, to) = (start.saturating_sub(line * 64), (end - line * 64).min(64));
                let writes = (u64::MAX >> (64 - (to - from))) << from;
                self.touch(line, Touch { thread, reads: 0, writes, pc: sync.pc, atomic: false });
            }
        }
    }

    /// An atomic operation touches its bytes, on one line or two.
    fn atomic(&mut self, thread: usize, sync: &Sync, writes: bool) {
        let size = u64::from(sync.detail.size.max(1)).min(64);
        let offset = sync.object % 64;
        let mask = u128::from(u64::MAX >> (64 - size)) << offset;
        for (line, bytes) in [(sync.object / 64, mask as u64), (sync.object / 64 + 1, (mask >> 64) as u64)] {
            if bytes != 0 && self.survey.matters(line) {
                let (reads, writes) = if writes { (0, bytes) } else { (bytes, 0) };
                self.touch(line, Touch { thread, reads, writes, pc: sync.pc, atomic: true });
            }
        }
    }

    fn finish(mut self) -> Streamed {
        self.streamed.lines = self.shadow.candidates();
        self.streamed.entries = self.shadow.most_entries();
        self.streamed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_kind_are_spread() {
        let line = |line, pcs| CandidateLine { line, bytes: 1, pcs };
        let lines = (0..9).map(|number| line(number, (7, 8))).chain([line(20, (8, 7)), line(30, (8, 9))]).collect();
        let streamed = Streamed { lines, ..Streamed::default() };
        assert_eq!(streamed.some_of_each_kind(2), [0, 20, 30]);
    }
}
