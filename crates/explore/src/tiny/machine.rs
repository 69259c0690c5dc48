//! Runs a program of the tiny language: the executor.

mod perform;
mod standing;
mod state;

use super::program::{Instr, Place, Program, Reg};
use super::summary::{Table, is_fixed};
use crate::clocks::Clocks;
use crate::execution::{Divergence, End, Execution, Executor, Note, RaceSeen, Reach, Step, What};
use crate::plan::{Choice, Plan};
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::{Scheduler, ThreadId, ThreadSet};
use state::{Barrier, Mutex, Once, Phase, REGISTERS, State, Thread};

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
    table: Table,
    state: State,
}

impl<'a> Machine<'a> {
    /// For a program.
    pub fn new(program: &'a Program) -> Self {
        let created = (0..program.threads.len() as u32).map(|thread| program.is_created(thread)).collect();
        let plain = |instr: &Instr| matches!(instr, Instr::Read(..) | Instr::Write(..));
        let watches = program.threads.iter().flatten().any(plain);
        Self { program, created, watches, table: Table::default(), state: State::default() }
    }

    /// For a program of which is known what the sides of its branches may do.
    pub fn with_table(program: &'a Program) -> Self {
        Self { table: Table::of(program), ..Self::new(program) }
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
            notes: Vec::new(),
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
                let reach = if is_fixed(instr) { Reach::Same } else { Reach::Anything };
                self.note(thread, What::Access { operation, reach, quiet: false });
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
        let others = self.table.other_side(thread, here.pc, taken);
        here.ends.push(target);
        here.pc = if taken { target } else { here.pc + 1 };
        self.note(thread, What::Enter(others));
    }

    fn note(&mut self, thread: ThreadId, what: What) {
        self.state.notes.push(Note { thread, before: self.state.now, what });
    }

    /// Notes the branches whose sides meet here.
    fn leave_branches(&mut self, thread: ThreadId) {
        let here = &mut self.state.threads[thread.index()];
        while here.ends.pop_if(|end| *end == here.pc).is_some() {
            self.state.notes.push(Note { thread, before: self.state.now, what: What::Leave });
        }
    }

    fn set(&mut self, thread: ThreadId, register: Reg, value: i64) {
        self.state.threads[thread.index()].registers[usize::from(register.0)] = value;
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
        if self.instr(thread).is_some_and(|instr| !is_fixed(instr)) {
            self.note(thread, What::Moves);
        }
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
            notes: std::mem::take(&mut self.state.notes),
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
