//! How fast properties are decided: one pass over ten million events, and the search over cuts and an automaton.
//!
//! `cargo run --release -p foretrace-predict --example properties [EVENTS]`

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use foretrace_event::{ArgsId, CustomId, Event, ThreadId, Value};
use foretrace_predict::{Budget, Options, Reductions, predict};
use foretrace_property::Properties;
use foretrace_trace::{PlaceId, PlainInfo, ThreadInfo, Trace, TraceBuilder};

/// Threads beside the main thread.
const THREADS: usize = 4;

/// Ends a prediction before its searches: only the pass remains.
static STOPPED: AtomicBool = AtomicBool::new(true);

/// Five states and the violated one: `z` in the last state. All `a` come after the only `z`.
const SIX_STATES: &str = "states {
    s0: a -> s1, z -> s0
    s1: a -> s2, z -> s1
    s2: a -> s3, z -> s2
    s3: a -> s4, z -> s3
    s4: a -> s0
}";

fn main() {
    let events: usize = std::env::args().nth(1).map_or(10_000_000, |count| count.parse().expect("a number of events"));
    println!("| what | events or cuts | seconds | per second |");
    println!("| --- | ---: | ---: | ---: |");
    let trace = handles(events);
    for rule in [
        "never use(x) after free(x)",
        "open(x) before use(x)",
        "atomic enter(x) ... exit(x) against use(x)",
        SIX_STATES,
    ] {
        let begin = Instant::now();
        let prediction = predict(
            &trace,
            &Options { budget: Budget { stop: Some(&STOPPED), ..Budget::default() }, ..options(rule) },
            &(),
        );
        assert!(prediction.violations.is_empty());
        report(&format!("one pass: {}", rule.lines().next().unwrap_or_default()), events as u64, begin);
    }
    let trace = cuts(THREADS, 54);
    let budget = Budget { states: u64::MAX, bytes: 4 << 30, ..Budget::default() };
    let reductions = Reductions { partial_order: false, ..Reductions::default() };
    let begin = Instant::now();
    let prediction = predict(&trace, &Options { budget, reductions, ..options(SIX_STATES) }, &());
    assert!(prediction.violations.is_empty() && prediction.undecided.is_empty());
    report("search: six states", prediction.stats.states, begin);
}

fn options(rule: &str) -> Options {
    let properties: Properties = rule.parse().expect("a rule");
    Options {
        races: false,
        deadlocks: false,
        jobs: 1,
        properties: properties.templates().to_vec(),
        ..Options::default()
    }
}

fn report(what: &str, count: u64, begin: Instant) {
    let seconds = begin.elapsed().as_secs_f64();
    println!("| {what} | {count} | {seconds:.2} | {:.1} million |", count as f64 / seconds / 1e6);
}

/// A builder with its threads and events.
struct Maker {
    builder: TraceBuilder,
    threads: Vec<ThreadId>,
}

impl Maker {
    fn new(threads: usize) -> Self {
        let mut builder = TraceBuilder::new();
        let threads = (0..=threads).map(|_| builder.thread(ThreadInfo::default())).collect();
        Self { builder, threads }
    }

    fn event(&mut self, name: &str) -> CustomId {
        self.builder.custom(PlainInfo { name: Some(name.into()), address: 0 })
    }

    fn push(&mut self, thread: usize, event: Event) {
        self.builder.push(self.threads[thread], event, PlaceId::UNKNOWN).expect("a legal event");
    }

    fn fork(&mut self) {
        for index in 1..self.threads.len() {
            let child = self.threads[index];
            self.push(0, Event::Fork(child));
        }
    }
}

/// The main thread opens handles, others use them, and the main thread frees them after it has joined the others.
fn handles(events: usize) -> Trace {
    let mut maker = Maker::new(THREADS);
    let [open, uses, free] = ["open", "use", "free"].map(|name| maker.event(name));
    let values: Vec<ArgsId> = (0..16).map(|handle| maker.builder.values(&[Value::Number(handle)])).collect();
    values.iter().for_each(|handle| maker.push(0, Event::Custom(open, *handle)));
    maker.fork();
    for number in 0..events {
        maker.push(1 + number / 7 % THREADS, Event::Custom(uses, values[number % 16]));
    }
    for index in 1..=THREADS {
        let child = maker.threads[index];
        maker.push(0, Event::Join(child));
    }
    values.iter().for_each(|handle| maker.push(0, Event::Custom(free, *handle)));
    maker.builder.finish()
}

/// Threads that do nothing but `a`, after the only `z`.
fn cuts(threads: usize, each: usize) -> Trace {
    let mut maker = Maker::new(threads);
    let [a, z] = ["a", "z"].map(|name| maker.event(name));
    let none = maker.builder.values(&[]);
    maker.push(0, Event::Custom(z, none));
    maker.fork();
    for _ in 0..each {
        (1..=threads).for_each(|thread| maker.push(thread, Event::Custom(a, none)));
    }
    maker.builder.finish()
}
