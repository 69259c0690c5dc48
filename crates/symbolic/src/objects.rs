//! Synchronisation objects of the run, and what its steps do to them.

use foretrace_ctp::{Action, Ctp, Object, ObjectId, ObjectKind, ThreadId};
use foretrace_event::visible::{OpKind, Operation};
use foretrace_explore::Step;
use rustc_hash::{FxHashMap, FxHashSet};

/// What an object is used as: the same address may be used in several ways, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Use {
    Lock,
    Semaphore,
    Condition,
    Barrier,
}

/// The objects that were met.
pub struct Objects {
    known: FxHashMap<(Use, u64), ObjectId>,
    /// Waits that ended without having been woken.
    left: FxHashSet<usize>,
}

impl Objects {
    /// Of a run with these steps.
    pub fn of(steps: &[Step]) -> Self {
        let mut left = FxHashSet::default();
        let mut waiting = FxHashMap::default();
        for (at, step) in steps.iter().enumerate() {
            match step.operation.kind {
                OpKind::Wait => {
                    waiting.insert(step.thread, at);
                }
                OpKind::Rewake => {
                    waiting.remove(&step.thread);
                }
                OpKind::LeftWait => left.extend(waiting.remove(&step.thread)),
                _ => {}
            }
        }
        // A wait that has not ended is only the unlocking.
        left.extend(waiting.into_values());
        Self { known: FxHashMap::default(), left }
    }

    fn get(&mut self, ctp: &mut Ctp, used: Use, address: u64, kind: ObjectKind) -> ObjectId {
        *self.known.entry((used, address)).or_insert_with(|| {
            ctp.objects.push(Object { name: format!("{used:?}@{address:x}").to_lowercase(), kind });
            ObjectId(ctp.objects.len() as u32 - 1)
        })
    }

    fn lock(&mut self, ctp: &mut Ctp, address: u64, recursive: bool) -> ObjectId {
        self.get(ctp, Use::Lock, address, ObjectKind::Lock { recursive })
    }

    fn semaphore(&mut self, ctp: &mut Ctp, operation: &Operation) -> ObjectId {
        let count = u32::try_from(operation.argument).unwrap_or(0);
        self.get(ctp, Use::Semaphore, operation.object.0, ObjectKind::Semaphore(count))
    }

    fn barrier(&mut self, ctp: &mut Ctp, operation: &Operation) -> ObjectId {
        // The first arrival of a generation says how many are missing, itself included.
        let missing = operation.argument as u32;
        self.get(ctp, Use::Barrier, operation.object.0, ObjectKind::Barrier(missing.max(1)))
    }

    /// What a step does; none for accesses of memory, which have records, and for what the model does not have.
    pub fn action(&mut self, ctp: &mut Ctp, at: usize, operation: &Operation) -> Option<Action> {
        if operation.is_futex() {
            return None;
        }
        let (object, other) = (operation.object.0, operation.other.0);
        let condition = |this: &mut Self, ctp: &mut Ctp| this.get(ctp, Use::Condition, object, ObjectKind::Condition);
        Some(match operation.kind {
            OpKind::Lock | OpKind::TryLock => {
                Action::Lock(self.lock(ctp, object, operation.argument == Operation::RECURSIVE))
            }
            OpKind::ReadLock | OpKind::TryReadLock => Action::ReadLock(self.lock(ctp, object, false)),
            OpKind::Unlock | OpKind::ReadUnlock => Action::Unlock(self.lock(ctp, object, false)),
            OpKind::SemWait | OpKind::SemTryWait => Action::SemWait(self.semaphore(ctp, operation)),
            OpKind::SemPost => Action::SemPost(self.semaphore(ctp, operation)),
            OpKind::Signal => Action::Signal(condition(self, ctp)),
            OpKind::Broadcast => Action::Broadcast(condition(self, ctp)),
            OpKind::Wait if self.left.contains(&at) => Action::Unlock(self.lock(ctp, other, false)),
            OpKind::LeftWait => Action::Lock(self.lock(ctp, other, false)),
            OpKind::Wait => Action::Wait { condition: condition(self, ctp), mutex: self.lock(ctp, other, false) },
            OpKind::Rewake => Action::Woken { condition: condition(self, ctp), mutex: self.lock(ctp, other, false) },
            OpKind::BarrierArrive => Action::BarrierEnter(self.barrier(ctp, operation)),
            OpKind::BarrierLeave => Action::BarrierExit(self.barrier(ctp, operation)),
            OpKind::RegionBegin => Action::Begin,
            OpKind::RegionEnd => Action::End,
            OpKind::Create => Action::Fork(thread(ctp, operation)?),
            OpKind::Join | OpKind::TryJoin => Action::Join(thread(ctp, operation)?),
            _ => return None,
        })
    }
}

/// The thread that a step names, which the program may have overwritten.
fn thread(ctp: &Ctp, operation: &Operation) -> Option<ThreadId> {
    let number = u32::try_from(operation.argument).ok()?;
    ((number as usize) < ctp.threads.len()).then_some(ThreadId(number))
}
