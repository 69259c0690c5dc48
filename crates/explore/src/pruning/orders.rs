//! What creation and joining put in order in every execution of a subspace.
//!
//! An *epoch* of a thread ends when it creates or joins another. For each epoch, its clock says up to which epoch what other
//! threads do comes before.

use super::window::{Item, Window};
use crate::execution::Execution;
use foretrace_event::ThreadId;
use foretrace_event::visible::OpKind;
use std::collections::{BTreeMap, BTreeSet};

/// What is the same in every execution of a subspace.
#[derive(Clone, Default)]
pub struct Steady {
    /// Up to which item each thread does the same.
    pub until: BTreeMap<ThreadId, usize>,
    /// The branches behind that whose sides may all be taken, although it is known what decides them.
    pub open: BTreeSet<(ThreadId, usize)>,
}

type Clock = BTreeMap<ThreadId, u32>;

/// The clocks of all epochs.
#[derive(Default)]
pub struct Orders {
    clocks: BTreeMap<ThreadId, Vec<Clock>>,
}

/// A moment of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct When {
    pub thread: ThreadId,
    pub epoch: u32,
}

/// Does an epoch end with this item?
pub fn ends_epoch(item: &Item<'_>) -> bool {
    matches!(item, Item::Step(_, step) if matches!(step.operation.kind, OpKind::Create | OpKind::Join))
}

impl Orders {
    /// Of the part of an execution behind a state.
    pub fn new(execution: &Execution, from: usize, window: &Window<'_>, steady: &Steady) -> Self {
        let mut orders = Self::default();
        let mut next: BTreeMap<ThreadId, usize> = BTreeMap::new();
        for step in &execution.steps[from..] {
            let at = next.entry(step.thread).or_default();
            *at += window[&step.thread][*at..].iter().take_while(|item| matches!(item, Item::Note(_))).count();
            let is_steady = *at < steady.until.get(&step.thread).copied().unwrap_or(0);
            *at += 1;
            match (step.operation.kind, step.operation.target()) {
                (OpKind::Create, Some(child)) => orders.create(step.thread, child),
                (OpKind::Join, Some(child)) => orders.join(step.thread, child, is_steady),
                _ => {}
            }
        }
        orders
    }

    fn last(&mut self, thread: ThreadId) -> &mut Vec<Clock> {
        let clocks = self.clocks.entry(thread).or_default();
        if clocks.is_empty() {
            clocks.push(Clock::default());
        }
        clocks
    }

    fn create(&mut self, creator: ThreadId, child: ThreadId) {
        let clocks = self.last(creator);
        let (epoch, clock) = (clocks.len() as u32, clocks.last().cloned().unwrap_or_default());
        clocks.push(clock.clone());
        let mut own = clock;
        own.insert(creator, epoch);
        self.clocks.insert(child, vec![own]);
    }

    fn join(&mut self, thread: ThreadId, child: ThreadId, is_steady: bool) {
        let mut clock = self.last(thread).last().cloned().unwrap_or_default();
        if is_steady {
            let ended = self.last(child).last().cloned().unwrap_or_default();
            for (other, epoch) in ended.into_iter().chain([(child, u32::MAX)]) {
                let known = clock.entry(other).or_default();
                *known = epoch.max(*known);
            }
        }
        self.last(thread).push(clock);
    }

    /// Does the first always come before the second?
    pub fn is_before(&self, first: When, second: When) -> bool {
        let clock = self.clocks.get(&second.thread).and_then(|clocks| clocks.get(second.epoch as usize));
        clock.and_then(|clock| clock.get(&first.thread)).is_some_and(|&epoch| first.epoch < epoch)
    }
}
