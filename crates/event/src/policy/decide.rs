//! The decisions of each policy.

use super::{Policy, Random};
use crate::visible::{ObjectId, Operation};
use crate::{ThreadId, ThreadSet};

const THREADS: usize = ThreadSet::CAPACITY as usize;
/// The most changes of priority in one execution; a greater depth is cut to it.
const CHANGES: usize = 16;
/// Priorities of threads and operations that have not been lowered are at least this.
const HIGH: u64 = 1 << 32;

/// Decides who runs next by a [`Policy`].
#[derive(Clone, Debug)]
pub struct Scheduler {
    policy: Policy,
    random: Random,
    current: ThreadId,
    steps: u32,
    /// Of threads, or of the operations they stand before; 0 if not drawn yet.
    priorities: [u64; THREADS],
    /// At which steps the running thread's priority is lowered.
    changes: [u32; CHANGES],
    /// How many interesting steps each thread has left.
    left: [u32; THREADS],
    /// Whose interesting step is to be next.
    intended: Option<ThreadId>,
}

impl Scheduler {
    /// At the start of an execution. The lengths are those of a plan.
    pub fn new(policy: Policy, lengths: &[u32]) -> Self {
        let mut random = Random::new(policy.seed());
        let changes = changes(&policy, &mut random);
        let left = core::array::from_fn(|at| lengths.get(at).copied().unwrap_or(0));
        let (current, priorities) = (ThreadId::MAIN, [0; THREADS]);
        Self { policy, random, current, steps: 0, priorities, changes, left, intended: None }
    }

    /// Who runs next among those that are enabled and awake; `standing` is what a thread stands before.
    pub fn choose(&mut self, awake: &ThreadSet, standing: impl Fn(ThreadId) -> Operation) -> Option<ThreadId> {
        match self.policy {
            Policy::Stay => awake.from(self.current),
            Policy::Random { .. } => self.any(awake),
            Policy::Pct { .. } => self.highest_after_changes(awake),
            Policy::Pos { .. } => self.highest(awake),
            Policy::Surw { object, .. } => {
                self.intended_or_uninteresting(awake, |thread| interesting(object, &standing(thread)))
            }
        }
    }

    /// A thread has executed an operation, within the prefix or after it; `standing` is what others stand before.
    pub fn executed(
        &mut self,
        thread: ThreadId,
        operation: &Operation,
        standing: impl Fn(ThreadId) -> Option<Operation>,
    ) {
        self.current = thread;
        self.steps += 1;
        match self.policy {
            Policy::Pos { .. } => self.draw_again(thread, operation, standing),
            Policy::Surw { object, .. } if interesting(object, operation) => self.count(thread),
            _ => {}
        }
    }

    fn any(&mut self, awake: &ThreadSet) -> Option<ThreadId> {
        let at = self.random.below(u64::from(awake.len()));
        awake.iter().nth(at as usize)
    }

    fn highest(&mut self, awake: &ThreadSet) -> Option<ThreadId> {
        for thread in awake.iter().filter(|thread| thread.index() < THREADS) {
            if self.priorities[thread.index()] == 0 {
                self.priorities[thread.index()] = HIGH + (self.random.word() >> 1);
            }
        }
        awake.iter().max_by_key(|thread| self.priorities[thread.index()])
    }

    /// The lowered priorities are 1, 2 and so on: the thread that is lowered last is the highest of them.
    fn highest_after_changes(&mut self, awake: &ThreadSet) -> Option<ThreadId> {
        for at in 0..CHANGES {
            if self.changes[at] == self.steps + 1 {
                let lowered = self.highest(awake)?;
                self.priorities[lowered.index()] = at as u64 + 1;
                self.changes[at] = 0;
            }
        }
        self.highest(awake)
    }

    /// What conflicts with the operation gets a new priority, and so does the thread's next operation.
    fn draw_again(
        &mut self,
        thread: ThreadId,
        operation: &Operation,
        standing: impl Fn(ThreadId) -> Option<Operation>,
    ) {
        for (at, priority) in self.priorities.iter_mut().enumerate().filter(|(_, priority)| **priority != 0) {
            let other = ThreadId(at as u32);
            if other == thread || standing(other).is_some_and(|next| operation.conflicts_with(&next)) {
                *priority = 0;
            }
        }
    }

    /// Whoever stands before an interesting step that is not to be next waits, as long as someone else can run.
    fn intended_or_uninteresting(
        &mut self,
        awake: &ThreadSet,
        interesting: impl Fn(ThreadId) -> bool,
    ) -> Option<ThreadId> {
        if !self.intended.is_some_and(|intended| awake.contains(intended)) {
            self.intended = self.weighted(awake);
        }
        let intended = self.intended;
        let free: ThreadSet = awake.iter().filter(|&thread| Some(thread) == intended || !interesting(thread)).collect();
        self.any(&free)
    }

    fn weighted(&mut self, awake: &ThreadSet) -> Option<ThreadId> {
        let weight = |thread: ThreadId| u64::from(self.left[thread.index()].max(1));
        let total: u64 = awake.iter().map(weight).sum();
        let mut at = self.random.clone().below(total);
        let chosen = awake.iter().find(|&thread| {
            let here = at < weight(thread);
            at = at.saturating_sub(weight(thread));
            here
        });
        self.random.word();
        chosen
    }

    fn count(&mut self, thread: ThreadId) {
        if let Some(left) = self.left.get_mut(thread.index()) {
            *left = left.saturating_sub(1);
        }
        self.intended = None;
    }
}

fn interesting(object: ObjectId, operation: &Operation) -> bool {
    object == ObjectId::NONE || operation.object == object || operation.other == object
}

fn changes(policy: &Policy, random: &mut Random) -> [u32; CHANGES] {
    let (depth, length) = match *policy {
        Policy::Pct { depth, length, .. } => (depth.max(1), length.max(1)),
        _ => (1, 1),
    };
    let many = (depth as usize - 1).min(CHANGES);
    core::array::from_fn(|at| if at < many { 1 + random.below(u64::from(length)) as u32 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::{Policy, Scheduler};
    use crate::visible::{ObjectId, OpKind, Operation};
    use crate::{ThreadId, ThreadSet};

    /// Runs threads of this many stores to one address; who ran, in order.
    fn run(policy: Policy, lengths: &[u32]) -> Vec<u32> {
        let operation = Operation::new(OpKind::Store, 8).with(4);
        let mut left = lengths.to_vec();
        let mut scheduler = Scheduler::new(policy, lengths);
        core::iter::from_fn(|| {
            let awake: ThreadSet = (0..left.len()).filter(|&at| left[at] > 0).map(ThreadId::from_index).collect();
            let thread = scheduler.choose(&awake, |_| operation)?;
            left[thread.index()] -= 1;
            scheduler.executed(thread, &operation, |_| Some(operation));
            Some(thread.0)
        })
        .collect()
    }

    extern crate std;
    use std::collections::BTreeMap;
    use std::vec::Vec;

    fn orders(policy: impl Fn(u64) -> Policy, lengths: &[u32]) -> BTreeMap<Vec<u32>, u32> {
        let mut orders = BTreeMap::new();
        (0..10_000).for_each(|seed| *orders.entry(run(policy(seed), lengths)).or_default() += 1);
        orders
    }

    #[test]
    fn stays_then_goes_round() {
        assert_eq!(run(Policy::Stay, &[2, 1, 2]), [0, 0, 1, 2, 2]);
    }

    #[test]
    fn every_random_policy_reaches_every_order_and_repeats_itself() {
        let policies: [fn(u64) -> Policy; 4] = [
            |seed| Policy::Random { seed },
            |seed| Policy::Pct { seed, depth: 3, length: 4 },
            |seed| Policy::Pos { seed },
            |seed| Policy::Surw { seed, object: ObjectId::NONE },
        ];
        for policy in policies {
            assert_eq!(run(policy(7), &[3, 3]), run(policy(7), &[3, 3]));
            assert_eq!(orders(policy, &[2, 2]).len(), 6, "{:?}", policy(0));
        }
    }

    /// Of five steps of one thread and one of another there are six orders. The selectively uniform walk finds each
    /// equally often; the uniform one finds half of all walks at the first.
    #[test]
    fn surw_is_uniform_over_orders() {
        let surw = orders(|seed| Policy::Surw { seed, object: ObjectId(8) }, &[5, 1]);
        assert!(surw.len() == 6 && surw.values().all(|&many| (1_450..1_900).contains(&many)), "{surw:?}");
        let uniform = orders(|seed| Policy::Random { seed }, &[5, 1]);
        assert!(uniform.values().any(|&many| many > 4_000), "{uniform:?}");
    }

    #[test]
    fn pct_with_depth_one_never_preempts() {
        let runs = orders(|seed| Policy::Pct { seed, depth: 1, length: 4 }, &[2, 2, 1]);
        assert_eq!(runs.len(), 6);
    }
}
