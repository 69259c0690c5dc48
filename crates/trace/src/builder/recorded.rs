//! What only the reader of a recording needs: cutting threads, assuming earlier state, accesses that become known last.

use foretrace_event::{AtomicId, BarrierId, Event, IntervalId, LockId, OnceId, Patience, SemId, ThreadId};

use super::rules::Phase;
use super::{PlaceId, TraceBuilder};
use crate::note::Note;
use crate::trace::{AllocationInfo, AtomicInfo, IntervalInfo, Slot};

/// An access event before it is inserted among a thread's events.
pub(crate) struct Placed {
    /// Its thread.
    pub(crate) thread: ThreadId,
    /// How many of the thread's sync events come before it.
    pub(crate) position: u32,
    /// A read or a write.
    pub(crate) event: Event,
    /// Its place.
    pub(crate) place: PlaceId,
}

impl TraceBuilder {
    /// The thread held the lock before its first event.
    pub(crate) fn assume_held(&mut self, thread: ThreadId, lock: LockId) -> bool {
        if self.rules.is_used(lock) || self.rules.is_forked(thread) {
            return false;
        }
        self.rules.assume_held(thread, lock);
        let slot = self.extras.pack(Event::Lock(lock, Patience::Blocking), 0, 0);
        self.prologues[thread.index()].push(slot);
        self.counts.held += 1;
        true
    }

    /// The thread began to run the initialiser before its first event.
    pub(crate) fn assume_running(&mut self, thread: ThreadId, once: OnceId) -> bool {
        if self.rules.is_forked(thread) || !self.rules.assume_running(thread, once) {
            return false;
        }
        let slot = self.extras.pack(Event::OnceRun(once), 0, 0);
        self.prologues[thread.index()].push(slot);
        self.counts.running += 1;
        true
    }

    /// The semaphore is posted where the recorder does not see it: its initial value is as high as its waits require.
    pub(crate) fn assume_posts(&mut self, sem: SemId) {
        self.rules.assume_posts(sem);
    }

    /// The thread's last event, a wait, did not happen, because its mutex was not locked after it.
    pub(crate) fn retract_wait(&mut self, thread: ThreadId) {
        self.rules.retract_wait(thread);
        let slot = self.threads[thread.index()].slots.pop();
        if let Some(Event::Wait(instance, ..)) = slot.map(|slot| self.extras.unpack(&slot)) {
            self.conditions.instances[instance.index()].waits -= 1;
        }
    }

    /// The thread goes on although it has entered a barrier: it has left it, or, if that is impossible, it never
    /// entered.
    pub(crate) fn abandon_barrier(&mut self, thread: ThreadId, barrier: BarrierId) {
        if self.put(thread, Event::BarrierExit(barrier), PlaceId::UNKNOWN).is_err() {
            self.rules.retract_enter(thread, barrier);
            self.threads[thread.index()].slots.pop();
        }
    }

    /// Does any thread hold the lock?
    pub(crate) fn is_held(&self, lock: LockId) -> bool {
        self.rules.is_held(lock)
    }

    /// Does this thread hold the lock?
    pub(crate) fn holds(&self, thread: ThreadId, lock: LockId) -> bool {
        self.rules.holds(thread, lock)
    }

    /// The thread that holds the lock exclusively.
    pub(crate) fn owner(&self, lock: LockId) -> Option<ThreadId> {
        self.rules.owner(lock)
    }

    /// No more events of this thread.
    pub(crate) fn cut(&mut self, thread: ThreadId) {
        self.rules.cut(thread);
    }

    /// The thread's number in the recording.
    pub(crate) fn recorded(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].info.recorded
    }

    /// How many sync events the thread has so far, if it may access memory now; the accesses are inserted later.
    pub(crate) fn position(&mut self, thread: ThreadId) -> Option<u32> {
        match self.rules.phase(thread) {
            Phase::New => self.rules.begin(thread),
            Phase::Forked => self.append(thread, Event::Start, PlaceId::UNKNOWN).ok()?,
            Phase::Running => {}
            Phase::Ended | Phase::Joined | Phase::Cut => return None,
        }
        Some(self.threads[thread.index()].slots.len() as u32)
    }

    pub(crate) fn atomic_mut(&mut self, atomic: AtomicId) -> &mut AtomicInfo {
        &mut self.objects.atomics[atomic.index()]
    }

    pub(crate) fn interval_mut(&mut self, interval: IntervalId) -> &mut IntervalInfo {
        &mut self.objects.intervals[interval.index()]
    }

    /// Inserts accesses between the sync events; those of one thread come in the order of their positions.
    pub(crate) fn insert_accesses(&mut self, accesses: impl Iterator<Item = Placed>) {
        let mut merged: Vec<(usize, Vec<Slot>)> = self.threads.iter().map(|_| (0, Vec::new())).collect();
        for access in accesses {
            let (taken, slots) = &mut merged[access.thread.index()];
            let old = &self.threads[access.thread.index()].slots;
            let position = before_glued(old, (access.position as usize).min(old.len())).max(*taken);
            slots.extend_from_slice(&old[*taken..position]);
            *taken = position;
            let stamp = slots.last().map_or(0, |slot| slot.stamp);
            slots.push(self.extras.pack(access.event, stamp, access.place.0));
        }
        for (thread, (taken, mut slots)) in self.threads.iter_mut().zip(merged) {
            slots.extend_from_slice(&thread.slots[taken..]);
            thread.slots = slots;
        }
    }

    /// Stores the allocations that intervals refer to, numbered from 1.
    pub(crate) fn keep_allocations(&mut self, allocations: &[AllocationInfo]) {
        let mut used: Vec<u32> =
            self.objects.intervals.iter().map(|info| info.generation).filter(|g| *g != 0).collect();
        used.sort_unstable();
        used.dedup();
        self.objects.allocations = used.into_iter().map(|number| (number, allocations[number as usize - 1])).collect();
    }

    /// Adds a note to the trace.
    pub(crate) fn note(&mut self, note: Note) {
        self.notes.push(note);
    }
}

/// The last position up to this one at which an access may be inserted: the accesses of a signal handler must not
/// separate the events of a wait or a barrier, not even where the recording ends inside one.
fn before_glued(slots: &[Slot], mut position: usize) -> usize {
    let glued = |position: usize| {
        slots[position - 1].is_glued_to_next() || slots.get(position).is_some_and(Slot::is_glued_to_last)
    };
    while position > 0 && glued(position) {
        position -= 1;
    }
    position
}
