//! The part of an execution behind a state, thread by thread.

use crate::execution::{Execution, Note, Reach, Step, What};
use foretrace_event::ThreadId;
use foretrace_event::visible::{OpKind, Operation};
use std::collections::BTreeMap;

/// What a thread does.
pub enum Item<'a> {
    /// A step, with its position.
    Step(usize, &'a Step),
    Note(&'a Note),
}

/// Plain memory that an item touches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touch {
    pub start: u64,
    pub size: u64,
    pub reads: bool,
    pub writes: bool,
    pub atomic: bool,
}

/// What each thread does, in order.
pub type Window<'a> = BTreeMap<ThreadId, Vec<Item<'a>>>;

/// From a state on. What was noted right before it counts: whoever did it may have done it later.
pub fn window(execution: &Execution, from: usize) -> Window<'_> {
    let mut window = Window::new();
    let mut notes = execution.notes.iter().skip_while(|note| note.before < from).peekable();
    for at in from..=execution.steps.len() {
        while let Some(note) = notes.next_if(|note| note.before <= at) {
            window.entry(note.thread).or_default().push(Item::Note(note));
        }
        if let Some(step) = execution.steps.get(at) {
            window.entry(step.thread).or_default().push(Item::Step(at, step));
        }
    }
    window
}

impl Item<'_> {
    /// Does what the thread does next depend on how threads were interleaved, whatever memory says?
    pub fn unsettles(&self) -> bool {
        use OpKind as K;
        let Self::Step(_, step) = self else { return false };
        matches!(
            step.operation.kind,
            K::TryLock
                | K::LockFailed
                | K::TryReadLock
                | K::ReadLockFailed
                | K::SemTryWait
                | K::SemWaitFailed
                | K::SemRead
        ) || matches!(
            step.operation.kind,
            K::LeftWait
                | K::BarrierLeave
                | K::OnceBegin
                | K::OncePass
                | K::TryJoin
                | K::JoinFailed
                | K::Spin
                | K::Other
                | K::Cancel
                | K::Cancelled
                | K::FutexWait
                | K::FutexPassed
        ) || step.operation.argument == Operation::MAY_LEAVE && step.operation.kind == K::Rewake
    }

    /// Before which step it is, or which step.
    pub fn position(&self) -> usize {
        match self {
            Self::Step(at, _) => *at,
            Self::Note(note) => note.before,
        }
    }

    /// The memory it touches.
    pub fn touch(&self) -> Option<Touch> {
        use OpKind as K;
        let operation = match self {
            Self::Step(_, step) => &step.operation,
            Self::Note(Note { what: What::Access { operation, .. }, .. }) => operation,
            Self::Note(_) => return None,
        };
        let (reads, writes, atomic) = match operation.kind {
            K::PlainRead => (true, false, false),
            K::PlainWrite => (false, true, false),
            K::Load | K::UpdateFailed => (true, false, true),
            K::Store => (false, true, true),
            K::Update => (true, true, true),
            _ => return None,
        };
        Some(Touch { start: operation.object.0, size: operation.argument.max(1), reads, writes, atomic })
    }

    /// Does what it reads decide what the thread does?
    pub fn matters(&self) -> bool {
        !matches!(self, Self::Note(Note { what: What::Access { quiet: true, .. }, .. }))
    }

    /// The memory it may touch in another execution, in which its thread may read other values.
    pub fn reach(&self) -> Option<Touch> {
        let touch = self.touch()?;
        match self {
            Self::Note(Note { what: What::Access { reach: Reach::Within(start, size), .. }, .. }) => {
                Some(Touch { start: start.0, size: *size, ..touch })
            }
            _ => Some(touch),
        }
    }
}
