//! Failures in words: addresses become files, lines, functions and variables.

use super::confirm::Results;
use super::fold::{self, Failures};
use super::sources::Sources;
use super::steps::{self, Followed};
use super::subject::Subject;
use super::undecided;
use super::waits;
use foretrace_event::{Event, EventId, ThreadId};
use foretrace_finding::{Candidate, Late, Schedule, Verdict, Witness};
use foretrace_replay::{
    Cause, Confirmed, Death, Evidence, Modules, Outcome, Owner, Replayed, SeenAccess, SeenFault, SeenLock, SeenRace,
    SeenStuck,
};
use foretrace_report::{Block, Finding, Kind, Lock, Memory, Origin, Report, Site, Status, Thread, bytes};
use foretrace_trace::{Note, Recording, Symbols};
use std::collections::BTreeSet;

/// Everything, in words, and which failure each confirmed finding is of. Findings stand in the order of the results:
/// confirmed ones, then open ones.
pub fn report<'a>(subject: &Subject, results: &'a Results) -> (Report, Failures<'a>) {
    let base = subject.program.directory.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let sources = Sources::new(base);
    let confirmed = results.confirmed.iter().map(|confirmed| {
        let symbols = subject.symbols.of_other_run(confirmed.run.modules.all().to_vec());
        let run = &confirmed.run;
        let words =
            Words { subject, sources: &sources, symbols: &symbols, modules: &run.modules, seen: Some(&run.outcome) };
        let finding = words.confirmed(confirmed);
        (words.wait_not_in_loop(confirmed, &finding).unwrap_or(finding), confirmed)
    });
    let (deaths, others) = fold_deaths(confirmed.collect());
    let confirmed = waits::fold(others);
    let own_death = own_death(subject, &confirmed);
    let confirmed = confirmed.into_iter().map(|(finding, failure)| (finding, Some(failure)));
    let confirmed = confirmed.chain(own_death.map(|finding| (finding, None)));
    let open = results.open.iter().map(|open| {
        let (symbols, modules) = (&subject.symbols, &subject.modules);
        let words = Words { subject, sources: &sources, symbols, modules, seen: None };
        (words.predicted(&open.witness, &open.verdict), None)
    });
    let (findings, mut failures) = fold::all(confirmed.chain(open));
    failures.extend(deaths.iter().map(|(finding, failure)| (finding.id.clone(), vec![*failure])));
    let without_lines = without_lines(&findings);
    let run = Run::of(subject);
    let report = Report {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program: subject.command_line(),
        exit: subject.exit.clone(),
        exit_code: run.code,
        signal: run.signal,
        pid: run.pid,
        findings,
        folded: deaths.iter().map(|(finding, _)| finding.clone()).collect(),
        undecided: undecided::all(subject, &results.prediction.undecided),
        notes: notes(subject, run.code).into_iter().chain(possible(&results.open)).chain(without_lines).collect(),
        ..Report::default()
    };
    (report, failures)
}

/// A program that dies in a run which shows a race, or in which the accesses of a race came in another order, most likely dies
/// of the race: its death is reported with the race, and not as an error of its own.
fn fold_deaths<'a>(mut told: Vec<(Finding, &'a Confirmed)>) -> (Told<'a>, Told<'a>) {
    let mut folded = BTreeSet::new();
    let is_death = |one: &Confirmed| matches!(one.evidence, Evidence::Death(_));
    let deaths: Vec<usize> = (0..told.len()).filter(|number| is_death(told[*number].1)).collect();
    for number in deaths {
        let (finding, death) = (told[number].0.clone(), told[number].1);
        let of_race = finding.death.map(|death| foretrace_report::Death { id: Some(finding.id), ..death });
        let leads_to = |one: &Confirmed| is_race_in(one, &death.run) || is_turned_in(one, &death.schedule);
        for (race, _) in told.iter_mut().filter(|(_, one)| leads_to(one)) {
            race.death = race.death.take().or(of_race.clone());
            folded.insert(number);
        }
    }
    let (deaths, others): (Vec<_>, Vec<_>) =
        told.into_iter().enumerate().partition(|(number, _)| folded.contains(number));
    let without_number = |numbered: Vec<(usize, _)>| numbered.into_iter().map(|(_, one)| one).collect();
    (without_number(deaths), without_number(others))
}

/// Findings with the failures they are of.
type Told<'a> = Vec<(Finding, &'a Confirmed)>;

/// Is it a race one of whose accesses this schedule delays?
fn is_turned_in(failure: &Confirmed, schedule: &Schedule) -> bool {
    let spots = failure.evidence.spots(&failure.run.modules);
    let is_at =
        |late: &Late| spots.iter().any(|(path, address)| path.ends_with(late.file()) && *address == late.address());
    matches!(failure.evidence, Evidence::Race(_)) && schedule.late().iter().any(is_at)
}

/// Is it a race that this run shows, too?
fn is_race_in(failure: &Confirmed, run: &Replayed) -> bool {
    let like = |race: &SeenRace| {
        Evidence::Race(Box::new(race.clone())).is_like(&run.modules, &failure.evidence, &failure.run.modules)
    };
    matches!(failure.evidence, Evidence::Race(_)) && run.outcome.races.iter().any(like)
}

/// The death of the recorded run, if no replay has shown it.
fn own_death(subject: &Subject, confirmed: &[(Finding, &Confirmed)]) -> Option<Finding> {
    let what = subject.death.clone()?;
    let is_told = |finding: &Finding| finding.death.is_some() || finding.kind == Kind::Deadlock;
    if confirmed.iter().any(|(finding, _)| is_told(finding)) {
        return None;
    }
    let message = String::new();
    let what = format!("{what} in the recorded run");
    let death = foretrace_report::Death { what, message, place: None, id: None, folder: None };
    Some(Finding { id: "crash-recorded".to_owned(), death: Some(death), ..Finding::new(Kind::Crash) })
}

const UNSEEN: &str = "synchronises where Foretrace cannot see";

/// Races that may or may not be there, because a library may order their threads: said even if they are not shown.
fn possible(open: &[foretrace_finding::Finding]) -> Option<String> {
    let libraries = open.iter().filter_map(|one| match &one.verdict {
        Verdict::Possible { library } => Some(library.as_str()),
        _ => None,
    });
    let libraries: BTreeSet<&str> = libraries.collect();
    let names = Vec::from_iter(libraries).join(", ");
    (!names.is_empty()).then(|| format!("possible races: {names} {UNSEEN}; --all shows them"))
}

/// How the recorded run went, in numbers.
#[derive(Default)]
struct Run {
    code: Option<i32>,
    signal: Option<String>,
    pid: Option<u64>,
}

impl Run {
    fn of(subject: &Subject) -> Self {
        let Ok(recording) = Recording::open(&subject.recording) else { return Self::default() };
        let number = |key: &str| recording.run().get(key)?.parse::<i32>().ok();
        // It was killed for the check, which says so.
        let signal = number("signal").filter(|_| !subject.cut_short);
        Self { code: number("exit"), signal: signal.and_then(signal_name), pid: Some(recording.header().pid) }
    }
}

fn signal_name(number: i32) -> Option<String> {
    signal_hook::low_level::signal_name(number).map(str::to_owned)
}

/// What the recording misses. That a run was ended for the check is said where its end is told.
fn notes(subject: &Subject, code: Option<i32>) -> Vec<String> {
    let notes = subject.trace.notes().iter().filter(|note| !(subject.cut_short && **note == Note::NotClosed));
    let words = |note: &Note| match (note, code) {
        (Note::NotClosed, Some(_)) => LEFT.to_owned(),
        _ => note.to_string(),
    };
    let blind = subject.blind.map(|why| format!("{why}: only deadlocks were looked for"));
    let alone = match subject.trace.threads().len() {
        0 | 1 if subject.is_ended_early() => {
            Some("the program was ended before it had a second thread: nothing was checked")
        }
        0 | 1 => Some("the program has one thread only"),
        _ => None,
    };
    let alone = alone.map(str::to_owned);
    notes.map(words).chain(blind).chain(alone).chain(subject.left_out.clone()).collect()
}

/// A hint if findings have no lines because their files have no debug information.
fn without_lines(findings: &[Finding]) -> Option<String> {
    let sites = findings.iter().filter(|finding| finding.is_confirmed()).flat_map(|finding| &finding.sites);
    let bare: BTreeSet<&str> = sites
        .filter(|site| site.stack.iter().all(|frame| frame.file.is_none()))
        .filter_map(|site| Some(site.top()?.module.as_str()).filter(|module| !module.is_empty()))
        .collect();
    let names: Vec<&str> = bare.into_iter().collect();
    (!names.is_empty())
        .then(|| format!("no debug information for {}: compile with -g to see files and lines", names.join(", ")))
}

/// The process ended, and nobody closed its recording.
const LEFT: &str = "the recording ends before the program does: it called exec, or went on in another process";

/// What one run's addresses mean.
pub struct Words<'a> {
    pub subject: &'a Subject,
    pub sources: &'a Sources,
    pub symbols: &'a Symbols,
    pub modules: &'a Modules,
    /// What was seen in it, if it is a replay.
    pub seen: Option<&'a Outcome>,
}

impl Words<'_> {
    fn confirmed(&self, confirmed: &Confirmed) -> Finding {
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
    fn wait_not_in_loop(&self, confirmed: &Confirmed, failure: &Finding) -> Option<Finding> {
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

    fn predicted(&self, witness: &Witness, verdict: &Verdict) -> Finding {
        let why = match verdict {
            Verdict::Confirmed => String::new(),
            Verdict::Diverged(divergence) => format!("the replay went another way: {}", divergence.came),
            Verdict::NotSeen => "the replay ran to its end and nothing failed".to_owned(),
            Verdict::Possible { library } => format!("{library} {UNSEEN}"),
            Verdict::Unknown { why } => why.clone(),
        };
        let trace = &self.subject.trace;
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

    fn threads(&self, mut numbers: Vec<u32>) -> Vec<Thread> {
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|number| self.thread(number)).collect()
    }

    /// A thread, with where it comes from.
    pub fn thread(&self, number: u32) -> Thread {
        let trace = &self.subject.trace;
        let fork = (number as usize) < trace.threads().len();
        let fork = fork.then(|| trace.fork_of(ThreadId(number))).flatten();
        let seen = || self.seen.and_then(|seen| u32::try_from(*seen.threads.get(&number)?).ok());
        let parent = fork.map(|fork| fork.thread.0).or_else(seen);
        let recorded = || {
            let stack = fork.map(|fork| [trace.pc(fork)]).unwrap_or_default();
            self.sources.stack(&stack, &self.subject.symbols, &self.subject.modules)
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
    pub fn thread_name(&self, number: u32) -> String {
        let trace = &self.subject.trace;
        match number {
            0 => "main".to_owned(),
            u32::MAX => "a thread".to_owned(),
            number if (number as usize) < trace.threads().len() => trace.name(ThreadId(number)),
            number => format!("t{number}"),
        }
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

    /// A variable's name; for what has none, what it is.
    fn object(&self, what: &str, address: u64) -> String {
        match self.symbols.name_of(address) {
            Some(name) => format!("`{name}`"),
            None => format!("a {what}"),
        }
    }

    fn memory(&self, race: &SeenRace) -> Memory {
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
        let freed = race.accesses.iter().any(|access| access.free);
        let name = global.or(local).or(in_frame);
        Memory { name, function, origin, address: race.address, size: race.size, freed }
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

    /// A thread-local variable of the program.
    fn local(&self, below: u64) -> Option<String> {
        let program = self.subject.program.path.canonicalize().ok()?;
        self.symbols.local(&program, below)
    }

    fn block(&self, block: &foretrace_replay::Block) -> Block {
        Block {
            address: block.address,
            size: block.size,
            thread: self.thread_name(block.thread),
            allocated: self.sources.stack(&block.stack, self.symbols, self.modules),
        }
    }
}

/// The locks of a failure that have no name, by address: to tell them apart.
struct Locks(Vec<u64>);

impl Locks {
    fn of(words: &Words, evidence: &Evidence) -> Self {
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
        for address in addresses.into_iter().filter(|address| words.symbols.name_of(*address).is_none()) {
            if !unnamed.contains(&address) {
                unnamed.push(address);
            }
        }
        Self(unnamed)
    }

    fn name(&self, words: &Words, address: u64) -> String {
        match self.0.iter().position(|known| *known == address) {
            Some(number) if self.0.len() > 1 => match u8::try_from(number).ok().filter(|number| *number < 26) {
                Some(letter) => format!("lock {}", char::from(b'A' + letter)),
                None => format!("lock {number}"),
            },
            _ => words.object("lock", address),
        }
    }
}

fn index_of(threads: &[Thread], number: u32) -> usize {
    threads.iter().position(|thread| thread.number == number).unwrap_or(0)
}
