//! Failures and predictions as findings.

use crate::fold;
use crate::resolver::{Resolver, index_of};
use crate::steps::{self, Followed};
use foretrace_event::{Event, EventId};
use foretrace_finding::Candidate;
use foretrace_report::{
    Act, Fault, Finding, Holder, Kind, Lock, Manner, Memory, Origin, Site, Sort, Status, Thing, Thread, Touch, Verb,
    Wait, top,
};
use foretrace_run::{Cause, Death, Evidence, SeenAccess, SeenFault, SeenLock, SeenRace, SeenStuck};
use foretrace_search::{Confirmed, Open};

impl Resolver<'_> {
    pub(crate) fn confirmed(&self, confirmed: &Confirmed) -> Finding {
        let (kind, numbers): (_, Vec<u32>) = match &confirmed.evidence {
            Evidence::Race(race) => (Kind::DATA_RACE, race.accesses.iter().map(|access| access.thread).collect()),
            Evidence::Deadlock(stuck) => (Kind::DEADLOCK, stuck.iter().map(|stuck| stuck.thread).collect()),
            Evidence::Death(death) => {
                (Kind::CRASH, death.fault.iter().map(|fault| fault.thread.unwrap_or(u32::MAX)).collect())
            }
        };
        let threads = self.threads(numbers);
        let locks = Locks::of(self, &confirmed.evidence);
        let sites: Vec<Site> = match &confirmed.evidence {
            Evidence::Race(race) => {
                let name = self.memory(race).name;
                let site = |access| self.access(access, (race, name.as_deref()), &threads, &locks);
                race.accesses.iter().map(site).collect()
            }
            Evidence::Deadlock(stuck) => stuck.iter().map(|stuck| self.stuck(stuck, &threads, &locks)).collect(),
            Evidence::Death(death) => {
                death.fault.iter().map(|fault| self.fault(fault, death.cause, &threads)).collect()
            }
        };
        let schedule = &confirmed.schedule;
        let (memory, followed) = match &confirmed.evidence {
            Evidence::Race(race) => {
                let done = race.accesses.iter().map(|access| access.step).collect();
                (Some(self.memory(race)), Followed { schedule, until: race.step, done, waits: false })
            }
            Evidence::Deadlock(_) => (None, Followed::to_the_end(schedule, &sites, true)),
            Evidence::Death(_) => (None, Followed::to_the_end(schedule, &sites, false)),
        };
        let finding = self.finish(&followed, Status::Confirmed, (kind, memory, sites, threads));
        let death = match &confirmed.evidence {
            Evidence::Death(death) => Some(self.death(death)),
            _ => None,
        };
        Finding {
            death,
            repeats: confirmed.repeats.filter(|often| !often.is_always()).map(|often| (often.seen, often.of)),
            ..finding
        }
    }

    /// A failure caused by a wait that is not in a loop, reported as that.
    pub(crate) fn wait_not_in_loop(&self, confirmed: &Confirmed, failure: &Finding) -> Option<Finding> {
        let wait = confirmed.run.outcome.wait_not_in_loop()?;
        let mut threads = failure.threads.clone();
        if !threads.iter().any(|thread| thread.number == wait.thread) {
            threads.push(self.thread(wait.thread));
        }
        let site = Site {
            thread: index_of(&threads, wait.thread),
            does: Act::Unsignalled { then: vec![failure.title()] },
            stack: self.sources.stack(&wait.stack, self.symbols, self.modules),
            locks: Vec::new(),
        };
        let kind = Kind::WAIT_NOT_IN_LOOP;
        let id = format!("{}-{:08x}", kind.rule(), fold::fingerprint(kind, None, std::slice::from_ref(&site)));
        let sites = std::iter::once(site).chain(failure.sites.iter().cloned()).collect();
        Some(Finding { id, kind, memory: None, sites, threads, ..failure.clone() })
    }

    pub(crate) fn predicted(&self, open: &Open) -> Finding {
        let (witness, why) = (&open.witness, open.reason.to_string());
        let trace = self.subject.trace;
        let (kind, memory, events): (_, _, Vec<(EventId, Act)>) = match &witness.candidate {
            Candidate::Race(race) => {
                let info = trace.interval(race.interval);
                let memory = Memory {
                    name: info.name.as_deref().map(str::to_owned),
                    function: None,
                    origin: if info.name.is_some() { Origin::Global } else { Origin::Unknown },
                    address: info.address,
                    size: info.length,
                    freed: false,
                    freed_twice: false,
                };
                let touch = |verb| {
                    let (name, size) = (memory.name.clone(), memory.size);
                    Act::Touch(Touch { verb, atomic: false, size, address: None, name, is_part: false })
                };
                let does = |id: EventId| match trace.event(id) {
                    Event::Read(_) => (id, touch(Verb::Read)),
                    Event::Write(_) => (id, touch(Verb::Write)),
                    other => (id, Act::Operation(steps::operation(trace, other))),
                };
                let events = vec![does(race.first), does(race.second)];
                (Kind::DATA_RACE, Some(memory), events)
            }
            Candidate::Deadlock(deadlock) => {
                let stuck = deadlock.stuck().iter();
                (Kind::DEADLOCK, None, stuck.map(|s| (s.at, Act::Wait(steps::waits_for(trace, s.waits_for)))).collect())
            }
        };
        let numbers = events.iter().map(|(id, _)| id.thread.0).collect();
        let threads = self.threads(numbers);
        let site = |(id, does): &(EventId, Act)| Site {
            thread: index_of(&threads, id.thread.0),
            does: does.clone(),
            stack: self.sources.stack(&[trace.pc(*id)], self.symbols, self.modules),
            locks: Vec::new(),
        };
        let sites: Vec<Site> = events.iter().map(site).collect();
        let followed = Followed::to_the_end(&witness.schedule, &sites, kind == Kind::DEADLOCK);
        self.finish(&followed, Status::Predicted(why), (kind, memory, sites, threads))
    }

    fn finish(
        &self,
        followed: &Followed,
        status: Status,
        (kind, memory, sites, mut threads): (Kind, Option<Memory>, Vec<Site>, Vec<Thread>),
    ) -> Finding {
        let steps = steps::of(self, followed, &sites, &mut threads);
        let id = format!("{}-{:08x}", kind.rule(), fold::fingerprint(kind, memory.as_ref(), &sites));
        let schedule = followed.schedule.to_string();
        Finding { id, status, memory, sites, threads, steps, schedule, ..Finding::new(kind) }
    }

    fn access(
        &self,
        access: &SeenAccess,
        (race, name): (&SeenRace, Option<&str>),
        threads: &[Thread],
        locks: &Locks,
    ) -> Site {
        let verb = match race.block() {
            Some(block) if access.free && block.mapped => Verb::Unmap,
            Some(_) if access.free => Verb::FreeBlock,
            None if access.free => Verb::Free,
            _ if access.write => Verb::Write,
            _ => Verb::Read,
        };
        let (atomic, size, address) = (access.atomic, access.size, Some(race.address));
        let (name, is_part) = (name.map(str::to_owned), access.size > race.size);
        Site {
            thread: index_of(threads, access.thread),
            does: Act::Touch(Touch { verb, atomic, size, address, name, is_part }),
            stack: self.sources.stack(&access.stack, self.symbols, self.modules),
            locks: self.locks(&access.locks, locks),
        }
    }

    fn locks(&self, held: &[SeenLock], names: &Locks) -> Vec<Lock> {
        let taken = |lock: &SeenLock| self.sources.stack(&lock.stack, self.symbols, self.modules);
        held.iter()
            .map(|lock| Lock { lock: names.thing(self, lock.address), shared: lock.shared, taken: taken(lock) })
            .collect()
    }

    fn stuck(&self, stuck: &SeenStuck, threads: &[Thread], locks: &Locks) -> Site {
        let holder = stuck.owner.map(|owner| match owner == stuck.thread {
            true => Holder::Itself,
            false => Holder::Thread(self.thread_name(owner)),
        });
        let lock = |shared| Wait::Lock { lock: locks.thing(self, stuck.object), shared, holder: holder.clone() };
        let on = |sort| self.thing(sort, stuck.object);
        let wait = match stuck.op.as_str() {
            "lock" => lock(false),
            "rdlock" => lock(true),
            "join" => Wait::End { thread: stuck.owner.map(|owner| self.thread_name(owner)) },
            "wait" => Wait::Signal { condition: on(Sort::Condition), lost: false },
            "sem_wait" => Wait::Post { semaphore: on(Sort::Semaphore) },
            "barrier_exit" | "barrier_enter" => Wait::Barrier { barrier: on(Sort::Barrier) },
            "once_pass" => Wait::Once { once: on(Sort::Once) },
            other => Wait::Other { operation: other.to_owned() },
        };
        Site {
            thread: index_of(threads, stuck.thread),
            does: Act::Wait(wait),
            stack: self.sources.stack(&stuck.stack, self.symbols, self.modules),
            locks: self.locks(&stuck.locks, locks),
        }
    }

    fn death(&self, death: &Death) -> foretrace_report::Death {
        let stack = death.fault.as_ref().map(|fault| self.sources.stack(&fault.stack, self.symbols, self.modules));
        foretrace_report::Death {
            what: death.cause.name().to_owned(),
            message: death.message.clone(),
            place: stack.and_then(|stack| top(&stack).cloned()),
            id: None,
            folder: None,
        }
    }

    /// Where a thread has caused the signal that ended the program.
    fn fault(&self, fault: &SeenFault, cause: Cause, threads: &[Thread]) -> Site {
        let manner = match cause {
            Cause::Null | Cause::Segmentation | Cause::Bus if fault.address > 0 || cause == Cause::Null => {
                Manner::Address { address: fault.address, write: fault.write }
            }
            Cause::StackOverflow => Manner::StackOverflow,
            Cause::Division => Manner::Division,
            Cause::Abort | Cause::Assertion | Cause::Exception | Cause::Terminate => Manner::EndsProgram,
            _ => Manner::Other,
        };
        Site {
            thread: index_of(threads, fault.thread.unwrap_or(u32::MAX)),
            does: Act::Die(Fault { cause: cause.name().to_owned(), manner }),
            stack: self.sources.stack(&fault.stack, self.symbols, self.modules),
            locks: Vec::new(),
        }
    }
}

/// The locks of a failure that have no name, by address: to tell them apart.
struct Locks(Vec<u64>);

impl Locks {
    fn of(resolver: &Resolver<'_>, evidence: &Evidence) -> Self {
        let held = |locks: &[SeenLock]| locks.iter().map(|lock| lock.address).collect::<Vec<_>>();
        let addresses: Vec<u64> = match evidence {
            Evidence::Race(race) => race.accesses.iter().flat_map(|access| held(&access.locks)).collect(),
            Evidence::Deadlock(stuck) => {
                let is_lock = |stuck: &&SeenStuck| matches!(stuck.op.as_str(), "lock" | "rdlock");
                let wanted = stuck.iter().filter(is_lock).map(|stuck| stuck.object);
                stuck.iter().flat_map(|stuck| held(&stuck.locks)).chain(wanted).collect()
            }
            Evidence::Death(_) => Vec::new(),
        };
        let mut unnamed = Vec::new();
        for address in addresses.into_iter().filter(|address| resolver.symbols.name_of(*address).is_none()) {
            if !unnamed.contains(&address) {
                unnamed.push(address);
            }
        }
        Self(unnamed)
    }

    fn thing(&self, resolver: &Resolver<'_>, address: u64) -> Thing {
        let number = self.0.iter().position(|known| *known == address).filter(|_| self.0.len() > 1);
        Thing { number, ..resolver.thing(Sort::Lock, address) }
    }
}
