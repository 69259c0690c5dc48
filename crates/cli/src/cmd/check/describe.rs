//! Failures in words: addresses become files, lines, functions and variables.

use super::confirm::Results;
use super::sources::Sources;
use super::steps::{self, Followed};
use super::subject::Subject;
use foretrace_event::{Event, EventId, ThreadId};
use foretrace_finding::{Candidate, Late, Schedule, Verdict, Witness};
use foretrace_predict::Question;
use foretrace_replay::{
    Cause, Confirmed, Death, Evidence, Modules, Outcome, Owner, Replayed, SeenAccess, SeenFault, SeenLock, SeenRace,
    SeenStuck,
};
use foretrace_report::{
    Block, Finding, Frame, Kind, Lock, Memory, Origin, Report, Site, Status, Thread, Undecided, bytes,
};
use foretrace_trace::{Note, Recording, Symbols};
use std::collections::{BTreeMap, BTreeSet};

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
        words.confirmed(confirmed)
    });
    let mut confirmed: Vec<Finding> = confirmed.collect();
    let ids = confirmed.iter().map(|finding| finding.id.clone());
    // The first of equals stands for all.
    let failures = ids.zip(&results.confirmed).rev().collect();
    let folded = fold_deaths(&results.confirmed, &mut confirmed);
    confirmed.extend(own_death(subject, &confirmed));
    let open = results.open.iter().map(|open| {
        let (symbols, modules) = (&subject.symbols, &subject.modules);
        let words = Words { subject, sources: &sources, symbols, modules, seen: None };
        words.predicted(&open.witness, &open.verdict)
    });
    let undecided = &results.prediction.undecided;
    let run = Run::of(subject);
    let report = Report {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program: subject.command_line(),
        exit: subject.exit.clone(),
        exit_code: run.code,
        signal: run.signal,
        pid: run.pid,
        findings: each_once(confirmed.into_iter().chain(open)),
        folded,
        undecided: undecided
            .iter()
            .map(|open| Undecided { question: question(subject, &open.question), why: open.why.to_string() })
            .collect(),
        notes: notes(subject, run.code).into_iter().chain(possible(&results.open)).collect(),
        ..Report::default()
    };
    (report, failures)
}

/// A program that dies in a run which shows a race, or in which the accesses of a race came in another order, most likely dies
/// of the race: its death is told with the race, and not as an error of its own.
fn fold_deaths(failures: &[Confirmed], findings: &mut Vec<Finding>) -> Vec<Finding> {
    let mut folded = BTreeSet::new();
    for (number, death) in failures.iter().enumerate().filter(|(_, one)| matches!(one.evidence, Evidence::Death(_))) {
        let id = Some(findings[number].id.clone());
        let told = findings[number].death.clone().map(|death| foretrace_report::Death { id, ..death });
        let leads_to = |one: &Confirmed| is_race_in(one, &death.run) || is_turned_in(one, &death.schedule);
        for (race, _) in failures.iter().enumerate().filter(|(_, one)| leads_to(one)) {
            findings[race].death = findings[race].death.take().or(told.clone());
            folded.insert(number);
        }
    }
    let all = std::mem::take(findings).into_iter().enumerate();
    let (deaths, others): (Vec<_>, Vec<_>) = all.partition(|(number, _)| folded.contains(number));
    *findings = others.into_iter().map(|(_, finding)| finding).collect();
    deaths.into_iter().map(|(_, finding)| finding).collect()
}

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
fn own_death(subject: &Subject, confirmed: &[Finding]) -> Option<Finding> {
    let what = subject.death.clone()?;
    let is_told = |finding: &Finding| finding.death.is_some() || finding.kind == Kind::Deadlock;
    if confirmed.iter().any(is_told) {
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
    let alone = (subject.trace.threads().len() < 2).then(|| "the program has one thread only".to_owned());
    notes.map(words).chain(blind).chain(alone).chain(subject.left_out.clone()).collect()
}

/// The process ended, and nobody closed its recording.
const LEFT: &str = "the recording ends before the program does: it called exec, or went on in another process";

/// Failures by the ids of their findings.
pub type Failures<'a> = BTreeMap<String, &'a Confirmed>;

/// The same statements may be several instructions; the first finding stands for all. A prediction that does not know what
/// the memory is stands for the same as any finding at its places.
fn each_once(findings: impl Iterator<Item = Finding>) -> Vec<Finding> {
    let (mut known, mut taken) = (BTreeSet::new(), BTreeSet::new());
    let is_new = |finding: &Finding| {
        let mut places: Vec<String> = finding.sites.iter().map(|site| place(site, true)).collect();
        places.sort();
        let unknown = finding.memory.as_ref().is_some_and(|memory| memory.name.is_none());
        let again = !taken.insert((finding.kind, places)) && unknown && !finding.is_confirmed();
        known.insert(finding.id.clone()) && !again
    };
    findings.filter(is_new).collect()
}

fn question(subject: &Subject, question: &Question) -> String {
    let trace = &subject.trace;
    match question {
        Question::Race(interval) => format!("is there a race on {}?", trace.name(*interval)),
        Question::Cycle(events) => {
            let places: Vec<String> =
                events.iter().map(|id| subject.symbols.location(trace.pc(*id)).to_string()).collect();
            format!("can the locks taken at {} wait for each other?", places.join(", "))
        }
        Question::Cycles => "are there more cycles of locks?".to_owned(),
        Question::DeadEnds => "can threads get stuck in another way?".to_owned(),
    }
}

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
                    origin: if info.name.is_some() { Origin::Global } else { Origin::Unknown },
                    address: info.address,
                    size: info.length,
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
        let id = format!("{}-{:08x}", kind.rule(), fingerprint(memory.as_ref(), &sites));
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
        let origin = match &race.memory {
            _ if global.is_some() => Origin::Global,
            Some(Owner::Block(block)) if block.mapped => Origin::Mapped(self.block(block)),
            Some(Owner::Block(block)) => Origin::Heap(self.block(block)),
            Some(Owner::Stack(thread)) => Origin::Stack(self.thread_name(*thread)),
            Some(Owner::Local(thread, _)) => Origin::ThreadLocal(self.thread_name(*thread)),
            None => Origin::Unknown,
        };
        Memory { name: global.or(local), origin, address: race.address, size: race.size }
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

/// The same for the same error in another build and another run: files, functions, the text of lines and what the memory
/// is called. No addresses and no numbers of lines.
fn fingerprint(memory: Option<&Memory>, sites: &[Site]) -> u32 {
    let name = memory.and_then(|memory| memory.name.as_deref()).map(without_indices);
    let mut words: Vec<String> = sites.iter().map(|site| place(site, name.is_none())).collect();
    words.sort();
    words.insert(0, name.or_else(|| allocated(memory?)).unwrap_or_default());
    let hash = words
        .join("\n")
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ hash >> 32) as u32
}

/// Which entry of an array it is, and which byte of a variable, differs from run to run.
fn without_indices(name: &str) -> String {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = name.rsplit_once('+').filter(|(_, byte)| is_number(byte)).map_or(name, |(whole, _)| whole);
    let parts = whole.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    parts.collect::<Vec<_>>().join("[]")
}

fn allocated(memory: &Memory) -> Option<String> {
    Some(line(memory.origin.block()?.place()?))
}

/// Where a thread fails. If nothing else tells two errors of a line apart, the statement does.
fn place(site: &Site, with_statement: bool) -> String {
    let Some(frame) = site.top() else { return String::new() };
    let statement = frame.statement().filter(|_| with_statement).unwrap_or_default();
    format!("{} {statement}", line(frame))
}

/// A line by its text; by its number only if it cannot be read.
fn line(frame: &Frame) -> String {
    let file = frame.file.as_deref().unwrap_or(&frame.module);
    match &frame.source {
        Some(source) => format!("{file} {} {}", frame.name(), source.trim()),
        None => format!("{} {}", frame.name(), frame.short()),
    }
}

#[cfg(test)]
mod tests {
    use super::{each_once, fingerprint, without_indices};
    use foretrace_report::{Block, Finding, Frame, Kind, Memory, Origin, Site, Status};

    fn frame(file: &str, line: u32, column: u32, source: &str) -> Frame {
        let (function, source) = (Some("work".to_owned()), Some(source.to_owned()));
        Frame { function, file: Some(file.to_owned()), line, column, source, ..Frame::default() }
    }

    fn site(stack: Vec<Frame>) -> Site {
        Site { thread: 0, doing: String::new(), access: String::new(), stack, locks: Vec::new() }
    }

    fn memory(name: Option<&str>, origin: Origin, address: u64) -> Memory {
        Memory { name: name.map(str::to_owned), origin, address, size: 4 }
    }

    fn heap(line: u32, source: &str) -> Origin {
        let allocated = vec![frame("a/main.c", line, 1, source)];
        Origin::Heap(Block { address: 64, size: 8, thread: "t1".to_owned(), allocated })
    }

    fn of(file: &str, column: u32, memory: &Memory) -> u32 {
        let at = |line| site(vec![frame(file, line, column, "{ a++; b++; p->x = p->x + 1; p->y++; return p; }")]);
        fingerprint(Some(memory), &[at(3), at(4)])
    }

    #[test]
    fn variables_of_one_line_are_different_errors() {
        let (a, b) = (memory(Some("a"), Origin::Global, 1), memory(Some("b"), Origin::Global, 2));
        assert_ne!(of("a/main.c", 3, &a), of("a/main.c", 8, &b));
        assert_ne!(of("a/main.c", 3, &a), of("b/main.c", 3, &a));
        assert_eq!(of("a/main.c", 3, &a), of("a/main.c", 4, &Memory { address: 9, ..a.clone() }));
    }

    #[test]
    fn memory_without_a_name_is_told_apart_by_block_and_statement() {
        let block = memory(None, heap(1, "p = malloc(8);"), 64);
        assert_eq!(of("a/main.c", 13, &block), of("a/main.c", 20, &block), "both are in p->x = p->x + 1");
        assert_ne!(of("a/main.c", 13, &block), of("a/main.c", 30, &block));
        assert_ne!(of("a/main.c", 13, &block), of("a/main.c", 13, &memory(None, heap(2, "p = calloc(8, 1);"), 64)));
        assert_eq!(of("a/main.c", 13, &block), of("a/main.c", 13, &memory(None, heap(7, "p = malloc(8);"), 72)));
    }

    #[test]
    fn entries_of_an_array_are_one_variable() {
        assert_eq!(without_indices("table[3].row[12].lock"), "table[].row[].lock");
        assert_eq!(without_indices("count"), "count");
        assert_eq!(without_indices("p.value+3"), "p.value");
    }

    #[test]
    fn a_prediction_of_unknown_memory_is_not_told_beside_a_confirmed_race_of_its_lines() {
        let finding = |status, memory: Memory, column| {
            let sites = vec![site(vec![frame("a/main.c", 3, column, "{ p->x++; q->x++; }")])];
            let id = fingerprint(Some(&memory), &sites).to_string();
            Finding { id, status, memory: Some(memory), sites, ..Finding::new(Kind::DataRace) }
        };
        let confirmed = finding(Status::Confirmed, memory(None, heap(1, "p = malloc(8);"), 64), 3);
        let unknown = finding(Status::Predicted(String::new()), memory(None, Origin::Unknown, 64), 3);
        let other = finding(Status::Predicted(String::new()), memory(None, Origin::Unknown, 64), 11);
        let told = each_once([confirmed.clone(), unknown, other.clone()].into_iter());
        assert_eq!(told, [confirmed, other]);
    }
}
