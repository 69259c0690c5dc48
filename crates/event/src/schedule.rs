//! What the runtime enforces in replay, and what it answers.
//!
//! A replay has a directory of its own. The command line tool puts a file `schedule` there, the runtime writes `outcome`,
//! `progress` and `modules`.
//!
//! **`schedule`**, little-endian: [`MAGIC`], then three numbers of four bytes: [`VERSION`], threads, steps. Then the
//! threads, eight bytes each: the parent's index ([`NO_THREAD`] for the main thread, which is the first) and how many
//! threads that parent had created before. Then the steps, twelve bytes each: the thread's index, the number of the object
//! by first use in the schedule ([`NO_OBJECT`] for none), the operation ([`crate::wire::Op`], one byte), and three bytes
//! of zero. Threads are matched by their place in the tree of creation and objects by their first use, so that addresses
//! do not matter.
//!
//! The operations that are steps are those of [`is_step`]; a thread's steps are all such operations from its beginning.
//!
//! The setting is `replay exact=0|1 loose=0|1 hold=0|1 dir=PATH` in the environment variable `FORETRACE_RUNTIME`. An exact replay
//! examines accesses one by one and tells their stacks; the other examines them by segments, finds the same races several
//! times faster, and does not know their exact places: having found one, run it again exactly.
//!
//! A loose replay keeps the order of each thread's steps and of the steps on each object, which is all that happens-before
//! consists of, and lets threads that have nothing to do with each other run side by side.
//!
//! **`progress`**: four bytes, how many steps have been taken; mapped, so it is up to date however the program ends.
//!
//! **`outcome`**, one line an answer, words of the form `key=value` after the first, numbers in hexadecimal but for
//! `thread`, `step`, `size` and `owner`; a `stack` is return addresses from the innermost, joined by commas:
//!
//! | line | meaning |
//! | --- | --- |
//! | `end` | the last step has been taken; the program runs free |
//! | `diverged step= thread= expected= got= pc=` | a thread came with another operation than its next step |
//! | `stalled step= thread=` | nobody can go on, and the thread of the next step has not come |
//! | `race address= size=` | two accesses, unordered; the two lines after it are `access` |
//! | `access thread= kind=read\|write\|free atomic=0\|1 size= pc= stack= locks=` | the later one first |
//! | `access … pc= exact=0` | the same from a replay that is not exact: the place is the first that touched the line of 64 bytes, and there is no stack |
//! | `block address= size= thread= stack=` | after a race: the heap block it is in, and who allocated it |
//! | `unchecked` | a replay that is not exact: at the end, threads were still running whose last accesses were not examined |
//! | `deadlock` | threads that will never go on; the lines after it are `stuck` |
//! | `stuck thread= op= object= owner= pc= stack= locks=` | one of them: what it waits for, and who holds it (-1: nobody) |
//! | `thread index= parent= pc=` | a thread that takes part, when it begins; those not in the schedule are numbered on |

use crate::wire::Op;

/// The first bytes of a schedule.
pub const MAGIC: [u8; 8] = *b"FTSCHED\n";
/// The version of this layout.
pub const VERSION: u32 = 1;
/// Bytes before the threads.
pub const HEADER_SIZE: usize = 20;
/// Bytes of a thread.
pub const THREAD_SIZE: usize = 8;
/// Bytes of a step.
pub const STEP_SIZE: usize = 12;
/// The parent of the main thread.
pub const NO_THREAD: u32 = u32::MAX;
/// The object of an operation that has none.
pub const NO_OBJECT: u32 = u32::MAX;
/// How a program ends that was stopped because it failed, diverged or stalled.
pub const EXIT_STOPPED: i32 = 66;

/// Is the operation a step of schedules? Those that are not order nothing between threads.
pub const fn is_step(op: Op) -> bool {
    !matches!(
        op,
        Op::Detach
            | Op::Undo
            | Op::LockInit
            | Op::LockDestroy
            | Op::CondInit
            | Op::CondDestroy
            | Op::BarrierInit
            | Op::BarrierDestroy
            | Op::SemInit
            | Op::SemDestroy
            | Op::Alloc
            | Op::Free
            | Op::SignalEnter
            | Op::SignalExit
            | Op::ProcessFork
            | Op::Exit
            | Op::Gap
            | Op::AccessPc
    )
}

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Whose it is: an index into the schedule's threads.
    pub thread: u32,
    /// What it is done to, by first use; [`NO_OBJECT`] for none.
    pub object: u32,
    /// What is done.
    pub op: Op,
}

impl Step {
    /// As bytes of a schedule.
    pub fn encode(self) -> [u8; STEP_SIZE] {
        let mut bytes = [0; STEP_SIZE];
        bytes[..4].copy_from_slice(&self.thread.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.object.to_le_bytes());
        bytes[8] = self.op as u8;
        bytes
    }

    /// From bytes of a schedule; none if no operation has that number or it is no step.
    pub fn decode(bytes: [u8; STEP_SIZE]) -> Option<Self> {
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let op = Op::from_code(bytes[8]).filter(|op| is_step(*op))?;
        Some(Self { thread: number(0), object: number(4), op })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_round_trip() {
        for op in Op::ALL.iter().copied() {
            let step = Step { thread: 7, object: NO_OBJECT, op };
            assert_eq!(Step::decode(step.encode()), is_step(op).then_some(step));
        }
    }
}
