//! Accesses and allocations along the walk, and the intervals at its end.

use foretrace_event::wire::{Access, Sync};
use foretrace_event::{AtomicId, Event, IntervalId, ThreadId};

use super::generations::bits;
use super::intervals::{self, Sink, Threads, Touch, Toucher};
use super::lines::is_access;
use super::operations::{AtomicUse, Normaliser};
use crate::builder::Placed;
use crate::note::Note;
use crate::trace::{AllocationInfo, IntervalInfo, Trace};
use crate::{PlaceId, TraceBuilder};

impl Normaliser<'_> {
    /// An access of a thread's open segment. Memory that is not allocated now may be allocated before the segment ends.
    pub(super) fn access(&mut self, index: usize, access: &Access) {
        if !self.lines.matters(access.line) {
            return;
        }
        let mut late = 0;
        let mut parts = std::mem::take(&mut self.parts);
        self.generations.parts(access.line, access.reads | access.writes, |part| parts.push(part));
        for part in parts.drain(..) {
            if part.live {
                self.keep(index, access, part.generation, part.mask);
            } else {
                late |= part.mask;
            }
        }
        self.parts = parts;
        if late != 0 {
            let (reads, writes) = (access.reads & late, access.writes & late);
            self.walkers[index].pending.push(Access { reads, writes, ..*access });
        }
    }

    /// The segment ends: accesses to memory that was not allocated when they were read belong to its present
    /// allocation.
    pub(super) fn settle_pending(&mut self, index: usize) {
        let mut pending = std::mem::take(&mut self.walkers[index].pending);
        let mut parts = std::mem::take(&mut self.parts);
        for access in pending.drain(..) {
            self.generations.parts(access.line, access.reads | access.writes, |part| parts.push(part));
            parts.drain(..).for_each(|part| self.keep(index, &access, part.generation, part.mask));
        }
        (self.walkers[index].pending, self.parts) = (pending, parts);
    }

    fn keep(&mut self, index: usize, access: &Access, generation: u32, mask: u64) {
        let thread = self.walker_thread(index);
        let Some(segment) = self.walkers[index].segment.or_else(|| self.new_segment(thread)) else { return };
        self.walkers[index].segment = Some(segment);
        self.touches.push(Touch {
            line: access.line,
            generation,
            toucher: Toucher::Segment(segment),
            reads: access.reads & mask,
            writes: access.writes & mask,
            place: self.builder.at_pc(access.pc).index(),
        });
    }

    fn new_segment(&mut self, thread: ThreadId) -> Option<u32> {
        let position = self.builder.position(thread)?;
        self.segments.push((thread, position));
        u32::try_from(self.segments.len() - 1).ok()
    }

    /// A block of memory is allocated; the objects that were there before are gone.
    pub(super) fn allocate(&mut self, thread: ThreadId, address: u64, length: u64, pc: u64) {
        let end = address.saturating_add(length);
        if address == 0 || length == 0 || self.allocations.len() >= u32::MAX as usize - 1 {
            return;
        }
        self.allocations.push(AllocationInfo { address, length, thread, pc });
        self.generations.alloc(address, end, self.allocations.len() as u32);
        self.forget_range(address, end);
    }

    /// The thread that frees a block writes all bytes of it that other threads touch.
    pub(super) fn write_all(&mut self, index: usize, sync: &Sync) {
        if !is_access(sync) {
            return;
        }
        let (start, end) = (sync.object, sync.object.saturating_add(sync.arg));
        for line in self.lines.touched_within(start, sync.arg) {
            if !self.lines.matters(line) {
                continue;
            }
            let writes = bits(start.saturating_sub(line * 64), end - line * 64);
            let access = Access { line, reads: 0, writes, pc: sync.pc };
            let mut parts = std::mem::take(&mut self.parts);
            self.generations.parts(line, writes, |part| parts.push(part));
            parts.drain(..).for_each(|part| self.keep(index, &access, part.generation, part.mask));
            self.parts = parts;
        }
    }

    /// A block of memory is freed, with all objects in it.
    pub(super) fn free(&mut self, address: u64, length: u64) {
        let end = address.saturating_add(length);
        self.generations.free(address, end);
        self.forget_range(address, end);
    }

    /// Intervals, and the trace.
    pub(super) fn finish(mut self) -> Trace {
        (0..self.walkers.len()).for_each(|index| self.settle_pending(index));
        if self.unforked > 0 {
            self.builder.note(Note::MissingFork { threads: self.unforked });
        }
        for note in std::mem::take(&mut self.misuses).notes() {
            self.builder.note(note);
        }
        if self.interrupting > 0 {
            self.builder.note(Note::Interrupting(self.interrupting));
        }
        self.touch_atomics();
        let touches = std::mem::take(&mut self.touches);
        let mut events = Events {
            segments: &self.segments,
            atomics: &self.atomics,
            builder: &mut self.builder,
            last: IntervalId(0),
            accesses: Vec::new(),
        };
        intervals::group(touches, &mut events);
        let mut accesses = events.accesses;
        accesses.sort_unstable();
        let segments = &self.segments;
        let placed = accesses.into_iter().map(|(segment, interval, write, place)| {
            let (thread, position) = segments[segment as usize];
            let event = if write { Event::Write(IntervalId(interval)) } else { Event::Read(IntervalId(interval)) };
            Placed { thread, position, event, place: PlaceId::from_index(place) }
        });
        self.builder.insert_accesses(placed);
        self.builder.keep_allocations(&self.allocations);
        self.builder.finish()
    }

    /// Each atomic variable touches its bytes: a load reads them, a store writes them.
    fn touch_atomics(&mut self) {
        for (index, usage) in self.atomics.iter().enumerate() {
            let info = self.builder.atomic_mut(AtomicId::from_index(index));
            let (start, end) = (info.address, info.address.saturating_add(u64::from(info.size)));
            for line in start / 64..=end.saturating_sub(1).max(start) / 64 {
                let mask = bits(start.saturating_sub(line * 64), end - line * 64);
                let writes = if usage.stored { mask } else { 0 };
                let toucher = Toucher::Atomic(index as u32);
                let touch = Touch { line, generation: usage.generation, toucher, reads: mask, writes, place: 0 };
                if self.lines.matters(line) {
                    self.touches.push(touch);
                }
            }
        }
    }
}

/// Turns intervals into events of the segments that touch them.
struct Events<'a> {
    segments: &'a [(ThreadId, u32)],
    atomics: &'a [AtomicUse],
    builder: &'a mut TraceBuilder,
    last: IntervalId,
    /// Segment, interval, write or read, place.
    accesses: Vec<(u32, u32, bool, u32)>,
}

impl Sink for Events<'_> {
    fn threads(&self, toucher: Toucher) -> Threads {
        match toucher {
            Toucher::Segment(segment) => Threads::One(self.segments[segment as usize].0),
            Toucher::Atomic(atomic) => self.atomics[atomic as usize].threads,
        }
    }

    fn interval(&mut self, address: u64, generation: u32) {
        self.last = self.builder.interval(IntervalInfo { name: None, address, length: 0, generation });
    }

    fn touch(&mut self, toucher: Toucher, (reads, writes): (bool, bool), place: u32) {
        match toucher {
            Toucher::Segment(segment) => {
                let how = [(reads, false), (writes, true)];
                let events = how.into_iter().filter(|(there, _)| *there);
                self.accesses.extend(events.map(|(_, write)| (segment, self.last.0, write, place)));
            }
            Toucher::Atomic(atomic) => self.builder.atomic_mut(AtomicId(atomic)).intervals.push(self.last),
        }
    }

    fn extend(&mut self, bytes: u64) {
        self.builder.interval_mut(self.last).length += bytes;
    }
}
