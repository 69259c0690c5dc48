//! The channels and sets that a property in CSP_M can use.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use foretrace_event::{Event, ThreadId, Value};
use foretrace_trace::Trace;

use super::{END, number, object, values};

/// How events are spelled: the name of each channel, and the number of each value that is no small number.
pub(super) struct Spelling {
    /// By name and number of values: the channel.
    channels: BTreeMap<(String, usize), String>,
    /// The values that are no small natural numbers, and what stands for them.
    values: BTreeMap<String, String>,
    /// The texts that are constants.
    constants: BTreeSet<String>,
}

/// Names that CSP_M or the declarations use for something else.
const TAKEN: [&str; 28] = [
    "if",
    "then",
    "else",
    "let",
    "within",
    "channel",
    "datatype",
    "nametype",
    "subtype",
    "assert",
    "and",
    "or",
    "not",
    "true",
    "false",
    "print",
    "include",
    "threads",
    "sync_events",
    "error",
    "WD",
    "PROGRAM",
    END,
    "Events",
    "union",
    "diff",
    "card",
    "member",
];

/// Values from here on stand for others.
const CODES: u64 = 1 << 24;

impl Spelling {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut spelling = Self { channels: BTreeMap::new(), values: BTreeMap::new(), constants: BTreeSet::new() };
        let mut used: BTreeSet<String> = TAKEN.iter().map(|name| (*name).to_owned()).collect();
        used.extend(foretrace_event::Kind::ALL.iter().map(|kind| kind.name().to_owned()));
        for thread in trace.threads() {
            for event in trace.events(thread) {
                let Event::Custom(custom, _) = event else { continue };
                let key = (trace.name(custom), values(trace, event).len());
                let wanted = identifier(&key.0);
                if let Entry::Vacant(place) = spelling.channels.entry(key) {
                    let name = free(&used, &wanted);
                    used.insert(name.clone());
                    place.insert(name);
                }
            }
        }
        let events = trace.threads().flat_map(|thread| trace.events(thread));
        events.for_each(|event| values(trace, event).iter().for_each(|value| spelling.note(trace, value, &used)));
        spelling
    }

    fn note(&mut self, trace: &Trace, value: &Value, used: &BTreeSet<String>) {
        let shown = shown(trace, value);
        if self.values.contains_key(&shown) || small(value).is_some() {
            return;
        }
        let spelled = match value {
            Value::Text(text) if is_identifier(trace.value_text(*text)) => {
                let name = free(used, trace.value_text(*text));
                self.constants.insert(name.clone());
                name
            }
            _ => (CODES + self.values.len() as u64).to_string(),
        };
        self.values.insert(shown, spelled);
    }

    fn value(&self, trace: &Trace, value: &Value) -> String {
        small(value).map_or_else(|| self.values[&shown(trace, value)].clone(), |number| number.to_string())
    }

    /// The parts of an event's name: its channel and its fields.
    fn parts(&self, trace: &Trace, thread: ThreadId, event: Event) -> (String, Vec<String>) {
        let first = number(thread).to_string();
        if let Event::Custom(custom, _) = event {
            let values = values(trace, event);
            let channel = &self.channels[&(trace.name(custom), values.len())];
            let fields = std::iter::once(first).chain(values.iter().map(|value| self.value(trace, value)));
            return (channel.clone(), fields.collect());
        }
        let fields = std::iter::once(first).chain(object(trace, event).map(|object| object.to_string()));
        (event.kind().name().to_owned(), fields.collect())
    }

    /// An event as CSP_M spells it.
    pub(super) fn event(&self, trace: &Trace, thread: ThreadId, event: Event) -> String {
        let (channel, fields) = self.parts(trace, thread, event);
        fields.iter().fold(channel, |name, field| format!("{name}.{field}"))
    }
}

fn small(value: &Value) -> Option<u32> {
    match *value {
        Value::Number(number) => u32::try_from(number).ok().filter(|number| u64::from(*number) < CODES),
        Value::Text(_) => None,
    }
}

fn shown(trace: &Trace, value: &Value) -> String {
    match *value {
        Value::Number(number) => number.to_string(),
        Value::Text(text) => format!("{:?}", trace.value_text(text)),
    }
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn identifier(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if is_identifier(&plain) { plain } else { format!("e_{plain}") }
}

fn free(used: &BTreeSet<String>, wanted: &str) -> String {
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| !used.contains(name)).expect("there is always another number")
}

/// Channels for all events of a trace, `threads`, the set of the values of each field of each custom event
/// (`open_arg1`, …), `sync_events`, and the watchdog `WD` of the thesis (6.3.1).
pub fn declarations(trace: &Trace) -> String {
    let spelling = Spelling::new(trace);
    // For each channel, the values of each field; whether it is the channel of a custom event.
    let mut channels: BTreeMap<String, (bool, Vec<BTreeSet<String>>)> = BTreeMap::new();
    for thread in trace.threads() {
        for event in trace.events(thread).filter(|event| !event.is_access()) {
            let (channel, fields) = spelling.parts(trace, thread, event);
            let (_, sets) = channels
                .entry(channel)
                .or_insert_with(|| (matches!(event, Event::Custom(..)), vec![BTreeSet::new(); fields.len()]));
            for (set, field) in sets.iter_mut().zip(fields) {
                set.insert(field);
            }
        }
    }
    let mut out = String::from("-- The events of one recorded run.\n");
    let mut line = |text: String| writeln!(out, "{text}").expect("a string takes all that is written to it");
    line(format!("threads = {{0..{}}}", trace.threads().len().saturating_sub(1)));
    for (value, spelled) in spelling.values.iter().filter(|(_, spelled)| !spelling.constants.contains(*spelled)) {
        line(format!("-- {spelled} stands for {value}"));
    }
    if !spelling.constants.is_empty() {
        let names: Vec<&str> = spelling.constants.iter().map(String::as_str).collect();
        line(format!("datatype Texts = {}", names.join(" | ")));
    }
    for (channel, (_, sets)) in &channels {
        for (field, set) in sets.iter().enumerate().skip(1) {
            let values: Vec<&str> = set.iter().map(String::as_str).collect();
            line(format!("{channel}_arg{field} = {{{}}}", values.join(", ")));
        }
        let fields = (1..sets.len()).map(|field| format!(".{channel}_arg{field}"));
        line(format!("channel {channel} : threads{}", fields.collect::<String>()));
    }
    let sync: Vec<&str> = channels.iter().filter(|(_, (custom, _))| !custom).map(|(name, _)| name.as_str()).collect();
    line(format!("sync_events = {{|{}|}}", sync.join(", ")));
    line(format!("channel {END}"));
    line("channel error".to_owned());
    line("WD(E, events) = (E ; error -> SKIP) /\\ ([] z:events @ z -> WD(E, events))".to_owned());
    out
}
