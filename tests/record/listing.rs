//! What a recording says, with the names of the program's variables instead of addresses.

use foretrace_event::wire::{Access, Detail, LockArg, Op, Record, Sync};
use foretrace_event::{Order, Patience};
use foretrace_trace::Recording;
use object::{Object, ObjectSymbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

/// A variable of the program.
struct Variable {
    start: u64,
    size: u64,
    name: String,
}

/// The events of every thread.
pub struct Listing {
    variables: Vec<Variable>,
    /// Objects that are no variables, in the order they appear.
    others: Vec<u64>,
    text: String,
}

impl Listing {
    /// Of a recording of this program.
    pub fn of(recording: &Recording, program: &Path) -> Self {
        let mut listing = Self { variables: variables(recording, program), others: Vec::new(), text: String::new() };
        for (index, thread) in recording.threads().enumerate() {
            let name = thread.name.map(|name| format!(" {name}")).unwrap_or_default();
            listing.text += &format!("t{}{name}\n", thread.id);
            listing.thread(recording, index);
        }
        listing
    }

    fn thread(&mut self, recording: &Recording, index: usize) {
        let mut segment = Segment::default();
        for entry in recording.records(index) {
            match entry.expect("a good record").record {
                Record::Access(access) => segment.add(&access),
                // Where libc allocates is not the program's doing.
                Record::Sync(Sync { op: Op::Alloc | Op::Free, .. }) => {}
                Record::Sync(sync) => {
                    self.segment(&std::mem::take(&mut segment));
                    let line = self.operation(&sync);
                    self.text += &format!("  {}\n", line.trim_end());
                }
            }
        }
        self.segment(&segment);
    }

    fn segment(&mut self, segment: &Segment) {
        for (kind, bytes) in [("read", &segment.reads), ("write", &segment.writes)] {
            for variable in &self.variables {
                let end = variable.start + variable.size;
                let offsets = bytes.range(variable.start..end).map(|byte| byte - variable.start);
                for (from, to) in runs(offsets) {
                    self.text += &format!("  {kind} {}[{from}..{to}]\n", variable.name);
                }
            }
        }
    }

    fn operation(&mut self, sync: &Sync) -> String {
        let name = sync.op.name();
        match sync.op {
            Op::Fork | Op::Join | Op::Detach => return format!("{name} t{}", sync.arg),
            Op::Start | Op::End | Op::Exit => return name.to_owned(),
            _ => {}
        }
        let object = self.object(sync.object);
        match sync.op {
            Op::LockInit | Op::Lock | Op::LockFailed | Op::RdLock | Op::RdLockFailed | Op::Unlock => {
                let arg = LockArg::decode(sync.arg).expect("a lock's argument");
                let how = if arg.patience == Patience::Try { " try" } else { "" };
                format!("{name} {object} {}{how}", arg.class.name())
            }
            Op::Custom => format!("{name} {object} {}", sync.arg),
            Op::Fence => format!("{name} {}", Order::from_abi(sync.arg as u32).name()),
            _ if sync.op.has_detail() => format!("{name} {object} {}", detail(sync)),
            _ => format!("{name} {object}"),
        }
    }

    /// A variable's name, or a number for anything else.
    fn object(&mut self, address: u64) -> String {
        if address == 0 {
            return String::new();
        }
        let covers = |variable: &&Variable| (variable.start..variable.start + variable.size).contains(&address);
        if let Some(variable) = self.variables.iter().find(covers) {
            let offset = address - variable.start;
            return if offset == 0 { variable.name.clone() } else { format!("{}+{offset}", variable.name) };
        }
        let number = self.others.iter().position(|other| *other == address).unwrap_or(self.others.len());
        if number == self.others.len() {
            self.others.push(address);
        }
        format!("#{number}")
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn detail(sync: &Sync) -> String {
    let Detail { size, new, .. } = sync.detail;
    let order = sync.detail.order().name();
    match sync.op {
        Op::AtomicRmw => format!("{size} {order} {} -> {new}", sync.arg),
        _ => format!("{size} {order} {}", sync.arg),
    }
}

/// The bytes that a segment touches.
#[derive(Default)]
struct Segment {
    reads: BTreeSet<u64>,
    writes: BTreeSet<u64>,
}

impl Segment {
    fn add(&mut self, access: &Access) {
        let bytes = |mask: u64| (0..64).filter(move |bit| mask >> bit & 1 != 0).map(|bit| access.line * 64 + bit);
        self.reads.extend(bytes(access.reads));
        self.writes.extend(bytes(access.writes));
    }
}

/// Runs of consecutive numbers, as ranges.
fn runs(numbers: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, end)) if *end == number => *end += 1,
            _ => runs.push((number, number + 1)),
        }
    }
    runs
}

/// The global variables of the program, where they were while it ran, by name.
fn variables(recording: &Recording, program: &Path) -> Vec<Variable> {
    let bytes = std::fs::read(program).expect("the program can be read");
    let file = object::File::parse(&*bytes).expect("the program is an executable");
    let module = recording.modules().iter().find(|module| module.path.ends_with("program")).expect("its module");
    let mut named = BTreeMap::new();
    for symbol in file.symbols() {
        if let (SymbolKind::Data, Ok(name)) = (symbol.kind(), symbol.name())
            && symbol.size() != 0
            && symbol.is_definition()
            && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
        {
            named.insert(name.to_owned(), (symbol.address() + module.bias, symbol.size()));
        }
    }
    named.into_iter().map(|(name, (start, size))| Variable { start, size, name }).collect()
}
