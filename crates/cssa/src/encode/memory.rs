//! Reads see the last write (Φ_PI): for each read whose value matters, a literal for each write that it may see. What
//! keeps all other writes away is added when an order violates it.

use crate::encode::Parts;
use foretrace_ctp::{Ctp, EventId, Place, ReadId, ThreadId};
use foretrace_order::{Lit, Solver, Truth};

/// Bytes that are always accessed together.
#[derive(Debug)]
struct Cell {
    place: Place,
    /// The writes of each thread, in program order.
    writers: Vec<Vec<EventId>>,
    readers: Vec<Reader>,
}

/// A read of a cell, with the writes that it may see; `None` is the value at the beginning.
#[derive(Debug)]
struct Reader {
    by: EventId,
    sources: Vec<(Option<EventId>, Lit)>,
}

/// All cells, by address.
#[derive(Debug)]
pub struct Memory {
    cells: Vec<Cell>,
}

impl Memory {
    pub fn new(ctp: &Ctp) -> Self {
        let places = || ctp.events().filter_map(|(id, event)| Some((id, event.action, event.action.place()?)));
        let mut borders: Vec<u64> = places().flat_map(|(.., place)| [place.address, place.end()]).collect();
        borders.sort_unstable();
        borders.dedup();
        let cell = |pair: &[u64]| {
            // What lies between two variables may be long, but nobody accesses it.
            let size = (pair[1] - pair[0]).min(8) as u8;
            let writers = vec![Vec::new(); ctp.threads.len()];
            Cell { place: Place { address: pair[0], size }, writers, readers: Vec::new() }
        };
        let mut memory = Self { cells: borders.windows(2).map(cell).collect() };
        for (id, action, place) in places() {
            if action.written().is_some() {
                let range = memory.range(place);
                memory.cells[range].iter_mut().for_each(|cell| cell.writers[id.thread.index()].push(id));
            }
        }
        memory
    }

    fn range(&self, place: Place) -> std::ops::Range<usize> {
        let first = self.cells.partition_point(|cell| cell.place.address < place.address);
        first..self.cells.partition_point(|cell| cell.place.address < place.end())
    }
}

/// How many pairs of a read and a write that it might see a program has: formulas grow with them.
pub fn pairs(ctp: &Ctp) -> usize {
    let memory = Memory::new(ctp);
    let reads = ctp.reads.iter().filter_map(|by| ctp.event(*by).action.place());
    let writers = |cell: &Cell| cell.writers.iter().map(Vec::len).sum::<usize>() + 1;
    reads.flat_map(|place| memory.range(place)).map(|cell| writers(&memory.cells[cell])).sum()
}

impl Parts {
    /// Gives every read that matters its sources, until no further read matters.
    pub fn reads(&mut self, s: &mut Solver) {
        while let Some(read) = self.wanted.pop() {
            let by = self.modelled.ctp.reads[read.index()];
            let Some(place) = self.action(by).place() else { continue };
            for cell in self.memory.range(place) {
                self.sources(s, read, by, cell);
            }
            self.sum(s, read, by);
        }
    }

    fn sources(&mut self, s: &mut Solver, read: ReadId, by: EventId, cell: usize) {
        let (candidates, initial) = self.candidates(by, cell);
        let mut clause = vec![!self.x(by)];
        let mut sources = Vec::new();
        let earlier = candidates.iter().filter(|write| self.recorded(**write) < self.recorded(by));
        let seen = earlier.max_by_key(|write| self.recorded(**write)).copied();
        let candidates = candidates.into_iter().map(Some).chain(initial.then_some(None));
        for source in candidates {
            let sees = s.dormant();
            // What was seen in the recorded order comes first.
            if source == seen {
                s.prefer(sees, 2.0)
            } else {
                s.prefer(!sees, 1.0)
            }
            clause.push(sees);
            sources.push((source, sees));
            match source {
                Some(write) => self.sees_write(s, sees, (by, write), cell),
                None => self.sees_initial(s, sees, by, cell),
            }
            self.same_value(s, sees, (read, by), source, cell);
        }
        s.clause(&clause);
        self.memory.cells[cell].readers.push(Reader { by, sources });
    }

    /// The writes that a read may see, and whether it may see the value at the beginning.
    fn candidates(&self, by: EventId, cell: usize) -> (Vec<EventId>, bool) {
        let mut found = Vec::new();
        let mut initial = true;
        let own = self.own_writes(by, cell);
        for write in own.iter().rev() {
            found.push(*write);
            if self.flow.dominates(*write, by) {
                initial = false;
                break;
            }
        }
        let last = own.last().copied().filter(|_| !initial);
        for writers in &self.memory.cells[cell].writers {
            if writers.first().is_none_or(|write| write.thread == by.thread) {
                continue;
            }
            // Of those that always come before, only the last that always happens, and what follows it, can be seen.
            let early = writers.iter().rposition(|write| self.must.before(*write, by) && self.flow.outside(*write));
            initial &= early.is_none();
            let hidden = |write: &EventId| last.is_some_and(|last| self.must.before(*write, last));
            let seen = writers[early.unwrap_or(0)..].iter().filter(|write| !self.must.before(by, **write));
            found.extend(seen.filter(|write| !hidden(write)));
        }
        (found, initial)
    }

    /// The writes of the read's own thread before it.
    fn own_writes(&self, by: EventId, cell: usize) -> &[EventId] {
        let own = &self.memory.cells[cell].writers[by.thread.index()];
        &own[..own.partition_point(|write| write.index < by.index)]
    }

    fn sees_write(&mut self, s: &mut Solver, sees: Lit, (by, write): (EventId, EventId), cell: usize) {
        let earlier = self.before(s, write, by);
        s.clause(&[!sees, self.x(write)]);
        s.clause(&[!sees, earlier]);
        let own = self.own_writes(by, cell);
        if write.thread == by.thread {
            let between: Vec<EventId> = own.iter().filter(|other| other.index > write.index).copied().collect();
            between.into_iter().for_each(|other| s.clause(&[!sees, !self.x(other)]));
            return;
        }
        if let Some(last) = own.last().copied() {
            let hidden = self.before(s, last, write);
            s.clause(&[!sees, !self.x(last), hidden]);
        }
        if let Some(next) = self.next_write(write, cell) {
            let later = self.before(s, by, next);
            s.clause(&[!sees, !self.x(next), later]);
        }
    }

    fn next_write(&self, write: EventId, cell: usize) -> Option<EventId> {
        let writers = &self.memory.cells[cell].writers[write.thread.index()];
        writers.get(writers.partition_point(|other| other.index <= write.index)).copied()
    }

    fn sees_initial(&mut self, s: &mut Solver, sees: Lit, by: EventId, cell: usize) {
        let own = self.own_writes(by, cell).to_vec();
        own.into_iter().for_each(|write| s.clause(&[!sees, !self.x(write)]));
        let others = self.memory.cells[cell].writers.iter();
        let firsts: Vec<EventId> =
            others.filter_map(|writers| writers.first()).filter(|write| write.thread != by.thread).copied().collect();
        for write in firsts {
            let later = self.before(s, by, write);
            s.clause(&[!sees, !self.x(write), later]);
        }
    }

    /// What is seen is what was written.
    fn same_value(
        &mut self,
        s: &mut Solver,
        sees: Lit,
        (read, by): (ReadId, EventId),
        from: Option<EventId>,
        cell: usize,
    ) {
        let place = self.memory.cells[cell].place;
        let part = |parts: &Self, id: EventId| {
            let start = parts.action(id).place().map_or(0, |whole| place.address - whole.address) as usize * 8;
            start..start + usize::from(place.width())
        };
        let seen = self.read_bits(s, read)[part(self, by)].to_vec();
        let written = match from {
            None => self.circuits.number(place.width(), self.modelled.initial.value(place)),
            Some(write) => match self.action(write).written() {
                Some(value) => self.value_bits(s, value)[part(self, write)].to_vec(),
                None => return,
            },
        };
        for (a, b) in seen.into_iter().zip(written) {
            s.clause(&[!sees, !a, b]);
            s.clause(&[!sees, a, !b]);
        }
    }

    /// Clauses of π-functions that the order found violates: a write between a read and the write that it sees.
    pub fn stale_reads(&mut self, s: &mut Solver) -> Vec<Vec<Lit>> {
        let mut wrong: Vec<(EventId, Option<EventId>, Lit, EventId)> = Vec::new();
        for cell in self.memory.cells.iter().filter(|cell| !cell.readers.is_empty()) {
            let writers = cell.writers.iter().flatten().filter(|write| self.chosen(s, **write));
            let mut writers: Vec<_> = writers.map(|write| (self.key(s, *write), *write)).collect();
            writers.sort_unstable();
            for reader in cell.readers.iter().filter(|reader| self.chosen(s, reader.by)) {
                let key = self.key(s, reader.by);
                let before = &writers[..writers.partition_point(|(other, _)| *other < key)];
                for (source, sees) in &reader.sources {
                    if s.value(*sees) == Truth::True {
                        let between = before.iter().rev().map(|(_, write)| *write).take_while(|w| Some(*w) != *source);
                        wrong.extend(one_each(between).into_iter().map(|write| (reader.by, *source, *sees, write)));
                    }
                }
            }
        }
        wrong.into_iter().map(|(by, source, sees, write)| self.keep_away(s, (by, source, sees), write)).collect()
    }

    fn keep_away(
        &mut self,
        s: &mut Solver,
        (by, from, sees): (EventId, Option<EventId>, Lit),
        write: EventId,
    ) -> Vec<Lit> {
        let mut clause = vec![!sees, !self.x(write), self.before(s, by, write)];
        clause.extend(from.map(|from| self.before(s, write, from)));
        clause
    }
}

/// The last write of each thread.
fn one_each(writes: impl Iterator<Item = EventId>) -> Vec<EventId> {
    let mut found: Vec<EventId> = Vec::new();
    for write in writes {
        let known = |thread: ThreadId| found.iter().any(|other| other.thread == thread);
        if !known(write.thread) {
            found.push(write);
        }
    }
    found
}
