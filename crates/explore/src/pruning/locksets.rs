//! The locks that a thread may hold along its part of an execution, and on paths it did not take (Figure 5).

use super::orders::Steady;
use super::window::Item;
use crate::execution::{Execution, Reach, Step, What};
use crate::summary::{LockUpdate, Summary};
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
    /// What the thread did, with the sets before it.
    Item(&'a Item<'a>, &'a [Lockset]),
    /// Sides that were not taken, with the sets at the branch.
    Other(&'a Summary, &'a [Lockset]),
    /// The thread's end, with the sets there.
    End(&'a [Lockset]),
}

/// Reads a thread's part, which begins with a set of locks. None, if it meets something unknown.
pub fn compute(
    (thread, items): (ThreadId, &[Item<'_>]),
    steady: &Steady,
    held: Lockset,
    locks: &mut Locks,
    mut see: impl FnMut(Visit<'_>, usize, &mut Locks),
) -> Option<()> {
    let until = steady.until.get(&thread).copied().unwrap_or(0);
    let (mut sets, mut updates, mut moves) = (vec![held], Vec::new(), false);
    for (at, item) in items.iter().enumerate() {
        let is_steady = at < until;
        match item {
            Item::Note(note) => match &note.what {
                What::Enter(_) if is_steady => updates.push(Vec::new()),
                What::Enter(Some(others)) if others.decided_by.is_some() && !steady.open.contains(&(thread, at)) => {
                    updates.push(Vec::new());
                }
                What::Enter(others) => {
                    let others = others.as_deref()?;
                    see(Visit::Other(others, &sets), at, locks);
                    updates.push(after(others, &sets, locks));
                }
                What::Leave => {
                    sets.extend(updates.pop().unwrap_or_default());
                    normalise(&mut sets);
                }
                What::Access { reach: Reach::Anything, .. } | What::Unsure if !is_steady => return None,
                What::Access { .. } => see(Visit::Item(item, &sets), at, locks),
                What::Moves => moves = true,
                What::Unsure => {}
                What::Unknown => return None,
            },
            Item::Step(_, step) => {
                if !is_steady && (std::mem::take(&mut moves) || step.operation.kind == OpKind::Create) {
                    return None;
                }
                moves = false;
                see(Visit::Item(item, &sets), at, locks);
                sets.iter_mut().for_each(|set| apply(set, step, locks, false));
                normalise(&mut sets);
            }
        }
    }
    see(Visit::End(&sets), items.len(), locks);
    Some(())
}

/// The sets where all sides meet, if others are taken.
fn after(others: &Summary, sets: &[Lockset], locks: &mut Locks) -> Vec<Lockset> {
    let mut after = Vec::new();
    for update in &others.paths {
        after.extend(sets.iter().map(|&set| changed(set, update, locks)));
    }
    normalise(&mut after);
    after
}

/// A set after locks were taken and given back.
pub fn changed(set: Lockset, update: &LockUpdate, locks: &mut Locks) -> Lockset {
    if update.released_any {
        return Lockset::default();
    }
    let released = locks.mask(&update.released);
    let alone = (set.alone | locks.mask(&update.acquired)) & !released;
    Lockset { alone, shared: set.shared & !released }
}

/// The most sets that are told apart; more are merged.
const MOST_SETS: usize = 64;

fn normalise(sets: &mut Vec<Lockset>) {
    sets.sort_unstable();
    sets.dedup();
    if sets.len() > MOST_SETS {
        let both = |a: Lockset, b: Lockset| Lockset { alone: a.alone & b.alone, shared: a.shared & b.shared };
        *sets = sets.iter().copied().reduce(both).into_iter().collect();
    }
}

/// What a thread holds after some steps, exactly.
pub fn held(execution: &Execution, from: usize, thread: ThreadId, locks: &mut Locks) -> Lockset {
    let mut set = Lockset::default();
    execution.steps[..from]
        .iter()
        .filter(|step| step.thread == thread)
        .for_each(|step| apply(&mut set, step, locks, true));
    set
}

/// A step's effect. A try counts only where it is known to have happened.
pub fn apply(set: &mut Lockset, step: &Step, locks: &mut Locks, happened: bool) {
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
        K::Rewake | K::LeftWait if operation.other != ObjectId::NONE => set.alone |= bit(operation.other),
        _ => {}
    }
}
