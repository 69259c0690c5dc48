//! What only the reader of a recording needs: assuming earlier state, and undoing events that cannot have happened.

use foretrace_event::{BarrierId, LockId, OnceId, SemId, ThreadId};

use super::{Next, OnceState, Rules};

impl Rules {
    /// Does any thread hold the lock, shared or not?
    pub(in crate::builder) fn is_held(&self, lock: LockId) -> bool {
        self.locks[lock.index()].1.holder().is_some()
    }

    /// Does this thread hold the lock, shared or not?
    pub(in crate::builder) fn holds(&self, thread: ThreadId, lock: LockId) -> bool {
        let state = &self.locks[lock.index()].1;
        state.owner == Some(thread) || state.readers.contains(&thread)
    }

    /// The thread ran the initialiser before its first event, if nothing is known of it yet.
    pub(in crate::builder) fn assume_running(&mut self, thread: ThreadId, once: OnceId) -> bool {
        let state = &mut self.onces[once.index()];
        let is_unknown = *state == OnceState::Unknown;
        if is_unknown {
            *state = OnceState::Running(thread);
        }
        is_unknown
    }

    /// From now on, waits of this semaphore raise its initial value where they must.
    pub(in crate::builder) fn assume_posts(&mut self, sem: SemId) {
        self.sems[sem.index()].assumed = true;
    }

    /// The thread's last event, a wait, did not happen: the unlock before it becomes the last event.
    pub(in crate::builder) fn retract_wait(&mut self, thread: ThreadId) {
        let state = &mut self.threads[thread.index()];
        if let Next::Relock(lock) = state.next {
            (state.next, state.released) = (Next::Anything, Some(lock));
        }
    }

    /// The thread's last event, the entry into a barrier, did not happen. Threads that arrived later move up by one.
    pub(in crate::builder) fn retract_enter(&mut self, thread: ThreadId, barrier: BarrierId) {
        self.threads[thread.index()].next = Next::Anything;
        let state = &mut self.barriers[barrier.index()].1;
        let Some(index) = state.inside.iter().position(|(inside, _)| *inside == thread) else { return };
        let (_, arrival) = state.inside.swap_remove(index);
        state.entered -= 1;
        state.inside.iter_mut().filter(|(_, other)| *other > arrival).for_each(|(_, other)| *other -= 1);
    }
}
