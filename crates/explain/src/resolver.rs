//! What one run's addresses mean: threads, places, locks and memory by name.

use crate::Subject;
use crate::sources::Sources;
use foretrace_event::ThreadId;
use foretrace_report::{Block, Lock, Memory, Origin, Sort, Thing, Thread};
use foretrace_run::{Modules, Outcome, Owner, SeenAccess, SeenLock, SeenRace};
use foretrace_trace::{InBlock, Symbols};

/// What one run's addresses mean.
pub(crate) struct Resolver<'a> {
    pub(crate) subject: &'a Subject<'a>,
    pub(crate) sources: &'a Sources,
    pub(crate) symbols: &'a Symbols,
    pub(crate) modules: &'a Modules,
    /// What was seen in it, if it is a replay.
    pub(crate) seen: Option<&'a Outcome>,
}

impl Resolver<'_> {
    pub(crate) fn locks(&self, held: &[SeenLock], names: &Locks) -> Vec<Lock> {
        let taken = |lock: &SeenLock| self.sources.stack(&lock.stack, self.symbols, self.modules);
        held.iter()
            .map(|lock| Lock { lock: names.thing(self, lock.address), shared: lock.shared, taken: taken(lock) })
            .collect()
    }

    pub(crate) fn threads(&self, mut numbers: Vec<u32>) -> Vec<Thread> {
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|number| self.thread(number)).collect()
    }

    /// A thread, with where it comes from.
    pub(crate) fn thread(&self, number: u32) -> Thread {
        let trace = self.subject.trace;
        let fork = (number as usize) < trace.threads().len();
        let fork = fork.then(|| trace.fork_of(ThreadId(number))).flatten();
        let seen = || self.seen.and_then(|seen| u32::try_from(*seen.threads.get(&number)?).ok());
        let parent = fork.map(|fork| fork.thread.0).or_else(seen);
        let recorded = || {
            let stack = fork.map(|fork| [trace.pc(fork)]).unwrap_or_default();
            self.sources.stack(&stack, self.subject.symbols, self.subject.modules)
        };
        let created = self.seen.and_then(|seen| seen.created.get(&number));
        let created = created.map(|stack| self.sources.stack(stack, self.symbols, self.modules));
        Thread {
            number,
            name: self.thread_name(number),
            parent: parent.map(|parent| self.thread_name(parent)),
            created: created.unwrap_or_else(recorded),
        }
    }

    /// The name the program gave it, `main`, or its number.
    pub(crate) fn thread_name(&self, number: u32) -> String {
        let trace = self.subject.trace;
        match number {
            0 => "main".to_owned(),
            u32::MAX => "a thread".to_owned(),
            number if (number as usize) < trace.threads().len() => trace.name(ThreadId(number)),
            number => format!("t{number}"),
        }
    }

    /// A thing by its address.
    pub(crate) fn thing(&self, sort: Sort, address: u64) -> Thing {
        Thing::new(sort, self.symbols.name_of(address).as_deref())
    }

    pub(crate) fn memory(&self, race: &SeenRace) -> Memory {
        let global = self.symbols.name_of(race.address);
        let local = match race.memory {
            Some(Owner::Local(_, below)) => self.local(below),
            _ => None,
        };
        let on_stack = match race.memory {
            Some(Owner::Stack(thread)) => self.on_stack(thread, race.address),
            _ => None,
        };
        let (function, in_frame) = on_stack.unzip();
        let origin = match &race.memory {
            _ if global.is_some() => Origin::Global,
            Some(Owner::Block(block)) if block.mapped => Origin::Mapped(self.block(block)),
            Some(Owner::Block(block)) => Origin::Heap(self.block(block)),
            Some(Owner::Stack(thread)) => Origin::Stack(self.thread_name(*thread)),
            Some(Owner::Local(thread, _)) => Origin::ThreadLocal(self.thread_name(*thread)),
            None => Origin::Unknown,
        };
        let [freed, freed_twice] =
            [1, 2].map(|times| race.accesses.iter().filter(|access| access.free).count() >= times);
        let name = global.or(local).or(in_frame).or_else(|| self.in_block(race));
        Memory { name, function, origin, address: race.address, size: race.size, freed, freed_twice }
    }

    /// A local variable of a function that the thread was in when it created another one, behind the function's name.
    fn on_stack(&self, owner: u32, address: u64) -> Option<(String, String)> {
        let seen = self.seen?;
        let children = seen.threads.iter().filter(|(_, parent)| **parent == i64::from(owner));
        let frames = children.filter_map(|(child, _)| seen.frames.get(child)).flatten();
        let mut nearest: Vec<(u64, u64)> = frames.copied().filter(|(_, frame)| *frame > address).collect();
        // The frame that an address is in is the one with the lowest pointer above it.
        nearest.sort_unstable_by_key(|(pc, frame)| (*frame, *pc));
        let (pc, frame) = *nearest.first()?;
        let function = self.symbols.frames(pc).pop()?.function?;
        Some((function, self.symbols.in_frame(pc, frame, address)?))
    }

    /// The member of a heap block that is accessed, if the statements that access it leave no doubt.
    fn in_block(&self, race: &SeenRace) -> Option<String> {
        let block = race.block().filter(|block| !block.mapped)?;
        let offset = race.address.checked_sub(block.address)?;
        let names = |access: &SeenAccess| {
            let pc = *access.stack.first()?;
            let frames = self.sources.stack(&[pc], self.symbols, self.modules);
            let statement = frames.first()?.statement()?;
            Some(self.symbols.in_block(pc, InBlock { size: block.size, offset, statement }))
        };
        let mut all = race.accesses.iter().filter(|access| !access.free).filter_map(names);
        let one = all.next()?;
        match (one.as_slice(), all.next()) {
            ([name], None) => Some(name.clone()),
            ([name], Some(other)) => (other.is_empty() || other == one).then(|| name.clone()),
            _ => None,
        }
    }

    /// A thread-local variable of the program.
    fn local(&self, below: u64) -> Option<String> {
        let program = self.subject.program.canonicalize().ok()?;
        self.symbols.local(&program, below)
    }

    fn block(&self, block: &foretrace_run::Block) -> Block {
        Block {
            address: block.address,
            size: block.size,
            thread: self.thread_name(block.thread),
            allocated: self.sources.stack(&block.stack, self.symbols, self.modules),
        }
    }
}

pub(crate) fn index_of(threads: &[Thread], number: u32) -> usize {
    threads.iter().position(|thread| thread.number == number).unwrap_or(0)
}

/// The locks of a failure that have no name, by address: to tell them apart.
pub(crate) struct Locks(Vec<u64>);

impl Locks {
    pub(crate) fn of(resolver: &Resolver<'_>, addresses: Vec<u64>) -> Self {
        let mut unnamed = Vec::new();
        for address in addresses.into_iter().filter(|address| resolver.symbols.name_of(*address).is_none()) {
            if !unnamed.contains(&address) {
                unnamed.push(address);
            }
        }
        Self(unnamed)
    }

    pub(crate) fn thing(&self, resolver: &Resolver<'_>, address: u64) -> Thing {
        let number = self.0.iter().position(|known| *known == address).filter(|_| self.0.len() > 1);
        Thing { number, ..resolver.thing(Sort::Lock, address) }
    }
}
