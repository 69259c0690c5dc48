//! Which of the ready threads to try: strong stubborn sets of threads.
//!
//! A set of threads is grown from one of them. For a member whose next operation is ready, every thread joins that has
//! a remaining operation that does not commute with it. For a member that is not ready, threads join without whose
//! steps it cannot become ready (one holder of the lock, every thread that could post). Then anything that the other
//! threads do can as well be done after the next step of a member.

use foretrace_event::LockId;
use rustc_hash::FxHashMap;

use super::{Mode, Query};
use crate::model::{Mode as LockMode, NO_LETTER, NeedKind, Op, Program, State};

/// Where each lock is taken: the remaining operations of a program's threads.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// By lock, then thread: positions of the operations that lock it, and of those that lock it exclusively.
    locks: FxHashMap<LockId, Vec<LockUse>>,
    /// Are there forced failures? Unlocking does not commute with them.
    failing: bool,
}

#[derive(Clone, Debug)]
struct LockUse {
    thread: u32,
    any: Vec<u32>,
    alone: Vec<u32>,
}

impl Uses {
    /// Of a program.
    pub fn new(program: &Program) -> Self {
        let mut uses = Self::default();
        for thread in 0..program.threads() {
            for (position, &op) in program.chain(thread).ops.iter().enumerate() {
                uses.note(thread as u32, position as u32, op);
            }
        }
        uses
    }

    fn note(&mut self, thread: u32, position: u32, op: Op) {
        let (lock, mode) = match op {
            Op::Acquire { lock, mode, .. } => (lock, mode),
            Op::FailAcquire { lock, .. } => (lock, LockMode::Write),
            _ => {
                self.failing |= matches!(op, Op::FailDown { .. });
                return;
            }
        };
        self.failing |= matches!(op, Op::FailAcquire { .. });
        let list = self.locks.entry(lock).or_default();
        if list.last().is_none_or(|last| last.thread != thread) {
            list.push(LockUse { thread, any: Vec::new(), alone: Vec::new() });
        }
        let last = list.last_mut().expect("just pushed");
        last.any.push(position);
        if mode == LockMode::Write {
            last.alone.push(position);
        }
    }
}

pub(crate) struct Chooser<'a> {
    program: &'a Program,
    uses: &'a Uses,
    query: &'a Query,
    /// Scratch space: members, and members whose consequences are still to be added.
    member: Vec<bool>,
    open: Vec<usize>,
    best: Vec<usize>,
}

impl<'a> Chooser<'a> {
    pub(crate) fn new(program: &'a Program, uses: &'a Uses, query: &'a Query) -> Self {
        let member = vec![false; program.threads()];
        Self { program, uses, query, member, open: Vec::new(), best: Vec::new() }
    }

    /// Computes the threads to try.
    pub(crate) fn choose(&mut self, state: &State, ready: &mut Vec<usize>) {
        match &self.query.mode {
            Mode::All | Mode::GoalInAll(_) => {}
            Mode::Violation => {
                let watched = self.program.watched.as_ref().expect("a property is watched");
                if !watched.is_open(state.at) {
                    ready.clear();
                } else if ready.len() > 1 {
                    self.smallest(state, ready, ready.clone().into_iter());
                }
            }
            Mode::Dead if ready.len() < 2 => {}
            Mode::Dead => self.smallest(state, ready, ready.clone().into_iter()),
            Mode::Goal(goal) => {
                let missing = goal.iter().filter(|&&(thread, position)| state.cut[thread] < position);
                self.smallest(state, ready, missing.map(|&(thread, _)| thread));
            }
        }
    }

    /// Of the sets grown from these threads, the one with the fewest ready members. For deadlocks, an empty set is not
    /// a valid choice; for goals, it proves that the goal is unreachable.
    fn smallest(&mut self, state: &State, ready: &mut Vec<usize>, seeds: impl Iterator<Item = usize>) {
        let mut found = false;
        for seed in seeds {
            self.grow(state, ready, seed);
            let members = ready.iter().filter(|&&thread| self.member[thread]).count();
            if !found || members < self.best.len() {
                self.best.clear();
                self.best.extend(ready.iter().copied().filter(|&thread| self.member[thread]));
                found = true;
            }
            if self.best.len() <= 1 {
                break;
            }
        }
        if found {
            std::mem::swap(ready, &mut self.best);
        } else {
            ready.clear();
        }
    }

    fn grow(&mut self, state: &State, ready: &[usize], seed: usize) {
        self.member.fill(false);
        self.open.clear();
        self.join(seed);
        while let Some(thread) = self.open.pop() {
            if state.cut[thread] >= self.query.caps[thread] {
                continue;
            }
            let op = self.program.chain(thread).ops[state.cut[thread] as usize];
            if ready.contains(&thread) {
                self.add_dependent(state, thread, op);
            } else {
                self.add_enabling(state, thread, op);
            }
        }
    }

    fn join(&mut self, thread: usize) {
        if !std::mem::replace(&mut self.member[thread], true) {
            self.open.push(thread);
        }
    }

    /// Threads with an operation left that does not commute with this ready one.
    fn add_dependent(&mut self, state: &State, thread: usize, op: Op) {
        self.add_signaller(state, thread);
        self.add_accessing(state, op);
        self.add_rivals(state, thread);
        match op {
            Op::Acquire { lock, mode, .. } => {
                self.add_takers(state, lock, mode == LockMode::Write || self.uses.failing)
            }
            Op::FailAcquire { lock, .. } => {
                self.add_takers(state, lock, true);
                self.add_holders(state, thread, lock, LockMode::Write, usize::MAX);
            }
            Op::Release { lock } if self.uses.failing => self.add_takers(state, lock, true),
            Op::Down { counter, .. } | Op::FailDown { counter, .. } | Op::UpFromZero { counter } => {
                self.add_users(state, counter);
            }
            Op::Enter { counter, count } if count > 0 => self.add_users(state, counter),
            Op::Up { counter } if self.uses.failing => self.add_users(state, counter),
            Op::Signal { signal } => {
                for wait in &self.program.waits[signal as usize] {
                    if state.cut[wait.thread as usize] < wait.position {
                        self.join(wait.thread as usize);
                    }
                }
            }
            _ => {}
        }
    }

    /// Threads with a letter of the watched property left that does not commute with this operation's.
    fn add_rivals(&mut self, state: &State, thread: usize) {
        let program = self.program;
        let Some(watched) = &program.watched else { return };
        let letter = program.chain(thread).letters[state.cut[thread] as usize];
        if letter != NO_LETTER {
            let rivals = watched.rivals(letter).iter();
            rivals
                .filter(|(other, last)| state.cut[*other as usize] <= *last)
                .for_each(|(other, _)| self.join(*other as usize));
        }
    }

    /// Accesses of one interval do not commute where reads are kept.
    fn add_accessing(&mut self, state: &State, op: Op) {
        let program = self.program;
        program.users_left(state, op).for_each(|other| self.join(other));
    }

    /// The step that begins a wait does not commute with its signal.
    fn add_signaller(&mut self, state: &State, thread: usize) {
        let chain = self.program.chain(thread);
        let next = state.cut[thread] + 1;
        if let Some(Op::Wait { .. }) = chain.ops.get(next as usize) {
            for need in chain.needs(next) {
                let signals = matches!(need.kind, NeedKind::Signal(_));
                if signals && state.cut[need.thread as usize] < need.position {
                    self.join(need.thread as usize);
                }
            }
        }
    }

    /// Threads that must step before this operation can become ready.
    fn add_enabling(&mut self, state: &State, thread: usize, op: Op) {
        let needs = self.program.chain(thread).needs(state.cut[thread]);
        if let Some(need) = needs.iter().find(|need| state.cut[need.thread as usize] < need.position) {
            self.join(need.thread as usize);
            return;
        }
        self.add_accessing(state, op);
        match op {
            Op::Acquire { lock, mode, .. } => self.add_holders(state, thread, lock, mode, 1),
            Op::FailAcquire { lock, .. } => self.add_takers(state, lock, true),
            Op::Down { counter, .. } | Op::FailDown { counter, .. } | Op::UpFromZero { counter } => {
                self.add_users(state, counter);
            }
            Op::Enter { counter, .. } | Op::Exit { counter, .. } => self.add_users(state, counter),
            _ => {}
        }
    }

    fn add_holders(&mut self, state: &State, thread: usize, lock: LockId, mode: LockMode, at_most: usize) {
        let program = self.program;
        let holders = (0..program.threads()).filter(|&t| t != thread && program.keeps_out(state, t, lock, mode));
        holders.take(at_most).for_each(|holder| self.join(holder));
    }

    /// Threads that will lock this lock; all of them, or those that lock it exclusively.
    fn add_takers(&mut self, state: &State, lock: LockId, any: bool) {
        let uses = self.uses;
        for taker in uses.locks.get(&lock).into_iter().flatten() {
            let thread = taker.thread as usize;
            let positions = if any { &taker.any } else { &taker.alone };
            let next = positions.partition_point(|&position| position < state.cut[thread]);
            if positions.get(next).is_some_and(|&position| position < self.query.caps[thread]) {
                self.join(thread);
            }
        }
    }

    fn add_users(&mut self, state: &State, counter: u32) {
        let program = self.program;
        for track in &program.counters[counter as usize].tracks {
            if track.uses_left(&state.cut) {
                self.join(track.thread as usize);
            }
        }
    }
}
