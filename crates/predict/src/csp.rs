//! The model of a trace as CSP_M text, as in the thesis (4.4, 5.3 and appendix A.2), for FDR and for `foretrace csp`.
//!
//! There is one `THREAD_i` for each thread, one process for each synchronisation object, `PROGRAM` as the parallel
//! composition of both, one deadlock assertion, and one race assertion for each interval. The text is written from the
//! program that the search runs, so events that order nothing are left out.
//!
//! **Deviations** from the thesis. Its listings have slips (`sempost`, missing arguments, `||` for `|||`) that are not
//! repeated. A wait that could miss its signal is `begin_wait`, then `wait`; a signal before `begin_wait` is lost.
//! Orders that no object explains (once controls, channels) are a numbered `give` and `take`. Try and timed operations
//! are modelled as blocking, so the text also has deadlocks in which a thread would really have given up.

mod checks;
mod objects;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use foretrace_event::{AtomicId, Event, EventId, IntervalId, ThreadId};
use foretrace_trace::Trace;

use crate::model::{Mode, NeedKind, Op, Program, Rules};

/// Events in a line; a chain of events is cut into processes of this many lines.
const EVENTS_A_LINE: usize = 6;
const LINES_A_PROCESS: usize = 40;

/// The channels of plain and of atomic accesses. An atomic variable is accessed only where plain accesses reach its bytes too.
const ACCESSES: [&str; 4] = ["read", "write", "aread", "awrite"];

/// The variable that an event accesses atomically, and the channel.
fn atomic_access(event: Event) -> Option<(AtomicId, &'static str)> {
    match event {
        Event::AtomicLoad(atomic, ..) => Some((atomic, "aread")),
        Event::AtomicStore(atomic, ..) | Event::AtomicRmw(atomic, ..) => Some((atomic, "awrite")),
        _ => None,
    }
}

/// Writes the model and the checks of a trace.
///
/// # Errors
/// If writing fails.
pub fn emit(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let program = Program::new(trace, &Rules::default());
    let mut script = Script { trace, program: &program, channels: BTreeMap::new(), objects: Objects::default() };
    script.number_edges();
    let threads: Vec<Vec<String>> = trace.threads().map(|thread| script.events(thread)).collect();
    writeln!(out, "-- The reorderings of one recorded run, and what must hold in all of them.")?;
    script.write_types(out)?;
    threads.iter().enumerate().try_for_each(|(thread, events)| write_thread(out, thread, events))?;
    script.write_sync(out)?;
    script.write_program(out, threads.len())?;
    script.write_checks(out)
}

/// The processes of the objects, collected while the threads are written.
#[derive(Default)]
struct Objects {
    /// Each process with the events it takes part in.
    processes: Vec<(String, String)>,
    intervals: BTreeSet<u32>,
    edges: u32,
    /// `give` events by the event they follow, `take` events by the one they precede.
    gives: BTreeMap<EventId, Vec<u32>>,
    takes: BTreeMap<EventId, Vec<u32>>,
}

struct Script<'a> {
    trace: &'a Trace,
    program: &'a Program,
    /// For each channel the highest number in each of its fields.
    channels: BTreeMap<&'static str, Vec<u32>>,
    objects: Objects,
}

impl Script<'_> {
    /// An event of a channel; its declaration grows as needed.
    fn name(&mut self, channel: &'static str, fields: &[u32]) -> String {
        let widths = self.channels.entry(channel).or_insert_with(|| vec![0; fields.len()]);
        widths.iter_mut().zip(fields).for_each(|(width, field)| *width = (*width).max(*field));
        fields.iter().fold(channel.to_owned(), |name, field| format!("{name}.{field}"))
    }

    /// A thread's chain.
    fn events(&mut self, thread: ThreadId) -> Vec<String> {
        let mut names = Vec::new();
        let mut position = 0;
        for (index, event) in self.trace.events(thread).enumerate() {
            let id = EventId { thread, index: index as u32 };
            if self.program.event_at(thread.index(), position) == Some(id.index) {
                self.operation(&mut names, id, position);
                position += 1;
            } else if let Event::Read(interval) | Event::Write(interval) = event {
                let channel = if matches!(event, Event::Write(_)) { "write" } else { "read" };
                names.push(self.access(channel, thread, interval));
            } else if let Some((atomic, channel)) = atomic_access(event) {
                let trace = self.trace;
                let intervals = trace.atomic(atomic).intervals.iter();
                names.extend(intervals.map(|interval| self.access(channel, thread, *interval)));
            }
        }
        names
    }

    /// An access of an interval.
    fn access(&mut self, channel: &'static str, thread: ThreadId, interval: IntervalId) -> String {
        self.objects.intervals.insert(interval.0);
        let last = ThreadId::from_index(self.trace.threads().len() - 1);
        for declared in ACCESSES {
            self.name(declared, &[last.0, interval.0]);
        }
        self.name(channel, &[thread.0, interval.0])
    }

    fn operation(&mut self, names: &mut Vec<String>, id: EventId, position: u32) {
        let chain = self.program.chain(id.thread.index());
        let begins = chain.ops.get(position as usize + 1);
        if let Some(Op::Wait { instance, .. }) = begins {
            let name = self.name("begin_wait", &[id.thread.0, instance.0]);
            names.push(name);
        }
        for edge in self.objects.takes.get(&id).cloned().unwrap_or_default() {
            names.push(self.name("take", &[edge]));
        }
        let name = self.operation_name(id, chain.ops[position as usize]);
        names.extend(name);
        for edge in self.objects.gives.get(&id).cloned().unwrap_or_default() {
            names.push(self.name("give", &[edge]));
        }
    }

    /// Collects the orders that no object explains.
    fn number_edges(&mut self) {
        let program = self.program;
        for thread in self.trace.threads() {
            for position in 0..program.len(thread.index()) {
                for need in program.chain(thread.index()).needs(position) {
                    if matches!(need.kind, NeedKind::Once(_) | NeedKind::Channel(_) | NeedKind::Order) {
                        let event = |thread: ThreadId, at| {
                            program.event_at(thread.index(), at).map(|index| EventId { thread, index })
                        };
                        let (earlier, later) =
                            (event(ThreadId(need.thread), need.position - 1), event(thread, position));
                        let edge = self.objects.edges;
                        self.objects.edges += 1;
                        self.objects.gives.entry(earlier.expect("a need is an operation")).or_default().push(edge);
                        self.objects.takes.entry(later.expect("it is an operation")).or_default().push(edge);
                    }
                }
            }
        }
    }

    fn operation_name(&mut self, id: EventId, op: Op) -> Option<String> {
        let thread = id.thread.0;
        Some(match (op, self.trace.event(id)) {
            (Op::Acquire { lock, mode: Mode::Write, .. }, _) => self.name("lock", &[thread, lock.0]),
            (Op::Acquire { lock, mode: Mode::Read, .. }, _) => self.name("rdlock", &[thread, lock.0]),
            (Op::Release { lock }, _) => self.name("unlock", &[thread, lock.0]),
            (Op::Down { counter, .. }, _) => self.name("sem_wait", &[thread, counter]),
            (Op::Up { counter } | Op::UpFromZero { counter }, _) => self.name("sem_post", &[thread, counter]),
            (_, Event::BarrierEnter(barrier)) => self.name("barrier_enter", &[thread, barrier.0]),
            (_, Event::BarrierExit(barrier)) => self.name("barrier_exit", &[thread, barrier.0]),
            (_, Event::Signal(instance)) => self.name("signal", &[thread, instance.0]),
            (_, Event::Broadcast(instance)) => self.name("broadcast", &[thread, instance.0]),
            (_, Event::Wait(instance, ..)) => self.name("wait", &[thread, instance.0]),
            (_, Event::Start) => self.name("start", &[thread]),
            (_, Event::End) => self.name("end", &[thread]),
            (_, Event::Fork(child)) => self.name("fork", &[thread, child.0]),
            (_, Event::Join(child)) => self.name("join", &[thread, child.0]),
            _ => return None,
        })
    }

    fn write_types(&mut self, out: &mut dyn Write) -> io::Result<()> {
        for (channel, widths) in &self.channels {
            let fields: Vec<String> = widths.iter().map(|width| format!("{{0..{width}}}")).collect();
            writeln!(out, "channel {channel} : {}", fields.join("."))?;
        }
        writeln!(out, "channel endthreads\n")
    }
}

fn write_thread(out: &mut dyn Write, thread: usize, events: &[String]) -> io::Result<()> {
    let pieces: Vec<&[String]> = events.chunks(EVENTS_A_LINE * LINES_A_PROCESS).collect();
    let name = |piece: usize| if piece == 0 { format!("THREAD_{thread}") } else { format!("THREAD_{thread}_{piece}") };
    if pieces.is_empty() {
        return writeln!(out, "THREAD_{thread} = SKIP");
    }
    for (number, piece) in pieces.iter().enumerate() {
        let lines: Vec<String> = piece.chunks(EVENTS_A_LINE).map(|line| line.join(" -> ")).collect();
        let then = if number + 1 < pieces.len() { name(number + 1) } else { "SKIP".to_owned() };
        writeln!(out, "{} = {} -> {then}", name(number), lines.join(" ->\n    "))?;
    }
    Ok(())
}
