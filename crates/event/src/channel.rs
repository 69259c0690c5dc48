//! How the tool and a controlled program talk: two files that both sides map or read.
//!
//! Each controlled run has a directory. The tool writes the plan into the file `control` there; the runtime writes what
//! happened into the same file. The file `numbers` holds the numbers of threads, which stay the same in all executions.
//! A *fork server* reads a byte from the pipe `requests` for each execution, and answers on the pipe `answers` with an
//! [`Answer`] when the execution begins and when it has ended.
//!
//! **`control`** consists of words of eight bytes, little-endian. The first are the header ([`Header`]). The areas after it
//! begin at the offsets below, in words:
//!
//! | area | entries |
//! | --- | --- |
//! | [`PREFIX`] | choices of the plan, one word each: the thread, and from bit 32 the alternative |
//! | [`SLEEP`] | sleeping threads, [`PENDING_WORDS`] each: the thread, and from bit 32 the kind; object, other, argument |
//! | [`LENGTHS`] | for each thread, how many steps it is expected to take |
//! | [`VISIBLE`] | visible ranges of plain memory: an address, and a number of bytes |
//! | [`PENDING`] | threads that have not ended, as in [`SLEEP`] |
//! | [`RACES`] | races, [`RACE_WORDS`] each ([`RaceRecord`]) |
//! | [`STEPS`] | steps, [`STEP_WORDS`] each ([`StepRecord`]) |
//!
//! **`numbers`** has a word for each thread but the main one, in the order of their numbers: the creator's number, and from
//! bit 32 one more than the number of threads that the creator had created before. Zero: no thread has this number yet.
//!
//! Both files may have been overwritten by the program: whoever reads them checks every number.

use crate::visible::{ObjectId, OpKind, Operation};
use crate::{Policy, ThreadId, ThreadSet};

/// The first word of `control`.
pub const MAGIC: u64 = u64::from_le_bytes(*b"FTCTRL\x01\n");

/// Words of the header, by what they hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Header {
    /// [`MAGIC`].
    Magic,
    /// How many choices the plan has.
    Prefix,
    /// How many threads sleep after the prefix.
    Sleep,
    /// The policy after the prefix ([`Policy::words`]).
    Policy,
    /// The seed of a random policy.
    Seed,
    /// The first parameter of the policy.
    First,
    /// The second parameter of the policy.
    Second,
    /// [`flags`] of the plan.
    Flags,
    /// How many steps an execution may take.
    MostSteps,
    /// How many ranges of plain memory are visible.
    Visible,
    /// How the execution ended: [`end`].
    End,
    /// What the end says besides: where it diverged, or a thread.
    Argument,
    /// How many steps were taken.
    Steps,
    /// How many threads have not ended.
    Pending,
    /// How many races were seen.
    Races,
    /// [`notes`] about the execution.
    Notes,
    /// Why the execution was forked, though executions need not be: one more than the number of a system call, or one of
    /// [`forked`]. Zero: it was not, or nobody asked for anything else.
    Forked,
    /// One more than the number of the decision after which the failure is certain. Zero: it is not known.
    Certain,
    /// For how many threads the plan says how many steps they are expected to take.
    Lengths,
}

/// Words of the header.
pub const HEADER_WORDS: usize = 64;
/// The most choices of a plan, and the most steps of an execution.
pub const MOST_STEPS: usize = 1 << 16;
/// The most visible ranges.
pub const MOST_VISIBLE: usize = 512;
/// The most races of an execution.
pub const MOST_RACES: usize = 128;
/// Words of a pending operation with its thread.
pub const PENDING_WORDS: usize = 4;
/// Words of a race.
pub const RACE_WORDS: usize = 5;
/// Words of a step.
pub const STEP_WORDS: usize = 9;
const THREADS: usize = ThreadSet::CAPACITY as usize;

/// Where the choices of the plan begin.
pub const PREFIX: usize = HEADER_WORDS;
/// Where the sleeping threads begin.
pub const SLEEP: usize = PREFIX + MOST_STEPS;
/// Where the lengths of threads begin.
pub const LENGTHS: usize = SLEEP + THREADS * PENDING_WORDS;
/// Where the visible ranges begin.
pub const VISIBLE: usize = LENGTHS + THREADS;
/// Where the pending operations begin.
pub const PENDING: usize = VISIBLE + MOST_VISIBLE * 2;
/// Where the races begin.
pub const RACES: usize = PENDING + THREADS * PENDING_WORDS;
/// Where the steps begin.
pub const STEPS: usize = RACES + MOST_RACES * RACE_WORDS;
/// Words of the whole file.
pub const CONTROL_WORDS: usize = STEPS + MOST_STEPS * STEP_WORDS;
/// Words of `numbers`.
pub const THREADS_WORDS: usize = THREADS;

impl Policy {
    /// As the header has it: from [`Header::Policy`] to [`Header::Second`].
    pub const fn words(self) -> [u64; 4] {
        match self {
            Self::Stay => [0; 4],
            Self::Random { seed } => [1, seed, 0, 0],
            Self::Pct { seed, depth, length } => [2, seed, depth as u64, length as u64],
            Self::Pos { seed } => [3, seed, 0, 0],
            Self::Surw { seed, object } => [4, seed, object.0, 0],
        }
    }

    /// From words; one that is not known stays with the running thread.
    pub const fn from_words([kind, seed, first, second]: [u64; 4]) -> Self {
        match kind {
            1 => Self::Random { seed },
            2 => Self::Pct { seed, depth: first as u32, length: second as u32 },
            3 => Self::Pos { seed },
            4 => Self::Surw { seed, object: ObjectId(first) },
            _ => Self::Stay,
        }
    }
}

/// What a plan asks for besides.
pub mod flags {
    /// Waits on condition variables may end without a signal.
    pub const SPURIOUS: u64 = 1;
}

/// How an execution ended.
pub mod end {
    /// It has not ended in the gate: the status of the process tells.
    pub const NONE: u64 = 0;
    /// No thread can go on.
    pub const DEADLOCK: u64 = 1;
    /// The threads that are left wait in loops for changes that nobody can make.
    pub const LIVELOCK: u64 = 2;
    /// All threads that could go on sleep.
    pub const ALL_ASLEEP: u64 = 3;
    /// The choice with the number of the argument could not be followed: that thread could not go on.
    pub const DIVERGED: u64 = 4;
    /// The limit of steps was reached.
    pub const TOO_LONG: u64 = 5;
    /// The program has more threads than the gate can tell apart.
    pub const TOO_MANY_THREADS: u64 = 6;
    /// No thread can go on by itself, but a signal or a cancellation that is not seen may wake one.
    pub const AWAITS_SIGNAL: u64 = 7;
}

/// What is to be said about an execution.
pub mod notes {
    /// A thread waited for input from outside the program.
    pub const OUTSIDE: u64 = 1;
    /// The process ended while threads could still go on.
    pub const CUT_AT_EXIT: u64 = 2;
    /// A file was written or created.
    pub const WRITES_FILES: u64 = 4;
    /// A process was forked.
    pub const FORKS: u64 = 8;
    /// A thread was cancelled.
    pub const CANCELS: u64 = 16;
    /// A loop that waits for a change ended by itself.
    pub const LEAVES_LOOPS: u64 = 32;
    /// A timer was set that sends a signal.
    pub const SETS_TIMERS: u64 = 64;
}

/// Why executions are forked, if that is not because of a system call.
pub mod forked {
    /// Too much memory changes.
    pub const MEMORY: u64 = 1 << 16;
    /// The program chooses the stack of a thread itself.
    pub const STACK: u64 = MEMORY + 1;
    /// This system does not support anything else, or the program has done something before its first thread.
    pub const OTHER: u64 = MEMORY + 2;
    /// The program cancels a thread.
    pub const CANCEL: u64 = MEMORY + 3;
}

/// What the fork server says about an execution: a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It has begun in this process.
    Begun(u32),
    /// It has ended, with this status as `waitpid` tells it.
    Ended(u32),
}

impl Answer {
    /// As the pipe carries it.
    pub const fn word(self) -> u64 {
        match self {
            Self::Begun(process) => process as u64,
            Self::Ended(status) => 1 << 32 | status as u64,
        }
    }

    /// From what the pipe carried.
    pub const fn from_word(word: u64) -> Option<Self> {
        match word >> 32 {
            0 => Some(Self::Begun(word as u32)),
            1 => Some(Self::Ended(word as u32)),
            _ => None,
        }
    }
}

/// A thread with the operation that it stands before.
pub fn pending_words(thread: ThreadId, operation: &Operation) -> [u64; PENDING_WORDS] {
    let head = u64::from(thread.0) | (operation.kind as u64) << 32;
    [head, operation.object.0, operation.other.0, operation.argument]
}

/// The same from words; none if they are malformed.
pub fn pending_from(words: &[u64]) -> Option<(ThreadId, Operation)> {
    let [head, object, other, argument] = *words.first_chunk()?;
    let kind = OpKind::from_number(u8::try_from(head >> 32).ok()?)?;
    let thread = ThreadId(head as u32);
    let operation = Operation { kind, object: ObjectId(object), other: ObjectId(other), argument };
    (thread.0 < ThreadSet::CAPACITY).then_some((thread, operation))
}

/// One step of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepRecord {
    /// Whose step.
    pub thread: ThreadId,
    /// Which alternative of the operation was taken.
    pub alternative: u16,
    /// How many there were.
    pub alternatives: u16,
    /// The operation as it happened.
    pub operation: Operation,
    /// The place in the program.
    pub place: u64,
    /// Who could have gone on instead, and the thread itself.
    pub enabled: ThreadSet,
}

impl StepRecord {
    /// As the file has it.
    pub fn words(&self) -> [u64; STEP_WORDS] {
        let head = u64::from(self.thread.0 as u16)
            | u64::from(self.alternative) << 16
            | u64::from(self.alternatives) << 32
            | (self.operation.kind as u64) << 48;
        let Operation { object, other, argument, .. } = self.operation;
        let [a, b, c, d] = self.enabled.words();
        [head, object.0, other.0, argument, self.place, a, b, c, d]
    }

    /// From words; none if they are malformed.
    pub fn from_words(words: &[u64]) -> Option<Self> {
        let [head, object, other, argument, place, enabled @ ..]: [u64; STEP_WORDS] = *words.first_chunk()?;
        let kind = OpKind::from_number(u8::try_from(head >> 48).ok()?)?;
        let operation = Operation { kind, object: ObjectId(object), other: ObjectId(other), argument };
        let thread = ThreadId(u32::from(head as u16));
        let (alternative, alternatives) = ((head >> 16) as u16, (head >> 32) as u16);
        let enabled = ThreadSet::from_words(enabled);
        let is_sound = enabled.contains(thread) && alternative < alternatives;
        is_sound.then_some(Self { thread, alternative, alternatives, operation, place, enabled })
    }
}

/// A race that the detector saw in an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RaceRecord {
    /// The first byte that both accesses touch.
    pub address: u64,
    /// How many bytes both touch.
    pub size: u32,
    /// The steps that had been taken.
    pub step: u32,
    /// The places of the accesses, the later one first.
    pub places: [u64; 2],
    /// Their threads.
    pub threads: [ThreadId; 2],
}

impl RaceRecord {
    /// As the file has it.
    pub fn words(&self) -> [u64; RACE_WORDS] {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let [later, earlier] = self.threads.map(|thread| thread.0);
        [self.address, pair(self.size, self.step), self.places[0], self.places[1], pair(later, earlier)]
    }

    /// From words; none if they are malformed.
    pub fn from_words(words: &[u64]) -> Option<Self> {
        let [address, numbers, later, earlier, threads]: [u64; RACE_WORDS] = *words.first_chunk()?;
        let threads = [ThreadId(threads as u32), ThreadId((threads >> 32) as u32)];
        Some(Self { address, size: numbers as u32, step: (numbers >> 32) as u32, places: [later, earlier], threads })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_races_come_back_from_their_words() {
        let enabled = [ThreadId(2), ThreadId(200)].into_iter().collect();
        let operation = Operation::new(OpKind::Rewake, 0x1000).and(0x2000).with(1);
        let step = StepRecord { thread: ThreadId(200), alternative: 1, alternatives: 2, operation, place: 77, enabled };
        assert_eq!(StepRecord::from_words(&step.words()), Some(step));
        let mut damaged = step.words();
        damaged[0] |= 0xff << 48;
        assert_eq!(StepRecord::from_words(&damaged), None);
        assert_eq!(pending_from(&pending_words(ThreadId(3), &operation)), Some((ThreadId(3), operation)));
        let threads = [ThreadId(1), ThreadId(2)];
        let race = RaceRecord { address: 64, size: 4, step: 9, places: [5, 6], threads };
        assert_eq!(RaceRecord::from_words(&race.words()), Some(race));
        assert_eq!(Answer::from_word(Answer::Ended(139).word()), Some(Answer::Ended(139)));
    }
}
