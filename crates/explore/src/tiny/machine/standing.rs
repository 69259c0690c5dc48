//! What each thread stands before: its next visible operation, and whether it can go on.

use super::Machine;
use super::state::{Once, Phase};
use crate::tiny::objects::{BARRIER, CONDITION, MEMORY, MUTEX, ONCE, SEMAPHORE};
use crate::tiny::program::{Expr, Instr, Place};
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::{ThreadId, ThreadSet};

impl Machine<'_> {
    /// What a thread stands before, as it would happen now.
    pub(super) fn standing(&self, thread: ThreadId) -> Operation {
        use OpKind as K;
        let own = u64::from(thread.0);
        match self.state.threads[thread.index()].phase {
            Phase::Created => return Operation::new(K::Start, 0).with(own),
            Phase::Absent | Phase::Ended => return Operation::new(K::Yield, 0),
            _ => {}
        }
        let Some(instr) = self.instr(thread) else { return Operation::new(K::End, 0).with(own) };
        let asked = self.asked(thread, instr);
        if self.is_about_to_notice(thread, instr) { asked.when_cancelled() } else { asked }
    }

    /// What the thread stands before if it is not cancelled.
    fn asked(&self, thread: ThreadId, instr: &Instr) -> Operation {
        use OpKind as K;
        let state = &self.state;
        let at = |kind, range: u64, number: u32| Operation::new(kind, range + u64::from(number));
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
            Instr::Wait(c, m) => {
                let leave = u64::from(state.threads[thread.index()].noticed);
                self.waiting(thread, at(K::Wait, CONDITION, *c).and(MUTEX + u64::from(*m)), leave)
            }
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
            Instr::FutexWait(_, place, expected) => self.at_futex(thread, place, expected),
            Instr::FutexWake(place) => Operation::futex(K::Signal, MEMORY + 8 * self.variable(thread, place) as u64),
            Instr::Cancel(t) => Operation::new(K::Cancel, 0).with(u64::from(*t)),
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

    fn at_futex(&self, thread: ThreadId, place: &Place, expected: &Expr) -> Operation {
        let (here, variable) = (&self.state.threads[thread.index()], self.variable(thread, place));
        let kind = match here.phase {
            Phase::Ready if self.state.variables[variable] == expected.value(&here.registers) => OpKind::FutexWait,
            Phase::Ready => OpKind::FutexPassed,
            _ => OpKind::Rewake,
        };
        Operation::futex(kind, MEMORY + 8 * variable as u64)
    }

    /// Is the thread cancelled, and does it stand where that ends it?
    fn is_about_to_notice(&self, thread: ThreadId, instr: &Instr) -> bool {
        let here = &self.state.threads[thread.index()];
        let ends = match instr {
            Instr::Wait(..) | Instr::TimedWait(..) => here.phase != Phase::Ready && !here.noticed,
            Instr::SemWait(_) | Instr::Join(_) => true,
            _ => false,
        };
        here.cancelled && ends
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
        if self.is_about_to_notice(thread, instr) {
            return true;
        }
        let mutexes = &self.state.mutexes;
        match instr {
            Instr::Lock(m) => self.is_free(*m),
            Instr::ReadLock(m) => mutexes[*m as usize].owner.is_none(),
            Instr::SemWait(s) => self.state.semaphores[*s as usize] > 0,
            Instr::Wait(_, m) => {
                here.phase == Phase::Ready || (here.phase == Phase::Woken || here.noticed) && self.is_free(*m)
            }
            Instr::FutexWait(..) => here.phase != Phase::Waiting,
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

    pub(super) fn enabled(&self) -> ThreadSet {
        (0..self.state.threads.len()).map(ThreadId::from_index).filter(|&thread| self.is_enabled(thread)).collect()
    }

    pub(super) fn waiters(&self, condition: u64) -> impl Iterator<Item = ThreadId> {
        let threads = (0..self.state.threads.len()).map(ThreadId::from_index);
        threads.filter(move |thread| {
            let operation = self.standing(*thread);
            self.state.threads[thread.index()].phase == Phase::Waiting && operation.object.0 == condition
        })
    }

    pub(super) fn alternatives(&self, operation: &Operation) -> u32 {
        match operation.kind {
            OpKind::Signal => (self.waiters(operation.object.0).count() as u32).max(1),
            _ => 1,
        }
    }
}
