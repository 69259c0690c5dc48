//! The STD form of the RAPID tools, for exchange: `T0|acq(L1)|345`.
//!
//! It has `acq`, `rel`, `r`, `w`, `fork`, `join`, `begin` and `end`. When it is read, each lock is recursive, as Java's
//! are. When it is written, events without an equivalent become the nearest ones that preserve every order that
//! matters:
//!
//! * Operations of semaphores, barriers, conditions, once controls, channels and atomics become a critical section of a
//!   separate lock, so that they stay in conflict.
//! * Relocking by the owner, shared locking, failed operations, fences and custom events are left out and counted in
//!   the notes.

use std::io::{self, Write};

use foretrace_event::{Event, EventId, Kind, LockClass, LockId, Object, Order, Orders, Patience, Sort, Std, ThreadId};
use rustc_hash::FxHashMap;

use crate::note::Note;
use crate::text::{TextError, TextErrorKind, TextErrors};
use crate::trace::{IntervalInfo, LockInfo, Name, ThreadInfo, Trace};
use crate::{PlaceId, TraceBuilder};

/// Reads an STD trace.
///
/// # Errors
/// Everything wrong with it, at most [`TextErrors::MOST`].
pub fn parse(text: &str) -> Result<Trace, TextErrors> {
    let mut reader = Reader::default();
    let mut errors = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Err((column, kind)) = reader.line(line) {
            errors.push(TextError { line: index + 1, column, kind });
        }
        if errors.len() >= TextErrors::MOST {
            break;
        }
    }
    if errors.is_empty() { Ok(reader.builder.finish()) } else { Err(TextErrors(errors)) }
}

#[derive(Default)]
struct Reader<'a> {
    builder: TraceBuilder,
    threads: FxHashMap<&'a str, ThreadId>,
    locks: FxHashMap<&'a str, LockId>,
    intervals: FxHashMap<&'a str, foretrace_event::IntervalId>,
}

type Wrong = (usize, TextErrorKind);

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) -> Result<(), Wrong> {
        let mut fields = line.splitn(3, '|');
        let thread = fields.next().filter(|name| !name.is_empty()).ok_or((1, TextErrorKind::Expected("a thread")))?;
        let column = thread.chars().count() + 2;
        let operation = fields.next().ok_or((column - 1, TextErrorKind::Expected("`|` and an operation")))?;
        let place = fields.next().map(str::trim).filter(|place| !place.is_empty());
        let thread = self.thread(thread);
        let event = self.event(operation.trim(), column)?;
        let place = place.map_or(PlaceId::UNKNOWN, |place| match place.parse() {
            Ok(pc) => self.builder.at_pc(pc),
            Err(_) => self.builder.at_source(place),
        });
        self.builder.push(thread, event, place).map_err(|illegal| (column, TextErrorKind::Illegal(illegal)))
    }

    fn event(&mut self, text: &'a str, column: usize) -> Result<Event, Wrong> {
        let (verb, argument) = match text.split_once('(') {
            None => (text, None),
            Some((verb, rest)) => {
                let end = (column + text.chars().count(), TextErrorKind::Expected("`)`"));
                (verb, Some(rest.strip_suffix(')').ok_or(end)?).filter(|name| !name.is_empty()))
            }
        };
        let unknown = || (column, TextErrorKind::UnknownOperation(verb.to_owned()));
        let kind = Kind::ALL
            .iter()
            .find(|kind| matches!(kind.std(), Std::Verb(known) if known == verb))
            .ok_or_else(unknown)?;
        let end = column + verb.chars().count();
        kind.read(&mut Argument { reader: self, name: argument, end })
    }

    fn thread(&mut self, name: &'a str) -> ThreadId {
        let info = || ThreadInfo { name: named(name), ..ThreadInfo::default() };
        *self.threads.entry(name).or_insert_with(|| self.builder.thread(info()))
    }

    fn lock(&mut self, name: &'a str) -> LockId {
        let info = || LockInfo { class: LockClass::Recursive, name: named(name), address: 0 };
        *self.locks.entry(name).or_insert_with(|| self.builder.lock(info()))
    }

    fn interval(&mut self, name: &'a str) -> foretrace_event::IntervalId {
        let info = || IntervalInfo { name: named(name), ..IntervalInfo::default() };
        *self.intervals.entry(name).or_insert_with(|| self.builder.interval(info()))
    }
}

/// The argument of one operation.
struct Argument<'r, 'a> {
    reader: &'r mut Reader<'a>,
    name: Option<&'a str>,
    /// The column after the verb.
    end: usize,
}

impl foretrace_event::Reader for Argument<'_, '_> {
    type Error = Wrong;

    fn id(&mut self, sort: Sort) -> Result<u32, Wrong> {
        let name = self.name.ok_or((self.end, TextErrorKind::Expected("`(NAME)`")))?;
        Ok(match sort {
            Sort::Thread => self.reader.thread(name).0,
            Sort::Lock => self.reader.lock(name).0,
            _ => self.reader.interval(name).0,
        })
    }

    fn patience(&mut self) -> Result<Patience, Wrong> {
        Ok(Patience::Blocking)
    }

    fn order(&mut self, _: Orders) -> Result<Order, Wrong> {
        Ok(Order::SeqCst)
    }

    fn number(&mut self) -> Result<u64, Wrong> {
        Ok(0)
    }
}

fn named(name: &str) -> Name {
    Some(name.into())
}

/// Writes a trace in the STD form; the notes list what it could not express.
///
/// # Errors
/// If writing fails.
pub fn print(trace: &Trace, out: &mut dyn Write) -> io::Result<Vec<Note>> {
    let mut printer = Printer {
        trace,
        depths: vec![0; trace.locks().len()],
        dropped: 0,
        sections: 0,
        relocks: 0,
        shared: vec![0; trace.locks().len()],
    };
    for id in trace.observed() {
        printer.event(id, out)?;
    }
    let unspelled = |what, count| (count > 0).then_some(Note::Unspelled { what, count });
    let notes = [
        (printer.sections > 0).then_some(Note::Sections(printer.sections)),
        unspelled("nested acquisitions of recursive locks", printer.relocks),
        unspelled("shared acquisitions, failed operations, fences and custom events", printer.dropped),
    ];
    Ok(notes.into_iter().flatten().collect())
}

struct Printer<'a> {
    trace: &'a Trace,
    /// How often each lock is held exclusively, and shared.
    depths: Vec<u32>,
    shared: Vec<u32>,
    sections: u64,
    relocks: u64,
    dropped: u64,
}

/// How an event is written.
enum Spelled {
    Line(String),
    Section(String),
    Relock,
    Dropped,
}

impl Printer<'_> {
    fn event(&mut self, id: EventId, out: &mut dyn Write) -> io::Result<()> {
        let thread = plain(&self.trace.name(id.thread));
        let place = self.trace.place(id);
        let place = place.source.as_deref().map_or_else(|| place.pc.to_string(), plain);
        match self.spell(self.trace.event(id)) {
            Spelled::Line(text) => writeln!(out, "{thread}|{text}|{place}")?,
            Spelled::Section(lock) => {
                writeln!(out, "{thread}|acq({lock})|{place}")?;
                writeln!(out, "{thread}|rel({lock})|{place}")?;
                self.sections += 1;
            }
            Spelled::Relock => self.relocks += 1,
            Spelled::Dropped => self.dropped += 1,
        }
        Ok(())
    }

    fn spell(&mut self, event: Event) -> Spelled {
        match event {
            Event::Lock(m, _) => return self.lock(m),
            Event::Unlock(m) => return self.unlock(m),
            Event::RdLock(m, _) => self.shared[m.index()] += 1,
            _ => {}
        }
        let object = event.object().map(|object| (object.sort(), plain(&name(self.trace, object))));
        match (event.kind().std(), object) {
            (Std::Verb(verb), Some((_, name))) => Spelled::Line(format!("{verb}({name})")),
            (Std::Verb(verb), None) => Spelled::Line(verb.to_owned()),
            (Std::Section, Some((sort, name))) => Spelled::Section(format!("{}:{name}", sort.name())),
            (Std::Section, None) | (Std::Nothing, _) => Spelled::Dropped,
        }
    }

    fn lock(&mut self, lock: LockId) -> Spelled {
        self.depths[lock.index()] += 1;
        if self.depths[lock.index()] > 1 {
            return Spelled::Relock;
        }
        Spelled::Line(format!("acq({})", plain(&self.trace.name(lock))))
    }

    fn unlock(&mut self, lock: LockId) -> Spelled {
        if self.shared[lock.index()] > 0 {
            self.shared[lock.index()] -= 1;
            return Spelled::Dropped;
        }
        self.depths[lock.index()] -= 1;
        if self.depths[lock.index()] > 0 {
            return Spelled::Relock;
        }
        Spelled::Line(format!("rel({})", plain(&self.trace.name(lock))))
    }
}

fn name(trace: &Trace, object: Object) -> String {
    match object {
        Object::Thread(id) => trace.name(id),
        Object::Lock(id) => trace.name(id),
        Object::Condition(id) => trace.name(trace.instance(id).condition),
        Object::Barrier(id) => trace.name(id),
        Object::Sem(id) => trace.name(id),
        Object::Once(id) => trace.name(id),
        Object::Channel(id) => trace.name(id),
        Object::Atomic(id) => trace.name(id),
        Object::Interval(id) => trace.name(id),
        Object::Custom(id) => trace.name(id),
        Object::Args(id) => id.to_string(),
    }
}

/// A name without the characters that have a meaning in this form.
fn plain(name: &str) -> String {
    name.chars().map(|c| if "|(),".contains(c) || c.is_whitespace() { '_' } else { c }).collect()
}
