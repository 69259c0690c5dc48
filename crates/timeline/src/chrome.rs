//! Chrome's trace-event format, which Perfetto and `chrome://tracing` open.

use crate::causes::Causes;
use crate::open::{About, Edge, Open};
use foretrace_event::{Event, EventId, Kind, ThreadId};
use foretrace_trace::Trace;
use foretrace_trace::text::Names;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::io::{self, Write};

/// What is written.
pub struct Options<'a> {
    /// The name of the program.
    pub program: &'a str,
    /// Where an event took place, if that is known.
    pub place: &'a dyn Fn(EventId) -> Option<String>,
    /// Texts to show at events.
    pub marks: &'a [(EventId, String)],
    /// Write plain accesses as well.
    pub accesses: bool,
    /// At most this many events, from the beginning of the run.
    pub most: usize,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { program: "program", place: &|_| None, marks: &[], accesses: false, most: usize::MAX }
    }
}

/// Writes the run, and says how many events were left out at its end.
///
/// # Errors
/// If writing fails.
pub fn write(trace: &Trace, options: &Options<'_>, out: &mut dyn Write) -> io::Result<usize> {
    let shown = |id: &EventId| options.accesses || !matches!(trace.kind(*id), Kind::Read | Kind::Write);
    let mut writer = Writer::new(trace, options, out);
    writer.head()?;
    let mut events = trace.observed().filter(shown);
    events.by_ref().take(options.most).try_for_each(|id| writer.event(id))?;
    writer.tail()?;
    Ok(events.count())
}

/// A unit of the time axis in the format's microseconds, and where in it an operation begins and how long it is, so that
/// it lies inside a slice that begins or ends at the same event.
const UNIT: f64 = 1.0;
const MARGIN: f64 = 0.1;

struct Writer<'a> {
    trace: &'a Trace,
    names: Names,
    options: &'a Options<'a>,
    marks: FxHashMap<EventId, Vec<&'a str>>,
    causes: Causes<'a>,
    open: Vec<Open>,
    /// When the events that may cause others took place.
    times: FxHashMap<EventId, f64>,
    time: f64,
    flows: u64,
    out: &'a mut dyn Write,
}

impl<'a> Writer<'a> {
    fn new(trace: &'a Trace, options: &'a Options<'a>, out: &'a mut dyn Write) -> Self {
        let mut marks: FxHashMap<EventId, Vec<&str>> = FxHashMap::default();
        options.marks.iter().for_each(|(id, text)| marks.entry(*id).or_default().push(text));
        Self {
            trace,
            names: Names::new(trace),
            options,
            marks,
            causes: Causes::new(trace),
            open: trace.threads().map(|_| Open::default()).collect(),
            times: FxHashMap::default(),
            time: 0.0,
            flows: 0,
            out,
        }
    }

    fn head(&mut self) -> io::Result<()> {
        let program = json!({"name": "process_name", "ph": "M", "pid": 1, "args": {"name": self.options.program}});
        write!(self.out, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{program}")?;
        for thread in self.trace.threads() {
            let name = self.names.thread(thread).to_string();
            self.item(thread, json!({"name": "thread_name", "ph": "M", "args": {"name": name}}))?;
            self.item(thread, json!({"name": "thread_sort_index", "ph": "M", "args": {"sort_index": thread.0}}))?;
        }
        Ok(())
    }

    fn tail(&mut self) -> io::Result<()> {
        for thread in self.trace.threads() {
            let edges = self.open[thread.index()].end_all();
            self.edges(thread, edges, self.time)?;
        }
        writeln!(self.out, "\n]}}")
    }

    fn item(&mut self, thread: ThreadId, mut item: Value) -> io::Result<()> {
        item["pid"] = json!(1);
        item["tid"] = json!(thread.0 + 1);
        write!(self.out, ",\n{item}")
    }

    fn event(&mut self, id: EventId) -> io::Result<()> {
        let cause = self.causes.of(id);
        let begun = self.begun(id);
        self.edges(id.thread, begun, self.time)?;
        self.operation(id)?;
        if let Some(from) = cause.and_then(|cause| Some((cause, *self.times.get(&cause)?))) {
            self.flow(from, id)?;
        }
        self.times.insert(id, self.time);
        self.time += UNIT;
        let ended = self.ended(id);
        self.edges(id.thread, ended, self.time)
    }

    /// The slices that begin with an event.
    fn begun(&mut self, id: EventId) -> Vec<Edge> {
        let open = &mut self.open[id.thread.index()];
        let edge = match self.trace.event(id) {
            Event::Start => open.begin(About::Life, "runs".to_owned()),
            Event::Lock(lock, _) => open.begin(About::Lock(lock), format!("holds {}", self.trace.name(lock))),
            Event::RdLock(lock, _) => {
                open.begin(About::Lock(lock), format!("holds {} for reading", self.trace.name(lock)))
            }
            Event::BarrierEnter(barrier) => {
                open.begin(About::Barrier, format!("waits at barrier {}", self.trace.name(barrier)))
            }
            _ => return Vec::new(),
        };
        vec![edge]
    }

    /// The slices that end with an event, and the wait that an unlock begins.
    fn ended(&mut self, id: EventId) -> Vec<Edge> {
        let wait = self.wait_after(id);
        let open = &mut self.open[id.thread.index()];
        match self.trace.event(id) {
            Event::End => open.end_all(),
            Event::Unlock(lock) => {
                let mut edges = open.end(About::Lock(lock));
                edges.extend(wait.map(|name| open.begin(About::Wait, name)));
                edges
            }
            Event::Wait(..) | Event::FailedWait(..) => open.end(About::Wait),
            Event::BarrierExit(_) => open.end(About::Barrier),
            _ => Vec::new(),
        }
    }

    /// What a thread waits for after this event, if its next event is the end of a wait.
    fn wait_after(&self, id: EventId) -> Option<String> {
        let next = EventId { index: id.index + 1, ..id };
        if next.index >= self.trace.len(id.thread) {
            return None;
        }
        match self.trace.event(next) {
            Event::Wait(instance, ..) => {
                let condition = self.trace.instance(instance).condition;
                Some(format!("waits on {}", self.trace.name(condition)))
            }
            Event::FailedWait(..) => Some("waits, and is not signalled".to_owned()),
            _ => None,
        }
    }

    fn edges(&mut self, thread: ThreadId, edges: Vec<Edge>, time: f64) -> io::Result<()> {
        edges.into_iter().try_for_each(|edge| match edge {
            Edge::Begin(name) => self.item(thread, json!({"name": name, "ph": "B", "ts": time})),
            Edge::End => self.item(thread, json!({"ph": "E", "ts": time})),
        })
    }

    fn operation(&mut self, id: EventId) -> io::Result<()> {
        let mut name = Vec::new();
        self.names.event(self.trace, self.trace.event(id), &mut name)?;
        let name = String::from_utf8_lossy(&name).trim().to_owned();
        let (start, length) = (self.time + MARGIN, UNIT - 2.0 * MARGIN);
        let mut slice = json!({"name": name, "ph": "X", "ts": start, "dur": length});
        if let Some(place) = (self.options.place)(id) {
            slice["args"] = json!({"place": place});
        }
        self.item(id.thread, slice)?;
        for text in self.marks.remove(&id).unwrap_or_default() {
            self.item(id.thread, json!({"name": text, "cat": "finding", "ph": "i", "s": "t", "ts": start}))?;
        }
        Ok(())
    }

    /// An arrow from an event of another thread to this one.
    fn flow(&mut self, (cause, then): (EventId, f64), id: EventId) -> io::Result<()> {
        self.flows += 1;
        let middle = UNIT / 2.0;
        let end = |ph: &str, time: f64| json!({"name": "releases", "cat": "order", "ph": ph, "id": self.flows, "ts": time + middle, "bp": "e"});
        let (from, to) = (end("s", then), end("f", self.time));
        self.item(cause.thread, from)?;
        self.item(id.thread, to)
    }
}
