//! What a run consists of: its threads, its locks by how often they change hands, and the memory that threads share.

mod held;
mod memory;
mod page;

use foretrace_event::{Event, EventId, LockId};
use foretrace_trace::Trace;
use held::Held;
use memory::Shared;
use std::collections::BTreeSet;

/// The counts of a run.
pub struct Overview<'a> {
    trace: &'a Trace,
    threads: Vec<ThreadCounts>,
    locks: Vec<LockCounts>,
    memory: Vec<Shared>,
    events: usize,
}

/// What one thread did.
#[derive(Clone, Default)]
struct ThreadCounts {
    events: u64,
    locks: u64,
    waits: u64,
    /// Positions of its first and of its last event in the run.
    life: Option<(usize, usize)>,
}

/// How one lock was used.
#[derive(Clone, Default)]
struct LockCounts {
    taken: u64,
    failed: u64,
    hand_overs: u64,
    threads: BTreeSet<u32>,
    last: Option<u32>,
}

impl<'a> Overview<'a> {
    /// Counts.
    pub fn new(trace: &'a Trace) -> Self {
        let mut overview = Self {
            trace,
            threads: vec![ThreadCounts::default(); trace.threads().len()],
            locks: vec![LockCounts::default(); trace.locks().len()],
            memory: trace.intervals().map(|_| Shared::default()).collect(),
            events: 0,
        };
        let mut held: Vec<Held> = trace.threads().map(|_| Held::default()).collect();
        for id in trace.observed() {
            overview.count(id, &mut held[id.thread.index()]);
        }
        overview
    }

    fn count(&mut self, id: EventId, held: &mut Held) {
        let position = self.events;
        self.events += 1;
        let thread = &mut self.threads[id.thread.index()];
        thread.events += 1;
        thread.life = Some((thread.life.map_or(position, |(first, _)| first), position));
        match self.trace.event(id) {
            Event::Lock(lock, _) | Event::RdLock(lock, _) => {
                thread.locks += 1;
                held.take(lock);
                self.taken(lock, id);
            }
            Event::FailedLock(lock, _) | Event::FailedRdLock(lock, _) => self.locks[lock.index()].failed += 1,
            Event::Unlock(lock) => held.release(lock),
            Event::Wait(..) | Event::FailedWait(..) => thread.waits += 1,
            Event::Read(interval) => self.memory[interval.index()].read(id.thread, held),
            Event::Write(interval) => self.memory[interval.index()].write(id.thread, held),
            _ => {}
        }
    }

    fn taken(&mut self, lock: LockId, id: EventId) {
        let counts = &mut self.locks[lock.index()];
        counts.taken += 1;
        counts.threads.insert(id.thread.0);
        let before = counts.last.replace(id.thread.0);
        counts.hand_overs += u64::from(before.is_some_and(|before| before != id.thread.0));
    }

    /// The locks that were used, the most often handed over first.
    fn by_contention(&self) -> Vec<(LockId, &LockCounts)> {
        let used = self.trace.locks().map(|(id, _)| (id, &self.locks[id.index()]));
        let mut used: Vec<_> = used.filter(|(_, counts)| counts.taken + counts.failed > 0).collect();
        used.sort_by_key(|(id, counts)| (std::cmp::Reverse((counts.hand_overs + counts.failed, counts.taken)), id.0));
        used
    }
}

#[cfg(test)]
mod tests {
    use super::Overview;
    use foretrace_trace::text;

    const RUN: &str = "main fork t
        main lock quiet
        main unlock quiet
        main lock m
        main write x
        main unlock m
        t lock m
        t read x
        t unlock m
        main lock m
        main unlock m";

    #[test]
    fn locks_that_change_hands_come_first() {
        let trace = text::parse(RUN).expect("a good trace");
        let overview = Overview::new(&trace);
        let locks = overview.by_contention();
        let shown: Vec<_> =
            locks.iter().map(|(id, counts)| (trace.name(*id), counts.taken, counts.hand_overs)).collect();
        assert_eq!(shown, [("m".to_owned(), 3, 2), ("quiet".to_owned(), 1, 0)]);
    }

    #[test]
    fn memory_knows_what_protects_it() {
        let trace = text::parse(RUN).expect("a good trace");
        let page = Overview::new(&trace).page("a run");
        assert!(page.contains("<td>x</td>") && page.contains("<td>m</td>"), "{page}");
    }

    #[test]
    fn names_are_escaped() {
        let trace = text::parse("main fork t\nt write x").expect("a good trace");
        assert!(Overview::new(&trace).page("<script>").contains("&lt;script&gt;"));
    }
}
