//! All threads' records in the order of their stamps.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foretrace_event::wire::{Access, Record, Sync};

use super::{Entry, Recording, RecordingError, Records};

/// The records of all threads by stamp; the accesses of a segment directly follow the sync record that opens it.
///
/// A stamp that does not exceed its thread's last is treated as if it came right after it, and the thread is listed in
/// [`Merged::unordered`].
#[derive(Debug)]
pub struct Merged<'a> {
    recording: &'a Recording,
    /// Records returned so far.
    count: u64,
    threads: Vec<Head<'a>>,
    /// The stamp of each thread's waiting sync record.
    heap: BinaryHeap<Reverse<(u64, usize)>>,
    /// The thread whose segment is being returned.
    current: Option<usize>,
    /// Threads whose leading accesses are still to be returned.
    unopened: std::ops::Range<usize>,
}

#[derive(Debug)]
struct Head<'a> {
    records: Records<'a>,
    waiting: Option<Entry>,
    stamp: u64,
    unordered: bool,
}

impl<'a> Merged<'a> {
    pub(super) fn new(recording: &'a Recording) -> Self {
        let head = |index| Head { records: recording.records(index), waiting: None, stamp: 0, unordered: false };
        let threads: Vec<_> = (0..recording.threads().len()).map(head).collect();
        let unopened = 0..threads.len();
        Self { recording, count: 0, threads, heap: BinaryHeap::new(), current: None, unopened }
    }

    /// Threads, by their index in the recording, whose stamps do not increase.
    pub fn unordered(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.threads.len()).filter(|index| self.threads[*index].unordered)
    }

    /// The next access of this thread's open segment; if its next record is a sync record, that record waits for its
    /// turn.
    #[inline]
    fn advance(&mut self, index: usize) -> Option<Result<Entry, RecordingError>> {
        let head = &mut self.threads[index];
        match head.records.next()? {
            Ok(Entry { record: Record::Sync(sync), byte }) => {
                head.unordered |= sync.stamp <= head.stamp && head.stamp != 0;
                head.stamp = sync.stamp.max(head.stamp.saturating_add(u64::from(head.stamp != 0)));
                head.waiting = Some(Entry { byte, record: Record::Sync(Sync { stamp: head.stamp, ..sync }) });
                self.heap.push(Reverse((head.stamp, index)));
                None
            }
            access_or_error => Some(access_or_error),
        }
    }

    /// Returns the next record of the merged order with its thread's index.
    #[inline]
    fn step(&mut self) -> Option<(usize, Result<Entry, RecordingError>)> {
        loop {
            if let Some(index) = self.current.or_else(|| self.unopened.next()) {
                self.current = Some(index);
                if let Some(entry) = self.advance(index) {
                    return Some((index, entry));
                }
                self.current = None;
                continue;
            }
            let Reverse((_, index)) = self.heap.pop()?;
            self.current = Some(index);
            let entry = self.threads[index].waiting.take().expect("a thread in the heap has a waiting record");
            return Some((index, Ok(entry)));
        }
    }
}

impl Iterator for Merged<'_> {
    type Item = Result<(usize, Entry), RecordingError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (index, entry) = self.step()?;
        self.count += 1;
        if self.recording.limits.reached_at(self.count) {
            return Some(Err(self.recording.stopped()));
        }
        Some(entry.map(|entry| (index, entry)))
    }
}

impl Entry {
    /// The operation, if it is one.
    pub const fn sync(&self) -> Option<&Sync> {
        match &self.record {
            Record::Sync(sync) => Some(sync),
            Record::Access(_) => None,
        }
    }

    /// The access, if it is one.
    pub const fn access(&self) -> Option<&Access> {
        match &self.record {
            Record::Sync(_) => None,
            Record::Access(access) => Some(access),
        }
    }
}
