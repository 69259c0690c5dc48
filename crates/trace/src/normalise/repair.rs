//! Repairs misuse: operations of the program that the events before them do not allow.
//!
//! A program can unlock a lock that it does not hold, initialise a mutex that is held, leave a wait by a jump, or
//! overwrite a once control. Each such operation is repaired or left out by itself and counted, and its thread goes on:
//!
//! | operation | repair |
//! | --- | --- |
//! | unlock of a lock that no thread holds | a [`StrayUnlock`](foretrace_event::Event::StrayUnlock), which changes nothing |
//! | lock of a lock that is held, or of another kind of lock | the address is a new lock from here on |
//! | anything other than the lock after a wait | the wait is undone |
//! | anything other than the exit after the entry into a barrier | the exit is inserted, or the entry is undone |
//! | exit from a barrier that is not full | the entry is undone |
//! | wait of a semaphore at zero | its initial value is one higher |
//! | run or pass of an initialiser that runs or has run | the address is a new once control from here on |
//! | end of an initialiser that never began | it began before the recording, if the thread existed then |
//! | anything else | left out |

use foretrace_event::wire::Sync;
use foretrace_event::{LockClass, LockId, Sort, ThreadId};

use super::operations::Normaliser;
use crate::Illegal;
use crate::note::Note;

/// How often one operation is repaired. Each repair rules out one kind of violation.
const MOST_REPAIRS: usize = 6;

/// How to continue with an operation after a repair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Again,
    LeaveOut,
}

impl Normaliser<'_> {
    /// Applies one record, or the nearest legal equivalent. The error is a field that no writer writes.
    pub(super) fn settle(&mut self, index: usize, thread: ThreadId, sync: &Sync) -> Result<(), &'static str> {
        for _ in 0..MOST_REPAIRS {
            let Err(why) = self.operation(index, thread, sync)? else { return Ok(()) };
            if self.repair(index, thread, sync, why) == Then::LeaveOut {
                break;
            }
        }
        Ok(())
    }

    fn repair(&mut self, index: usize, thread: ThreadId, sync: &Sync, why: Illegal) -> Then {
        match why {
            Illegal::InBarrier(_) | Illegal::NoRelock(_) if self.walkers[index].handlers > 0 => {
                self.interrupting += 1;
                return Then::LeaveOut;
            }
            Illegal::AfterEnd => {
                self.misuses.after_end += 1;
                return Then::LeaveOut;
            }
            Illegal::TooMany => {
                self.note(Note::Cut { thread, stamp: sync.stamp, why });
                self.builder.cut(thread);
                self.walkers[index].cut = true;
                return Then::LeaveOut;
            }
            Illegal::OnceNotRunning(once) if self.builder.assume_running(thread, once) => return Then::Again,
            _ => {}
        }
        self.misuses.note(thread, why, sync.pc);
        self.put_right(index, thread, sync, why)
    }

    fn put_right(&mut self, index: usize, thread: ThreadId, sync: &Sync, why: Illegal) -> Then {
        match why {
            Illegal::Held { .. } | Illegal::NotShared(_) => self.renew_lock(sync.object),
            Illegal::NoRelock(_) => self.builder.retract_wait(thread),
            Illegal::InBarrier(barrier) => self.builder.abandon_barrier(thread, barrier),
            Illegal::BarrierClosed(barrier) => {
                self.builder.abandon_barrier(thread, barrier);
                self.move_segment_back(index, thread);
                return Then::LeaveOut;
            }
            Illegal::SemaphoreZero(sem) => self.builder.assume_posts(sem),
            Illegal::OnceAgain(_) | Illegal::OnceUnfinished(_) => self.addresses.forget(Sort::Once, sync.object),
            _ => return Then::LeaveOut,
        }
        self.move_segment_back(index, thread);
        Then::Again
    }

    /// The thread's last event may have been undone: its open segment follows the last event that is left.
    fn move_segment_back(&mut self, index: usize, thread: ThreadId) {
        let Some(position) = self.builder.position(thread) else { return };
        if let Some(segment) = self.walkers[index].segment {
            let at = &mut self.segments[segment as usize].1;
            *at = (*at).min(position);
        }
    }

    /// The lock at this address is a new one from here on. The holder of the old lock still holds it.
    pub(super) fn renew_lock(&mut self, address: u64) {
        if let Some(lock) = self.addresses.get(Sort::Lock, address) {
            self.misuses.keep_held(&self.builder, address, LockId(lock));
        }
        self.addresses.forget(Sort::Lock, address);
    }

    /// This memory contains no objects any more. The holder of a lock that was there still holds it.
    pub(super) fn forget_range(&mut self, start: u64, end: u64) {
        let (misuses, builder) = (&mut self.misuses, &self.builder);
        self.addresses.forget_range(start, end, |address, lock| misuses.keep_held(builder, address, LockId(lock)));
    }

    /// The lock that a thread releases: the one at the address, or one that was there when the thread took it.
    pub(super) fn released_lock(&mut self, thread: ThreadId, address: u64, class: LockClass) -> LockId {
        let builder = &self.builder;
        let now = self.addresses.get(Sort::Lock, address).map(LockId);
        if !now.is_some_and(|lock| builder.holds(thread, lock))
            && let Some(held) = self.misuses.held.get_mut(&address)
            && let Some(at) = held.iter().rposition(|lock| builder.holds(thread, *lock))
        {
            return held[at];
        }
        self.lock(address, class)
    }
}
