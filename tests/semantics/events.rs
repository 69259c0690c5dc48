//! A recording's events as programs spell them, one list a thread.

use foretrace_event::wire::{Access, LockArg, Op, Record, Sync};
use foretrace_event::{Check, LockClass, Order, Patience};
use foretrace_trace::Recording;
use object::{Object, ObjectSymbol};
use std::collections::BTreeMap;
use std::path::Path;

/// A variable whose accesses are shown: programs print `@name address size`, or name a global one.
pub struct Variable {
    name: String,
    start: u64,
    size: u64,
}

impl Variable {
    /// All that a program has printed.
    pub fn parse(stdout: &str) -> Vec<Self> {
        let lines = stdout.lines().filter_map(|line| line.strip_prefix('@'));
        let mut variables: Vec<_> = lines.filter_map(Self::parse_line).collect();
        variables.sort_by(|a, b| a.name.cmp(&b.name));
        variables
    }

    /// The executable's global variables of these names, where they were while it ran.
    pub fn named(names: &[String], executable: &Path, recording: &Recording) -> Vec<Self> {
        if names.is_empty() {
            return Vec::new();
        }
        let bytes = std::fs::read(executable).expect("the program was built");
        let file = object::File::parse(&*bytes).expect("the program is an executable");
        let is_ours = |module: &&foretrace_trace::Module| module.path.file_name() == executable.file_name();
        let bias = recording.modules().iter().find(is_ours).expect("the program is a module").bias;
        let find = |name: &String| {
            let symbol = file.symbol_by_name(name).unwrap_or_else(|| panic!("no variable {name}"));
            Self { name: name.clone(), start: symbol.address() + bias, size: symbol.size() }
        };
        names.iter().map(find).collect()
    }

    fn parse_line(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let name = words.next()?.to_owned();
        let start = u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok()?;
        Some(Self { name, start, size: words.next()?.parse().ok()? })
    }

    /// The runs of bytes of the variable that these lines' masks cover, as they are written.
    fn touched(&self, lines: &[(u64, u64)]) -> Vec<String> {
        let is_touched = |offset: &u64| {
            let address = self.start + offset;
            lines.iter().any(|(line, mask)| line * 64 == address & !63 && mask >> (address & 63) & 1 == 1)
        };
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for offset in (0..self.size).filter(is_touched) {
            match runs.last_mut() {
                Some((_, end)) if *end == offset => *end += 1,
                _ => runs.push((offset, offset + 1)),
            }
        }
        runs.into_iter().map(|run| self.part(run)).collect()
    }

    fn part(&self, (from, to): (u64, u64)) -> String {
        if (from, to) == (0, self.size) { self.name.clone() } else { format!("{}[{from}..{to}]", self.name) }
    }
}

/// Which operations are shown.
pub struct Filter<'a> {
    /// Shown, though they usually are not.
    pub keep: &'a [String],
    /// Synchronisation alone: no atomic operations, no memory.
    pub sync_only: bool,
}

impl Filter<'_> {
    /// Is an event with this name shown?
    pub fn shows(&self, name: &str) -> bool {
        let memory = ["read", "write", "alloc", "free"].contains(&name);
        let atomic = ["aload", "astore", "armw", "acas_fail", "fence"].contains(&name);
        let usual = !["alloc", "free"].contains(&name);
        (usual || self.keep.iter().any(|kept| kept == name)) && !(self.sync_only && (memory || atomic))
    }
}

/// Objects by the names they have been given: those that a program expects, or new ones.
#[derive(Default)]
pub struct Names {
    given: BTreeMap<u64, String>,
}

impl Names {
    /// The object's name; its first name is the expected one, unless another object has that.
    fn name(&mut self, object: u64, prefix: &str, expected: Option<&str>) -> String {
        if let Some(name) = self.given.get(&object) {
            return name.clone();
        }
        let is_free = |name: &str| self.given.values().all(|given| given != name);
        let numbered = || {
            let candidates = (1..).map(|number| format!("{prefix}{number}"));
            std::iter::once(prefix.to_owned()).chain(candidates.skip(1)).find(|name| is_free(name))
        };
        let name = expected.filter(|name| is_free(name)).map(str::to_owned).or_else(numbered);
        let name = name.expect("there are names enough");
        self.given.insert(object, name.clone());
        name
    }
}

/// What each thread did. Objects get the names that `expected` has at the same place.
pub fn events(
    recording: &Recording,
    variables: &[Variable],
    filter: &Filter<'_>,
    expected: &BTreeMap<u32, Vec<String>>,
) -> BTreeMap<u32, Vec<String>> {
    let mut names = Names::default();
    let mut threads = BTreeMap::new();
    for (index, thread) in recording.threads().enumerate() {
        let none = Vec::new();
        let expected = expected.get(&thread.id).unwrap_or(&none);
        let mut events: Vec<String> = Vec::new();
        let mut segment = Vec::new();
        for entry in recording.records(index) {
            let entry = entry.unwrap_or_else(|error| panic!("{error}"));
            match entry.record {
                Record::Sync(sync) if filter.shows(sync.op.name()) && !unwinds(recording, sync.pc) => {
                    events.extend(accesses(&std::mem::take(&mut segment), variables, filter));
                    let hint = expected.get(events.len()).map(String::as_str);
                    events.push(operation(&sync, &mut names, hint));
                    if let (Op::Start, Some(name)) = (sync.op, thread.name) {
                        events.push(format!("named {name}"));
                    }
                }
                Record::Access(access) => segment.push(access),
                Record::Sync(_) => {}
            }
        }
        events.extend(accesses(&segment, variables, filter));
        threads.insert(thread.id, events);
    }
    threads
}

/// What a segment read and wrote, by variable: the order within a segment is not recorded.
fn accesses(segment: &[Access], variables: &[Variable], filter: &Filter<'_>) -> Vec<String> {
    let reads: Vec<_> = segment.iter().map(|access| (access.line, access.reads)).collect();
    let writes: Vec<_> = segment.iter().map(|access| (access.line, access.writes)).collect();
    let kinds = [("read", reads), ("write", writes)].into_iter().filter(|(kind, _)| filter.shows(kind));
    let names = |(kind, lines): (&str, Vec<_>)| {
        let touched = variables.iter().flat_map(|variable| variable.touched(&lines));
        touched.map(|name| format!("{kind} {name}")).collect::<Vec<_>>()
    };
    kinds.flat_map(names).collect()
}

/// Is this a place in the library that unwinds stacks? What it does once, any thread may be the first to do.
fn unwinds(recording: &Recording, pc: u64) -> bool {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().starts_with("libgcc_s");
    recording.modules().iter().any(|module| (module.start..module.end).contains(&pc) && name(&module.path))
}

/// One operation: its name, its object, and the rest that it has.
fn operation(sync: &Sync, names: &mut Names, expected: Option<&str>) -> String {
    let mut words = vec![sync.op.name().to_owned()];
    let mut expected = expected.unwrap_or_default().split(' ').skip(1);
    if let Some(prefix) = prefix(sync.op) {
        words.push(names.name(sync.object, prefix, expected.next()));
    }
    match sync.op {
        Op::Fork | Op::Join | Op::Detach => words.push(format!("t{}", sync.arg)),
        Op::LockInit | Op::Lock | Op::FailedLock | Op::RdLock | Op::FailedRdLock | Op::Unlock => {
            words.extend(lock_words(LockArg::decode(sync.arg).expect("the argument of a lock is one")));
        }
        Op::Wait | Op::FailedWait => words.push(names.name(sync.arg & !Check::BIT, "m", expected.next())),
        Op::BarrierInit | Op::SemInit | Op::SignalEnter | Op::SignalExit | Op::Exit | Op::Gap | Op::Custom => {
            words.push(sync.arg.to_string());
        }
        Op::SemWait | Op::FailedSemWait => words.extend(Patience::from_code(sync.arg).and_then(patience)),
        Op::Fence => words.push(order(Order::from_abi(sync.arg as u32)).to_owned()),
        Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCasFailed => words.extend(atomic_words(sync)),
        _ => {}
    }
    words.join(" ")
}

/// How an operation's objects are called; none if it has no object.
fn prefix(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::LockInit | Op::LockDestroy | Op::Lock | Op::FailedLock | Op::RdLock | Op::FailedRdLock | Op::Unlock => "m",
        Op::CondInit | Op::CondDestroy | Op::Signal | Op::Broadcast | Op::Wait | Op::FailedWait => "c",
        Op::BarrierInit | Op::BarrierDestroy | Op::BarrierEnter | Op::BarrierExit => "b",
        Op::SemInit | Op::SemDestroy | Op::SemWait | Op::FailedSemWait | Op::SemPost => "s",
        Op::OnceRun | Op::OnceDone | Op::OnceAbort | Op::OncePass => "o",
        Op::Release | Op::Acquire => "h",
        Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCasFailed => "a",
        Op::Alloc | Op::Free => "p",
        Op::Custom => "e",
        _ => return None,
    })
}

fn lock_words(arg: LockArg) -> Vec<String> {
    let class = (arg.class != LockClass::Mutex).then(|| arg.class.name().to_owned());
    class.into_iter().chain(patience(arg.patience)).chain(arg.owner_died.then(|| "owner_died".to_owned())).collect()
}

fn patience(patience: Patience) -> Option<String> {
    match patience {
        Patience::Blocking => None,
        Patience::Try => Some("try".to_owned()),
        Patience::Timed => Some("timed".to_owned()),
    }
}

fn atomic_words(sync: &Sync) -> Vec<String> {
    let detail = &sync.detail;
    let value = |low: u64, high: u64| if detail.size == 16 { format!("{high:#x}:{low:x}") } else { low.to_string() };
    let read = value(sync.arg, detail.high[0]);
    let values = if sync.op == Op::AtomicRmw { format!("{read}->{}", value(detail.new, detail.high[1])) } else { read };
    vec![format!("u{}", 8 * u32::from(detail.size)), order(detail.order()).to_owned(), values]
}

fn order(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "relaxed",
        Order::Consume => "consume",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
        Order::SeqCst => "seq_cst",
    }
}
