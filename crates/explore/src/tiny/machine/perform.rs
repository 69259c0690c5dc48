//! What visible operations do.

use super::state::{Once, Phase};
use super::{Machine, place_of};
use crate::execution::End;
use crate::plan::Choice;
use crate::tiny::objects::MUTEX;
use crate::tiny::program::{Instr, Reg};
use foretrace_event::visible::{OpKind, Operation};
use foretrace_event::{ThreadId, ThreadSet};

impl Machine<'_> {
    /// Executes a visible operation, then runs the thread up to its next one.
    pub(super) fn step(&mut self, choice: Choice, operation: &Operation) {
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
        if operation.kind == OpKind::Cancelled {
            return self.notice(thread);
        }
        match instr {
            Instr::Wait(..) | Instr::TimedWait(..) => return self.wait(thread, instr, operation),
            Instr::FutexWait(register, ..) => return self.futex(thread, *register, operation.kind),
            Instr::Cancel(t) => self.state.threads[*t as usize].cancelled = true,
            Instr::Barrier(b, register) => return self.barrier(thread, *b, *register),
            Instr::Signal(_) | Instr::FutexWake(_) => {
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

    pub(super) fn memory(&mut self, thread: ThreadId, instr: &Instr, operation: &Operation) {
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
        let here = &mut self.state.threads[thread.index()];
        here.phase = Phase::Ready;
        if std::mem::take(&mut here.noticed) && operation.kind == OpKind::LeftWait {
            self.end(thread);
            return false;
        }
        true
    }

    /// A cancelled thread ends, once it has left what it waits in.
    fn notice(&mut self, thread: ThreadId) -> bool {
        let here = &mut self.state.threads[thread.index()];
        if here.phase == Phase::Ready {
            self.end(thread);
        } else {
            here.noticed = true;
        }
        false
    }

    fn end(&mut self, thread: ThreadId) {
        self.state.threads[thread.index()].pc = self.program.threads[thread.index()].len();
    }

    fn futex(&mut self, thread: ThreadId, register: Reg, kind: OpKind) -> bool {
        if kind == OpKind::FutexWait {
            self.state.threads[thread.index()].phase = Phase::Waiting;
            return false;
        }
        self.set(thread, register, i64::from(kind == OpKind::Rewake));
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
}
