//! What events do, one after the other: the definition of "can really happen". The naive search enumerates its runs, and
//! every witness of the solver is run on it.

use crate::model::Modelled;
use foretrace_ctp::{Action, EventId, ExprId, ObjectId, ObjectKind, Place, ReadId, ThreadId, Values};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What a step showed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The event happened.
    Went,
    /// The event is an assertion that does not hold.
    Failed,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct LockState {
    owner: Option<u32>,
    depth: u32,
    readers: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Waiting {
    No,
    Asleep(ObjectId),
    Woken,
}

/// A moment of a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    positions: Vec<u32>,
    started: Vec<bool>,
    happened: Vec<Vec<bool>>,
    memory: BTreeMap<u64, u8>,
    reads: Vec<u64>,
    locks: Vec<LockState>,
    counts: Vec<u32>,
    waiting: Vec<Waiting>,
    /// For each barrier, how often each thread has arrived.
    arrivals: Vec<Vec<u32>>,
}

/// A program and a moment of its run.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    modelled: &'a Modelled,
    /// The moment.
    pub state: State,
    /// The order that is followed, if one is: decides who is woken.
    ranks: FxHashMap<EventId, usize>,
}

impl<'a> Machine<'a> {
    /// At the beginning, following the recorded order.
    pub fn new(modelled: &'a Modelled) -> Self {
        Self::following(modelled, &modelled.ctp.order)
    }

    /// At the beginning, following this order.
    pub fn following(modelled: &'a Modelled, order: &[EventId]) -> Self {
        let ctp = &modelled.ctp;
        let (threads, forks) = (ctp.threads.len(), ctp.forks());
        let count = |kind| if let ObjectKind::Semaphore(count) = kind { count } else { 0 };
        let state = State {
            positions: vec![0; threads],
            started: (0..threads as u32).map(|thread| !forks.contains_key(&ThreadId(thread))).collect(),
            happened: ctp.threads.iter().map(|thread| vec![false; thread.events.len()]).collect(),
            memory: BTreeMap::new(),
            reads: vec![0; ctp.reads.len()],
            locks: vec![LockState::default(); ctp.objects.len()],
            counts: ctp.objects.iter().map(|object| count(object.kind)).collect(),
            waiting: vec![Waiting::No; threads],
            arrivals: vec![vec![0; threads]; ctp.objects.len()],
        };
        Self { modelled, state, ranks: order.iter().enumerate().map(|(rank, id)| (*id, rank)).collect() }
    }

    /// The event that a thread is at; `None` before its start and after its end.
    pub fn next(&self, thread: ThreadId) -> Option<EventId> {
        let index = self.state.positions[thread.index()];
        let here = (index as usize) < self.modelled.ctp.threads[thread.index()].events.len();
        (here && self.state.started[thread.index()]).then_some(EventId { thread, index })
    }

    /// What happens in an event.
    pub fn action(&self, id: EventId) -> Action {
        self.modelled.ctp.event(id).action
    }

    /// Whether an event has happened.
    pub fn happened(&self, id: EventId) -> bool {
        self.state.happened[id.thread.index()][id.index as usize]
    }

    /// Whether the thread went past an event on another branch.
    pub fn skipped(&self, id: EventId) -> bool {
        id.index < self.state.positions[id.thread.index()] && !self.happened(id)
    }

    /// Whether every thread has come to its end.
    pub fn finished(&self) -> bool {
        let ends = self.modelled.ctp.threads.iter().map(|thread| thread.events.len());
        self.state.positions.iter().zip(ends).all(|(position, end)| *position as usize == end)
            && self.state.started.iter().all(|started| *started)
    }

    /// The value that a read saw.
    pub fn value(&self, read: ReadId) -> u64 {
        self.state.reads[read.index()]
    }

    /// The value of an expression now.
    pub fn evaluate(&self, expr: ExprId) -> u64 {
        Values::new(&self.modelled.ctp.exprs, &|read| self.value(read)).of(expr)
    }

    /// The value in memory.
    pub fn load(&self, place: Place) -> u64 {
        let initial = self.modelled.initial.value(place);
        let byte = |at: u8| {
            let stored = self.state.memory.get(&(place.address + u64::from(at))).copied();
            u64::from(stored.unwrap_or((initial >> (8 * at)) as u8)) << (8 * at)
        };
        (0..place.size).map(byte).sum()
    }

    fn store(&mut self, place: Place, value: u64) {
        let bytes = (0..place.size).map(|at| (place.address + u64::from(at), (value >> (8 * at)) as u8));
        self.state.memory.extend(bytes);
    }

    /// In how many ways the next event of a thread can happen: a signal chooses whom it wakes.
    pub fn choices(&self, thread: ThreadId) -> usize {
        match self.next(thread).map(|id| self.modelled.ctp.event(id).action) {
            Some(Action::Signal(condition)) => self.asleep(condition).count().max(1),
            _ => 1,
        }
    }

    fn asleep(&self, condition: ObjectId) -> impl Iterator<Item = usize> + '_ {
        let waiting = self.state.waiting.iter().enumerate();
        waiting.filter(move |(_, waiting)| **waiting == Waiting::Asleep(condition)).map(|(thread, _)| thread)
    }

    /// The way that fits the order that is followed: the waiter whose return comes first is woken.
    pub fn preferred(&self, thread: ThreadId) -> usize {
        let Some(Action::Signal(condition)) = self.next(thread).map(|id| self.modelled.ctp.event(id).action) else {
            return 0;
        };
        let rank = |waiter: usize| {
            let returns = EventId { thread: ThreadId(waiter as u32), index: self.state.positions[waiter] };
            self.ranks.get(&returns).copied().unwrap_or(usize::MAX)
        };
        self.asleep(condition).enumerate().min_by_key(|(_, waiter)| rank(*waiter)).map_or(0, |(choice, _)| choice)
    }

    /// Takes the steps that only choose a branch.
    pub fn settle(&mut self, thread: ThreadId) {
        while let Some(id) = self.next(thread) {
            match self.modelled.ctp.event(id).action {
                Action::If(_) | Action::Else | Action::EndIf => drop(self.step(thread, 0)),
                _ => return,
            }
        }
    }

    /// Lets the next event of a thread happen, in one of its ways; `None` if it is not possible now.
    pub fn step(&mut self, thread: ThreadId, choice: usize) -> Option<Outcome> {
        let id = self.next(thread)?;
        let mut position = id.index + 1;
        let mut outcome = Outcome::Went;
        match self.modelled.ctp.event(id).action {
            Action::Assume(c) if self.evaluate(c) == 0 => return None,
            Action::Assert(c) if self.evaluate(c) == 0 => outcome = Outcome::Failed,
            Action::If(c) if self.evaluate(c) == 0 => position = self.other_branch(id),
            Action::Else => position = self.end_of_branch(id),
            action @ (Action::Read { .. } | Action::Write { .. } | Action::Update { .. }) => self.access(action)?,
            action => self.synchronise(thread, action, choice)?,
        }
        self.state.positions[thread.index()] = position;
        self.state.happened[thread.index()][id.index as usize] = true;
        Some(outcome)
    }

    /// Behind the `else` of an `if`, or at its `endif`.
    fn other_branch(&self, id: EventId) -> u32 {
        match self.matching(id) {
            (index, Action::Else) => index + 1,
            (index, _) => index,
        }
    }

    fn end_of_branch(&self, id: EventId) -> u32 {
        self.matching(id).0
    }

    /// The `else` or `endif` that belongs to an `if` or `else`.
    fn matching(&self, id: EventId) -> (u32, Action) {
        let mut depth = 0;
        let events = self.modelled.ctp.threads[id.thread.index()].events.iter().enumerate();
        for (index, event) in events.skip(id.index as usize + 1) {
            match event.action {
                Action::If(_) => depth += 1,
                Action::Else | Action::EndIf if depth == 0 => return (index as u32, event.action),
                Action::EndIf => depth -= 1,
                _ => {}
            }
        }
        unreachable!("checked programs have an end for every branch")
    }

    fn access(&mut self, action: Action) -> Option<()> {
        let place = action.place()?;
        let before = action.read().map(|read| (read, self.load(place)));
        if let Some((read, seen)) = before {
            if self.modelled.pinned.get(&read).is_some_and(|pinned| *pinned != seen) {
                return None;
            }
            self.state.reads[read.index()] = seen;
        }
        if let Action::Update { guard: Some(guard), read, .. } = action
            && self.evaluate(guard) == 0
        {
            self.state.reads[read.index()] = 0;
            return None;
        }
        if let Some(value) = action.written() {
            self.store(place, self.evaluate(value));
        }
        Some(())
    }

    fn synchronise(&mut self, thread: ThreadId, action: Action, choice: usize) -> Option<()> {
        let me = thread.index();
        match action {
            Action::Lock(lock) => self.lock(thread, lock)?,
            Action::ReadLock(lock) => {
                let state = &mut self.state.locks[lock.index()];
                state.owner.is_none().then(|| state.readers.push(thread.0))?;
                state.readers.sort_unstable();
            }
            Action::Unlock(lock) => self.unlock(thread, lock)?,
            Action::SemWait(sem) => {
                let count = &mut self.state.counts[sem.index()];
                *count = count.checked_sub(1)?;
            }
            Action::SemPost(sem) => self.state.counts[sem.index()] += 1,
            Action::Signal(condition) => {
                let woken = self.asleep(condition).nth(choice);
                woken.into_iter().for_each(|waiter| self.state.waiting[waiter] = Waiting::Woken);
            }
            Action::Broadcast(condition) => {
                let woken: Vec<usize> = self.asleep(condition).collect();
                woken.into_iter().for_each(|waiter| self.state.waiting[waiter] = Waiting::Woken);
            }
            Action::Wait { condition, mutex } => {
                self.unlock(thread, mutex)?;
                self.state.waiting[me] = Waiting::Asleep(condition);
            }
            Action::Woken { mutex, .. } => {
                (self.state.waiting[me] == Waiting::Woken).then_some(())?;
                self.lock(thread, mutex)?;
                self.state.waiting[me] = Waiting::No;
            }
            Action::BarrierEnter(barrier) => self.state.arrivals[barrier.index()][me] += 1,
            Action::BarrierExit(barrier) => self.arrived(me, barrier)?,
            Action::Fork(child) => self.state.started[child.index()] = true,
            Action::Join(child) => {
                let end = self.modelled.ctp.threads[child.index()].events.len();
                let ended = self.state.positions[child.index()] as usize == end;
                (ended && self.state.started[child.index()]).then_some(())?;
            }
            _ => {}
        }
        Some(())
    }

    fn lock(&mut self, thread: ThreadId, lock: ObjectId) -> Option<()> {
        let recursive = matches!(self.modelled.ctp.object(lock).kind, ObjectKind::Lock { recursive: true });
        let state = &mut self.state.locks[lock.index()];
        let mine = recursive && state.owner == Some(thread.0);
        (state.readers.is_empty() && (state.owner.is_none() || mine)).then_some(())?;
        state.owner = Some(thread.0);
        state.depth += 1;
        Some(())
    }

    fn unlock(&mut self, thread: ThreadId, lock: ObjectId) -> Option<()> {
        let state = &mut self.state.locks[lock.index()];
        if let Some(place) = state.readers.iter().position(|reader| *reader == thread.0) {
            state.readers.remove(place);
            return Some(());
        }
        (state.owner == Some(thread.0)).then_some(())?;
        state.depth -= 1;
        if state.depth == 0 {
            state.owner = None;
        }
        Some(())
    }

    fn arrived(&self, thread: usize, barrier: ObjectId) -> Option<()> {
        let arrivals = &self.state.arrivals[barrier.index()];
        let there = arrivals.iter().filter(|rounds| **rounds >= arrivals[thread]).count();
        let ObjectKind::Barrier(count) = self.modelled.ctp.object(barrier).kind else { return None };
        (there >= count as usize).then_some(())
    }
}
