//! Broken input for every reader of untrusted data. A reader must not panic on any input; what it accepts must be a
//! legal trace and survive the conversion to text and back.
//!
//! One seed is one input, so a failure is repeated by its seed.

use std::io::Cursor;
use std::path::Path;

use foretrace_event::wire::{Access, Detail, LockArg, Op, Sync};
use foretrace_event::{Event, LockClass};
use foretrace_trace::convert::{record, std_form};
use foretrace_trace::{Module, Recording, RecordingWriter, Symbols, Trace, check, text};

use crate::Random;

/// Good inputs that broken ones are made from.
const TEXTS: [&str; 2] = [
    include_str!("../../../tests/traces/form/every_operation.trace"),
    "a fork b\na fork c\nb lock m\nb write x\nb unlock m\nb wait c m\nc lock m\nc signal c\nc unlock m\nb lock m\n\
     b unlock m\nb sem_post s\nc sem_wait s\nc write x\nb end\nc end\na join b\na join c\n",
];

const STD: &str = "T0|begin|1\nT0|fork(T1)|2\nT1|begin|3\nT1|acq(L)|4\nT1|w(x)|5\nT1|rel(L)|6\nT0|acq(L)|7\nT0|r(x)|8\n\
                   T0|rel(L)|9\nT1|end|10\nT0|join(T1)|11\nT0|end|12\n";

/// Changes an input in one to eight places: bits, bytes, numbers, runs cut, copied and moved.
pub fn mutate(random: &mut Random, input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(8) {
        change(random, &mut bytes);
    }
    bytes
}

fn change(random: &mut Random, bytes: &mut Vec<u8>) {
    let length = bytes.len() as u32;
    let at = random.below(length) as usize;
    let run = (1 + random.below(32) as usize).min(bytes.len() - at.min(bytes.len()));
    match random.below(8) {
        _ if bytes.is_empty() => bytes.push(random.word() as u8),
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.word() as u8,
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..at + run)),
        4 => {
            let copy = bytes[at..at + run].to_vec();
            let to = random.below(length) as usize;
            bytes.splice(to..to, copy);
        }
        5 => {
            let copy = bytes[at..at + run].to_vec();
            let to = random.below(length) as usize;
            let end = (to + run).min(bytes.len());
            bytes[to..end].copy_from_slice(&copy[..end - to]);
        }
        6 => put_number(random, bytes, at),
        _ => bytes.insert(at, *random.choose(b" \n@#=|()x0179\x80\xff\0")),
    }
}

/// Numbers at the edges of their types, where readers fail most often.
fn put_number(random: &mut Random, bytes: &mut [u8], at: usize) {
    let edges = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, u64::MAX >> 1, u64::MAX, 1 << 58, 64, 512];
    let value = random.choose(&edges).to_le_bytes();
    let width = (1 << random.below(4)).min(bytes.len() - at);
    bytes[at..at + width].copy_from_slice(&value[..width]);
}

/// A broken recording.
///
/// # Panics
/// If the reader misbehaves.
pub fn recording(seed: u64) {
    let mut random = Random::new(seed);
    let source = *random.choose(&TEXTS);
    let trace = text::parse(source).expect("the seeds are good");
    let bytes = record(&trace, Cursor::new(Vec::new())).expect("memory takes all writes").into_inner();
    let events = if random.one_in(4) { mutate(&mut random, &bytes) } else { damage_tail(&mut random, &bytes) };
    let open = random.one_in(3).then(|| damage_tail(&mut random, &bytes));
    let Ok(recording) = Recording::from_vec(Path::new("events"), events, open) else { return };
    let _ = check::recording(&recording);
    if let Ok(trace) = recording.trace() {
        accepted(&trace);
    }
}

/// Most of a recording's header is unused, so only the rest is damaged.
fn damage_tail(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let (header, tail) = bytes.split_at(foretrace_event::layout::HEADER_SIZE);
    let mut bytes = header.to_vec();
    bytes.extend(mutate(random, tail));
    bytes
}

/// A broken text trace.
///
/// # Panics
/// If the reader misbehaves.
pub fn text_form(seed: u64) {
    let mut random = Random::new(seed);
    let source = *random.choose(&TEXTS);
    let bytes = mutate(&mut random, source.as_bytes());
    if let Ok(trace) = text::parse(&String::from_utf8_lossy(&bytes)) {
        accepted(&trace);
    }
}

/// A broken STD trace.
///
/// # Panics
/// If the reader misbehaves.
pub fn std_trace(seed: u64) {
    let mut random = Random::new(seed);
    let bytes = mutate(&mut random, STD.as_bytes());
    if let Ok(trace) = std_form::parse(&String::from_utf8_lossy(&bytes)) {
        accepted(&trace);
    }
}

/// A recording with these files beside its events.
///
/// # Panics
/// If the reader misbehaves.
pub fn beside_events(files: &[(&str, &[u8])]) {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let put =
        |name: &str, bytes: &[u8]| std::fs::write(scratch.path().join(name), bytes).expect("a file can be written");
    let trace = text::parse(TEXTS[1]).expect("the seeds are good");
    put("events", &record(&trace, Cursor::new(Vec::new())).expect("memory takes all writes").into_inner());
    files.iter().for_each(|(name, bytes)| put(name, bytes));
    let Ok(recording) = Recording::open(scratch.path()) else { return };
    let symbols = Symbols::new(&recording);
    [0, 1, 0x40_0010, 0x7f_0010, u64::MAX].into_iter().for_each(|address| ask(&symbols, address));
    let _ = recording.trace();
}

/// A file as a module of a program; addresses throughout it are looked up.
///
/// # Panics
/// If the reader misbehaves.
pub fn as_module(bytes: &[u8]) {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let path = scratch.path().join("module");
    std::fs::write(&path, bytes).expect("a file can be written");
    let module = Module { start: 0, end: u64::MAX, bias: 0, build_id: String::new(), path };
    let symbols = Symbols::of_modules(vec![module], None);
    (0..64).map(|shift| u64::MAX >> shift).for_each(|address| ask(&symbols, address));
    (0x1000..0x1200).step_by(16).chain((0x3f00..0x4100).step_by(4)).for_each(|address| ask(&symbols, address));
}

/// Every lookup of an address.
fn ask(symbols: &Symbols, address: u64) {
    let _ = (symbols.frames(address), symbols.name_of(address), symbols.variable(address));
}

/// Operations on objects at a few addresses, by a program that ignores all rules. No thread of its trace may end before
/// its last operation.
///
/// # Panics
/// If the reader misbehaves.
pub fn lawless(seed: u64) {
    let mut random = Random::new(seed);
    let mut run = Lawless::new();
    for _ in 0..random.below(120) {
        let thread = random.below(THREADS);
        run.operation(&mut random, thread);
    }
    (0..THREADS).for_each(|thread| {
        (0..120).for_each(|_| run.sync(thread, Op::SignalExit, 0, 0));
        run.sync(thread, Op::Custom, LAST, u64::from(thread));
    });
    let bytes = run.0.finish().expect("memory takes all writes").into_inner();
    let recording = Recording::from_vec(Path::new("events"), bytes, None).expect("a whole recording");
    let trace = recording.trace().expect("good records");
    accepted(&trace);
    let cut = trace.notes().iter().find(|note| note.is_loss());
    assert!(cut.is_none(), "seed {seed}: {cut:?}");
    for thread in trace.threads() {
        let last = trace.events(thread).rfind(|event| !event.is_access());
        assert!(matches!(last, Some(Event::Custom(..))), "seed {seed}: {thread} ends with {last:?}");
    }
}

const THREADS: u32 = 3;
/// The name of the last event of each thread.
const LAST: u64 = 0x7000;

/// A recording of a program that ignores all rules.
struct Lawless(RecordingWriter<Cursor<Vec<u8>>>);

impl Lawless {
    fn new() -> Self {
        let mut run = Self(RecordingWriter::new(Cursor::new(Vec::new()), 512).expect("memory takes all writes"));
        run.sync(0, Op::Start, 0, 0);
        for thread in 1..THREADS {
            run.sync(0, Op::Fork, 0, u64::from(thread));
            run.sync(thread, Op::Start, 0x9000 * u64::from(thread), 0x1000);
        }
        run
    }

    fn sync(&mut self, thread: u32, op: Op, object: u64, arg: u64) {
        let detail = Detail { size: 4, order: 5, ..Detail::default() };
        let stamp = self.0.stamp();
        self.0.sync(thread, &Sync { op, stamp, pc: 1, object, arg, detail }).expect("memory takes all writes");
    }

    fn operation(&mut self, random: &mut Random, thread: u32) {
        const OPS: [Op; 31] = [
            Op::LockInit,
            Op::LockDestroy,
            Op::Lock,
            Op::Lock,
            Op::FailedLock,
            Op::RdLock,
            Op::FailedRdLock,
            Op::Unlock,
            Op::Unlock,
            Op::CondInit,
            Op::CondDestroy,
            Op::Signal,
            Op::Broadcast,
            Op::Wait,
            Op::FailedWait,
            Op::BarrierInit,
            Op::BarrierDestroy,
            Op::BarrierEnter,
            Op::BarrierExit,
            Op::SemInit,
            Op::SemDestroy,
            Op::SemWait,
            Op::SemPost,
            Op::OnceRun,
            Op::OnceDone,
            Op::OnceAbort,
            Op::OncePass,
            Op::Alloc,
            Op::Free,
            Op::SignalEnter,
            Op::SignalExit,
        ];
        let op = *random.choose(&OPS);
        let object = 0x100 + 0x40 * u64::from(random.below(2));
        let class = LockClass::from_code(random.below(7) as u8).unwrap_or_default();
        let arg = match op {
            Op::LockInit | Op::Lock | Op::FailedLock | Op::RdLock | Op::FailedRdLock | Op::Unlock => {
                LockArg { owner_died: random.one_in(9), ..LockArg::blocking(class) }.encode()
            }
            Op::Wait | Op::FailedWait => 0x100 + 0x40 * u64::from(random.below(2)),
            Op::SemInit => *random.choose(&[0, 1, u64::from(u32::MAX), u64::MAX]),
            Op::Alloc | Op::Free => 0x80,
            Op::SemWait => 0,
            _ => u64::from(random.below(4)),
        };
        self.sync(thread, op, object, arg);
        if random.one_in(3) {
            let (line, writes) = (object / 64, 1 << random.below(8));
            self.0.access(thread, &Access { line, reads: 0, writes, pc: 2 }).expect("memory takes all writes");
        }
    }
}

/// Checks what must hold of every trace that a reader accepts.
///
/// # Panics
/// If it does not.
pub fn accepted(trace: &Trace) {
    let breaches: Vec<_> =
        check::trace(trace).into_iter().filter(|found| found.breach != check::Breach::StaleValue).collect();
    assert!(breaches.is_empty(), "an accepted trace is no legal history: {breaches:?}\n{}", print(trace));
    let printed = print(trace);
    let again =
        text::parse(&printed).unwrap_or_else(|errors| panic!("printed text does not read: {errors}\n{printed}"));
    assert_eq!(print(&again), printed, "printed text reads as another trace");
    std_form::print(trace, &mut Vec::new()).expect("memory takes all writes");
}

fn print(trace: &Trace) -> String {
    let mut out = Vec::new();
    text::print(trace, &mut out).expect("memory takes all writes");
    String::from_utf8(out).expect("text is text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_input_never_brings_a_reader_down() {
        for seed in 0..3000 {
            recording(seed);
            text_form(seed);
            std_trace(seed);
        }
    }

    #[test]
    fn nothing_a_program_does_ends_a_thread_in_its_trace() {
        (0..20_000).for_each(lawless);
    }
}
