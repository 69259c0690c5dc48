//! Reads an outcome, line by line.

use super::fields::Fields;
use super::{
    Block, Diverged, Outcome, Owner, SeenAccess, SeenFault, SeenLock, SeenRace, SeenStuck, Stalled, Unsignalled,
};

/// The lines so far, and the race whose accesses are still to come.
#[derive(Default)]
pub struct Reader {
    pub outcome: Outcome,
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
    /// Reads a line.
    pub fn line(&mut self, line: &str) -> Result<(), String> {
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
