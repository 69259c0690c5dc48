//! Can a race or a deadlock follow a state? (Figure 4)

use super::locksets::{Locks, Lockset, Visit, changed, compute};
use super::{Property, Summaries, Summary};
use crate::execution::{Execution, Step};
use foretrace_event::ThreadId;
use foretrace_event::visible::{ObjectId, OpKind, Operation};
use std::collections::BTreeSet;

/// An access with the locks it may be made under.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Access {
    operation: Operation,
    thread: ThreadId,
    locks: Lockset,
}

/// What may happen after a state.
#[derive(Default)]
struct Found {
    accesses: BTreeSet<Access>,
    /// Pairs of locks: the second is taken while the first is held.
    order: BTreeSet<(u32, u32)>,
    /// Something else than a lock may block.
    blocks: bool,
}

/// Is nothing to be found below a state of an execution, whatever the order of the rest?
pub fn is_clean(execution: &Execution, from: usize, property: Property, summaries: &Summaries) -> bool {
    let (mut found, mut locks) = (Found::default(), Locks::default());
    let threads: BTreeSet<ThreadId> = execution.steps[from..].iter().map(|step| step.thread).collect();
    for thread in threads {
        let see = |visit: Visit<'_>, locks: &mut Locks| found.add(thread, &visit, locks);
        if compute(execution, thread, from, summaries, &mut locks, see).is_none() {
            return false;
        }
    }
    let deadlocks = property == Property::RacesAndDeadlocks && (found.blocks || has_cycle(&found.order));
    !found.may_race() && !deadlocks
}

impl Found {
    fn add(&mut self, thread: ThreadId, visit: &Visit<'_>, locks: &mut Locks) {
        match visit {
            Visit::Step(step, sets) => self.add_step(thread, step, sets, locks),
            Visit::Other(summary, sets) => self.add_other(thread, summary, sets, locks),
            // What is never given back blocks whoever wants it.
            Visit::End(sets) => self.blocks |= holds(sets),
        }
    }

    fn add_other(&mut self, thread: ThreadId, summary: &Summary, sets: &[Lockset], locks: &mut Locks) {
        for access in &summary.accesses {
            let kind = if access.writes { OpKind::PlainWrite } else { OpKind::PlainRead };
            let operation = Operation::new(kind, access.object.0).with(8);
            for &set in sets {
                let locks = changed(set, &access.acquired, &access.released, locks);
                self.accesses.insert(Access { operation, thread, locks });
            }
        }
        for path in &summary.paths {
            path.acquired.iter().for_each(|&lock| self.add_order(lock, sets, locks));
            self.blocks |= path.acquired.len() > 1;
        }
    }

    fn add_step(&mut self, thread: ThreadId, step: &Step, sets: &[Lockset], locks: &mut Locks) {
        let operation = step.operation;
        match operation.kind {
            OpKind::PlainRead | OpKind::PlainWrite => {
                self.accesses.extend(sets.iter().map(|&locks| Access { operation, thread, locks }));
            }
            OpKind::Lock | OpKind::ReadLock => self.add_order(operation.object, sets, locks),
            OpKind::Join => self.blocks |= holds(sets),
            // Whether a try takes its lock is not known elsewhere.
            OpKind::TryLock | OpKind::LockFailed | OpKind::TryReadLock | OpKind::ReadLockFailed => self.blocks = true,
            _ => self.blocks |= operation.may_block() && operation.kind != OpKind::Start,
        }
    }

    fn add_order(&mut self, lock: ObjectId, sets: &[Lockset], locks: &mut Locks) {
        match locks.number(lock) {
            Some(number) => self.order.extend(sets.iter().flat_map(|set| set.locks()).map(|held| (held, number))),
            None => self.blocks = true,
        }
    }

    fn may_race(&self) -> bool {
        let accesses: Vec<&Access> = self.accesses.iter().collect();
        let races = |a: &Access, b: &Access| {
            a.thread != b.thread && a.operation.conflicts_with(&b.operation) && !a.locks.protects(b.locks)
        };
        accesses.iter().enumerate().any(|(at, a)| accesses[at + 1..].iter().any(|b| races(a, b)))
    }
}

/// May a lock be held?
fn holds(sets: &[Lockset]) -> bool {
    sets.iter().any(|set| set.locks().next().is_some())
}

/// Is there a cycle in the order in which locks are taken?
fn has_cycle(order: &BTreeSet<(u32, u32)>) -> bool {
    let mut reach = [0_u64; 64];
    order.iter().for_each(|&(held, taken)| reach[held as usize] |= 1 << taken);
    for middle in 0..64 {
        for from in 0..64 {
            if reach[from] >> middle & 1 == 1 {
                reach[from] |= reach[middle];
            }
        }
    }
    (0..64).any(|lock| reach[lock] >> lock & 1 == 1)
}
