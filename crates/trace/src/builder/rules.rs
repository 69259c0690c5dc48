//! Which event may come next: the state of every thread and object after the events so far.
//!
//! There is one step function for each kind of object. A trace is built by checking each event against these rules in
//! the observed order, so that no analysis ever meets a history that could not have happened.

mod repair;

use foretrace_event::{BarrierId, Event, LockClass, LockId, OnceId, SemId, ThreadId};

use crate::illegal::Illegal;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Phase {
    #[default]
    New,
    Forked,
    Running,
    Ended,
    Joined,
    Cut,
}

/// What a thread may do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Next {
    #[default]
    Anything,
    Relock(LockId),
    Leave(BarrierId),
}

#[derive(Clone, Default, Debug)]
struct ThreadState {
    phase: Phase,
    forked: bool,
    next: Next,
    /// The lock released by the thread's last event.
    released: Option<LockId>,
}

#[derive(Clone, Default, Debug)]
struct LockState {
    owner: Option<ThreadId>,
    depth: u32,
    readers: Vec<ThreadId>,
    used: bool,
}

impl LockState {
    /// One of its holders, shared or not.
    fn holder(&self) -> Option<ThreadId> {
        self.owner.or(self.readers.first().copied())
    }
}

#[derive(Clone, Default, Debug)]
struct BarrierState {
    entered: u64,
    /// Threads inside, each with its arrival number.
    inside: Vec<(ThreadId, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum OnceState {
    #[default]
    Unknown,
    NotRun,
    Running(ThreadId),
    Done,
}

#[derive(Clone, Default, Debug)]
struct SemState {
    value: u64,
    assumed: bool,
}

/// The state after the events so far.
#[derive(Clone, Default, Debug)]
pub(super) struct Rules {
    threads: Vec<ThreadState>,
    locks: Vec<(LockClass, LockState)>,
    barriers: Vec<(u32, BarrierState)>,
    sems: Vec<SemState>,
    onces: Vec<OnceState>,
}

/// What an event reveals, beyond being legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lesson {
    Nothing,
    /// The semaphore's initial value is one higher than assumed.
    MoreInitially(SemId),
    /// The barrier waits for this many threads.
    Count(BarrierId, u32),
}

impl Rules {
    pub(super) fn add_thread(&mut self) {
        self.threads.push(ThreadState::default());
    }

    pub(super) fn add_lock(&mut self, class: LockClass) {
        self.locks.push((class, LockState::default()));
    }

    pub(super) fn add_barrier(&mut self, count: u32) {
        self.barriers.push((count, BarrierState::default()));
    }

    pub(super) fn add_sem(&mut self, initial: Option<u64>) {
        self.sems.push(SemState { value: initial.unwrap_or(0), assumed: initial.is_none() });
    }

    pub(super) fn add_once(&mut self) {
        self.onces.push(OnceState::default());
    }

    pub(super) fn phase(&self, thread: ThreadId) -> Phase {
        self.threads[thread.index()].phase
    }

    /// The thread does something that is not an event; from then on no fork may create it.
    pub(super) fn begin(&mut self, thread: ThreadId) {
        let state = &mut self.threads[thread.index()];
        if state.phase == Phase::New {
            state.phase = Phase::Running;
        }
    }

    pub(super) fn cut(&mut self, thread: ThreadId) {
        self.threads[thread.index()].phase = Phase::Cut;
    }

    /// Did another thread create this one?
    pub(super) fn is_forked(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].forked
    }

    /// Was the lock used before?
    pub(super) fn is_used(&self, lock: LockId) -> bool {
        self.locks[lock.index()].1.used
    }

    /// The thread that holds the lock exclusively.
    pub(super) fn owner(&self, lock: LockId) -> Option<ThreadId> {
        self.locks[lock.index()].1.owner
    }

    /// The lock was held by this thread before its first event.
    pub(super) fn assume_held(&mut self, thread: ThreadId, lock: LockId) {
        let state = &mut self.locks[lock.index()].1;
        *state = LockState { owner: Some(thread), depth: 1, readers: Vec::new(), used: true };
    }

    /// May `thread` wait with `lock` now?
    pub(super) fn may_wait(&self, thread: ThreadId, lock: LockId) -> Result<(), Illegal> {
        let released = self.threads[thread.index()].released;
        if released == Some(lock) { Ok(()) } else { Err(Illegal::StrayWait(lock)) }
    }

    /// Takes the step, or returns why it is not legal; in that case nothing has changed.
    pub(super) fn step(&mut self, thread: ThreadId, event: Event) -> Result<Lesson, Illegal> {
        self.check_thread(thread, event)?;
        let lesson = self.step_object(thread, event)?;
        let state = &mut self.threads[thread.index()];
        state.phase = if event == Event::End { Phase::Ended } else { Phase::Running };
        state.released = if let Event::Unlock(lock) = event { Some(lock) } else { None };
        state.next = match event {
            Event::Wait(_, lock, _) | Event::FailedWait(lock) => Next::Relock(lock),
            Event::BarrierEnter(barrier) => Next::Leave(barrier),
            _ => Next::Anything,
        };
        Ok(lesson)
    }

    fn check_thread(&self, thread: ThreadId, event: Event) -> Result<(), Illegal> {
        let state = &self.threads[thread.index()];
        match state.phase {
            Phase::Ended | Phase::Joined | Phase::Cut => return Err(Illegal::AfterEnd),
            Phase::Running if event == Event::Start => return Err(Illegal::LateStart),
            _ => {}
        }
        match (state.next, event) {
            (Next::Relock(lock), Event::Lock(other, _)) if lock == other => Ok(()),
            (Next::Relock(lock), _) => Err(Illegal::NoRelock(lock)),
            (Next::Leave(barrier), Event::BarrierExit(other)) if barrier == other => Ok(()),
            (Next::Leave(barrier), _) => Err(Illegal::InBarrier(barrier)),
            (Next::Anything, Event::BarrierExit(barrier)) => Err(Illegal::NotInBarrier(barrier)),
            (Next::Anything, _) => Ok(()),
        }
    }

    fn step_object(&mut self, thread: ThreadId, event: Event) -> Result<Lesson, Illegal> {
        match event {
            Event::Fork(child) => self.fork(thread, child)?,
            Event::Join(child) => self.join(thread, child)?,
            Event::Lock(lock, _) => self.lock(thread, lock)?,
            Event::RdLock(lock, _) => self.rdlock(thread, lock)?,
            Event::Unlock(lock) => self.unlock(thread, lock)?,
            Event::StrayUnlock(lock) => self.stray_unlock(lock)?,
            Event::Wait(_, lock, _) | Event::FailedWait(lock) => self.may_wait(thread, lock)?,
            Event::BarrierEnter(barrier) => self.enter(thread, barrier),
            Event::BarrierExit(barrier) => return self.leave(thread, barrier),
            Event::SemWait(sem, _) => return self.sem_wait(sem),
            Event::SemPost(sem) => {
                let value = &mut self.sems[sem.index()].value;
                *value = value.saturating_add(1);
            }
            Event::OnceRun(once) => self.once_run(thread, once)?,
            Event::OnceDone(once) => self.once_end(thread, once, OnceState::Done)?,
            Event::OnceAbort(once) => self.once_end(thread, once, OnceState::NotRun)?,
            Event::OncePass(once) => self.once_pass(once)?,
            _ => {}
        }
        Ok(Lesson::Nothing)
    }

    fn fork(&mut self, thread: ThreadId, child: ThreadId) -> Result<(), Illegal> {
        let state = &mut self.threads[child.index()];
        if state.phase != Phase::New || thread == child {
            return Err(Illegal::ForkOfLiving(child));
        }
        (state.phase, state.forked) = (Phase::Forked, true);
        Ok(())
    }

    /// If the child's end was missing, the builder has inserted it.
    fn join(&mut self, thread: ThreadId, child: ThreadId) -> Result<(), Illegal> {
        let state = &mut self.threads[child.index()];
        match state.phase {
            _ if thread == child => Err(Illegal::JoinOfSelf),
            Phase::Ended => {
                state.phase = Phase::Joined;
                Ok(())
            }
            Phase::Joined => Err(Illegal::JoinedTwice(child)),
            _ => Err(Illegal::JoinOfCut(child)),
        }
    }

    fn lock(&mut self, thread: ThreadId, lock: LockId) -> Result<(), Illegal> {
        let (class, state) = &mut self.locks[lock.index()];
        let again = class.is_recursive() || *class == LockClass::Annotated;
        let blocker = state.owner.filter(|owner| *owner != thread || !again).or(state.readers.first().copied());
        if let Some(owner) = blocker {
            return Err(Illegal::Held { lock, owner });
        }
        (state.owner, state.depth, state.used) = (Some(thread), state.depth + 1, true);
        Ok(())
    }

    fn rdlock(&mut self, thread: ThreadId, lock: LockId) -> Result<(), Illegal> {
        let (class, state) = &mut self.locks[lock.index()];
        if !matches!(class, LockClass::RwLock | LockClass::Annotated) {
            return Err(Illegal::NotShared(lock));
        }
        if let Some(owner) = state.owner {
            return Err(Illegal::Held { lock, owner });
        }
        state.readers.push(thread);
        state.used = true;
        Ok(())
    }

    /// Any thread may release a lock: its holder, or another on the holder's behalf.
    fn unlock(&mut self, thread: ThreadId, lock: LockId) -> Result<(), Illegal> {
        let state = &mut self.locks[lock.index()].1;
        if state.owner.is_some() {
            state.depth -= 1;
            if state.depth == 0 {
                state.owner = None;
            }
            return Ok(());
        }
        let reader = state.readers.iter().rposition(|reader| *reader == thread);
        let reader = reader.or(state.readers.len().checked_sub(1)).ok_or(Illegal::NotHeld(lock))?;
        state.readers.swap_remove(reader);
        Ok(())
    }

    /// An unlock of a lock that some thread holds releases it.
    fn stray_unlock(&mut self, lock: LockId) -> Result<(), Illegal> {
        let state = &mut self.locks[lock.index()].1;
        state.used = true;
        state.holder().map_or(Ok(()), |owner| Err(Illegal::Held { lock, owner }))
    }

    fn enter(&mut self, thread: ThreadId, barrier: BarrierId) {
        let state = &mut self.barriers[barrier.index()].1;
        state.inside.push((thread, state.entered));
        state.entered += 1;
    }

    fn leave(&mut self, thread: ThreadId, barrier: BarrierId) -> Result<Lesson, Illegal> {
        let (count, state) = &mut self.barriers[barrier.index()];
        let assumed = *count == 0;
        let size = if assumed { state.inside.len() as u64 } else { u64::from(*count) };
        let index = state.inside.iter().position(|(inside, _)| *inside == thread);
        let index = index.ok_or(Illegal::NotInBarrier(barrier))?;
        if state.entered < (state.inside[index].1 / size + 1) * size {
            return Err(Illegal::BarrierClosed(barrier));
        }
        state.inside.swap_remove(index);
        *count = size as u32;
        Ok(if assumed { Lesson::Count(barrier, size as u32) } else { Lesson::Nothing })
    }

    fn sem_wait(&mut self, sem: SemId) -> Result<Lesson, Illegal> {
        let state = &mut self.sems[sem.index()];
        match state.value.checked_sub(1) {
            Some(value) => {
                state.value = value;
                Ok(Lesson::Nothing)
            }
            None if state.assumed => Ok(Lesson::MoreInitially(sem)),
            None => Err(Illegal::SemaphoreZero(sem)),
        }
    }

    fn once_run(&mut self, thread: ThreadId, once: OnceId) -> Result<(), Illegal> {
        let state = &mut self.onces[once.index()];
        if !matches!(state, OnceState::Unknown | OnceState::NotRun) {
            return Err(Illegal::OnceAgain(once));
        }
        *state = OnceState::Running(thread);
        Ok(())
    }

    fn once_end(&mut self, thread: ThreadId, once: OnceId, end: OnceState) -> Result<(), Illegal> {
        let state = &mut self.onces[once.index()];
        if *state != OnceState::Running(thread) {
            return Err(Illegal::OnceNotRunning(once));
        }
        *state = end;
        Ok(())
    }

    /// A pass before any run: the initialiser ran before the recording began.
    fn once_pass(&mut self, once: OnceId) -> Result<(), Illegal> {
        let state = &mut self.onces[once.index()];
        if !matches!(state, OnceState::Unknown | OnceState::Done) {
            return Err(Illegal::OnceUnfinished(once));
        }
        *state = OnceState::Done;
        Ok(())
    }
}
