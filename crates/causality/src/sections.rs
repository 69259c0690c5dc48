//! Critical sections.

use std::collections::BTreeSet;

use foretrace_event::{Event, EventId, LockId, ThreadId};
use foretrace_trace::Trace;
use rustc_hash::FxHashMap;

use crate::MustOrder;

/// How a section holds its lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SectionMode {
    /// Exclusively.
    Write,
    /// With other readers.
    Read,
}

/// A thread's hold on a lock, from locking to unlocking; relocking in between does not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section {
    /// Which lock.
    pub lock: LockId,
    /// Its mode.
    pub mode: SectionMode,
    /// The event that locks it, by its index in its thread.
    pub acquire: u32,
    /// The event that unlocks it, if there is one.
    pub release: Option<u32>,
    /// When it was taken.
    pub stamp: u64,
    /// The innermost section of the thread that was open then, by its number.
    outer: Option<u32>,
}

impl Section {
    /// Do two sections of the same lock exclude each other?
    pub fn excludes(&self, other: &Self) -> bool {
        self.mode == SectionMode::Write || other.mode == SectionMode::Write
    }
}

/// The sections of all threads.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    threads: Vec<Vec<Section>>,
}

impl Sections {
    /// The sections of a trace. Locks that are passed on between threads, or keep their recorded order, have none.
    pub fn new(trace: &Trace, must: &MustOrder) -> Self {
        let threads = trace.threads().map(|thread| sections_of(trace, must, thread)).collect();
        Self { threads }
    }

    /// The sections of a thread, in the order of the events that begin them.
    pub fn of(&self, thread: usize) -> &[Section] {
        &self.threads[thread]
    }

    /// Each lock that a thread takes while it holds others, paired with the lock that it took last before.
    pub fn innermost(&self, thread: usize) -> impl Iterator<Item = (LockId, LockId)> + '_ {
        let sections = &self.threads[thread];
        sections.iter().filter_map(|section| Some((sections[section.outer? as usize].lock, section.lock)))
    }

    /// The sections that a thread is in when an event is its next.
    pub fn around(&self, thread: usize, event: u32) -> impl Iterator<Item = &Section> + '_ {
        let sections = &self.threads[thread];
        let begun = sections.partition_point(|section| section.acquire < event);
        let mut at = begun.checked_sub(1);
        std::iter::from_fn(move || {
            let section = &sections[at?];
            at = section.outer.map(|outer| outer as usize);
            Some(section)
        })
        .filter(move |section| section.release.is_none_or(|release| release >= event))
    }
}

/// A lock that a thread holds: its section, and how often it was locked.
struct Open {
    section: usize,
    depth: u32,
}

fn sections_of(trace: &Trace, must: &MustOrder, thread: ThreadId) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut open: FxHashMap<LockId, Open> = FxHashMap::default();
    let mut numbers: BTreeSet<usize> = BTreeSet::new();
    for (index, event) in trace.events(thread).enumerate() {
        let (lock, mode) = match event {
            Event::Lock(lock, _) => (lock, Some(SectionMode::Write)),
            Event::RdLock(lock, _) => (lock, Some(SectionMode::Read)),
            Event::Unlock(lock) => (lock, None),
            _ => continue,
        };
        if must.passed_on(lock).is_some() || must.keeps_order(lock) {
            continue;
        }
        let index = index as u32;
        match (mode, open.get_mut(&lock)) {
            (Some(_), Some(held)) => held.depth += 1,
            (Some(mode), None) => {
                let outer = numbers.last().map(|&section| section as u32);
                open.insert(lock, Open { section: sections.len(), depth: 1 });
                numbers.insert(sections.len());
                let stamp = trace.stamp(EventId { thread, index });
                sections.push(Section { lock, mode, acquire: index, release: None, stamp, outer });
            }
            (None, Some(held)) if held.depth == 1 => {
                sections[held.section].release = Some(index);
                numbers.remove(&held.section);
                open.remove(&lock);
            }
            (None, Some(held)) => held.depth -= 1,
            (None, None) => {}
        }
    }
    sections
}
