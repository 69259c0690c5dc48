//! What an operation does to one object, and which two roles conflict.

use super::{ObjectId, OpKind, Operation};

/// The use of one object by an operation.
#[derive(Clone, Copy)]
pub(super) struct Role {
    object: ObjectId,
    part: Part,
}

#[derive(Clone, Copy)]
enum Part {
    Acquire,
    Release,
    AcquireFailed,
    Share,
    ShareFailed,
    Unshare,
    Down,
    DownFailed,
    Up,
    Peek,
    Enter,
    Leave,
    Notify,
    NotifyAll,
    Arrive { generation: u32, missing: u32 },
    Run,
    Pass,
    Read { bytes: u64 },
    Write { bytes: u64 },
    Ends,
    Joins,
    JoinFailed,
    Anything,
}

#[inline]
pub(super) fn of(operation: &Operation) -> [Option<Role>; 2] {
    let first = part(operation).map(|part| Role { object: object(operation), part });
    [first, second(operation).map(|part| Role { object: operation.other, part })]
}

/// The end of a thread is an object, too; its name is none of memory.
#[inline]
fn object(operation: &Operation) -> ObjectId {
    match operation.kind {
        OpKind::End | OpKind::TryJoin | OpKind::JoinFailed => ObjectId(!operation.argument),
        _ => operation.object,
    }
}

#[inline]
fn part(operation: &Operation) -> Option<Part> {
    use OpKind as K;
    Some(match operation.kind {
        K::Lock | K::TryLock => Part::Acquire,
        K::Unlock => Part::Release,
        K::LockFailed => Part::AcquireFailed,
        K::ReadLock | K::TryReadLock => Part::Share,
        K::ReadLockFailed => Part::ShareFailed,
        K::ReadUnlock => Part::Unshare,
        K::SemWait | K::SemTryWait => Part::Down,
        K::SemWaitFailed => Part::DownFailed,
        K::SemPost => Part::Up,
        K::SemRead => Part::Peek,
        // One that finds another value might have waited: what it would be in other orders has to conflict as well.
        K::Wait | K::FutexWait | K::FutexPassed => Part::Enter,
        K::LeftWait => Part::Leave,
        K::Signal => Part::Notify,
        K::Broadcast => Part::NotifyAll,
        K::BarrierArrive => {
            Part::Arrive { generation: (operation.argument >> 32) as u32, missing: operation.argument as u32 }
        }
        K::OnceBegin | K::OnceEnd => Part::Run,
        K::OncePass => Part::Pass,
        K::Load | K::UpdateFailed | K::PlainRead | K::Spin => Part::Read { bytes: operation.argument },
        K::Store | K::Update | K::PlainWrite => Part::Write { bytes: operation.argument },
        K::Reset | K::Other => Part::Anything,
        K::End => Part::Ends,
        K::TryJoin => Part::Joins,
        K::JoinFailed => Part::JoinFailed,
        K::Rewake | K::BarrierLeave | K::Create | K::Start | K::Join | K::Yield | K::Exit => return None,
        K::RegionBegin | K::RegionEnd | K::Cancel | K::Cancelled => return None,
    })
}

/// The part that a wait plays for its mutex, or for the word of its futex.
#[inline]
fn second(operation: &Operation) -> Option<Part> {
    match operation.kind {
        OpKind::Wait => Some(Part::Release),
        OpKind::Rewake | OpKind::LeftWait if operation.other != ObjectId::NONE => Some(Part::Acquire),
        OpKind::FutexWait | OpKind::FutexPassed => Some(Part::Read { bytes: Operation::FUTEX }),
        _ => None,
    }
}

impl Role {
    /// Does this role, played first, conflict with a later one?
    #[inline]
    pub fn conflicts_with(&self, later: &Self) -> bool {
        use Part::{Read, Write};
        match (self.part, later.part) {
            (Read { .. }, Read { .. }) => false,
            (Read { bytes: a } | Write { bytes: a }, Read { bytes: b } | Write { bytes: b }) => {
                overlap((self.object, a), (later.object, b))
            }
            (a, b) => self.object == later.object && a.conflicts_with(b),
        }
    }
}

/// Do two ranges overlap? No object means every address.
#[inline]
fn overlap(a: (ObjectId, u64), b: (ObjectId, u64)) -> bool {
    let everywhere = a.0 == ObjectId::NONE || b.0 == ObjectId::NONE;
    let (from, to) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    everywhere || to.0.0 - from.0.0 < from.1.max(1)
}

impl Part {
    /// On one object. Parts of different kinds of objects meet only if the program confuses them.
    #[inline]
    fn conflicts_with(self, later: Self) -> bool {
        use Part as P;
        match (self, later) {
            (P::AcquireFailed | P::ShareFailed, P::AcquireFailed | P::ShareFailed) => false,
            (P::Share | P::Unshare, P::Share | P::Unshare) => false,
            (P::Share, P::ShareFailed) | (P::ShareFailed, P::Share) => false,
            (P::Unshare, P::ShareFailed) | (P::ShareFailed, P::Unshare) => false,
            (P::Up, P::Up) | (P::DownFailed | P::Peek, P::DownFailed | P::Peek) => false,
            (P::Enter | P::Leave, P::Enter | P::Leave) | (P::NotifyAll, P::NotifyAll) => false,
            (P::Arrive { generation: a, missing }, P::Arrive { generation: b, .. }) => a != b || missing == 1,
            (P::Pass, P::Pass) => false,
            (P::Joins | P::JoinFailed, P::Joins | P::JoinFailed) => false,
            _ => true,
        }
    }
}
