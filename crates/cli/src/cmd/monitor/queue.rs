//! The records of one thread of a program that is being monitored, in the order they were written, a chunk at a time.

use super::files::{Files, bytes};
use foretrace_event::wire::{Access, Decoder, Mark, Op, Record, Sync};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;

/// This many records are decoded at once. An operation that is followed by others can no longer be taken back.
const BATCH: usize = 256;

/// What a thread hands over.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    Sync(Sync),
    Access(Access),
    /// Records are missing here: there was no room for them.
    Gap,
}

/// Where a complete chunk lies.
#[derive(Clone, Copy, Debug)]
pub struct Full {
    pub source: Source,
    /// Where its records begin.
    pub at: u64,
    pub used: usize,
    /// When it was seen first.
    pub look: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Events,
    Open,
}

/// The records of a thread that are not handed over yet.
#[derive(Default)]
pub struct Queue {
    /// The next records, with the look at which they were there first.
    ahead: VecDeque<(u64, Item)>,
    /// The number of the chunk that is being decoded.
    sequence: u32,
    bytes: Vec<u8>,
    mark: Mark,
    /// How far `bytes` reached at the look before the last.
    settled: usize,
    /// When `bytes` became longer.
    look: u64,
    /// Where it lies, if it is complete.
    whole: Option<Full>,
    /// Complete chunks that come later.
    full: BTreeMap<u32, Full>,
    /// Chunks with smaller numbers are known, or lost.
    sure: u32,
    /// The lines that it touched in a segment that never ended.
    lines: Vec<Access>,
    ended: bool,
}

impl Queue {
    /// The number of the chunk that is being decoded.
    pub const fn sequence(&self) -> u32 {
        self.sequence
    }

    /// How many bytes of it have been read.
    pub fn read(&self) -> usize {
        self.bytes.len()
    }

    /// A chunk is complete; says whether it is still to be read.
    pub fn complete(&mut self, sequence: u32, full: Full) -> bool {
        self.sure = self.sure.max(sequence);
        let passed = sequence < self.sequence || (sequence == self.sequence && self.whole.is_some());
        let replaced = self.full.get(&sequence).is_none_or(|known| full.used >= known.used);
        if !passed && replaced {
            self.full.insert(sequence, full);
        }
        !passed
    }

    /// Chunks before this one are known by now, or lost.
    pub fn all_before_are_known(&mut self, sequence: u32) {
        self.sure = self.sure.max(sequence);
    }

    /// More of the chunk that is being decoded has been written.
    pub fn extend(&mut self, more: &[u8], look: u64) {
        if self.whole.is_some() {
            return;
        }
        self.settled = self.bytes.len();
        self.look = look;
        self.bytes.extend_from_slice(more);
    }

    /// The lines that it touched in a segment that never ended.
    pub fn add_lines(&mut self, lines: Vec<Access>) {
        self.lines.extend(lines);
    }

    /// Decodes more if little is left. Chunks that are done with are no longer outstanding.
    #[inline]
    pub fn fill(&mut self, files: &Files, look: u64, outstanding: &mut BTreeSet<u64>) -> io::Result<()> {
        if self.ahead.len() < 2 { self.fill_more(files, look, outstanding) } else { Ok(()) }
    }

    /// Decodes as much as is kept at once.
    pub fn fill_more(&mut self, files: &Files, look: u64, outstanding: &mut BTreeSet<u64>) -> io::Result<()> {
        while self.ahead.len() < BATCH {
            if self.decode() {
                continue;
            }
            if let Some(whole) = self.whole.take() {
                outstanding.remove(&whole.at);
                self.next_chunk(self.sequence + 1);
            } else if let Some(full) = self.full.remove(&self.sequence) {
                let file = if full.source == Source::Events { &files.events } else { &files.open };
                self.bytes = bytes(file, full.at, full.used)?;
                self.whole = Some(full);
            } else if self.sequence < self.sure {
                let next = self.full.first_key_value().map_or(self.sure, |(sequence, _)| *sequence);
                self.next_chunk(next.min(self.sure));
                self.ahead.push_back((look, Item::Gap));
            } else {
                let lines = std::mem::take(&mut self.lines).into_iter();
                self.ahead.extend(lines.map(|access| (look, Item::Access(access))));
                break;
            }
        }
        Ok(())
    }

    fn next_chunk(&mut self, sequence: u32) {
        self.sequence = sequence;
        self.bytes.clear();
        (self.mark, self.settled) = (Mark::default(), 0);
    }

    /// Decodes some records of the current chunk; says whether there were any.
    fn decode(&mut self) -> bool {
        let mut decoder = Decoder::resume(&self.bytes, self.mark);
        let mut any = false;
        // What cannot be decoded ends the chunk.
        while let Some(Ok(record)) = decoder.next() {
            any = true;
            let look = match self.whole {
                Some(full) => full.look,
                None => self.look - u64::from(decoder.position() <= self.settled),
            };
            match record {
                Record::Sync(sync) if sync.op == Op::Undo => take_back(&mut self.ahead),
                Record::Sync(sync) => {
                    self.ended = sync.op == Op::End;
                    self.ahead.push_back((look, Item::Sync(sync)));
                }
                Record::Access(_) if self.ended => {}
                Record::Access(access) => self.ahead.push_back((look, Item::Access(access))),
            }
            if self.ahead.len() >= BATCH {
                break;
            }
        }
        self.mark = decoder.mark();
        any
    }

    #[inline]
    pub fn peek(&self) -> Option<(u64, &Item)> {
        self.ahead.front().map(|(look, item)| (*look, item))
    }

    #[inline]
    pub fn take(&mut self) -> Option<Item> {
        self.ahead.pop_front().map(|(_, item)| item)
    }

    /// Whether the next operation is followed by something that does not take it back.
    pub fn is_confirmed(&self) -> bool {
        self.ahead.len() >= BATCH || self.ahead.iter().skip(1).any(|(_, item)| !matches!(item, Item::Access(_)))
    }
}

/// An operation that failed takes back the one before it.
fn take_back(ahead: &mut VecDeque<(u64, Item)>) {
    if let Some(at) = ahead.iter().rposition(|(_, item)| matches!(item, Item::Sync(_))) {
        ahead.remove(at);
    }
}
