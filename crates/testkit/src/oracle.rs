//! The brute-force oracle: every reachable state of a trace's program, by definition.
//!
//! The oracle shares nothing with the engines and reduces nothing. Objects have explicit states that events change,
//! every event is a separate step, and states are stored whole. The definitions:
//!
//! * A **race** is two accesses of different threads to one interval, at least one of them a write and not both atomic,
//!   that are the next events of their threads at some reachable state.
//! * A **deadlock** is the largest non-empty set of blocked threads, none of which could be unblocked by an unfinished
//!   thread outside the set, at a reachable state where no event can take place. It is named by the events at which the
//!   threads are stuck; threads not yet created are not named.

mod world;

use std::collections::BTreeSet;

use foretrace_event::{Event, EventId, IntervalId, ThreadId};
use foretrace_trace::Trace;
use rustc_hash::FxHashSet;

pub use world::{Answer, World};

/// The rules of the model.
#[derive(Clone, Debug)]
pub struct Oracle<'a> {
    trace: &'a Trace,
    keep_atomics: bool,
    failing: BTreeSet<EventId>,
}

/// The complete answer for a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answers {
    /// Racing pairs, smaller id first, with their interval.
    pub races: BTreeSet<(IntervalId, EventId, EventId)>,
    /// Deadlocks, each a list of events in order.
    pub deadlocks: BTreeSet<Vec<EventId>>,
    /// Reachable states.
    pub states: usize,
}

impl Answers {
    /// The intervals with a race.
    pub fn racy_intervals(&self) -> BTreeSet<IntervalId> {
        self.races.iter().map(|race| race.0).collect()
    }
}

impl<'a> Oracle<'a> {
    /// The oracle of a trace, with atomics in any order and no forced failures.
    pub fn new(trace: &'a Trace) -> Self {
        Self { trace, keep_atomics: false, failing: BTreeSet::new() }
    }

    /// Operations on an atomic keep their recorded order, unless both are loads.
    pub fn keep_atomics(mut self) -> Self {
        self.keep_atomics = true;
        self
    }

    /// Forces these successful try and timed operations to fail.
    pub fn failing(mut self, events: impl IntoIterator<Item = EventId>) -> Self {
        self.failing = events.into_iter().collect();
        self
    }

    /// Explores everything.
    pub fn explore(&self) -> Answers {
        let mut answers = Answers::default();
        let mut seen = FxHashSet::default();
        let mut open = vec![World::new(self.trace)];
        seen.insert(open[0].clone());
        while let Some(world) = open.pop() {
            answers.states += 1;
            self.note_races(&world, &mut answers);
            let able: Vec<_> = self.trace.threads().filter(|t| self.answer(&world, *t) == Some(Answer::Can)).collect();
            if able.is_empty() {
                answers.deadlocks.extend(self.deadlock(&world));
            }
            for thread in able {
                let next = self.after(&world, thread);
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        answers
    }

    /// Is there an order that brings a state, which events change, to one that is looked for?
    pub fn reaches<S: Clone + Eq + std::hash::Hash>(
        &self,
        initial: S,
        after: &dyn Fn(S, ThreadId, Event) -> S,
        is_wanted: &dyn Fn(&S) -> bool,
    ) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![(World::new(self.trace), initial)];
        while let Some((world, state)) = open.pop() {
            if is_wanted(&state) {
                return true;
            }
            for thread in self.trace.threads().filter(|t| self.answer(&world, *t) == Some(Answer::Can)) {
                let id = self.next(&world, thread).expect("it can take a step");
                let next = (self.after(&world, thread), after(state.clone(), thread, self.trace.event(id)));
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        false
    }

    fn next(&self, world: &World, thread: ThreadId) -> Option<EventId> {
        let index = world.position(thread);
        (index < self.trace.len(thread)).then_some(EventId { thread, index })
    }

    fn note_races(&self, world: &World, answers: &mut Answers) {
        let next: Vec<_> = self.trace.threads().filter_map(|thread| self.next(world, thread)).collect();
        for (index, &one) in next.iter().enumerate() {
            for &other in &next[index + 1..] {
                for interval in self.conflicts(one, other) {
                    answers.races.insert((interval, one.min(other), one.max(other)));
                }
            }
        }
    }

    fn conflicts(&self, one: EventId, other: EventId) -> Vec<IntervalId> {
        let (a, b) = (self.touches(one), self.touches(other));
        let clash =
            |x: &Touch, y: &Touch| x.interval == y.interval && (x.writes || y.writes) && !(x.atomic && y.atomic);
        a.iter().filter(|x| b.iter().any(|y| clash(x, y))).map(|x| x.interval).collect()
    }

    fn touches(&self, id: EventId) -> Vec<Touch> {
        let atomic = |atomic, writes| {
            let intervals = &self.trace.atomic(atomic).intervals;
            intervals.iter().map(|&interval| Touch { interval, writes, atomic: true }).collect()
        };
        match self.trace.event(id) {
            Event::Read(interval) => vec![Touch { interval, writes: false, atomic: false }],
            Event::Write(interval) => vec![Touch { interval, writes: true, atomic: false }],
            Event::AtomicLoad(a, ..) => atomic(a, false),
            Event::AtomicStore(a, ..) | Event::AtomicRmw(a, ..) => atomic(a, true),
            _ => Vec::new(),
        }
    }

    /// The largest set of blocked threads that no other thread can unblock.
    fn deadlock(&self, world: &World) -> Option<Vec<EventId>> {
        let blocked = |t: &ThreadId| self.answer(world, *t) == Some(Answer::Blocked);
        let mut stuck: BTreeSet<ThreadId> = self.trace.threads().filter(blocked).collect();
        loop {
            let free = self.trace.threads().filter(|t| !stuck.contains(t) && self.next(world, *t).is_some()).collect();
            let helped = stuck.iter().copied().find(|t| self.helped(world, *t, &free));
            match helped {
                Some(thread) => stuck.remove(&thread),
                None => break,
            };
        }
        let created = |id: &EventId| self.trace.event(*id) != Event::Start;
        let events: Vec<_> = stuck.iter().filter_map(|t| self.next(world, *t)).filter(created).collect();
        (!events.is_empty()).then_some(events)
    }
}

struct Touch {
    interval: IntervalId,
    writes: bool,
    atomic: bool,
}
