//! One step of one thread.

use foretrace_event::LockId;

use super::op::{Mode, NeedKind, Op};
use super::{Need, Program};

/// A state of the program: the cut, and which waits will never return.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// Operations performed, by thread.
    pub cut: Vec<u32>,
    /// The position of the first wait of each thread that missed its signal; the end of the thread if none. Empty if no
    /// signal of the program can be missed.
    pub limits: Vec<u32>,
    /// The state of the watched property's automaton; zero if there is none.
    pub at: u32,
}

/// What a thread can do at a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Nothing: it has finished.
    Done,
    /// Its next operation.
    Ready,
    /// It is blocked.
    Blocked,
    /// It is astray: it would do something that the trace does not show.
    Astray,
}

impl Program {
    /// Before the first operation.
    pub fn initial(&self) -> State {
        let ends = || (0..self.threads()).map(|thread| self.len(thread)).collect();
        State { cut: vec![0; self.threads()], limits: if self.losable { ends() } else { Vec::new() }, at: 0 }
    }

    /// Performs a thread's next operation, which must be ready.
    pub fn step(&self, state: &mut State, thread: usize) {
        let op = self.chains[thread].ops[state.cut[thread] as usize];
        state.at = self.next_at(state.at, thread, state.cut[thread]);
        state.cut[thread] += 1;
        if let Op::Signal { signal } = op {
            for wait in &self.waits[signal as usize] {
                let waiter = wait.thread as usize;
                if state.cut[waiter] < wait.position {
                    state.limits[waiter] = state.limits[waiter].min(wait.position);
                }
            }
        }
    }

    /// Can the thread perform its next operation? It must have one.
    #[inline]
    pub fn ready(&self, state: &State, thread: usize) -> bool {
        let at = state.cut[thread];
        let chain = &self.chains[thread];
        self.possible(state, thread, chain.ops[at as usize]) && chain.needs(at).iter().all(|need| met(state, need))
    }

    /// What a thread can do.
    pub fn status(&self, state: &State, thread: usize) -> Status {
        let at = state.cut[thread];
        let chain = &self.chains[thread];
        let Some(&op) = chain.ops.get(at as usize) else { return Status::Done };
        let unmet = || chain.needs(at).iter().filter(|need| !met(state, need));
        let possible = self.possible(state, thread, op);
        if possible && unmet().next().is_none() {
            Status::Ready
        } else if unmet().any(|need| need.kind == NeedKind::Order) || (!possible && !op.waits()) {
            Status::Astray
        } else {
            Status::Blocked
        }
    }

    /// A thread's next operation.
    pub(crate) fn next(&self, state: &State, thread: usize) -> Option<Op> {
        self.chains[thread].ops.get(state.cut[thread] as usize).copied()
    }

    /// Do the objects allow the operation?
    #[inline]
    pub(crate) fn possible(&self, state: &State, thread: usize, op: Op) -> bool {
        match op {
            Op::Plain | Op::Release { .. } | Op::Up { .. } | Op::Signal { .. } | Op::Store { .. } => true,
            Op::Look { read, .. } => self.sights.sees(read, state),
            Op::Acquire { lock, mode, .. } => !self.excluded(state, thread, lock, mode),
            Op::FailAcquire { lock, mode } => self.excluded(state, thread, lock, mode),
            Op::Down { counter, .. } => self.counters[counter as usize].value(&state.cut) > 0,
            Op::FailDown { counter } => self.counters[counter as usize].value(&state.cut) <= 0,
            Op::UpFromZero { counter } => self.counters[counter as usize].value(&state.cut) == 0,
            Op::Wait { .. } => state.cut[thread] < state.limits[thread],
            Op::Enter { counter, count } => count == 0 || self.to_come(state, counter, count) > 0,
            Op::Exit { counter, count } => count > 0 && self.to_come(state, counter, count) <= 0,
        }
    }

    /// How many more must enter a barrier before its round is complete.
    pub(crate) fn to_come(&self, state: &State, counter: u32, count: u32) -> i64 {
        let counter = &self.counters[counter as usize];
        let round = counter.exits(&state.cut) / i64::from(count) + 1;
        round * i64::from(count) - counter.value(&state.cut)
    }

    /// Does another thread's hold on the lock exclude this one?
    fn excluded(&self, state: &State, thread: usize, lock: LockId, mode: Mode) -> bool {
        (0..self.threads()).any(|other| other != thread && self.keeps_out(state, other, lock, mode))
    }

    /// Does this thread hold the lock in a mode that excludes the wanted one?
    pub(crate) fn keeps_out(&self, state: &State, holder: usize, lock: LockId, wanted: Mode) -> bool {
        let (writes, reads) = self.holds(holder, state.cut[holder], lock);
        writes || (reads && wanted == Mode::Write)
    }

    /// Does a thread hold the lock at a position, for writing and for reading?
    #[inline]
    pub(crate) fn holds(&self, thread: usize, position: u32, lock: LockId) -> (bool, bool) {
        self.held.holds(self.chains[thread].held[position as usize], lock)
    }
}

pub(crate) fn met(state: &State, need: &Need) -> bool {
    state.cut[need.thread as usize] >= need.position
}

impl Op {
    /// Does the thread wait until the objects allow the operation, rather than take another path?
    pub(crate) fn waits(self) -> bool {
        match self {
            Self::Acquire { patient, .. } | Self::Down { patient, .. } => patient,
            Self::FailAcquire { .. } | Self::FailDown { .. } | Self::UpFromZero { .. } | Self::Look { .. } => false,
            Self::Wait { checked, .. } => !checked,
            _ => true,
        }
    }
}
