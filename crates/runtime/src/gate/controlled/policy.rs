//! Who goes on where the plan prescribes nothing.

use crate::gate::controlled::random;
use crate::gate::controlled::slots::slot;
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::{Policy, ThreadId, ThreadSet};

/// The policy of an execution.
#[derive(Clone, Copy)]
pub struct Chooser {
    policy: Policy,
    /// Steps at which the running thread falls behind all others.
    changes: [u32; MOST_CHANGES],
}

const MOST_CHANGES: usize = 16;
/// Priorities below this are of threads that fell behind.
const BEHIND: u64 = 1 << 32;

impl Chooser {
    /// Of which nothing is known.
    pub const fn new() -> Self {
        Self { policy: Policy::Stay, changes: [u32::MAX; MOST_CHANGES] }
    }

    /// Begins an execution.
    pub fn begin(&mut self, policy: Policy) {
        self.policy = policy;
        match policy {
            Policy::Stay => {}
            Policy::Random { seed } | Policy::Pos { seed } | Policy::Surw { seed, .. } => random::seed(seed),
            Policy::Pct { seed, depth, length } => {
                random::seed(seed);
                let changes = (depth.saturating_sub(1) as usize).min(MOST_CHANGES);
                self.changes[..changes].iter_mut().for_each(|change| *change = random::below(length.max(1)));
            }
        }
    }

    /// A thread comes with a new request.
    pub fn arrived(&self, thread: ThreadId) {
        let is_new = slot(thread).priority.get() == 0;
        if matches!(self.policy, Policy::Pos { .. }) || matches!(self.policy, Policy::Pct { .. }) && is_new {
            slot(thread).priority.set(BEHIND | random::next());
        }
    }

    /// A step happened that conflicts with what the thread asks for.
    pub fn conflicted(&self, thread: ThreadId) {
        if matches!(self.policy, Policy::Pos { .. }) {
            slot(thread).priority.set(random::next());
        }
    }

    /// One of the candidates, of which there is one at least. `taken` steps were taken, the last by `current`.
    pub fn choose(&self, candidates: &ThreadSet, current: ThreadId, taken: u32) -> ThreadId {
        match self.policy {
            Policy::Stay => stay(candidates, current),
            Policy::Random { .. } | Policy::Surw { .. } => {
                let number = random::below(candidates.len()) as usize;
                candidates.iter().nth(number).unwrap_or(current)
            }
            Policy::Pct { .. } => {
                if let Some(number) = self.changes.iter().position(|change| *change == taken) {
                    slot(current).priority.set(number as u64 + 1);
                }
                highest(candidates, current)
            }
            Policy::Pos { .. } => highest(candidates, current),
        }
    }
}

fn highest(candidates: &ThreadSet, current: ThreadId) -> ThreadId {
    candidates.iter().max_by_key(|thread| slot(*thread).priority.get()).unwrap_or(current)
}

/// The running thread, unless it cannot or does not want to go on; then the next one.
fn stay(candidates: &ThreadSet, current: ThreadId) -> ThreadId {
    let yields = |operation: Operation| matches!(operation.kind, OpKind::Yield | OpKind::Spin);
    if candidates.contains(current) && !yields(slot(current).operation()) {
        return current;
    }
    candidates.from(ThreadId(current.0 + 1)).unwrap_or(current)
}
