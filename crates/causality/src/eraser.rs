//! The lockset algorithm over a recording: which bytes are not guarded by one lock throughout?
//!
//! **Papers.** Savage and others, *Eraser*, TOCS 1997; Jakšić, Li, Pun, Stolz, *Stream-based dynamic data race detection*,
//! NIK 2018, section 3. The stream specifications of `foretrace monitor --template lockset` state the same as
//! equations, and are tested against this implementation.
//!
//! **What it misses.** It ignores fork, join, and every order except that of locks; prediction does not.

use std::collections::BTreeSet;

use foretrace_event::wire::{Op, Record, Sync};
use foretrace_trace::{Recording, RecordingError};
use rustc_hash::FxHashMap;

/// Which accesses count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Discipline {
    /// All of them: the paper's Figure 3.
    Every,
    /// All of them, but only bytes that two threads touch are reported.
    Shared,
    /// Those from the second thread's first access on, and only if one of them is a write: Eraser's states.
    States,
}

/// The state of a byte.
#[derive(Clone, Debug)]
struct Byte {
    owner: u32,
    shared: bool,
    modified: bool,
    /// The locks that guarded it so far.
    locks: BTreeSet<u64>,
}

/// The lockset algorithm, fed one event after the other.
#[derive(Clone, Debug)]
pub struct Eraser {
    discipline: Discipline,
    /// The locks that each thread holds, with repetition.
    held: FxHashMap<u32, Vec<u64>>,
    bytes: FxHashMap<u64, Byte>,
}

impl Eraser {
    /// Nothing has happened yet.
    pub fn new(discipline: Discipline) -> Self {
        Self { discipline, held: FxHashMap::default(), bytes: FxHashMap::default() }
    }

    /// The unguarded bytes of a recording, by address.
    ///
    /// # Errors
    /// If a record cannot be decoded.
    pub fn unguarded(recording: &Recording, discipline: Discipline) -> Result<BTreeSet<u64>, RecordingError> {
        let threads: Vec<u32> = recording.threads().map(|thread| thread.id).collect();
        let mut eraser = Self::new(discipline);
        let mut found = BTreeSet::new();
        for record in recording.merged() {
            let (thread, entry) = record?;
            let thread = threads[thread];
            match entry.record {
                Record::Sync(sync) => eraser.sync(thread, &sync),
                Record::Access(access) => {
                    for (mask, writes) in [(access.reads, false), (access.writes, true)] {
                        let bytes = (0..64).filter(|byte| mask >> byte & 1 == 1).map(|byte| access.line * 64 + byte);
                        found.extend(bytes.filter(|address| eraser.access(thread, *address, writes)));
                    }
                }
            }
        }
        Ok(found)
    }

    fn sync(&mut self, thread: u32, sync: &Sync) {
        let held = self.held.entry(thread).or_default();
        match sync.op {
            Op::Lock | Op::RdLock => held.push(sync.object),
            Op::Unlock => {
                if let Some(at) = held.iter().rposition(|lock| *lock == sync.object) {
                    held.remove(at);
                }
            }
            _ => {}
        }
    }

    /// Processes an access to a byte; returns whether no lock guards the byte any more.
    pub fn access(&mut self, thread: u32, address: u64, writes: bool) -> bool {
        let held = self.held.get(&thread).map_or(&[][..], Vec::as_slice);
        let mine = || held.iter().copied().collect::<BTreeSet<u64>>();
        let new = || Byte { owner: thread, shared: false, modified: false, locks: mine() };
        let byte = self.bytes.entry(address).or_insert_with(new);
        let second = !byte.shared && byte.owner != thread;
        byte.shared |= second;
        byte.modified |= byte.shared && writes;
        if second && self.discipline == Discipline::States {
            byte.locks = mine();
        } else {
            byte.locks.retain(|lock| held.contains(lock));
        }
        byte.locks.is_empty()
            && match self.discipline {
                Discipline::Every => true,
                Discipline::Shared => byte.shared,
                Discipline::States => byte.shared && byte.modified,
            }
    }
}
