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

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};

use foretrace_event::{Event, EventId, ThreadId};
use foretrace_trace::Trace;

use crate::model::{Mode, NeedKind, Op, Program, Rules};

/// Events in a line; a chain of events is cut into processes of this many lines.
const EVENTS_A_LINE: usize = 6;
const LINES_A_PROCESS: usize = 40;

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
                self.objects.intervals.insert(interval.0);
                let last = ThreadId::from_index(self.trace.threads().len() - 1);
                for declared in ["read", "write"] {
                    self.name(declared, &[last.0, interval.0]);
                }
                names.push(self.name(channel, &[thread.0, interval.0]));
            }
        }
        names
    }

    fn operation(&mut self, names: &mut Vec<String>, id: EventId, position: u32) {
        let chain = self.program.chain(id.thread.index());
        let begins = chain.ops.get(position as usize + 1);
        if let Some(Op::Wait { instance }) = begins {
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
            (_, Event::Wait(instance, _)) => self.name("wait", &[thread, instance.0]),
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

/// The processes of the objects.
impl Script<'_> {
    fn write_sync(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out)?;
        self.add_threads();
        self.add_locks();
        self.add_counters();
        self.add_barriers();
        self.add_conditions();
        for edge in 0..self.objects.edges {
            self.add(format!("EDGE_{edge}"), format!("give.{edge} -> take.{edge} -> STOP"));
        }
        for (name, body) in &self.objects.processes {
            writeln!(out, "{name} = {body}")?;
        }
        Ok(())
    }

    fn add(&mut self, name: String, body: String) {
        self.objects.processes.push((name, body));
    }

    fn users(&self, which: impl Fn(Event) -> bool) -> Vec<u32> {
        self.trace.threads().filter(|thread| self.trace.events(*thread).any(&which)).map(|thread| thread.0).collect()
    }

    fn add_threads(&mut self) {
        for thread in self.trace.threads() {
            if let Some(fork) = self.trace.fork_of(thread).filter(|_| self.trace.len(thread) > 0) {
                let (parent, child) = (fork.thread.0, thread.0);
                self.add(format!("FORK_{child}"), format!("fork.{parent}.{child} -> start.{child} -> STOP"));
            }
            for joiner in self.users(|event| event == Event::Join(thread)) {
                let child = thread.0;
                self.add(format!("JOIN_{child}"), format!("end.{child} -> join.{joiner}.{child} -> STOP"));
            }
        }
    }

    fn add_locks(&mut self) {
        for (lock, _) in self.trace.locks() {
            let takes = |mode: Mode| {
                let of = |&thread: &u32| {
                    let ops = self.program.chain(thread as usize).ops.iter();
                    ops.into_iter().any(
                        |op| matches!(op, Op::Acquire { lock: other, mode: how, .. } if *other == lock && *how == mode),
                    )
                };
                self.trace.threads().map(|thread| thread.0).filter(of).collect::<Vec<u32>>()
            };
            let (writers, readers) = (takes(Mode::Write), takes(Mode::Read));
            let m = lock.0;
            let alone = writers.iter().map(|t| format!("lock.{t}.{m} -> unlock.{t}.{m} -> MUTEX_{m}(0)"));
            let begin = readers.iter().map(|t| format!("rdlock.{t}.{m} -> MUTEX_{m}(1)"));
            let more = readers.iter().map(|t| format!("rdlock.{t}.{m} -> MUTEX_{m}(i+1)"));
            let fewer = readers.iter().map(|t| format!("unlock.{t}.{m} -> MUTEX_{m}(i-1)"));
            if writers.is_empty() && readers.is_empty() {
                continue;
            }
            let free: Vec<String> = alone.chain(begin).collect();
            self.objects.processes.push((format!("MUTEX_{m}(0)"), free.join("\n    [] ")));
            if !readers.is_empty() {
                let full = fewer.clone().map(|event| event.replace("(i-1)", &format!("({})", readers.len() - 1)));
                let (full, some): (Vec<String>, Vec<String>) = (full.collect(), more.chain(fewer).collect());
                self.objects.processes.push((format!("MUTEX_{m}({})", readers.len()), full.join("\n    [] ")));
                self.objects.processes.push((format!("MUTEX_{m}(i)"), some.join("\n    [] ")));
            }
        }
    }

    fn add_counters(&mut self) {
        let program = self.program;
        for (number, counter) in program.counters.iter().enumerate() {
            if counter.is_barrier() {
                continue;
            }
            let (mut ups, mut downs) = (Vec::new(), Vec::new());
            for thread in 0..program.threads() {
                let ops = || program.chain(thread).ops.iter();
                let is_up = |op: &Op| matches!(op, Op::Up { counter } | Op::UpFromZero { counter } if *counter as usize == number);
                let is_down = |op: &Op| matches!(op, Op::Down { counter, .. } if *counter as usize == number);
                ups.extend(ops().any(is_up).then(|| format!("sem_post.{thread}.{number} -> SEMAPHORE_{number}(i+1)")));
                downs.extend(
                    ops().any(is_down).then(|| format!("sem_wait.{thread}.{number} -> SEMAPHORE_{number}(i-1)")),
                );
            }
            let most = counter.most();
            let guard = |condition: String, list: &[String]| {
                list.iter().map(|event| format!("{condition} & {event}")).collect::<Vec<_>>()
            };
            let mut body = guard(format!("i < {most}"), &ups);
            body.extend(guard("i > 0".to_owned(), &downs));
            self.add(format!("SEMAPHORE_{number}(i)"), body.join("\n    [] "));
        }
    }

    fn add_barriers(&mut self) {
        for (barrier, info) in self.trace.barriers() {
            let users = self.users(|event| event == Event::BarrierEnter(barrier));
            let (b, count) = (barrier.0, info.count.max(1));
            let enter: Vec<String> =
                users.iter().map(|t| format!("barrier_enter.{t}.{b} -> BARRIER_U_{b}(i+1)")).collect();
            let exits = |process: &str, left: &str| {
                let exit = |t: &u32| format!("barrier_exit.{t}.{b} -> BARRIER_{process}_{b}({left})");
                self.users(|event| event == Event::BarrierExit(barrier)).iter().map(exit).collect::<Vec<_>>()
            };
            if users.is_empty() {
                continue;
            }
            let open = exits("D", &(count - 1).to_string());
            let leave = exits("D", "i-1");
            let stop = |list: Vec<String>| if list.is_empty() { "STOP".to_owned() } else { list.join("\n    [] ") };
            self.add(format!("BARRIER_U_{b}({count})"), stop(open));
            self.add(format!("BARRIER_U_{b}(i)"), stop(enter));
            self.add(format!("BARRIER_D_{b}(0)"), format!("BARRIER_U_{b}(0)"));
            self.add(format!("BARRIER_D_{b}(i)"), stop(leave));
        }
    }

    /// For each wait: either its signal comes after it has begun, and then it returns; or the signal comes before, and
    /// it never does.
    fn add_conditions(&mut self) {
        let mut gives: BTreeMap<u32, String> = BTreeMap::new();
        let mut waits = Vec::new();
        for thread in self.trace.threads() {
            for (index, event) in self.trace.events(thread).enumerate() {
                match event {
                    Event::Signal(instance) => {
                        drop(gives.insert(instance.0, format!("signal.{}.{}", thread.0, instance.0)))
                    }
                    Event::Broadcast(instance) => {
                        drop(gives.insert(instance.0, format!("broadcast.{}.{}", thread.0, instance.0)));
                    }
                    Event::Wait(instance, _) => waits.push((EventId { thread, index: index as u32 }, instance.0)),
                    _ => {}
                }
            }
        }
        for (wait, instance) in waits {
            let Some(give) = gives.get(&instance) else { continue };
            let position = self.program.position(wait.thread.index(), wait.index) as usize;
            let t = wait.thread.0;
            let returns = format!("wait.{t}.{instance} -> STOP");
            let body = match self.program.chain(wait.thread.index()).ops[position] {
                Op::Wait { .. } => format!(
                    "begin_wait.{t}.{instance} -> {give} -> {returns}\n    [] {give} -> begin_wait.{t}.{instance} -> STOP"
                ),
                _ => format!("{give} -> {returns}"),
            };
            self.add(format!("WAIT_{t}_{}", wait.index), body);
        }
    }
}

/// The composition and the assertions.
impl Script<'_> {
    fn write_program(&mut self, out: &mut dyn Write, threads: usize) -> io::Result<()> {
        let all: Vec<String> = (0..threads).map(|thread| format!("THREAD_{thread}")).collect();
        writeln!(out, "\nINTER = ({}) ; endthreads -> SKIP", all.join(" ||| "))?;
        let (waits, others): (Vec<String>, Vec<String>) =
            self.starts().into_iter().partition(|name| name.starts_with("WAIT_"));
        let signals: Vec<&str> =
            ["signal", "broadcast"].into_iter().filter(|name| self.channels.contains_key(name)).collect();
        // The waits of one instance share its signal.
        let together = (!waits.is_empty()).then(|| self.conditions(&waits, &signals));
        let parts: Vec<String> = others.into_iter().chain(together).collect();
        let sync = if parts.is_empty() { "STOP".to_owned() } else { parts.join(" ||| ") };
        writeln!(out, "SYNC = {sync}")?;
        writeln!(out, "sync_set = {}", self.sync_set())?;
        writeln!(out, "PROGRAM = INTER [| sync_set |] SYNC\n")
    }

    /// The processes of the instances: those of one instance synchronise on its signal, those of different ones are
    /// independent.
    fn conditions(&self, waits: &[String], signals: &[&str]) -> String {
        let mut by_signal: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for wait in waits {
            let body = &self.objects.processes.iter().find(|(name, _)| name == wait).expect("it was just listed").1;
            let is_signal = |word: &&str| signals.iter().any(|channel| word.starts_with(&format!("{channel}.")));
            let signal = body.split_whitespace().find(is_signal).unwrap_or_default();
            by_signal.entry(signal.to_owned()).or_default().push(wait);
        }
        let group =
            |(signal, waits): (&String, &Vec<&str>)| format!("({})", waits.join(&format!(" [| {{{signal}}} |] ")));
        by_signal.iter().map(group).collect::<Vec<_>>().join(" ||| ")
    }

    /// The initial process of each object.
    fn starts(&self) -> Vec<String> {
        let mut starts: Vec<String> = Vec::new();
        for (name, _) in &self.objects.processes {
            let stem = name.split('(').next().unwrap_or(name);
            let start = match stem {
                stem if stem.starts_with("MUTEX_") => format!("{stem}(0)"),
                stem if stem.starts_with("BARRIER_") => format!("{}(0)", stem.replace("BARRIER_D", "BARRIER_U")),
                stem if stem.starts_with("SEMAPHORE_") => {
                    let number: usize = stem["SEMAPHORE_".len()..].parse().expect("named by a number");
                    format!("{stem}({})", self.program.counters[number].initial)
                }
                stem => stem.to_owned(),
            };
            if !starts.contains(&start) {
                starts.push(start);
            }
        }
        starts
    }

    /// The events that the objects' processes take part in. Signals that wake no thread and ends that no thread waits
    /// for are independent, as in the thesis.
    fn sync_set(&self) -> String {
        let mut events: BTreeSet<String> = BTreeSet::new();
        for (_, body) in &self.objects.processes {
            let is_event = |word: &&str| word.contains('.') && !word.contains('(');
            events.extend(body.split_whitespace().filter(is_event).map(str::to_owned));
        }
        let mut text = String::from("{");
        for (index, event) in events.iter().enumerate() {
            let separator = match index {
                0 => "",
                index if index % 8 == 0 => ",\n    ",
                _ => ", ",
            };
            write!(text, "{separator}{event}").expect("a string takes all that is written to it");
        }
        text + "}"
    }

    fn write_checks(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "channel live\nLIVE = live -> LIVE")?;
        let reduce = ":[partial order reduce [precise]]";
        writeln!(out, "assert LIVE [F= ((PROGRAM [| {{endthreads}} |> SKIP) \\ Events) ; LIVE {reduce}\n")?;
        if self.objects.intervals.is_empty() {
            return Ok(());
        }
        let threads = self.trace.threads().len() - 1;
        writeln!(out, "channel race\nthreads = {{0..{threads}}}")?;
        writeln!(out, "RACE_ERR(k) = read?t1!k -> write?t2:diff(threads, {{t1}})!k -> race -> SKIP")?;
        writeln!(out, "    [] write?t1!k -> write?t2:diff(threads, {{t1}})!k -> race -> SKIP")?;
        writeln!(out, "RACE(k, events) = RACE_ERR(k) /\\ ([] z:events @ z -> RACE(k, events))")?;
        let touches = "{read.t.k | t <- threads}, {write.t.k | t <- threads}";
        writeln!(out, "events(k) = Union({{{touches}, sync_set}})")?;
        for k in &self.objects.intervals {
            writeln!(out, "assert STOP [T= (PROGRAM [| events({k}) |] RACE({k}, events({k}))) |\\ {{race}} {reduce}")?;
        }
        Ok(())
    }
}
