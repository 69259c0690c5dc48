//! Runs a program of the tiny language: the executor.

use super::clocks::Clocks;
use super::program::{Instr, Place, Program, Reg};
use crate::execution::{Branching, Divergence, End, Execution, Executor, RaceSeen, Side, Step};
use crate::plan::{Choice, Plan};
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::{Scheduler, ThreadId, ThreadSet};

const REGISTERS: usize = 8;
/// Each kind of object has a range of numbers of its own.
pub(super) const MUTEX: u64 = 1 << 20;
const SEMAPHORE: u64 = 2 << 20;
const CONDITION: u64 = 3 << 20;
const BARRIER: u64 = 4 << 20;
const ONCE: u64 = 5 << 20;
pub(super) const MEMORY: u64 = 6 << 20;
/// The most steps of an execution.
const STEPS: usize = 10_000;
/// A failed assertion ends a process with `SIGABRT`.
const ABORT: i32 = 6;

/// Executors of programs in memory do not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Never {}

/// An executor of a program.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    program: &'a Program,
    created: Vec<bool>,
    watches: bool,
    state: State,
}

#[derive(Clone, Debug, Default)]
struct State {
    threads: Vec<Thread>,
    variables: Vec<i64>,
    /// For each variable, who wrote it last, and at which step.
    written: Vec<(usize, ThreadId)>,
    mutexes: Vec<Mutex>,
    semaphores: Vec<u64>,
    barriers: Vec<Barrier>,
    onces: Vec<Once>,
    clocks: Clocks,
    end: Option<End>,
    now: usize,
    branches: Vec<Branching>,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    pc: usize,
    registers: [i64; REGISTERS],
    phase: Phase,
    /// When its steps were, and which variables they read.
    steps: Vec<(usize, Option<usize>)>,
    /// Where the branches end that it is in.
    ends: Vec<usize>,
}

/// Where a thread is within its instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Phase {
    #[default]
    Ready,
    /// Not created.
    Absent,
    /// Created, and its first step is to come.
    Created,
    /// In the set of waiters of a condition.
    Waiting,
    /// Woken.
    Woken,
    /// At a barrier: the generation, and whether it is the serial thread.
    Arrived {
        generation: u32,
    },
    Ended,
}

#[derive(Clone, Debug, Default)]
struct Mutex {
    owner: Option<ThreadId>,
    readers: ThreadSet,
}

#[derive(Clone, Debug, Default)]
struct Barrier {
    generation: u32,
    arrived: ThreadSet,
    serial: Vec<ThreadId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Once {
    #[default]
    New,
    Running,
    Done,
}

impl<'a> Machine<'a> {
    /// For a program.
    pub fn new(program: &'a Program) -> Self {
        let created = (0..program.threads.len() as u32).map(|thread| program.is_created(thread)).collect();
        let plain = |instr: &Instr| matches!(instr, Instr::Read(..) | Instr::Write(..));
        let watches = program.threads.iter().flatten().any(plain);
        Self { program, created, watches, state: State::default() }
    }

    /// The variables and registers at the end of the last execution.
    pub fn outcome(&self) -> (Vec<i64>, Vec<[i64; REGISTERS]>) {
        (self.state.variables.clone(), self.state.threads.iter().map(|thread| thread.registers).collect())
    }

    /// The thread and the instruction whose assertion failed in the last execution.
    pub fn failed(&self) -> Option<(usize, usize)> {
        let at = |thread: usize| (thread, self.state.threads[thread].pc);
        let fails = |&(thread, pc): &(usize, usize)| {
            matches!(self.program.threads[thread].get(pc), Some(Instr::Assert(expr))
                if expr.value(&self.state.threads[thread].registers) == 0)
        };
        (0..self.state.threads.len()).map(at).find(fails)
    }

    fn reset(&mut self) {
        let program = self.program;
        let many = |number: fn(&Instr) -> Option<u32>| {
            program.threads.iter().flatten().filter_map(number).max().map_or(0, |most| most as usize + 1)
        };
        let phase = |&created: &bool| if created { Phase::Absent } else { Phase::Ready };
        let thread = |phase| Thread { phase, ..Thread::default() };
        self.state = State {
            threads: self.created.iter().map(phase).map(thread).collect(),
            variables: program.variables.clone(),
            written: vec![(0, ThreadId::MAIN); program.variables.len()],
            mutexes: vec![Mutex::default(); many(mutex_of)],
            semaphores: program.semaphores.clone(),
            barriers: vec![Barrier::default(); program.barriers.len()],
            onces: vec![Once::default(); many(once_of)],
            clocks: Clocks::new(if self.watches { program.threads.len() } else { 0 }),
            end: None,
            now: 0,
            branches: Vec::new(),
        };
        for at in 0..self.created.len() {
            if !self.created[at] {
                self.settle(ThreadId::from_index(at));
            }
        }
    }

    fn instr(&self, thread: ThreadId) -> Option<&'a Instr> {
        let program = self.program;
        program.threads[thread.index()].get(self.state.threads[thread.index()].pc)
    }

    fn variable(&self, thread: ThreadId, place: &Place) -> usize {
        let value = place.0.value(&self.state.threads[thread.index()].registers);
        value.rem_euclid(self.state.variables.len().max(1) as i64) as usize
    }

    /// Runs a thread up to its next visible operation.
    fn settle(&mut self, thread: ThreadId) {
        self.leave_branches(thread);
        while self.state.end.is_none() && self.invisible(thread) {
            self.leave_branches(thread);
        }
        let state = &mut self.state;
        let done = state.threads[thread.index()].pc >= self.program.threads[thread.index()].len();
        if done && !self.created[thread.index()] && state.threads[thread.index()].phase == Phase::Ready {
            state.threads[thread.index()].phase = Phase::Ended;
        }
    }

    /// Executes one instruction if it is invisible.
    fn invisible(&mut self, thread: ThreadId) -> bool {
        let Some(instr) = self.instr(thread) else { return false };
        let watched = !self.program.plain_visible;
        match instr {
            Instr::Set(register, expr) => {
                let value = expr.value(&self.state.threads[thread.index()].registers);
                self.set(thread, *register, value);
            }
            Instr::JumpIf(condition, target) => {
                let taken = condition.value(&self.state.threads[thread.index()].registers) != 0;
                self.branch(thread, *target, taken);
                return true;
            }
            Instr::Assert(expr) if expr.value(&self.state.threads[thread.index()].registers) == 0 => {
                self.state.end = Some(End::Crashed { signal: ABORT });
                return false;
            }
            Instr::Assert(_) => {}
            Instr::Read(..) | Instr::Write(..) if watched => {
                let operation = self.standing(thread);
                self.memory(thread, instr, &operation);
            }
            _ => return false,
        }
        self.state.threads[thread.index()].pc += 1;
        true
    }

    /// Jumps or goes on, and notes it.
    fn branch(&mut self, thread: ThreadId, target: usize, taken: bool) {
        let here = &mut self.state.threads[thread.index()];
        let side = Side { place: place_of(thread, here.pc), taken };
        here.ends.push(target);
        here.pc = if taken { target } else { here.pc + 1 };
        self.state.branches.push(Branching { thread, before: self.state.now, side: Some(side) });
    }

    /// Notes the branches whose sides meet here.
    fn leave_branches(&mut self, thread: ThreadId) {
        let here = &mut self.state.threads[thread.index()];
        while here.ends.pop_if(|end| *end == here.pc).is_some() {
            self.state.branches.push(Branching { thread, before: self.state.now, side: None });
        }
    }

    fn set(&mut self, thread: ThreadId, register: Reg, value: i64) {
        self.state.threads[thread.index()].registers[usize::from(register.0)] = value;
    }

    /// What a thread stands before, as it would happen now.
    fn standing(&self, thread: ThreadId) -> Operation {
        use OpKind as K;
        let state = &self.state;
        let at = |kind, range: u64, number: u32| Operation::new(kind, range + u64::from(number));
        let own = u64::from(thread.0);
        match state.threads[thread.index()].phase {
            Phase::Created => return Operation::new(K::Start, 0).with(own),
            Phase::Absent | Phase::Ended => return Operation::new(K::Yield, 0),
            _ => {}
        }
        let Some(instr) = self.instr(thread) else { return Operation::new(K::End, 0).with(own) };
        let memory = |kind, place| Operation::new(kind, MEMORY + 8 * self.variable(thread, place) as u64).with(8);
        match instr {
            Instr::Lock(m) => at(K::Lock, MUTEX, *m),
            Instr::TryLock(m, _) if self.is_free(*m) => at(K::TryLock, MUTEX, *m),
            Instr::TryLock(m, _) => at(K::LockFailed, MUTEX, *m),
            Instr::Unlock(m) if state.mutexes[*m as usize].readers.contains(thread) => at(K::ReadUnlock, MUTEX, *m),
            Instr::Unlock(m) => at(K::Unlock, MUTEX, *m),
            Instr::ReadLock(m) => at(K::ReadLock, MUTEX, *m),
            Instr::TryReadLock(m, _) if state.mutexes[*m as usize].owner.is_none() => at(K::TryReadLock, MUTEX, *m),
            Instr::TryReadLock(m, _) => at(K::ReadLockFailed, MUTEX, *m),
            Instr::SemWait(s) => at(K::SemWait, SEMAPHORE, *s).with(state.semaphores[*s as usize]),
            Instr::SemTryWait(s, _) if state.semaphores[*s as usize] > 0 => {
                at(K::SemTryWait, SEMAPHORE, *s).with(state.semaphores[*s as usize])
            }
            Instr::SemTryWait(s, _) => at(K::SemWaitFailed, SEMAPHORE, *s),
            Instr::SemPost(s) => at(K::SemPost, SEMAPHORE, *s).with(state.semaphores[*s as usize]),
            Instr::SemRead(s, _) => at(K::SemRead, SEMAPHORE, *s).with(state.semaphores[*s as usize]),
            Instr::Wait(c, m) => self.waiting(thread, at(K::Wait, CONDITION, *c).and(MUTEX + u64::from(*m)), 0),
            Instr::TimedWait(c, m, _) => {
                let wait = at(K::Wait, CONDITION, *c).and(MUTEX + u64::from(*m));
                self.waiting(thread, wait, Operation::MAY_LEAVE)
            }
            Instr::Signal(c) => at(K::Signal, CONDITION, *c),
            Instr::Broadcast(c) => at(K::Broadcast, CONDITION, *c),
            Instr::Barrier(b, _) => self.at_barrier(thread, *b),
            Instr::OnceBegin(o, _) if state.onces[*o as usize] == Once::Done => at(K::OncePass, ONCE, *o),
            Instr::OnceBegin(o, _) => at(K::OnceBegin, ONCE, *o),
            Instr::OnceEnd(o) => at(K::OnceEnd, ONCE, *o),
            Instr::Create(t) => Operation::new(K::Create, 0).with(u64::from(*t)),
            Instr::Join(t) => Operation::new(K::Join, 0).with(u64::from(*t)),
            Instr::TryJoin(t, _) if self.has_ended(*t) => Operation::new(K::TryJoin, 0).with(u64::from(*t)),
            Instr::TryJoin(t, _) => Operation::new(K::JoinFailed, 0).with(u64::from(*t)),
            Instr::Load(_, place) => memory(K::Load, place),
            Instr::Store(place, _) => memory(K::Store, place),
            Instr::FetchAdd(_, place, _) | Instr::Swap(_, place, _) => memory(K::Update, place),
            Instr::Cas(_, place, expected, _) => {
                let equal = self.state.variables[self.variable(thread, place)]
                    == expected.value(&state.threads[thread.index()].registers);
                memory(if equal { K::Update } else { K::UpdateFailed }, place)
            }
            Instr::Read(_, place) => memory(K::PlainRead, place),
            Instr::Write(place, _) => memory(K::PlainWrite, place),
            Instr::Spin(place) => memory(K::Spin, place),
            Instr::SpinRound(steps) => Operation::new(K::Spin, 0).with(*steps),
            Instr::Exit(code) => Operation::new(K::Exit, 0).with(*code as u64),
            Instr::Yield | Instr::Set(..) | Instr::JumpIf(..) | Instr::Assert(_) => Operation::new(K::Yield, 0),
        }
    }

    fn waiting(&self, thread: ThreadId, wait: Operation, leave: u64) -> Operation {
        match self.state.threads[thread.index()].phase {
            Phase::Ready => wait,
            Phase::Waiting if leave != 0 => Operation { kind: OpKind::LeftWait, argument: leave, ..wait },
            _ => Operation { kind: OpKind::Rewake, argument: leave, ..wait },
        }
    }

    fn at_barrier(&self, thread: ThreadId, number: u32) -> Operation {
        let object = BARRIER + u64::from(number);
        if let Phase::Arrived { generation } = self.state.threads[thread.index()].phase {
            return Operation::new(OpKind::BarrierLeave, object).with(Operation::arrival(generation, 0));
        }
        let barrier = &self.state.barriers[number as usize];
        let missing = self.program.barriers[number as usize] - barrier.arrived.len();
        Operation::new(OpKind::BarrierArrive, object).with(Operation::arrival(barrier.generation, missing))
    }

    fn is_free(&self, mutex: u32) -> bool {
        let mutex = &self.state.mutexes[mutex as usize];
        mutex.owner.is_none() && mutex.readers.is_empty()
    }

    fn has_ended(&self, thread: u32) -> bool {
        self.state.threads[thread as usize].phase == Phase::Ended
    }

    fn is_enabled(&self, thread: ThreadId) -> bool {
        let here = &self.state.threads[thread.index()];
        match here.phase {
            Phase::Absent | Phase::Ended => return false,
            Phase::Created => return true,
            _ => {}
        }
        let Some(instr) = self.instr(thread) else { return true };
        let mutexes = &self.state.mutexes;
        match instr {
            Instr::Lock(m) => self.is_free(*m),
            Instr::ReadLock(m) => mutexes[*m as usize].owner.is_none(),
            Instr::SemWait(s) => self.state.semaphores[*s as usize] > 0,
            Instr::Wait(_, m) => here.phase == Phase::Ready || here.phase == Phase::Woken && self.is_free(*m),
            Instr::TimedWait(_, m, _) => here.phase == Phase::Ready || self.is_free(*m),
            Instr::Barrier(b, _) => match here.phase {
                Phase::Arrived { generation } => generation < self.state.barriers[*b as usize].generation,
                _ => true,
            },
            Instr::OnceBegin(o, _) => self.state.onces[*o as usize] != Once::Running,
            Instr::Join(t) => self.has_ended(*t),
            Instr::Spin(_) => self.has_changed(thread, 1),
            Instr::SpinRound(steps) => self.has_changed(thread, *steps as usize),
            _ => true,
        }
    }

    /// Has someone else written what one of a thread's last steps has read?
    fn has_changed(&self, thread: ThreadId, round: usize) -> bool {
        let mut steps = self.state.threads[thread.index()].steps.iter().rev().take(round);
        steps.any(|(time, read)| {
            let (last, by) = read.map_or((0, thread), |variable| self.state.written[variable]);
            last > *time && by != thread
        })
    }

    fn enabled(&self) -> ThreadSet {
        (0..self.state.threads.len()).map(ThreadId::from_index).filter(|&thread| self.is_enabled(thread)).collect()
    }

    fn waiters(&self, condition: u64) -> impl Iterator<Item = ThreadId> {
        let threads = (0..self.state.threads.len()).map(ThreadId::from_index);
        threads.filter(move |thread| {
            let operation = self.standing(*thread);
            self.state.threads[thread.index()].phase == Phase::Waiting && operation.object.0 == condition
        })
    }

    fn alternatives(&self, operation: &Operation) -> u32 {
        match operation.kind {
            OpKind::Signal => (self.waiters(operation.object.0).count() as u32).max(1),
            _ => 1,
        }
    }

    /// Executes a visible operation, then runs the thread up to its next one.
    fn step(&mut self, choice: Choice, operation: &Operation) {
        let thread = choice.thread;
        self.state.now += 1;
        let read = self.reads(thread);
        self.state.threads[thread.index()].steps.push((self.state.now, read));
        if self.watches {
            self.state.clocks.synchronise(thread, operation);
        }
        if operation.kind == OpKind::Start {
            self.state.threads[thread.index()].phase = Phase::Ready;
        } else if operation.kind == OpKind::End {
            self.state.threads[thread.index()].phase = Phase::Ended;
        } else if let Some(instr) = self.instr(thread)
            && self.perform(choice, instr, operation)
        {
            self.state.threads[thread.index()].pc += 1;
        }
        self.settle(thread);
    }

    /// Executes a visible instruction; whether the thread then goes to the next.
    fn perform(&mut self, choice: Choice, instr: &Instr, operation: &Operation) -> bool {
        let thread = choice.thread;
        match instr {
            Instr::Wait(..) | Instr::TimedWait(..) => return self.wait(thread, instr, operation),
            Instr::Barrier(b, register) => return self.barrier(thread, *b, *register),
            Instr::Signal(_) => {
                let woken: Vec<ThreadId> = self.waiters(operation.object.0).collect();
                self.wake(thread, woken.get(choice.alternative as usize).copied().into_iter().collect());
            }
            Instr::Broadcast(_) => self.wake(thread, self.waiters(operation.object.0).collect()),
            Instr::OnceBegin(o, target) => {
                let passes = operation.kind == OpKind::OncePass;
                if !passes {
                    self.state.onces[*o as usize] = Once::Running;
                }
                self.branch(thread, *target, passes);
                return false;
            }
            Instr::OnceEnd(o) => self.state.onces[*o as usize] = Once::Done,
            Instr::Create(t) => self.state.threads[*t as usize].phase = Phase::Created,
            Instr::TryJoin(_, register) => {
                self.set(thread, *register, i64::from(operation.kind == OpKind::TryJoin));
            }
            Instr::Exit(code) => self.state.end = Some(End::Completed { code: *code }),
            _ => {
                self.lock_or_semaphore(thread, instr, operation);
                self.memory(thread, instr, operation);
            }
        }
        true
    }

    fn reads(&self, thread: ThreadId) -> Option<usize> {
        match self.instr(thread)? {
            Instr::Load(_, place) | Instr::Read(_, place) => Some(self.variable(thread, place)),
            _ => None,
        }
    }

    fn lock_or_semaphore(&mut self, thread: ThreadId, instr: &Instr, operation: &Operation) {
        let (mutexes, semaphores) = (&mut self.state.mutexes, &mut self.state.semaphores);
        match (instr, operation.kind) {
            (Instr::Lock(m), _) | (Instr::TryLock(m, _), OpKind::TryLock) => {
                mutexes[*m as usize].owner = Some(thread);
            }
            (Instr::Unlock(m), OpKind::ReadUnlock) => mutexes[*m as usize].readers.remove(thread),
            (Instr::Unlock(m), _) => mutexes[*m as usize].owner = None,
            (Instr::ReadLock(m), _) | (Instr::TryReadLock(m, _), OpKind::TryReadLock) => {
                mutexes[*m as usize].readers.insert(thread);
            }
            (Instr::SemWait(s), _) | (Instr::SemTryWait(s, _), OpKind::SemTryWait) => semaphores[*s as usize] -= 1,
            (Instr::SemPost(s), _) => semaphores[*s as usize] += 1,
            _ => {}
        }
        match instr {
            Instr::TryLock(_, register) => self.set(thread, *register, i64::from(operation.kind == OpKind::TryLock)),
            Instr::TryReadLock(_, register) => {
                self.set(thread, *register, i64::from(operation.kind == OpKind::TryReadLock));
            }
            Instr::SemTryWait(_, register) => {
                self.set(thread, *register, i64::from(operation.kind == OpKind::SemTryWait));
            }
            Instr::SemRead(_, register) => self.set(thread, *register, operation.argument as i64),
            _ => {}
        }
    }

    fn memory(&mut self, thread: ThreadId, instr: &Instr, operation: &Operation) {
        let (Instr::Load(_, place)
        | Instr::Store(place, _)
        | Instr::FetchAdd(_, place, _)
        | Instr::Swap(_, place, _)
        | Instr::Cas(_, place, ..)
        | Instr::Read(_, place)
        | Instr::Write(place, _)) = instr
        else {
            return;
        };
        let (at, registers) = (self.variable(thread, place), self.state.threads[thread.index()].registers);
        let old = self.state.variables[at];
        let new = match instr {
            Instr::Store(_, value) | Instr::Write(_, value) | Instr::Swap(_, _, value) => Some(value.value(&registers)),
            Instr::FetchAdd(_, _, value) => Some(old.wrapping_add(value.value(&registers))),
            Instr::Cas(_, _, _, value) if operation.kind == OpKind::Update => Some(value.value(&registers)),
            _ => None,
        };
        if let Some(new) = new {
            self.state.variables[at] = new;
            self.state.written[at] = (self.state.now, thread);
        }
        if let Instr::Load(register, _)
        | Instr::FetchAdd(register, ..)
        | Instr::Swap(register, ..)
        | Instr::Cas(register, ..)
        | Instr::Read(register, _) = instr
        {
            self.set(thread, *register, old);
        }
        if let Instr::Read(..) | Instr::Write(..) = instr {
            let place = place_of(thread, self.state.threads[thread.index()].pc);
            self.state.clocks.access(thread, operation.object, place, new.is_some());
        }
    }

    fn wait(&mut self, thread: ThreadId, instr: &Instr, operation: &Operation) -> bool {
        let mutex = (operation.other.0 - MUTEX) as usize;
        if operation.kind == OpKind::Wait {
            self.state.mutexes[mutex].owner = None;
            self.state.threads[thread.index()].phase = Phase::Waiting;
            return false;
        }
        if let Instr::TimedWait(_, _, register) = instr {
            self.set(thread, *register, i64::from(operation.kind == OpKind::Rewake));
        }
        self.state.mutexes[mutex].owner = Some(thread);
        self.state.threads[thread.index()].phase = Phase::Ready;
        true
    }

    fn wake(&mut self, waker: ThreadId, woken: Vec<ThreadId>) {
        for thread in woken {
            self.state.threads[thread.index()].phase = Phase::Woken;
            if self.watches {
                self.state.clocks.wakes(waker, thread);
            }
        }
    }

    fn barrier(&mut self, thread: ThreadId, number: u32, register: Reg) -> bool {
        let count = self.program.barriers[number as usize];
        let barrier = &mut self.state.barriers[number as usize];
        let here = &mut self.state.threads[thread.index()];
        if let Phase::Arrived { generation } = here.phase {
            here.phase = Phase::Ready;
            here.registers[usize::from(register.0)] =
                i64::from(barrier.serial.get(generation as usize) == Some(&thread));
            return true;
        }
        here.phase = Phase::Arrived { generation: barrier.generation };
        barrier.arrived.insert(thread);
        if barrier.arrived.len() == count {
            barrier.serial.extend(barrier.arrived.iter().next());
            barrier.arrived = ThreadSet::EMPTY;
            barrier.generation += 1;
        }
        false
    }

    fn pending(&self) -> Vec<(ThreadId, Operation)> {
        let threads = (0..self.state.threads.len()).map(ThreadId::from_index);
        let pending =
            threads.filter(|thread| !matches!(self.state.threads[thread.index()].phase, Phase::Absent | Phase::Ended));
        pending.map(|thread| (thread, self.standing(thread))).collect()
    }

    fn standstill(&self) -> End {
        let pending = self.pending();
        let spins = pending.iter().any(|(_, operation)| operation.kind == OpKind::Spin);
        match pending.is_empty() {
            true => End::Completed { code: 0 },
            false if spins => End::Livelock,
            false => End::Deadlock,
        }
    }

    fn races(&mut self) -> Vec<RaceSeen> {
        let mut races = std::mem::take(&mut self.state.clocks.races);
        races.sort_unstable();
        races.dedup();
        races
    }

    /// The next decision of a plan.
    fn decide(&self, run: &mut Run<'_>, enabled: &ThreadSet) -> Result<Choice, End> {
        if let Some(&choice) = run.plan.prefix.get(run.steps.len()) {
            return self.prescribed(choice, enabled).map_err(|why| End::Diverged { at: run.steps.len(), why });
        }
        let asleep: ThreadSet = run.sleep.iter().map(|(thread, _)| *thread).collect();
        let awake = enabled.without(&asleep);
        run.scheduler.choose(&awake, |thread| self.standing(thread)).map(Choice::of).ok_or(End::AllAsleep)
    }

    fn prescribed(&self, choice: Choice, enabled: &ThreadSet) -> Result<Choice, Divergence> {
        let exists = self.state.threads.get(choice.thread.index());
        let alive = exists.is_some_and(|thread| !matches!(thread.phase, Phase::Absent | Phase::Ended));
        if !alive {
            return Err(Divergence::NoThread);
        }
        if !enabled.contains(choice.thread) {
            return Err(Divergence::Blocked);
        }
        let alternatives = self.alternatives(&self.standing(choice.thread));
        if choice.alternative < alternatives { Ok(choice) } else { Err(Divergence::NoAlternative) }
    }

    fn advance(&mut self, run: &mut Run<'_>) -> Result<(), End> {
        if let Some(end) = self.state.end.clone() {
            return Err(end);
        }
        let enabled = self.enabled();
        if enabled.is_empty() {
            return Err(self.standstill());
        }
        if run.steps.len() >= STEPS {
            return Err(End::TooLarge);
        }
        let choice = self.decide(run, &enabled)?;
        let operation = self.standing(choice.thread);
        let (thread, alternative, alternatives) = (choice.thread, choice.alternative, self.alternatives(&operation));
        let place = place_of(thread, self.state.threads[thread.index()].pc);
        run.steps.push(Step { thread, alternative, alternatives, operation, enabled, place });
        self.step(choice, &operation);
        run.scheduler.executed(thread, &operation, |other| {
            (other.index() < self.state.threads.len()).then(|| self.standing(other))
        });
        if run.steps.len() > run.plan.prefix.len() {
            run.sleep.retain(|(_, sleeping)| !operation.conflicts_with(sleeping));
        }
        Ok(())
    }
}

/// An execution that is under way.
struct Run<'p> {
    plan: &'p Plan,
    scheduler: Scheduler,
    sleep: Vec<(ThreadId, Operation)>,
    steps: Vec<Step>,
}

impl Executor for Machine<'_> {
    type Error = Never;

    fn execute(&mut self, plan: &Plan) -> Result<Execution, Never> {
        self.reset();
        let scheduler = Scheduler::new(plan.policy, &plan.lengths);
        let mut run = Run { plan, scheduler, sleep: plan.sleep.clone(), steps: Vec::new() };
        let end = loop {
            if let Err(end) = self.advance(&mut run) {
                break end;
            }
        };
        let cut = run.steps.len() < plan.prefix.len() && !matches!(end, End::Diverged { .. });
        let end = if cut { End::Diverged { at: run.steps.len(), why: Divergence::Ended } } else { end };
        Ok(Execution {
            steps: run.steps,
            pending: self.pending(),
            end,
            races: self.races(),
            branches: std::mem::take(&mut self.state.branches),
        })
    }
}

/// Where an instruction is; each thread has its own code.
pub(super) fn place_of(thread: ThreadId, pc: usize) -> u64 {
    u64::from(thread.0 + 1) << 16 | pc as u64
}

fn mutex_of(instr: &Instr) -> Option<u32> {
    match instr {
        Instr::Lock(m) | Instr::Unlock(m) | Instr::ReadLock(m) => Some(*m),
        Instr::TryLock(m, _) | Instr::TryReadLock(m, _) => Some(*m),
        Instr::Wait(_, m) | Instr::TimedWait(_, m, _) => Some(*m),
        _ => None,
    }
}

fn once_of(instr: &Instr) -> Option<u32> {
    match instr {
        Instr::OnceBegin(o, _) | Instr::OnceEnd(o) => Some(*o),
        _ => None,
    }
}
