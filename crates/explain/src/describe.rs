//! Failures and predictions as findings.

use crate::resolver::{Resolver, index_of};
use crate::steps::{self, Followed};
use crate::{fold, waits};
use foretrace_event::{Event, EventId};
use foretrace_finding::Candidate;
use foretrace_report::{Finding, Kind, Lock, Memory, Origin, Site, Status, Thread, bytes};
use foretrace_run::{Cause, Death, Evidence, SeenAccess, SeenFault, SeenLock, SeenRace, SeenStuck};
use foretrace_search::{Confirmed, Open};

impl Resolver<'_> {
    pub(crate) fn confirmed(&self, confirmed: &Confirmed) -> Finding {
        let (kind, numbers): (_, Vec<u32>) = match &confirmed.evidence {
            Evidence::Race(race) => (Kind::DataRace, race.accesses.iter().map(|access| access.thread).collect()),
            Evidence::Deadlock(stuck) => (Kind::Deadlock, stuck.iter().map(|stuck| stuck.thread).collect()),
            Evidence::Death(death) => {
                (Kind::Crash, death.fault.iter().map(|fault| fault.thread.unwrap_or(u32::MAX)).collect())
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

    /// A failure that came of a wait that is not in a loop, told as that.
    pub(crate) fn wait_not_in_loop(&self, confirmed: &Confirmed, failure: &Finding) -> Option<Finding> {
        let wait = confirmed.run.outcome.wait_not_in_loop()?;
        let mut threads = failure.threads.clone();
        if !threads.iter().any(|thread| thread.number == wait.thread) {
            threads.push(self.thread(wait.thread));
        }
        let doing = format!("returns from the wait without a signal, as it may{}{}", waits::THEN, failure.title());
        let site = Site {
            thread: index_of(&threads, wait.thread),
            access: "Wait".to_owned(),
            doing,
            stack: self.sources.stack(&wait.stack, self.symbols, self.modules),
            locks: Vec::new(),
        };
        let kind = Kind::WaitNotInLoop;
        let id = format!("{}-{:08x}", kind.rule(), fold::fingerprint(kind, None, std::slice::from_ref(&site)));
        let sites = std::iter::once(site).chain(failure.sites.iter().cloned()).collect();
        Some(Finding { id, kind, memory: None, sites, threads, ..failure.clone() })
    }

    pub(crate) fn predicted(&self, open: &Open) -> Finding {
        let (witness, why) = (&open.witness, open.reason.to_string());
        let trace = self.subject.trace;
        let (kind, memory, events): (_, _, Vec<(EventId, String)>) = match &witness.candidate {
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
                let what = steps::memory(memory.name.as_deref(), memory.size);
                let doing = |id: EventId| match trace.event(id) {
                    Event::Read(_) => (id, format!("reads {what}")),
                    Event::Write(_) => (id, format!("writes {what}")),
                    other => (id, steps::text(trace, other)),
                };
                let events = vec![doing(race.first), doing(race.second)];
                (Kind::DataRace, Some(memory), events)
            }
            Candidate::Deadlock(deadlock) => {
                let stuck = deadlock.stuck().iter();
                (Kind::Deadlock, None, stuck.map(|s| (s.at, steps::waits_for(trace, s.waits_for))).collect())
            }
        };
        let numbers = events.iter().map(|(id, _)| id.thread.0).collect();
        let threads = self.threads(numbers);
        let site = |(id, doing): &(EventId, String)| Site {
            thread: index_of(&threads, id.thread.0),
            doing: doing.clone(),
            access: doing.clone(),
            stack: self.sources.stack(&[trace.pc(*id)], self.symbols, self.modules),
            locks: Vec::new(),
        };
        let sites: Vec<Site> = events.iter().map(site).collect();
        let followed = Followed::to_the_end(&witness.schedule, &sites, kind == Kind::Deadlock);
        self.finish(&followed, Status::Predicted(why), (kind, memory, sites, threads))
    }

    fn finish(
        &self,
        followed: &Followed,
        status: Status,
        (kind, memory, sites, mut threads): (Kind, Option<Memory>, Vec<Site>, Vec<Thread>),
    ) -> Finding {
        let steps = steps::of(self, followed, &sites, &mut threads, memory.as_ref());
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
        let verb = if access.write { "write" } else { "read" };
        let atomically = if access.atomic { " atomically" } else { "" };
        let doing = match race.block() {
            Some(block) if access.free && block.mapped => "unmaps the memory".to_owned(),
            Some(_) if access.free => "frees the block".to_owned(),
            None if access.free => format!("frees {}", bytes(access.size)),
            _ if access.size > race.size && name.is_some() => {
                let part = name.map(|name| format!(", `{name}` among them")).unwrap_or_default();
                format!("{verb}s {}{atomically}{part}", bytes(access.size))
            }
            _ => format!("{verb}s {}{atomically}", steps::memory(name, access.size)),
        };
        let kind = if access.atomic { format!("Atomic {verb}") } else { verb[..1].to_uppercase() + &verb[1..] };
        Site {
            thread: index_of(threads, access.thread),
            doing,
            access: format!("{kind} of size {} at {:#x}", access.size, race.address),
            stack: self.sources.stack(&access.stack, self.symbols, self.modules),
            locks: self.locks(&access.locks, locks),
        }
    }

    fn locks(&self, held: &[SeenLock], names: &Locks) -> Vec<Lock> {
        let taken = |lock: &SeenLock| self.sources.stack(&lock.stack, self.symbols, self.modules);
        held.iter()
            .map(|lock| Lock { name: names.name(self, lock.address), shared: lock.shared, taken: taken(lock) })
            .collect()
    }

    fn stuck(&self, stuck: &SeenStuck, threads: &[Thread], locks: &Locks) -> Site {
        let held_by = |what: String| match stuck.owner {
            Some(owner) if owner == stuck.thread => format!("{what}, which it holds itself"),
            Some(owner) => format!("{what}, held by {}", self.thread_name(owner)),
            None => what,
        };
        let on = |what: &str| self.object(what, stuck.object);
        let doing = match stuck.op.as_str() {
            "lock" => format!("waits for {}", held_by(locks.name(self, stuck.object))),
            "rdlock" => format!("waits to read-lock {}", held_by(locks.name(self, stuck.object))),
            "join" => format!(
                "waits for the end of {}",
                stuck.owner.map_or("a thread".into(), |owner| self.thread_name(owner))
            ),
            "wait" => format!("waits for a signal of {}", on("condition")),
            "sem_wait" => format!("waits for a post of {}", on("semaphore")),
            "barrier_exit" | "barrier_enter" => format!("waits for more threads at {}", on("barrier")),
            "once_pass" => format!("waits for the initialiser of {}", on("once control")),
            other => format!("waits ({other})"),
        };
        Site {
            thread: index_of(threads, stuck.thread),
            access: format!("Wait ({doing})"),
            doing,
            stack: self.sources.stack(&stuck.stack, self.symbols, self.modules),
            locks: self.locks(&stuck.locks, locks),
        }
    }

    fn death(&self, death: &Death) -> foretrace_report::Death {
        let stack = death.fault.as_ref().map(|fault| self.sources.stack(&fault.stack, self.symbols, self.modules));
        let site =
            stack.map(|stack| Site { thread: 0, doing: String::new(), access: String::new(), stack, locks: vec![] });
        foretrace_report::Death {
            what: death.cause.name().to_owned(),
            message: death.message.clone(),
            place: site.and_then(|site| site.top().cloned()),
            id: None,
            folder: None,
        }
    }

    /// Where a thread has caused the signal that ended the program.
    fn fault(&self, fault: &SeenFault, cause: Cause, threads: &[Thread]) -> Site {
        let uses = if fault.write { "writes to" } else { "uses" };
        let doing = match cause {
            Cause::Null | Cause::Segmentation | Cause::Bus if fault.address > 0 || cause == Cause::Null => {
                format!("{uses} address {:#x}", fault.address)
            }
            Cause::StackOverflow => "has no room left on its stack".to_owned(),
            Cause::Division => "divides by zero".to_owned(),
            Cause::Abort | Cause::Assertion | Cause::Exception | Cause::Terminate => "ends the program".to_owned(),
            _ => format!("dies here ({})", cause.name()),
        };
        Site {
            thread: index_of(threads, fault.thread.unwrap_or(u32::MAX)),
            access: format!("Death ({})", cause.name()),
            doing,
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

    fn name(&self, resolver: &Resolver<'_>, address: u64) -> String {
        match self.0.iter().position(|known| *known == address) {
            Some(number) if self.0.len() > 1 => match u8::try_from(number).ok().filter(|number| *number < 26) {
                Some(letter) => format!("lock {}", char::from(b'A' + letter)),
                None => format!("lock {number}"),
            },
            _ => resolver.object("lock", address),
        }
    }
}
