//! From an ideal to a schedule.
//!
//! The recorded order would be legal, but a schedule with fewer switches between threads is more likely to run. So each
//! thread goes on for as long as it may: until it needs an event that has not happened, or a lock whose earlier
//! sections, in recorded order, have not ended. Then the thread whose next event came first in the recorded run is
//! next. That thread may always go on, so the schedule never gets stuck.

use foretrace_event::{EventId, LockId, ThreadId};
use rustc_hash::FxHashMap;

use crate::Ideal;
use crate::sections::Section;

/// The sections of one lock that begin in an ideal, by stamp: the thread, the end, and whether the section is
/// exclusive.
#[derive(Default)]
struct Queue {
    turns: Vec<Turn>,
}

struct Turn {
    stamp: u64,
    thread: usize,
    release: u32,
    alone: bool,
}

struct Walk<'i, 'a> {
    ideal: &'i Ideal<'a>,
    done: Vec<u32>,
    next_need: Vec<usize>,
    next_section: Vec<usize>,
    queues: FxHashMap<LockId, Queue>,
}

impl Ideal<'_> {
    /// Its events in an order that keeps what the ideal keeps, with few switches between threads.
    pub fn schedule(&self) -> Vec<EventId> {
        Walk::new(self).run()
    }

    /// Its events in the recorded order.
    pub fn recorded(&self) -> Vec<EventId> {
        let held = |id: &EventId| id.index < self.cut()[id.thread.index()];
        self.order().trace.observed().filter(held).collect()
    }
}

impl<'i, 'a> Walk<'i, 'a> {
    fn new(ideal: &'i Ideal<'a>) -> Self {
        let threads = ideal.cut().len();
        let mut queues: FxHashMap<LockId, Queue> = FxHashMap::default();
        for thread in 0..threads {
            let begun = |section: &&Section| section.acquire < ideal.cut()[thread];
            for section in ideal.order().sections.of(thread).iter().take_while(begun) {
                let release = section.release.unwrap_or(u32::MAX);
                let alone = section.mode == crate::SectionMode::Write;
                queues.entry(section.lock).or_default().turns.push(Turn {
                    stamp: section.stamp,
                    thread,
                    release,
                    alone,
                });
            }
        }
        queues.values_mut().for_each(|queue| queue.turns.sort_by_key(|turn| turn.stamp));
        let none = vec![0; threads];
        Self { ideal, done: vec![0; threads], next_need: none.clone(), next_section: none, queues }
    }

    fn run(mut self) -> Vec<EventId> {
        let mut schedule = Vec::with_capacity(self.ideal.cut().iter().map(|&cut| cut as usize).sum());
        while let Some(thread) = self.first() {
            while self.done[thread] < self.ideal.cut()[thread] && self.may(thread) {
                schedule.push(EventId { thread: ThreadId::from_index(thread), index: self.done[thread] });
                self.take(thread);
            }
        }
        schedule
    }

    /// Among the threads that may go on, the one whose next event is first in the recorded run.
    fn first(&self) -> Option<usize> {
        let left = (0..self.done.len()).filter(|&thread| self.done[thread] < self.ideal.cut()[thread]);
        let stamp = |&thread: &usize| {
            let id = EventId { thread: ThreadId::from_index(thread), index: self.done[thread] };
            (self.ideal.order().trace.stamp(id), thread)
        };
        left.filter(|&thread| self.may(thread)).min_by_key(stamp)
    }

    fn may(&self, thread: usize) -> bool {
        let at = self.done[thread];
        let order = self.ideal.order();
        let needs = order.needs[thread][self.next_need[thread]..].iter().take_while(|need| need.at == at);
        let needs = needs.filter(|need| self.ideal.counts(thread, need));
        if needs.into_iter().any(|need| self.done[need.event.thread.index()] <= need.event.index) {
            return false;
        }
        let section = order.sections.of(thread).get(self.next_section[thread]);
        section.filter(|section| section.acquire == at).is_none_or(|section| self.may_begin(section))
    }

    /// Have all earlier sections of the lock that exclude this one ended?
    fn may_begin(&self, section: &Section) -> bool {
        let turns = &self.queues[&section.lock].turns;
        let mine = turns.partition_point(|turn| turn.stamp < section.stamp);
        let alone = section.mode == crate::SectionMode::Write;
        for turn in turns[..mine].iter().rev().filter(|turn| alone || turn.alone) {
            if self.done[turn.thread] <= turn.release {
                return false;
            }
            // An exclusive section began after all sections before it had ended.
            if turn.alone {
                return true;
            }
        }
        true
    }

    fn take(&mut self, thread: usize) {
        let at = self.done[thread];
        self.done[thread] += 1;
        let order = self.ideal.order();
        let needs = &order.needs[thread];
        while needs.get(self.next_need[thread]).is_some_and(|need| need.at <= at) {
            self.next_need[thread] += 1;
        }
        let sections = order.sections.of(thread);
        while sections.get(self.next_section[thread]).is_some_and(|section| section.acquire <= at) {
            self.next_section[thread] += 1;
        }
    }
}
