//! The state of one synchronisation object, computed from the events that use it.

use super::event::Event;
use foretrace_event::visible::{ObjectId, OpKind, Operation};
use foretrace_event::{ThreadId, ThreadSet};

/// Who holds a lock, and which event took it. A lock may be held when the history begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holder {
    pub thread: Option<ThreadId>,
    pub since: Option<u32>,
}

/// The state of an object of any kind.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    begun: bool,
    pub owner: Option<Holder>,
    depth: u32,
    pub readers: Vec<Holder>,
    pub value: u64,
    pub waiters: ThreadSet,
    pub woken: ThreadSet,
    generation: u32,
    arrived: u32,
    count: u32,
    pub once: Once,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Once {
    #[default]
    New,
    Running,
    Done,
}

impl Cell {
    /// What the first event that uses the object says about its state before.
    pub fn begin(&mut self, object: ObjectId, event: &Event) {
        use OpKind as K;
        if self.begun {
            return;
        }
        self.begun = true;
        let before = |thread| Some(Holder { thread, since: None });
        match event.operation.kind {
            K::Unlock => self.owner = before(Some(event.thread)),
            K::Wait if event.operation.object != object => self.owner = before(Some(event.thread)),
            K::LockFailed | K::ReadLockFailed => self.owner = before(None),
            K::ReadUnlock => self.readers.extend(before(Some(event.thread))),
            K::SemWait | K::SemTryWait | K::SemPost | K::SemRead => self.value = event.operation.argument,
            K::BarrierArrive => {
                (self.generation, self.count) =
                    ((event.operation.argument >> 32) as u32, event.operation.argument as u32);
            }
            K::OncePass => self.once = Once::Done,
            K::OnceEnd => self.once = Once::Running,
            _ => {}
        }
    }

    /// An event that uses the object happens.
    pub fn apply(&mut self, object: ObjectId, event: &Event, position: u32) {
        use OpKind as K;
        self.begin(object, event);
        if event.operation.object != object {
            return self.apply_to_mutex(event, position);
        }
        match event.operation.kind {
            K::Lock | K::TryLock => self.take(event, position),
            K::Unlock => self.give(),
            K::ReadLock | K::TryReadLock => {
                self.readers.push(Holder { thread: Some(event.thread), since: Some(position) });
            }
            K::ReadUnlock => self.give_shared(event.thread),
            K::SemWait | K::SemTryWait => self.value = self.value.saturating_sub(1),
            K::SemPost => self.value += 1,
            K::Wait | K::FutexWait => self.waiters.insert(event.thread),
            K::Rewake => self.woken.remove(event.thread),
            K::LeftWait => self.waiters.remove(event.thread),
            K::Signal => self.wake(event.alternative),
            K::Broadcast => {
                while !self.waiters.is_empty() {
                    self.wake(0)
                }
            }
            K::BarrierArrive => self.arrive(),
            K::OnceBegin => self.once = Once::Running,
            K::OnceEnd => self.once = Once::Done,
            K::Reset => *self = Self { begun: true, ..Self::default() },
            _ => {}
        }
    }

    fn apply_to_mutex(&mut self, event: &Event, position: u32) {
        match event.operation.kind {
            OpKind::Wait => (self.owner, self.depth) = (None, 0),
            OpKind::Rewake | OpKind::LeftWait => self.take(event, position),
            _ => {}
        }
    }

    fn take(&mut self, event: &Event, position: u32) {
        self.depth += 1;
        if self.depth == 1 {
            self.owner = Some(Holder { thread: Some(event.thread), since: Some(position) });
        }
    }

    fn give(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.owner = None;
        }
    }

    fn give_shared(&mut self, thread: ThreadId) {
        if let Some(at) = self.readers.iter().position(|holder| holder.thread == Some(thread)) {
            self.readers.swap_remove(at);
        }
    }

    fn wake(&mut self, alternative: u32) {
        let woken = self.waiters.iter().nth(alternative as usize);
        if let Some(thread) = woken {
            self.waiters.remove(thread);
            self.woken.insert(thread);
        }
    }

    fn arrive(&mut self) {
        self.arrived += 1;
        if self.arrived == self.count {
            (self.arrived, self.generation) = (0, self.generation + 1);
        }
    }

    /// The argument that an arrival would have now, if the barrier has been used before.
    pub fn arrival(&self) -> Option<u64> {
        (self.count > 0).then(|| Operation::arrival(self.generation, self.count - self.arrived))
    }

    /// Can a thread take the lock for itself?
    pub fn is_free_for(&self, thread: ThreadId, recursive: bool) -> bool {
        let own = recursive && self.owner.is_some_and(|holder| holder.thread == Some(thread));
        own || self.owner.is_none() && self.readers.is_empty()
    }
}
