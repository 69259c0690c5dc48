//! The cuts of a trace as a process: its states as rows of words, its events as CSP_M spells them.
//!
//! This is `PROGRAM` of the thesis's properties (6.3). Synchronisation events are those of the model of [`crate::csp`];
//! custom events are `NAME.THREAD.VALUE…`, as in the thesis's Figure 6.6. Values that are no small natural numbers get
//! numbers, which the declarations list in comments; texts that are names become constants.

mod declarations;

use foretrace_event::{Event, EventId, Object, ThreadId, Value};
use foretrace_finding::Schedule;
use foretrace_trace::Trace;
use rustc_hash::FxHashMap;

use crate::model::{Program, Rules, State};
use crate::schedule::Writer;

use declarations::Spelling;
pub use declarations::declarations;

/// The event after which all threads have ended.
pub const END: &str = "endthreads";

/// A trace's cuts as a process.
#[derive(Clone, Debug)]
pub struct Cuts {
    program: Program,
    alphabet: Vec<String>,
    /// The event of each operation, by thread and position, as an index into the alphabet.
    events: Vec<Vec<u32>>,
}

impl Cuts {
    /// Of a trace.
    pub fn new(trace: &Trace) -> Self {
        let is_custom = |id: EventId| matches!(trace.event(id), Event::Custom(..)).then_some(0u32);
        let program = Program::visible(trace, &Rules::default(), &is_custom);
        let spelling = Spelling::new(trace);
        let (mut alphabet, mut numbers) = (vec![END.to_owned()], FxHashMap::default());
        let mut events = Vec::new();
        for thread in trace.threads() {
            let name = |position: u32| {
                let index = program.event_at(thread.index(), position).expect("an operation is an event");
                spelling.event(trace, thread, trace.event(EventId { thread, index }))
            };
            let number = |name: String| {
                *numbers.entry(name.clone()).or_insert_with(|| {
                    alphabet.push(name);
                    alphabet.len() as u32 - 1
                })
            };
            events.push((0..program.len(thread.index())).map(name).map(number).collect());
        }
        Self { program, alphabet, events }
    }

    /// Its events.
    pub fn alphabet(&self) -> &[String] {
        &self.alphabet
    }

    /// How many words a state has: one for each thread, the limits of waits, and whether it has ended.
    pub fn words(&self) -> usize {
        let threads = self.program.threads();
        1 + threads + if self.program.losable() { threads } else { 0 }
    }

    /// The state before the first event.
    pub fn initial(&self, words: &mut [u64]) {
        write(&self.program.initial(), 0, words);
    }

    /// Calls `out` with every event of a state and the state after it.
    pub fn successors(&self, words: &[u64], out: &mut dyn FnMut(u32, &[u64])) {
        let (state, ended) = self.read(words);
        let mut next = vec![0; words.len()];
        let mut unfinished = false;
        for thread in 0..self.program.threads() {
            if state.cut[thread] >= self.program.len(thread) {
                continue;
            }
            unfinished = true;
            if self.program.ready(&state, thread) {
                let mut after = state.clone();
                self.program.step(&mut after, thread);
                write(&after, 0, &mut next);
                out(self.events[thread][state.cut[thread] as usize], &next);
            }
        }
        if !unfinished && ended == 0 {
            write(&state, 1, &mut next);
            out(0, &next);
        }
    }

    fn read(&self, words: &[u64]) -> (State, u64) {
        let threads = self.program.threads();
        let numbers = |words: &[u64]| words.iter().map(|word| *word as u32).collect();
        let state = State { cut: numbers(&words[1..=threads]), limits: numbers(&words[1 + threads..]), at: 0 };
        (state, words[0])
    }

    /// Its events in the order in which they were observed, with what they are in the trace.
    pub fn observed(&self, trace: &Trace) -> Vec<(EventId, u32)> {
        let mut next = vec![0; self.events.len()];
        let mut number = |id: EventId| {
            let position = &mut next[id.thread.index()];
            (self.program.event_at(id.thread.index(), *position)? == id.index).then(|| {
                *position += 1;
                (id, self.events[id.thread.index()][*position as usize - 1])
            })
        };
        trace.observed().filter_map(&mut number).collect()
    }

    /// The schedule of a sequence of its events; none if it is not one.
    pub fn schedule(&self, events: &[String]) -> Option<Schedule> {
        let mut state = self.program.initial();
        let mut path = Vec::new();
        for name in events.iter().filter(|name| *name != END) {
            let does = |thread: &usize| {
                let position = state.cut[*thread] as usize;
                let event = self.events[*thread].get(position);
                event.is_some_and(|event| self.alphabet[*event as usize] == *name)
                    && self.program.ready(&state, *thread)
            };
            let thread = (0..self.program.threads()).find(does)?;
            self.program.step(&mut state, thread);
            path.push(thread as u32);
        }
        let mut writer = Writer::new(self.program.threads(), &[]);
        writer.path(&self.program, &self.program.initial(), &path);
        Some(writer.finish(&[]))
    }
}

fn write(state: &State, ended: u64, words: &mut [u64]) {
    words[0] = ended;
    let numbers = state.cut.iter().chain(&state.limits);
    words[1..].iter_mut().zip(numbers).for_each(|(word, number)| *word = u64::from(*number));
}

/// The object of an event that its name carries.
fn object(trace: &Trace, event: Event) -> Option<u32> {
    match event.object()? {
        Object::Condition(instance) => Some(trace.instance(instance).condition.0),
        object => Some(object.number()),
    }
}

/// The values of a custom event.
fn values(trace: &Trace, event: Event) -> &[Value] {
    if let Event::Custom(_, values) = event { trace.values(values) } else { &[] }
}

/// The number of a thread in events.
fn number(thread: ThreadId) -> u32 {
    thread.0
}
