//! The locks that a thread may hold along its part of an execution, and on paths it did not take (Figure 5).

use super::{LockUpdate, Summaries};
use crate::execution::{Branching, Execution, Step};
use foretrace_event::ThreadId;
use foretrace_event::visible::{ObjectId, OpKind};

/// A set of locks. At most 64 can be told apart; the others are not counted, as if they were not held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Lockset {
    alone: u64,
    shared: u64,
}

impl Lockset {
    /// Does some lock keep an access under this one and an access under the other apart?
    pub fn protects(self, other: Self) -> bool {
        self.alone & (other.alone | other.shared) | self.shared & other.alone != 0
    }

    /// The numbers of the locks.
    pub fn locks(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |bit| (self.alone | self.shared) >> bit & 1 == 1)
    }
}

/// The locks of an execution, numbered.
#[derive(Clone, Debug, Default)]
pub struct Locks(Vec<ObjectId>);

impl Locks {
    /// A lock's number.
    pub fn number(&mut self, lock: ObjectId) -> Option<u32> {
        let at = self.0.iter().position(|other| *other == lock).unwrap_or_else(|| {
            self.0.push(lock);
            self.0.len() - 1
        });
        (at < 64).then_some(at as u32)
    }

    fn mask(&mut self, locks: &[ObjectId]) -> u64 {
        locks.iter().filter_map(|&lock| self.number(lock)).fold(0, |mask, bit| mask | 1 << bit)
    }
}

/// What happens to the sets while a thread's part is read.
pub enum Visit<'a> {
    /// A step, with the sets before it.
    Step(&'a Step, &'a [Lockset]),
    /// A side that was not taken, with the sets at the branch.
    Other(&'a super::Summary, &'a [Lockset]),
    /// The thread's end, with the sets there.
    End(&'a [Lockset]),
}

/// Reads a thread's part of an execution from a state on. None, if it meets something unknown.
pub fn compute(
    execution: &Execution,
    thread: ThreadId,
    from: usize,
    summaries: &Summaries,
    locks: &mut Locks,
    mut see: impl FnMut(Visit<'_>, &mut Locks),
) -> Option<()> {
    let mut sets = vec![held(&execution.steps[..from], thread, locks)];
    let mut updates: Vec<Vec<Lockset>> = Vec::new();
    let mut branches = execution.branches.iter().filter(|b| b.thread == thread && b.before >= from).peekable();
    for at in from..=execution.steps.len() {
        while let Some(branching) = branches.next_if(|branching| branching.before <= at) {
            branch(branching, summaries, &mut sets, &mut updates, locks, &mut see)?;
        }
        let Some(step) = execution.steps.get(at).filter(|step| step.thread == thread) else { continue };
        if uses_object(step) && !summaries.fixed.contains(&step.place) {
            return None;
        }
        see(Visit::Step(step, &sets), locks);
        sets.iter_mut().for_each(|set| apply(set, step, locks, false));
        normalise(&mut sets);
    }
    see(Visit::End(&sets), locks);
    Some(())
}

fn uses_object(step: &Step) -> bool {
    step.operation.object != ObjectId::NONE
}

/// At a branch, the other side's paths are remembered; at its end they are joined to what was observed.
fn branch(
    branching: &Branching,
    summaries: &Summaries,
    sets: &mut Vec<Lockset>,
    updates: &mut Vec<Vec<Lockset>>,
    locks: &mut Locks,
    see: &mut impl FnMut(Visit<'_>, &mut Locks),
) -> Option<()> {
    let Some(side) = branching.side else {
        sets.extend(updates.pop().unwrap_or_default());
        normalise(sets);
        return Some(());
    };
    let other = crate::execution::Side { taken: !side.taken, ..side };
    let summary = summaries.sides.get(&other)?;
    see(Visit::Other(summary, sets), locks);
    let after = |update: &LockUpdate, locks: &mut Locks| {
        sets.iter().map(|&set| changed(set, &update.acquired, &update.released, locks)).collect::<Vec<_>>()
    };
    updates.push(summary.paths.iter().flat_map(|update| after(update, locks)).collect());
    Some(())
}

/// A set after locks were taken and given back.
pub fn changed(set: Lockset, acquired: &[ObjectId], released: &[ObjectId], locks: &mut Locks) -> Lockset {
    let released = locks.mask(released);
    let alone = (set.alone | locks.mask(acquired)) & !released;
    Lockset { alone, shared: set.shared & !released }
}

fn normalise(sets: &mut Vec<Lockset>) {
    sets.sort_unstable();
    sets.dedup();
}

/// What a thread holds after some steps, exactly.
fn held(steps: &[Step], thread: ThreadId, locks: &mut Locks) -> Lockset {
    let mut set = Lockset::default();
    steps.iter().filter(|step| step.thread == thread).for_each(|step| apply(&mut set, step, locks, true));
    set
}

/// A step's effect. A try counts only where it is known to have happened.
fn apply(set: &mut Lockset, step: &Step, locks: &mut Locks, happened: bool) {
    use OpKind as K;
    let operation = &step.operation;
    let mut bit = |object| locks.number(object).map_or(0, |number| 1 << number);
    match operation.kind {
        K::Lock => set.alone |= bit(operation.object),
        K::ReadLock => set.shared |= bit(operation.object),
        K::TryLock if happened => set.alone |= bit(operation.object),
        K::TryReadLock if happened => set.shared |= bit(operation.object),
        K::Unlock | K::ReadUnlock => {
            let gone = !bit(operation.object);
            (set.alone, set.shared) = (set.alone & gone, set.shared & gone);
        }
        K::Wait => set.alone &= !bit(operation.other),
        K::Rewake | K::LeftWait => set.alone |= bit(operation.other),
        _ => {}
    }
}
