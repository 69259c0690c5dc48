//! The last accesses to each line.
//!
//! Of a thread's accesses under one lock set, a later one makes an earlier one redundant where it covers it: whatever
//! is not ordered after the earlier one is not ordered after the later one either.
//!
//! A line that is used under very many lock sets has very many such accesses, and each new one would be compared with all.
//! Beyond [`MOST`] the line counts as a candidate without a pair: whether it races is decided in the trace.

use rustc_hash::FxHashMap;

use super::CandidateLine;
use super::clocks::Clocks;
use super::locksets::{Held, Locksets};

/// An access to a line.
pub(super) struct Touch {
    pub(super) thread: usize,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) pc: u64,
    pub(super) atomic: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    thread: u32,
    time: u32,
    held: Held,
    atomic: bool,
    reads: u64,
    writes: u64,
    pc: u64,
}

#[derive(Debug, Default)]
struct Line {
    entries: Vec<Entry>,
    /// Bytes with a candidate: they need no further examination.
    bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Shadow {
    lines: FxHashMap<u64, Line>,
    found: FxHashMap<u64, CandidateLine>,
    entries: u64,
    most: u64,
}

/// From this many entries on, a line's entries are searched for ones that are no longer needed.
const MANY: usize = 32;

/// A line has at most this many entries.
const MOST: usize = 1024;

impl Shadow {
    pub(super) fn touch(&mut self, at: u64, touch: &Touch, held: Held, locksets: &Locksets, clocks: &Clocks) {
        let line = self.lines.entry(at).or_default();
        let (reads, writes) = (touch.reads & !line.bytes, touch.writes & !line.bytes);
        if reads | writes == 0 {
            return;
        }
        let before = line.entries.len();
        let met = line.meet(touch, (reads, writes), held, locksets, clocks);
        if let Some((bytes, pc)) = met {
            line.bytes |= bytes;
            let candidate = CandidateLine { line: at, bytes: 0, pcs: (pc, touch.pc) };
            self.found.entry(at).or_insert(candidate).bytes |= bytes;
        }
        if line.entries.len() > MOST {
            let pc = line.entries[0].pc;
            (line.bytes, line.entries) = (u64::MAX, Vec::new());
            let candidate = CandidateLine { line: at, bytes: 0, pcs: (pc, touch.pc) };
            self.found.entry(at).or_insert(candidate).bytes = u64::MAX;
        }
        self.entries = (self.entries + line.entries.len() as u64).saturating_sub(before as u64);
        self.most = self.most.max(self.entries);
    }

    /// Forgets memory that was allocated or freed.
    pub(super) fn forget(&mut self, address: u64, length: u64) {
        let (first, last) = (address.div_ceil(64), address.saturating_add(length) / 64);
        if last.saturating_sub(first) > self.lines.len() as u64 {
            self.lines.retain(|line, _| !(first..last).contains(line));
        } else {
            (first..last).for_each(|line| drop(self.lines.remove(&line)));
        }
        self.forget_part(address / 64, address, length);
        self.forget_part(last, address, length);
    }

    /// Forgets some bytes of a line.
    fn forget_part(&mut self, at: u64, address: u64, length: u64) {
        let Some(line) = self.lines.get_mut(&at) else { return };
        let (start, end) =
            (address.saturating_sub(at * 64).min(64), address.saturating_add(length).saturating_sub(at * 64).min(64));
        let mask = if start < end { (u64::MAX >> (64 - (end - start))) << start } else { 0 };
        line.bytes &= !mask;
        line.entries.iter_mut().for_each(|entry| entry.clear(mask, mask));
        line.entries.retain(|entry| entry.reads | entry.writes != 0);
    }

    pub(super) fn candidates(&self) -> Vec<CandidateLine> {
        let mut lines: Vec<_> = self.found.values().copied().collect();
        lines.sort_unstable();
        lines
    }

    pub(super) fn most_entries(&self) -> u64 {
        self.most
    }
}

#[inline]
fn races(entry: &Entry, touch: &Touch, held: Held, locksets: &Locksets, clocks: &Clocks) -> bool {
    let other = entry.thread as usize;
    !(entry.atomic && touch.atomic)
        && locksets.together(entry.held, held)
        && !clocks.knows(touch.thread, other, entry.time)
}

impl Entry {
    fn clear(&mut self, reads: u64, writes: u64) {
        self.reads &= !reads;
        self.writes &= !writes;
    }
}

impl Line {
    /// Adds an access; returns the bytes it could race on, and with which place.
    fn meet(
        &mut self,
        touch: &Touch,
        (reads, writes): (u64, u64),
        held: Held,
        locksets: &Locksets,
        clocks: &Clocks,
    ) -> Option<(u64, u64)> {
        let (thread, time) = (touch.thread as u32, clocks.now(touch.thread));
        let (mut met, mut same, mut emptied) = (None, false, false);
        for entry in &mut self.entries {
            if entry.thread != thread {
                let bytes = writes & (entry.reads | entry.writes) | reads & entry.writes;
                if bytes != 0 && races(entry, touch, held, locksets, clocks) {
                    let (known, pc) = met.unwrap_or((0, entry.pc));
                    met = Some((known | bytes, pc));
                }
            } else if entry.held == held && entry.atomic == touch.atomic {
                if entry.time == time {
                    same = true;
                    entry.reads |= reads;
                    entry.writes |= writes;
                } else {
                    entry.clear(reads | writes, writes);
                    emptied |= entry.reads | entry.writes == 0;
                }
            }
        }
        if !same {
            let (atomic, pc) = (touch.atomic, touch.pc);
            self.entries.push(Entry { thread, time, held, atomic, reads, writes, pc });
        }
        if emptied || self.entries.len() % MANY == MANY - 1 {
            self.tidy(clocks);
        }
        met
    }

    /// Drops empty entries, and, if there are many, those that nothing can race with any more.
    fn tidy(&mut self, clocks: &Clocks) {
        let many = self.entries.len() >= MANY - 1;
        self.entries.retain(|entry| {
            let over = many && clocks.all_know(entry.thread as usize, entry.time);
            entry.reads | entry.writes != 0 && !over
        });
    }
}
