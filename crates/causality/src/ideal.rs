//! The ideal: a closed prefix of every thread.
//!
//! For events `e1 … en` of different threads, the ideal contains everything before them in their threads, and is
//! closed:
//!
//! 1. It contains what each of its events needs ([`Order`]).
//! 2. If two sections of a lock exclude each other and have both begun in it, then the one that came first in the
//!    recorded run has ended in it.
//!
//! If it contains none of `e1 … en`, then its events in the recorded order are a legal schedule after which they are
//! all next: every lock is free when it is taken, because the section before it has ended. With [`Keep::Must`], rule 2
//! applies only to sections around one of the events, which will not end: any other thread that took such a lock has
//! released it, whatever the order. That ideal is part of every reordering at whose end the events are next, so if it
//! runs past one of them, there is no such reordering.
//!
//! Ideals of later events contain those of earlier ones, so an ideal only ever grows: a sweep over many pairs costs as
//! much as the last ideal.

use foretrace_event::{EventId, LockId, ThreadId};

use crate::sections::{Section, SectionMode};
use crate::{Keep, Need, Order};

/// The ideal runs past the event in question of this thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beyond {
    /// Which thread.
    pub thread: usize,
}

/// A closed prefix of every thread, that can be grown.
#[derive(Clone, Debug)]
pub struct Ideal<'a> {
    order: &'a Order<'a>,
    cut: Vec<u32>,
    /// How far each thread should go.
    wanted: Vec<u32>,
    /// The next need and the next section of each thread after the cut.
    next_need: Vec<usize>,
    next_section: Vec<usize>,
    locks: Vec<LockState>,
    /// Locks held around the events in question, with their holders: for [`Keep::Must`].
    around: Vec<(LockId, SectionMode, usize)>,
    /// Accesses whose order does not matter: the candidate's own.
    except: Vec<EventId>,
}

/// Sections of a lock that have begun and need not have ended.
#[derive(Clone, Debug, Default)]
struct LockState {
    writer: Option<Begun>,
    readers: Vec<Begun>,
    /// With [`Keep::Must`]: the last section of each thread.
    all: Vec<Begun>,
}

#[derive(Clone, Copy, Debug)]
struct Begun {
    thread: usize,
    section: Section,
}

impl<'a> Ideal<'a> {
    /// The empty one.
    pub fn new(order: &'a Order<'a>) -> Self {
        let threads = order.needs.len();
        Self {
            order,
            cut: vec![0; threads],
            wanted: vec![0; threads],
            next_need: vec![0; threads],
            next_section: vec![0; threads],
            locks: vec![LockState::default(); order.trace.locks().len()],
            around: Vec::new(),
            except: Vec::new(),
        }
    }

    /// Exempts these accesses: they need nothing, and nothing needs them.
    pub fn except(mut self, events: &[EventId]) -> Self {
        self.except = events.to_vec();
        self
    }

    /// Does a thread's need count?
    pub(crate) fn counts(&self, thread: usize, need: &Need) -> bool {
        let of = EventId { thread: ThreadId::from_index(thread), index: need.at };
        self.except.is_empty() || !(self.except.contains(&of) || self.except.contains(&need.event))
    }

    /// How many events of each thread it holds.
    pub fn cut(&self) -> &[u32] {
        &self.cut
    }

    /// How many events of a thread it would hold if it were closed.
    pub fn wanted(&self, thread: usize) -> u32 {
        self.wanted[thread]
    }

    /// Grows it until these events, given as thread and index, would be next.
    ///
    /// # Errors
    /// If it runs past one of them. It can then still be grown for later ones.
    pub fn reach(&mut self, events: &[(usize, u32)]) -> Result<(), Beyond> {
        self.hold_around(events);
        for &(thread, index) in events {
            self.want(thread, index);
        }
        loop {
            if let Some(&(thread, _)) = events.iter().find(|&&(thread, index)| self.wanted[thread] > index) {
                return Err(Beyond { thread });
            }
            let Some(thread) = (0..self.cut.len()).find(|&thread| self.cut[thread] < self.wanted[thread]) else {
                return Ok(());
            };
            self.advance(thread);
        }
    }

    fn want(&mut self, thread: usize, cut: u32) {
        self.wanted[thread] = self.wanted[thread].max(cut);
    }

    /// Adds a thread's events up to the wanted one.
    fn advance(&mut self, thread: usize) {
        let cut = self.wanted[thread];
        self.cut[thread] = cut;
        let order = self.order;
        while let Some(need) = order.needs[thread].get(self.next_need[thread]).filter(|need| need.at < cut) {
            self.next_need[thread] += 1;
            if self.counts(thread, need) {
                self.want(need.event.thread.index(), need.event.index + 1);
            }
        }
        let sections = order.sections.of(thread);
        while let Some(&section) = sections.get(self.next_section[thread]).filter(|section| section.acquire < cut) {
            self.next_section[thread] += 1;
            self.begin(Begun { thread, section });
        }
    }

    fn begin(&mut self, begun: Begun) {
        if self.order.keep == Keep::Must {
            self.begin_unordered(begun);
        } else if begun.section.mode == SectionMode::Write {
            self.begin_writing(begun);
        } else {
            self.begin_reading(begun);
        }
    }

    fn begin_writing(&mut self, begun: Begun) {
        let mut state = std::mem::take(&mut self.locks[begun.section.lock.index()]);
        state.writer = Some(match state.writer {
            Some(other) if other.section.stamp < begun.section.stamp => {
                self.end(other);
                begun
            }
            Some(other) => {
                self.end(begun);
                other
            }
            None => begun,
        });
        let (before, after): (Vec<_>, Vec<_>) =
            state.readers.drain(..).partition(|reader| reader.section.stamp < begun.section.stamp);
        before.into_iter().for_each(|reader| self.end(reader));
        if !after.is_empty() {
            self.end(begun);
        }
        state.readers = after;
        self.locks[begun.section.lock.index()] = state;
    }

    fn begin_reading(&mut self, begun: Begun) {
        let lock = begun.section.lock.index();
        match self.locks[lock].writer {
            Some(writer) if writer.section.stamp > begun.section.stamp => self.end(begun),
            Some(writer) => {
                self.end(writer);
                self.note_reader(lock, begun);
            }
            None => self.note_reader(lock, begun),
        }
    }

    /// Of a thread's read sections, only the last can be open.
    fn note_reader(&mut self, lock: usize, begun: Begun) {
        self.locks[lock].readers.retain(|reader| reader.thread != begun.thread);
        self.locks[lock].readers.push(begun);
    }

    /// With [`Keep::Must`]: a section must end if a section that will not end excludes it.
    fn begin_unordered(&mut self, begun: Begun) {
        let all = &mut self.locks[begun.section.lock.index()].all;
        all.retain(|other| other.thread != begun.thread);
        all.push(begun);
        if self.around.iter().any(|hold| shuts_out(hold, &begun)) {
            self.end(begun);
        }
    }

    fn hold_around(&mut self, events: &[(usize, u32)]) {
        if self.order.keep != Keep::Must {
            return;
        }
        self.around.clear();
        for &(thread, index) in events {
            let sections = self.order.sections.around(thread, index);
            self.around.extend(sections.map(|section| (section.lock, section.mode, thread)));
        }
        for hold in self.around.clone() {
            for begun in self.locks[hold.0.index()].all.clone() {
                if shuts_out(&hold, &begun) {
                    self.end(begun);
                }
            }
        }
    }

    /// The section must end. If it never does, more events are wanted than there are.
    fn end(&mut self, begun: Begun) {
        let end = begun.section.release.map_or(u32::MAX, |release| release + 1);
        self.want(begun.thread, end);
    }

    /// The order it is closed under.
    pub fn order(&self) -> &'a Order<'a> {
        self.order
    }
}

fn shuts_out(&(lock, mode, holder): &(LockId, SectionMode, usize), begun: &Begun) -> bool {
    let excludes = mode == SectionMode::Write || begun.section.mode == SectionMode::Write;
    lock == begun.section.lock && holder != begun.thread && excludes
}
