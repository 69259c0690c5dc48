//! From an order of events to the choices of a plan.

use foretrace_ctp::{Action, Ctp, EventId};
use foretrace_event::visible::OpKind;
use foretrace_explore::{Choice, Step};
use rustc_hash::FxHashMap;

/// The choices that make the run take the events in this order, in which signals wake these of those that wait. The last event
/// may be a condition, which is no step.
pub fn plan(ctp: &Ctp, steps: &[Step], order: &[EventId], woken: &[(EventId, usize)]) -> Vec<Choice> {
    let mut planner = Planner::new(steps);
    for (signal, waiter) in woken {
        let step = ctp.event(*signal).link.map(|link| link.index as usize);
        planner.woken.extend(step.map(|step| (step, *waiter as u32)));
    }
    for id in order {
        let event = ctp.event(*id);
        if let Action::Join(thread) = event.action {
            planner.finish(thread.index());
        }
        if let Some(link) = event.link {
            planner.take_until(id.thread.index(), link.index as usize);
        }
    }
    planner.choices
}

struct Planner<'a> {
    steps: &'a [Step],
    /// For each thread, the steps that it has not taken yet, the next one last.
    left: Vec<Vec<usize>>,
    choices: Vec<Choice>,
    /// Whom the steps that are signals wake.
    woken: FxHashMap<usize, u32>,
}

impl<'a> Planner<'a> {
    fn new(steps: &'a [Step]) -> Self {
        let threads = steps.iter().map(|step| step.thread.index() + 1).max().unwrap_or(0);
        let mut left = vec![Vec::new(); threads];
        for (at, step) in steps.iter().enumerate().rev() {
            left[step.thread.index()].push(at);
        }
        Self { steps, left, choices: Vec::new(), woken: FxHashMap::default() }
    }

    /// A thread takes its steps up to this one.
    fn take_until(&mut self, thread: usize, last: usize) {
        let left = self.left.get(thread).map_or(&[][..], Vec::as_slice);
        let count = left.iter().rev().take_while(|at| **at <= last).count();
        self.take(thread, count);
    }

    /// A thread takes all its steps.
    fn finish(&mut self, thread: usize) {
        let count = self.left.get(thread).map_or(0, Vec::len);
        self.take(thread, count);
    }

    fn take(&mut self, thread: usize, count: usize) {
        for _ in 0..count {
            let Some(at) = self.left[thread].pop() else { return };
            let step = &self.steps[at];
            // Others may wait than in the run.
            let anew = || self.woken.get(&at).copied().unwrap_or(0);
            let alternative = if step.operation.kind == OpKind::Signal { anew() } else { step.alternative };
            self.choices.push(Choice { thread: step.thread, alternative });
        }
    }
}
