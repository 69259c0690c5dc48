//! The runtime's report of a replay. Untrusted: the program may have overwritten it, or died while it was written.

mod fields;
mod reader;

use crate::operation::in_words;
use reader::Reader;
use std::collections::BTreeMap;
use std::fmt;

/// What happened in a replay.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The last step was taken.
    pub ended: bool,
    /// A thread reached another operation than its next step.
    pub diverged: Option<Diverged>,
    /// No thread could go on, and the thread of the next step had not reached it.
    pub stalled: Option<Stalled>,
    /// Races, in the order in which they were seen.
    pub races: Vec<SeenRace>,
    /// Accesses were watched by segments, and some segments were not examined.
    pub unchecked: bool,
    /// The threads that will never go on; empty: no deadlock.
    pub deadlock: Vec<SeenStuck>,
    /// Waits without a deadline that ended without a signal.
    pub unsignalled: Vec<Unsignalled>,
    /// The last signal that a thread has caused itself, such as SIGSEGV.
    pub fault: Option<SeenFault>,
    /// How often threads reached each delay point, by its number.
    pub passed: BTreeMap<u32, u32>,
    /// Parents of threads, by index; -1: none.
    pub threads: BTreeMap<u32, i64>,
    /// Where threads were created, by index: return addresses, the innermost first.
    pub created: BTreeMap<u32, Vec<u64>>,
    /// The same with the frame pointer of the function that each is in; zero: unknown.
    pub frames: BTreeMap<u32, Vec<(u64, u64)>>,
}

/// A wait without a deadline that ended without a signal, as the standard allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsignalled {
    /// The thread that waited.
    pub thread: u32,
    /// The place of the wait.
    pub pc: u64,
    /// Return addresses, the innermost first.
    pub stack: Vec<u64>,
    /// Whether the thread waited again at once, so that it checks its condition in a loop.
    pub again: bool,
}

/// A thread reached another operation than expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diverged {
    /// The step that was next.
    pub step: u32,
    /// The thread.
    pub thread: u32,
    /// The expected operation.
    pub expected: String,
    /// The operation that it reached.
    pub got: String,
    /// The place.
    pub pc: u64,
}

impl fmt::Display for Diverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (got, expected) = (in_words(&self.got), in_words(&self.expected));
        write!(f, "t{} reached {got} where the schedule expects {expected}", self.thread)
    }
}

/// A thread that did not reach its step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stalled {
    /// The step that was next.
    pub step: u32,
    /// The thread that should have taken it.
    pub thread: u32,
}

impl fmt::Display for Stalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{} did not reach its next operation", self.thread)
    }
}

/// Two unordered accesses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenRace {
    /// The first byte that both touch.
    pub address: u64,
    /// How many bytes both touch, at most.
    pub size: u64,
    /// How many steps of the schedule had been taken; unknown in a replay that is not exact.
    pub step: Option<u32>,
    /// The accesses, the later one first.
    pub accesses: [SeenAccess; 2],
    /// What the bytes are part of, if known.
    pub memory: Option<Owner>,
    /// An address in a library that both threads use and that may order them invisibly.
    pub library: Option<u64>,
}

impl SeenRace {
    /// The block it is in.
    pub fn block(&self) -> Option<&Block> {
        match &self.memory {
            Some(Owner::Block(block)) => Some(block),
            _ => None,
        }
    }
}

/// What a piece of memory is part of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Owner {
    /// A block.
    Block(Block),
    /// The stack of a thread.
    Stack(u32),
    /// A thread's thread-local storage, this far below its thread pointer.
    Local(u32, u64),
}

/// One access of a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenAccess {
    /// The thread.
    pub thread: u32,
    /// A write, not a read.
    pub write: bool,
    /// The freeing of the block, which counts as a write.
    pub free: bool,
    /// An atomic operation.
    pub atomic: bool,
    /// How many bytes.
    pub size: u64,
    /// How many steps of the schedule its thread had taken.
    pub step: Option<u32>,
    /// The place in the program.
    pub pc: u64,
    /// Return addresses, the innermost first; empty in a replay that is not exact.
    pub stack: Vec<u64>,
    /// The locks that the thread held.
    pub locks: Vec<SeenLock>,
}

/// A lock that a thread held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenLock {
    /// Its address.
    pub address: u64,
    /// For reading.
    pub shared: bool,
    /// Where it was taken: return addresses, the innermost first; empty in a replay that is not exact.
    pub stack: Vec<u64>,
}

/// A block of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its first byte.
    pub address: u64,
    /// The size that the program asked for.
    pub size: u64,
    /// Whether it was mapped, not allocated.
    pub mapped: bool,
    /// The thread that allocated or mapped it.
    pub thread: u32,
    /// The place of that call.
    pub stack: Vec<u64>,
}

/// A thread that will never go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenStuck {
    /// The thread.
    pub thread: u32,
    /// The operation that it cannot finish.
    pub op: String,
    /// The object of the operation.
    pub object: u64,
    /// The thread that holds the object; none if no thread does.
    pub owner: Option<u32>,
    /// The place.
    pub pc: u64,
    /// Return addresses, the innermost first.
    pub stack: Vec<u64>,
    /// The locks that the thread holds.
    pub locks: Vec<SeenLock>,
}

/// A signal that a thread has caused itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenFault {
    /// Its number.
    pub signal: i32,
    /// The kernel's reason (`si_code`).
    pub code: i64,
    /// The accessed address; zero if there is none.
    pub address: u64,
    /// The thread; none for a thread that takes no part.
    pub thread: Option<u32>,
    /// Whether it tried to write.
    pub write: bool,
    /// Its stack pointer.
    pub sp: u64,
    /// The lowest address of its stack; zero: unknown.
    pub bottom: u64,
    /// The innermost place in the program's own code.
    pub pc: u64,
    /// The place, followed by return addresses.
    pub stack: Vec<u64>,
}

/// An error in an outcome.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("outcome, line {line}: {why}")]
pub struct OutcomeError {
    /// The line, from 1.
    pub line: usize,
    /// The error.
    pub why: String,
}

/// The longest outcome that is read: a program that writes into the file cannot make us read for ever.
pub const MAX_OUTCOME: usize = 16 << 20;
impl Outcome {
    /// A wait that ended without a signal, after which the thread did not wait again: it is not in a loop.
    pub fn wait_not_in_loop(&self) -> Option<&Unsignalled> {
        self.unsignalled.iter().find(|wait| !wait.again)
    }

    /// Reads the text of the file `outcome`. An incomplete last line is ignored: its writer was killed.
    ///
    /// # Errors
    /// If a line is not one that the runtime writes.
    pub fn parse(text: &str) -> Result<Self, OutcomeError> {
        let mut reader = Reader::default();
        let whole = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        for (index, line) in whole.enumerate() {
            reader.line(line).map_err(|why| OutcomeError { line: index + 1, why })?;
        }
        Ok(reader.outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RACE: &str = "created thread=1 stack=4010\nthread index=1 parent=0\nrace address=7f10 size=4 step=9\n\
        access thread=1 kind=write atomic=0 size=4 step=3 pc=401a stack=401a,4020\n\
        access thread=0 kind=read atomic=1 size=8 step=-1 pc=402a stack=402a\n\
        lock address=7f20 shared=0 stack=4040\nlock address=7f28 shared=1 stack=\n\
        block address=7f00 size=64 mapped=0 thread=0 stack=4030\nend\n";

    #[test]
    fn a_race_is_read_with_both_accesses() {
        let outcome = Outcome::parse(RACE).unwrap();
        assert!(outcome.ended && outcome.threads[&1] == 0 && outcome.created[&1] == [0x4010]);
        let race = &outcome.races[0];
        assert_eq!((race.address, race.accesses[0].stack.len(), race.accesses[1].locks.len()), (0x7f10, 2, 2));
        assert!(race.accesses[0].write && race.accesses[1].atomic);
        assert_eq!((race.step, race.accesses[0].step, race.accesses[1].step), (Some(9), Some(3), None));
        assert!(race.accesses[1].locks[1].shared && race.accesses[0].locks.is_empty());
        assert_eq!(race.block().unwrap().size, 64);
    }

    #[test]
    fn memory_may_be_of_a_thread() {
        for (line, owner) in [("stack thread=3", Owner::Stack(3)), ("local thread=2 below=1c", Owner::Local(2, 28))] {
            let text = format!("{}{line}\n", RACE.split("block").next().unwrap());
            assert_eq!(Outcome::parse(&text).unwrap().races[0].memory, Some(owner));
        }
        assert!(Outcome::parse("stack thread=3\n").is_err() && Outcome::parse("lock address=1\n").is_err());
    }

    #[test]
    fn a_deadlock_is_read() {
        let text = "deadlock\nstuck thread=1 op=lock object=10 owner=2 pc=1 stack=1\nlock address=20 shared=0 stack=5\n\
            stuck thread=2 op=lock object=20 owner=-1 pc=2 stack=2\nlock address=10 shared=0 stack=6\n";
        let stuck = Outcome::parse(text).unwrap().deadlock;
        assert_eq!((stuck.len(), stuck[0].owner, stuck[1].owner), (2, Some(2), None));
        assert_eq!((stuck[0].locks[0].address, stuck[1].locks[0].stack[0]), (0x20, 6));
    }

    #[test]
    fn a_wait_that_ended_without_a_signal_is_in_a_loop_if_it_began_again() {
        let text = "unsignalled thread=1 pc=10 stack=10,20\nunsignalled thread=2 pc=30 stack=30\nagain thread=1\n";
        let outcome = Outcome::parse(text).unwrap();
        assert!(outcome.unsignalled[0].again && outcome.unsignalled[0].stack == [0x10, 0x20]);
        assert_eq!(outcome.wait_not_in_loop().map(|wait| wait.thread), Some(2));
        assert!(Outcome::parse("again thread=1\n").is_err());
    }

    #[test]
    fn half_a_line_is_left_out_and_nonsense_has_a_position() {
        assert_eq!(Outcome::parse("end\nrace addr").unwrap(), Outcome { ended: true, ..Outcome::default() });
        for (text, line) in
            [("gibberish\n", 1), ("end\naccess thread=1\n", 2), ("end\nend\nrace address=zz size=1\n", 3)]
        {
            assert_eq!(Outcome::parse(text).unwrap_err().line, line, "{text}");
        }
    }

    #[test]
    fn every_prefix_and_every_changed_byte_is_an_answer_or_an_error() {
        for end in 0..RACE.len() {
            let _ = Outcome::parse(&RACE[..end]);
            let mut bytes = RACE.as_bytes().to_vec();
            bytes[end] ^= 0x15;
            let _ = Outcome::parse(&String::from_utf8_lossy(&bytes));
        }
    }
}
