//! The runtime's report of a replay. Untrusted: the program may have overwritten it, or died while it was written.

use crate::operation::in_words;
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
/// The deepest stack that is read.
const MAX_STACK: usize = 4096;

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

/// The lines so far, and the race whose accesses are still to come.
#[derive(Default)]
struct Reader {
    outcome: Outcome,
    open: Option<Race>,
    /// The owner of the next lock.
    holder: Holder,
}

/// A race, and those of its accesses that have been read.
struct Race {
    address: u64,
    size: u64,
    step: Option<u32>,
    library: Option<u64>,
    accesses: Vec<SeenAccess>,
}

impl Race {
    /// The race if it is complete, otherwise the partial one.
    fn finish(self) -> Result<SeenRace, Self> {
        let Self { address, size, step, library, accesses } = self;
        <[SeenAccess; 2]>::try_from(accesses)
            .map(|accesses| SeenRace { address, size, step, accesses, memory: None, library })
            .map_err(|accesses| Self { address, size, step, library, accesses })
    }
}

#[derive(Clone, Copy, Default)]
enum Holder {
    #[default]
    Nobody,
    Access,
    Stuck,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let fields = Fields::new(rest)?;
        match word {
            "end" => self.outcome.ended = true,
            "diverged" => self.outcome.diverged = Some(diverged(&fields)?),
            "stalled" => {
                self.outcome.stalled =
                    Some(Stalled { step: fields.decimal("step")?, thread: fields.decimal("thread")? });
            }
            "race" => {
                let (step, library) = (fields.decimal("step").ok(), fields.hex("library").ok());
                let (address, size) = (fields.hex("address")?, fields.decimal("size")?);
                self.open = Some(Race { address, size, step, library, accesses: Vec::new() });
            }
            "access" => self.access(access(&fields)?)?,
            "lock" => self.lock(lock(&fields)?)?,
            "block" => self.memory(Owner::Block(block(&fields)?))?,
            "stack" => self.memory(Owner::Stack(fields.decimal("thread")?))?,
            "local" => self.memory(Owner::Local(fields.decimal("thread")?, fields.hex("below")?))?,
            "passed" => {
                self.outcome.passed.insert(fields.decimal("place")?, fields.decimal("count")?);
            }
            "unchecked" => self.outcome.unchecked = true,
            "fault" => self.outcome.fault = Some(fault(&fields)?),
            "deadlock" => {}
            "stuck" => {
                self.outcome.deadlock.push(stuck(&fields)?);
                self.holder = Holder::Stuck;
            }
            "thread" => {
                self.outcome.threads.insert(fields.decimal("index")?, fields.decimal("parent")?);
            }
            "created" => {
                let (thread, stack) = (fields.decimal("thread")?, fields.list("stack")?);
                let frames = if fields.get("frames").is_ok() { fields.list("frames")? } else { Vec::new() };
                self.outcome.frames.insert(thread, stack.iter().copied().zip(frames).collect());
                self.outcome.created.insert(thread, stack);
            }
            "unsignalled" => {
                let (thread, pc) = (fields.decimal("thread")?, fields.hex("pc")?);
                self.outcome.unsignalled.push(Unsignalled { thread, pc, stack: fields.list("stack")?, again: false });
            }
            "again" => {
                let thread: u32 = fields.decimal("thread")?;
                let last = self.outcome.unsignalled.iter_mut().rfind(|wait| wait.thread == thread);
                last.ok_or("a thread waits again that was not woken")?.again = true;
            }
            other => return Err(format!("`{}` is no answer", other.chars().take(40).collect::<String>())),
        }
        Ok(())
    }

    fn access(&mut self, access: SeenAccess) -> Result<(), String> {
        let mut race = self.open.take().ok_or("an access without a race")?;
        race.accesses.push(access);
        self.holder = Holder::Access;
        match race.finish() {
            Ok(race) => self.outcome.races.push(race),
            Err(race) => self.open = Some(race),
        }
        Ok(())
    }

    /// The locks of the access or the stuck thread that was read last.
    fn lock(&mut self, lock: SeenLock) -> Result<(), String> {
        let locks = match self.holder {
            Holder::Nobody => None,
            Holder::Access => match &mut self.open {
                Some(race) => race.accesses.last_mut().map(|access| &mut access.locks),
                None => self.outcome.races.last_mut().map(|race| &mut race.accesses[1].locks),
            },
            Holder::Stuck => self.outcome.deadlock.last_mut().map(|stuck| &mut stuck.locks),
        };
        locks.ok_or("a lock that nobody holds")?.push(lock);
        Ok(())
    }

    fn memory(&mut self, memory: Owner) -> Result<(), String> {
        self.outcome.races.last_mut().ok_or("memory without a race")?.memory = Some(memory);
        Ok(())
    }
}

fn diverged(fields: &Fields<'_>) -> Result<Diverged, String> {
    Ok(Diverged {
        step: fields.decimal("step")?,
        thread: fields.decimal("thread")?,
        expected: fields.op("expected")?,
        got: fields.op("got")?,
        pc: fields.hex("pc")?,
    })
}

fn access(fields: &Fields<'_>) -> Result<SeenAccess, String> {
    let write = match fields.get("kind")? {
        "write" | "free" => true,
        "read" => false,
        other => return Err(format!("kind={other} is neither read, write nor free")),
    };
    Ok(SeenAccess {
        thread: fields.decimal("thread")?,
        write,
        free: fields.get("kind")? == "free",
        atomic: fields.get("atomic")? == "1",
        size: fields.decimal("size")?,
        step: fields.decimal::<i64>("step").ok().and_then(|step| u32::try_from(step).ok()),
        pc: fields.hex("pc")?,
        stack: fields.list("stack").unwrap_or_default(),
        locks: Vec::new(),
    })
}

fn lock(fields: &Fields<'_>) -> Result<SeenLock, String> {
    let shared = fields.get("shared")? == "1";
    Ok(SeenLock { address: fields.hex("address")?, shared, stack: fields.list("stack")? })
}

fn block(fields: &Fields<'_>) -> Result<Block, String> {
    let (address, size) = (fields.hex("address")?, fields.decimal("size")?);
    let (mapped, thread) = (fields.get("mapped")? == "1", fields.decimal("thread")?);
    Ok(Block { address, size, mapped, thread, stack: fields.list("stack")? })
}

fn fault(fields: &Fields<'_>) -> Result<SeenFault, String> {
    Ok(SeenFault {
        signal: fields.decimal("signal")?,
        code: fields.decimal("code")?,
        address: fields.hex("address")?,
        thread: u32::try_from(fields.decimal::<i64>("thread")?).ok(),
        write: fields.get("write")? == "1",
        sp: fields.hex("sp")?,
        bottom: fields.hex("bottom")?,
        pc: fields.hex("pc")?,
        stack: fields.list("stack")?,
    })
}

fn stuck(fields: &Fields<'_>) -> Result<SeenStuck, String> {
    Ok(SeenStuck {
        thread: fields.decimal("thread")?,
        op: fields.op("op")?,
        object: fields.hex("object")?,
        owner: u32::try_from(fields.decimal::<i64>("owner")?).ok(),
        pc: fields.hex("pc")?,
        stack: fields.list("stack")?,
        locks: Vec::new(),
    })
}

/// The `key=value` words of a line.
struct Fields<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Fields<'a> {
    fn new(rest: &'a str) -> Result<Self, String> {
        let pair = |word: &'a str| word.split_once('=').ok_or_else(|| format!("`{word}` is not key=value"));
        rest.split(' ').filter(|word| !word.is_empty()).map(pair).collect::<Result<_, _>>().map(Self)
    }

    fn get(&self, key: &str) -> Result<&'a str, String> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| *value).ok_or_else(|| format!("no {key}="))
    }

    fn decimal<T: std::str::FromStr>(&self, key: &str) -> Result<T, String> {
        let value = self.get(key)?;
        value.parse().map_err(|_| format!("{key}={value} is no number"))
    }

    fn hex(&self, key: &str) -> Result<u64, String> {
        hex(self.get(key)?).ok_or_else(|| format!("{key}={} is no hexadecimal number", self.get(key).unwrap_or("")))
    }

    fn list(&self, key: &str) -> Result<Vec<u64>, String> {
        let value = self.get(key)?;
        let words = value.split(',').filter(|word| !word.is_empty()).take(MAX_STACK);
        words.map(|word| hex(word).ok_or_else(|| format!("{key}: {word} is no hexadecimal number"))).collect()
    }

    /// An operation: its name, or its number.
    fn op(&self, key: &str) -> Result<String, String> {
        use foretrace_event::wire::Op;
        let value = self.get(key)?;
        let known = |op: &Op| op.name() == value || hex(value) == Some(u64::from(*op as u8));
        Ok(Op::all().find(known).map_or(value, |op| op.name()).to_owned())
    }
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).ok()
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
