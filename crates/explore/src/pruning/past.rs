//! What was done before a state, and is not yet in order with what others do next.

use super::locksets::{Locks, Lockset, apply};
use super::window::{Item, Touch, window};
use crate::clocks::{Clock, Clocks};
use crate::execution::{Execution, Step};
use foretrace_event::ThreadId;
use foretrace_event::visible::OpKind;
use std::collections::{BTreeMap, BTreeSet};

/// An access that was made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Made {
    pub touch: Touch,
    pub thread: ThreadId,
    pub locks: Lockset,
    /// When its thread made it, by its own clock.
    time: u32,
}

/// The accesses of an execution, and how its steps order them.
pub struct Past {
    /// Each with the step before which it was made first.
    made: BTreeMap<Made, usize>,
    /// After each step, the clock of its thread.
    clocks: Vec<Clock>,
    pub locks: Locks,
}

impl Past {
    /// Of an execution.
    pub fn new(execution: &Execution) -> Self {
        let threads = execution.steps.iter().map(|step| step.thread.index() + 1).max().unwrap_or(0);
        let (mut clocks, mut past) =
            (Clocks::new(threads), Self { made: BTreeMap::new(), clocks: Vec::new(), locks: Locks::default() });
        let mut times: BTreeMap<ThreadId, Vec<u32>> = BTreeMap::new();
        for step in &execution.steps {
            let own = times.entry(step.thread).or_insert_with(|| vec![1]);
            clocks.synchronise(step.thread, &step.operation);
            let clock = clocks.of(step.thread);
            own.push(clock.get(step.thread.index()).copied().unwrap_or(1));
            past.clocks.push(clock);
        }
        for (thread, items) in window(execution, 0) {
            past.add(thread, &items, times.get(&thread).map_or(&[1], Vec::as_slice));
        }
        past
    }

    fn add(&mut self, thread: ThreadId, items: &[Item<'_>], times: &[u32]) {
        let (mut held, mut steps) = (Lockset::default(), 0);
        for item in items {
            let step = matches!(item, Item::Step(..));
            let time = times.get(steps).copied().unwrap_or(u32::MAX);
            if let Some(touch) = item.touch() {
                self.made.entry(Made { touch, thread, locks: held, time }).or_insert(item.position());
            }
            if let Item::Step(_, step) = item {
                apply(&mut held, step, &mut self.locks, true);
            }
            steps += usize::from(step);
        }
    }

    /// What was done before a state, with the threads for which it is not in order.
    pub fn open(&self, execution: &Execution, from: usize, threads: &BTreeSet<ThreadId>) -> Vec<(Made, Vec<ThreadId>)> {
        let clock = |thread: ThreadId| (thread, self.clock(execution, from, thread));
        let clocks: Vec<_> = threads.iter().map(|&thread| clock(thread)).collect();
        let of = |made: &Made| {
            let is_open = |clock: &Clock| clock.get(made.thread.index()).is_none_or(|&time| time < made.time);
            let open = clocks.iter().filter(|(thread, clock)| *thread != made.thread && is_open(clock));
            open.map(|(thread, _)| *thread).collect::<Vec<_>>()
        };
        let before = self.made.iter().filter(|(_, at)| **at < from);
        before.map(|(made, _)| (*made, of(made))).filter(|(_, open)| !open.is_empty()).collect()
    }

    /// What a thread knows in a state; one that is not there yet, what its creator knows.
    fn clock(&self, execution: &Execution, from: usize, mut thread: ThreadId) -> Clock {
        for _ in 0..=execution.steps.len() {
            if let Some(at) = execution.steps[..from].iter().rposition(|step| step.thread == thread) {
                return self.clocks[at].clone();
            }
            let creates =
                |step: &Step| step.operation.kind == OpKind::Create && step.operation.target() == Some(thread);
            let Some(at) = execution.steps.iter().position(creates) else { break };
            thread = execution.steps[at].thread;
            if at < from {
                // Its own time went on with the creation.
                let mut clock = self.clocks[at].clone();
                clock.iter_mut().skip(thread.index()).take(1).for_each(|time| *time -= 1);
                return clock;
            }
        }
        Clock::default()
    }
}
