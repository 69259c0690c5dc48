//! What plain reads see, for searches that keep it.
//!
//! A schedule in which reads see other values than in the recorded run often does not run: the program takes another
//! path. With [`super::Rules::keep_reads`], accesses are operations, and a read may take place only at a cut at which the other
//! threads have made either the same writes to the interval as before it in the recorded run, or none at all. The latter
//! is the value that the interval had in the beginning, which programs often come back to: a flag, a free slot.
//!
//! This is a preference and not a proof: two writes may come in the other order, and the values of the beginning need
//! not be those of the run.

use foretrace_event::{Event, EventId, IntervalId};
use foretrace_trace::Trace;
use rustc_hash::FxHashMap;

use super::{Chain, Op, Program, State};

/// Traces with more accesses are not searched in this way: each would be an operation.
pub(crate) const MOST_ACCESSES: usize = 1 << 14;

/// The reads and the intervals of a program whose accesses are operations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sights {
    reads: Vec<Vec<Seen>>,
    cells: Vec<Cell>,
}

/// The accesses to one interval: each thread with its last access.
#[derive(Clone, Debug, Default)]
struct Cell {
    last: Vec<(u32, u32)>,
    /// Positions of writes, by thread.
    writes: Vec<(u32, Vec<u32>)>,
}

/// The writes of another thread that a read saw: as many as are made at these cuts.
#[derive(Clone, Copy, Debug)]
struct Seen {
    thread: u32,
    from: u32,
    to: u32,
    /// No write is made up to this cut.
    first: u32,
}

impl Sights {
    /// The reads and writes of a trace, in recorded order; the operations of the chains are completed.
    pub(super) fn new(trace: &Trace, chains: &mut [Chain]) -> Self {
        let mut sights = Self::default();
        let mut numbers: FxHashMap<IntervalId, u32> = FxHashMap::default();
        let mut reads = Vec::new();
        for id in trace.observed() {
            let (Event::Read(interval) | Event::Write(interval)) = trace.event(id) else { continue };
            let cell = *numbers.entry(interval).or_insert_with(|| {
                sights.cells.push(Cell::default());
                sights.cells.len() as u32 - 1
            });
            let position = chains[id.thread.index()].position(id.index);
            let op = sights.cells[cell as usize].access(trace, id, position, reads.len() as u32, cell);
            if let Op::Look { .. } = op {
                reads.push((id, cell, sights.cells[cell as usize].made()));
            }
            chains[id.thread.index()].ops[position as usize] = op;
        }
        sights.reads = reads.into_iter().map(|(id, cell, made)| sights.cells[cell as usize].seen(id, &made)).collect();
        sights
    }

    /// May a read take place?
    pub(crate) fn sees(&self, read: u32, state: &State) -> bool {
        let others = &self.reads[read as usize];
        let at = |seen: &Seen| state.cut[seen.thread as usize];
        others.iter().all(|seen| (seen.from..=seen.to).contains(&at(seen)))
            || others.iter().all(|seen| at(seen) <= seen.first)
    }

    /// The threads that use an interval, each with the position of its last access.
    pub(crate) fn users(&self, cell: u32) -> &[(u32, u32)] {
        &self.cells[cell as usize].last
    }
}

impl Cell {
    /// Notes an access; the operation that it is.
    fn access(&mut self, trace: &Trace, id: EventId, position: u32, reads: u32, cell: u32) -> Op {
        let thread = id.thread.0;
        match self.last.iter_mut().find(|(known, _)| *known == thread) {
            Some((_, last)) => *last = position,
            None => self.last.push((thread, position)),
        }
        if let Event::Read(_) = trace.event(id) {
            return Op::Look { read: reads, cell };
        }
        match self.writes.iter_mut().find(|(known, _)| *known == thread) {
            Some((_, writes)) => writes.push(position),
            None => self.writes.push((thread, vec![position])),
        }
        Op::Store { cell }
    }

    /// How many writes each thread has made so far.
    fn made(&self) -> Vec<(u32, usize)> {
        self.writes.iter().map(|(thread, writes)| (*thread, writes.len())).collect()
    }

    /// What a read sees when these writes have been made.
    fn seen(&self, read: EventId, made: &[(u32, usize)]) -> Vec<Seen> {
        let others = self.writes.iter().filter(|(thread, _)| *thread != read.thread.0);
        let seen = |(thread, writes): &(u32, Vec<u32>)| {
            let made = made.iter().find(|(known, _)| known == thread).map_or(0, |(_, count)| *count);
            let from = made.checked_sub(1).map_or(0, |last| writes[last] + 1);
            let to = writes.get(made).copied().unwrap_or(u32::MAX);
            Seen { thread: *thread, from, to, first: writes[0] }
        };
        others.map(seen).collect()
    }
}

impl Program {
    /// The threads with an access left to the interval that this operation accesses.
    pub(crate) fn users_left<'a>(&'a self, state: &'a State, op: Op) -> impl Iterator<Item = usize> + 'a {
        let users = match op {
            Op::Look { cell, .. } | Op::Store { cell } => self.sights.users(cell),
            _ => &[],
        };
        users.iter().filter(|(thread, last)| state.cut[*thread as usize] <= *last).map(|(thread, _)| *thread as usize)
    }
}
