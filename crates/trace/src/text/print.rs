//! From a trace to text that reads back as the same trace.

use std::io::{self, Write};

use foretrace_event::{Check, Event, LockClass, Object, Order, Patience, ThreadId, Writer};
use rustc_hash::FxHashSet;

use super::syntax::KEYWORDS;
use super::values;
use crate::trace::{Name, Trace};

/// Writes the declarations of everything in the trace, then its events in the observed order.
///
/// # Errors
/// If writing fails.
pub fn print(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let names = Names::new(trace);
    declarations(trace, &names, out)?;
    for id in trace.observed() {
        write!(out, "{} ", names.thread(id.thread))?;
        names.event(trace, trace.event(id), out)?;
        let place = trace.place(id);
        match &place.source {
            Some(source) => writeln!(out, " @ {}", place_words(source))?,
            None if place.pc != 0 => writeln!(out, " @ {:#x}", place.pc)?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}

/// Names that are words and unique among their kind, for every id of a trace.
#[derive(Clone, Debug)]
pub struct Names {
    threads: Vec<String>,
    locks: Vec<String>,
    conditions: Vec<String>,
    barriers: Vec<String>,
    sems: Vec<String>,
    onces: Vec<String>,
    channels: Vec<String>,
    atomics: Vec<String>,
    intervals: Vec<String>,
    customs: Vec<String>,
}

impl Names {
    /// The given names where they are unique, otherwise generated ones.
    pub fn new(trace: &Trace) -> Self {
        let objects = &trace.objects;
        let reserved: FxHashSet<String> = KEYWORDS.iter().map(|word| (*word).to_owned()).collect();
        Self {
            threads: unique(trace.threads.iter().map(|thread| &thread.info.name), "t", reserved),
            locks: names(objects.locks.iter().map(|info| &info.name), "m"),
            conditions: names(objects.conditions.iter().map(|info| &info.name), "c"),
            barriers: names(objects.barriers.iter().map(|info| &info.name), "b"),
            sems: names(objects.sems.iter().map(|info| &info.name), "s"),
            onces: names(objects.onces.iter().map(|info| &info.name), "o"),
            channels: names(objects.channels.iter().map(|info| &info.name), "h"),
            atomics: names(objects.atomics.iter().map(|info| &info.name), "a"),
            intervals: names(objects.intervals.iter().map(|info| &info.name), "r"),
            customs: names(objects.customs.iter().map(|info| &info.name), "e"),
        }
    }

    /// The name of a thread.
    pub fn thread(&self, thread: ThreadId) -> &str {
        &self.threads[thread.index()]
    }

    /// Writes an event as the text form does, without its thread and place.
    ///
    /// # Errors
    /// If writing fails.
    pub fn event(&self, trace: &Trace, event: Event, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}", event.kind().name())?;
        event.write(&mut Line { names: self, trace, out, failed: event.kind().is_failure() })
    }
}

/// The words of an event after its verb.
struct Line<'a> {
    names: &'a Names,
    trace: &'a Trace,
    out: &'a mut dyn Write,
    failed: bool,
}

impl Writer for Line<'_> {
    type Error = io::Error;

    fn id(&mut self, object: Object) -> io::Result<()> {
        let names = self.names;
        let (table, index) = match object {
            Object::Thread(id) => (&names.threads, id.index()),
            Object::Lock(id) => (&names.locks, id.index()),
            Object::Condition(id) => (&names.conditions, self.trace.instance(id).condition.index()),
            Object::Barrier(id) => (&names.barriers, id.index()),
            Object::Sem(id) => (&names.sems, id.index()),
            Object::Once(id) => (&names.onces, id.index()),
            Object::Channel(id) => (&names.channels, id.index()),
            Object::Atomic(id) => (&names.atomics, id.index()),
            Object::Interval(id) => (&names.intervals, id.index()),
            Object::Custom(id) => (&names.customs, id.index()),
            Object::Args(id) => return values::print(self.trace, id, self.out),
        };
        write!(self.out, " {}", table[index])
    }

    /// An operation blocks unless it says otherwise; one that failed was a try.
    fn patience(&mut self, patience: Patience) -> io::Result<()> {
        let expected = if self.failed { Patience::Try } else { Patience::Blocking };
        if patience == expected { Ok(()) } else { write!(self.out, " {}", patience.name()) }
    }

    fn check(&mut self, check: Check) -> io::Result<()> {
        if check == Check::InLoop { write!(self.out, " {}", super::syntax::LOOP) } else { Ok(()) }
    }

    fn order(&mut self, order: Order) -> io::Result<()> {
        write!(self.out, " {}", order.name())
    }

    fn number(&mut self, value: u64) -> io::Result<()> {
        write!(self.out, " {value}")
    }
}

fn names<'a>(given: impl Iterator<Item = &'a Name>, prefix: &str) -> Vec<String> {
    unique(given, prefix, FxHashSet::default())
}

fn unique<'a>(given: impl Iterator<Item = &'a Name>, prefix: &str, mut taken: FxHashSet<String>) -> Vec<String> {
    let choose = |(index, name): (usize, &Name)| {
        let wanted = name.as_deref().map_or_else(|| format!("{prefix}{index}"), word);
        let fits = taken.insert(wanted.clone());
        if fits {
            return wanted;
        }
        let numbered = (2..).map(|number| format!("{wanted}~{number}"));
        numbered.into_iter().find(|name| taken.insert(name.clone())).expect("there is always another number")
    };
    given.enumerate().map(choose).collect()
}

/// A name as a single word that the parser cannot take for something else.
fn word(name: &str) -> String {
    let plain = |c: char| if c.is_whitespace() || c == '#' || c == '@' || c == '=' { '_' } else { c };
    if name.is_empty() { "_".to_owned() } else { name.chars().map(plain).collect() }
}

/// A place as words that read back unchanged: no comment, and no number.
fn place_words(source: &str) -> String {
    let plain = |c: char| if c == '#' || c.is_control() { '_' } else { c };
    let words: String = source.trim().chars().map(plain).collect();
    if words.is_empty() || words.starts_with("0x") { format!("_{words}") } else { words }
}

fn declarations(trace: &Trace, names: &Names, out: &mut dyn Write) -> io::Result<()> {
    let objects = &trace.objects;
    for (thread, name) in trace.threads.iter().zip(&names.threads) {
        writeln!(out, "thread {name}{}", if thread.info.detached { " detached" } else { "" })?;
    }
    for (info, name) in objects.locks.iter().zip(&names.locks) {
        let class = if info.class == LockClass::Mutex { "" } else { info.class.name() };
        let gap = if class.is_empty() { "" } else { " " };
        writeln!(out, "mutex {name}{gap}{class}{}", At(info.address))?;
    }
    for (info, name) in objects.conditions.iter().zip(&names.conditions) {
        writeln!(out, "cond {name}{}", At(info.address))?;
    }
    for (info, name) in objects.barriers.iter().zip(&names.barriers) {
        writeln!(out, "barrier {name} = {}{}", info.count, At(info.address))?;
    }
    for (info, name) in objects.sems.iter().zip(&names.sems) {
        writeln!(out, "sem {name} = {}{}", info.initial, At(info.address))?;
    }
    for (word, table, list) in [
        ("once", &objects.onces, &names.onces),
        ("channel", &objects.channels, &names.channels),
        ("custom", &objects.customs, &names.customs),
    ] {
        for (info, name) in table.iter().zip(list) {
            writeln!(out, "{word} {name}{}", At(info.address))?;
        }
    }
    memory_declarations(trace, names, out)
}

fn memory_declarations(trace: &Trace, names: &Names, out: &mut dyn Write) -> io::Result<()> {
    for (info, name) in trace.objects.intervals.iter().zip(&names.intervals) {
        write!(out, "interval {name}")?;
        for (key, value) in [("length", info.length), ("generation", u64::from(info.generation))] {
            if value != 0 {
                write!(out, " {key} {value}")?;
            }
        }
        writeln!(out, "{}", At(info.address))?;
    }
    for (info, name) in trace.objects.atomics.iter().zip(&names.atomics) {
        write!(out, "atomic {name}")?;
        if let Some(initial) = info.initial {
            write!(out, " = {initial}")?;
        }
        if info.size != 0 {
            write!(out, " size {}", info.size)?;
        }
        for interval in &info.intervals {
            write!(out, " over {}", names.intervals[interval.index()])?;
        }
        writeln!(out, "{}", At(info.address))?;
    }
    Ok(())
}

/// ` at ADDRESS`, if it is known.
struct At(u64);

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 == 0 { Ok(()) } else { write!(f, " at {:#x}", self.0) }
    }
}
