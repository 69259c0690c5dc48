//! What the runtime enforces in a replay, and what it reports back.
//!
//! Each replay has its own directory. The command line tool writes the file `schedule` there; the runtime writes
//! `outcome`, `progress` and `modules`.
//!
//! **`schedule`**, little-endian: [`MAGIC`], then three numbers of four bytes: [`VERSION`], threads, objects. Then the
//! threads, eight bytes each: the parent's index ([`NO_THREAD`] for the main thread, which is the first) and how many
//! threads that parent had created before. Then come the ends of the streams, eight bytes each, as offsets from the
//! first stream, which follows this list. There is one stream for each thread, one for the whole order, one for each
//! object, and one for the delay points:
//!
//! * A thread's stream is its steps. A step is the operation ([`crate::wire::Op`], one byte) and a number: zero for no
//!   object, otherwise one more than the object's number by first use in the schedule ([`Step`]).
//! * The whole order, and the order of each object, are runs: a thread and the number of steps it takes in a row
//!   ([`Run`]).
//! * A delay point is the number of times it is passed freely, the lower and the upper half of its address in its file,
//!   and the length of the file's name, all as numbers, followed by the name ([`DelayPoint`]). There are at most
//!   [`MOST_DELAY_POINTS`]: a plain read whose value decides what the program does next, or the write that it may see.
//!
//! A number has seven bits a byte, the lowest first; the highest bit says that another byte follows. Threads are
//! matched by their place in the tree of creation and objects by their first use, so that addresses do not matter.
//!
//! A thread that has taken its last step waits at a delay point until no other thread can go on. Of several waiting
//! threads, one at the first point in the list goes first, and at one point the thread with the lowest index. For the
//! race detector, a delay orders nothing.
//!
//! [`is_step`] defines which operations are steps; a thread's steps are all such operations from its beginning.
//!
//! The setting is `replay exact=0|1 loose=0|1 hold=0|1 only_started=0|1 dir=PATH` in the environment variable
//! `FORETRACE_RUNTIME`. An exact replay examines accesses one by one, holds threads at delay points, and reports
//! stacks. The other kind examines accesses by segments; it finds the same races several times faster, but does not
//! know their exact places. After it has found one, run the schedule again exactly.
//!
//! One process is replayed: the one that the tool has started, if `only_started` is set, or else the first that creates
//! a thread and finds no `outcome`. The tool removes `outcome` and `progress` before each run. The runtime overwrites
//! them only if a failing program is held for a debugger, which may start it again.
//!
//! A loose replay keeps the order of each thread's steps and of the steps on each object, which is all that happens-before
//! consists of, and lets threads that have nothing to do with each other run side by side.
//!
//! **`progress`**: [`PROGRESS_SIZE`] bytes for each thread, of which the first four are the number of steps it has
//! taken. The file is mapped, so it is up to date however the program ends. The `step` of an outcome is the number of
//! steps that all threads have taken, which is the number of the next step in the whole order.
//!
//! **`outcome`** has one line for each answer. After the first word come words of the form `key=value`. Numbers are
//! hexadecimal, except `thread`, `step`, `size`, `owner` and those that are 0 or 1. A `stack` is a list of return
//! addresses from the innermost, separated by commas:
//!
//! | line | meaning |
//! | --- | --- |
//! | `end` | the last step has been taken; the program runs free |
//! | `diverged step= thread= expected= got= pc=` | a thread reached another operation than its next step |
//! | `stalled step= thread=` | no thread can go on, and the thread of the next step has not reached it |
//! | `race address= size= step=` | two unordered accesses, and the first byte that both touch; two `access` lines follow |
//! | `access thread= kind=read\|write\|free atomic=0\|1 size= step= pc= stack=` | the later access comes first; `step` is how many steps its thread had taken, -1: unknown |
//! | `access … pc= exact=0` | the same from a replay that is not exact: the place is the first one that touched the line of 64 bytes, and there is no stack |
//! | `lock address= shared=0\|1 stack=` | after an access and after `stuck`: a lock that the thread held, and where it took it |
//! | `block address= size= mapped=0\|1 thread= stack=` | after a race: the block that the address is in, and the thread that allocated or mapped it |
//! | `stack thread=` | after a race: the address is in the stack of this thread |
//! | `local thread= below=` | after a race: the address is in this thread's thread-local storage, this far below the thread pointer |
//! | `passed place= count=` | at the end: how often threads have reached this delay point |
//! | `unchecked` | in a replay that is not exact, at the end: threads were still running whose last accesses were not examined |
//! | `deadlock` | threads that will never go on; the lines after it are `stuck` |
//! | `stuck thread= op= object= owner= pc= stack=` | one of them: what it waits for, and the thread that holds it (-1: none) |
//! | `thread index= parent=` | a thread that takes part, when it begins; threads beyond the schedule get the next numbers |
//! | `fault signal= code= address= thread= write=0\|1 sp= bottom= pc= stack=` | a thread has caused a signal that ends programs, such as SIGSEGV; `pc` is the innermost place in the program's own code, `sp` its stack pointer and `bottom` the lowest address of its stack; thread -1: unknown |
//! | `created thread= stack=` | where a thread was created, before it begins |

use crate::wire::Op;

/// The first bytes of a schedule.
pub const MAGIC: [u8; 8] = *b"FTSCHED\n";
/// The version of this layout.
pub const VERSION: u32 = 3;
/// Bytes before the threads.
pub const HEADER_SIZE: usize = 20;
/// Bytes of a thread.
pub const THREAD_SIZE: usize = 8;
/// Bytes of the end of a stream.
pub const END_SIZE: usize = 8;
/// Bytes of a thread's progress: each thread writes to a cache line of its own.
pub const PROGRESS_SIZE: usize = 64;
/// The parent of the main thread.
pub const NO_THREAD: u32 = u32::MAX;
/// The object of an operation that has none.
pub const NO_OBJECT: u32 = u32::MAX;
/// The most delay points that a schedule may have.
pub const MOST_DELAY_POINTS: usize = 8;
/// The exit status of a program that was stopped because it failed, diverged or stalled.
pub const EXIT_STOPPED: i32 = 66;

/// Are these bytes a complete schedule of this version, with everything that its beginning announces?
pub fn is_whole(bytes: &[u8]) -> bool {
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let streams = || {
        let (threads, objects) = (number(12)?, number(16)?);
        let ends = threads.checked_mul(THREAD_SIZE)?.checked_add(HEADER_SIZE)?;
        let start = streams(threads, objects)?.checked_mul(END_SIZE)?.checked_add(ends)?;
        let last: [u8; END_SIZE] = bytes.get(start - END_SIZE..start)?.try_into().ok()?;
        (threads > 0).then_some((bytes.len() - start) as u64 == u64::from_le_bytes(last))
    };
    bytes.starts_with(&MAGIC) && number(8) == Some(VERSION as usize) && streams() == Some(true)
}

/// The number of streams: one for each thread and object, the whole order, and the delay points.
pub fn streams(threads: usize, objects: usize) -> Option<usize> {
    threads.checked_add(objects)?.checked_add(2)
}

/// Is the operation a step of schedules? Operations that are not steps order nothing between threads.
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
            | Op::CustomArg
            | Op::AccessPc
    )
}

/// Is this the number of a channel that stands for a file's contents or name, for changes of files, or for child processes?
/// Such operations order threads, but are not steps: programs poll files and processes, and how often they do so differs
/// from run to run.
pub const fn is_file(object: u64) -> bool {
    matches!(object >> 56, FILE_CONTENTS | FILE_NAME | CHILDREN | CHANGES)
}

/// The highest byte of the number of a file's contents.
pub const FILE_CONTENTS: u64 = 0x18;
/// The highest byte of the number of a file's name.
pub const FILE_NAME: u64 = 0x19;
/// The highest byte of the number that stands for all child processes.
pub const CHILDREN: u64 = 0x1b;
/// The highest byte of the number that stands for changes of files that the kernel reports (`inotify`).
pub const CHANGES: u64 = 0x1c;

/// A number as bytes of a stream, and how many there are.
const fn encode(mut number: u32) -> ([u8; 5], usize) {
    let (mut bytes, mut length) = ([0; 5], 0);
    loop {
        bytes[length] = (number & 0x7f) as u8 | ((number > 0x7f) as u8) << 7;
        length += 1;
        number >>= 7;
        if number == 0 {
            return (bytes, length);
        }
    }
}

/// Adds numbers to a stream.
fn extend<const N: usize>(stream: &mut impl Extend<u8>, numbers: [u32; N]) {
    for (bytes, length) in numbers.map(encode) {
        stream.extend(bytes.into_iter().take(length));
    }
}

/// Decodes the number that `bytes` begin with, and advances past it.
#[inline]
fn decode(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in 0..5 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << (7 * shift);
        if byte & 0x80 == 0 {
            return u32::try_from(number).ok();
        }
    }
    None
}

/// One step of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The object's number by first use; [`NO_OBJECT`] for none.
    pub object: u32,
    /// The operation.
    pub op: Op,
}

impl Step {
    /// Adds it to a stream.
    pub fn encode(self, stream: &mut impl Extend<u8>) {
        stream.extend([self.op as u8]);
        extend(stream, [self.object.wrapping_add(1)]);
    }

    /// Takes the first step of a stream; `None` if the stream is empty or begins with something that is not a step.
    #[inline]
    pub fn decode(stream: &mut &[u8]) -> Option<Self> {
        let (op, rest) = stream.split_first()?;
        *stream = rest;
        let op = Op::from_code(*op).filter(|op| is_step(*op))?;
        Some(Self { object: decode(stream)?.wrapping_sub(1), op })
    }
}

/// Steps that one thread takes in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The thread that takes them: an index into the schedule's threads.
    pub thread: u32,
    /// How many; not zero.
    pub steps: u32,
}

impl Run {
    /// Adds it to a stream.
    pub fn encode(self, stream: &mut impl Extend<u8>) {
        extend(stream, [self.thread, self.steps]);
    }

    /// Takes the first run of a stream; `None` if the stream is empty.
    #[inline]
    pub fn decode(stream: &mut &[u8]) -> Option<Self> {
        let (thread, steps) = (decode(stream)?, decode(stream)?);
        (steps > 0).then_some(Self { thread, steps })
    }
}

/// A delay point: a place where a thread waits until no other can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DelayPoint<'a> {
    /// How often it is passed freely.
    pub after: u32,
    /// The return address of the access's hook, in the file.
    pub address: u64,
    /// The file's name, without its directory and with `_` for blanks.
    pub file: &'a [u8],
}

impl<'a> DelayPoint<'a> {
    /// Adds it to a stream.
    pub fn encode(self, stream: &mut impl Extend<u8>) {
        extend(stream, [self.after, self.address as u32, (self.address >> 32) as u32, self.file.len() as u32]);
        stream.extend(self.file.iter().copied());
    }

    /// Takes the first delay point of a stream; `None` if the stream is empty.
    pub fn decode(stream: &mut &'a [u8]) -> Option<Self> {
        let (after, low, high, length) = (decode(stream)?, decode(stream)?, decode(stream)?, decode(stream)?);
        let (file, rest) = stream.split_at_checked(length as usize)?;
        *stream = rest;
        Some(Self { after, address: u64::from(high) << 32 | u64::from(low), file })
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    #[test]
    fn steps_and_runs_round_trip() {
        for op in Op::all() {
            for object in [0, 1, 126, 127, 1 << 14, u32::MAX - 1, NO_OBJECT] {
                let (step, mut stream) = (Step { object, op }, Vec::new());
                step.encode(&mut stream);
                stream.push(9);
                let mut rest = &stream[..];
                assert_eq!(Step::decode(&mut rest), is_step(op).then_some(step));
                assert!(!is_step(op) || rest == [9]);
            }
        }
        for run in [Run { thread: 3, steps: 1 }, Run { thread: u32::MAX, steps: u32::MAX }] {
            let mut stream = Vec::new();
            run.encode(&mut stream);
            assert_eq!(Run::decode(&mut &stream[..]), Some(run));
        }
    }

    #[test]
    fn late_places_round_trip() {
        let place = DelayPoint { after: 3, address: 0x1234_5678_9abc, file: b"prog" };
        let mut stream = Vec::new();
        place.encode(&mut stream);
        let whole = stream.clone();
        stream.push(9);
        let mut rest = &stream[..];
        assert_eq!((DelayPoint::decode(&mut rest), rest), (Some(place), &[9][..]));
        (0..whole.len()).for_each(|end| assert_eq!(DelayPoint::decode(&mut &whole[..end]), None, "cut off at {end}"));
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(Step::decode(&mut &[][..]), None);
        assert_eq!(Step::decode(&mut &[Op::Lock as u8][..]), None);
        assert_eq!(Step::decode(&mut &[0, 1][..]), None);
        assert_eq!(Run::decode(&mut &[1, 0][..]), None, "a run of no steps");
        assert_eq!(Run::decode(&mut &[0xff, 0xff, 0xff, 0xff, 0x7f, 1][..]), None, "more than four bytes hold");
        assert_eq!(Run::decode(&mut &[0x80; 20][..]), None);
    }
}
