//! A running program as input: its recording is read while it is written.
//!
//! Operations are handed over in the order of their stamps, up to the latest stamp seen one look before, so that a
//! thread that is slow to write down what it did is still in time; one that is slower than that is counted. Accesses
//! come right before the operation that ends their segment: between the operations around them any place is as good.
//!
//! The program goes first: while it runs, the evaluation has a lower priority, and what is left over is evaluated when it
//! has ended.

use super::Out;
use super::feed::Feed;
use super::places::Places;
use super::recorded::Groups;
use super::tail::Tail;
use crate::cmd::record;
use crate::way::{find_program, way_into};
use anyhow::Context;
use foretrace_event::wire::{Op, Record, Sync};
use foretrace_stream::engine::Engine;
use foretrace_trace::Recording;
use rustix::process::WaitIdOptions;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How much nicer than the program the evaluation is: enough to leave it nine tenths of a core that both want.
const NICER: i32 = 10;
/// How long to wait when there is nothing new.
const PAUSE: Duration = Duration::from_millis(10);

/// Runs the program and evaluates meanwhile; what could not be kept is said.
pub fn run(
    command: &[OsString],
    backlog: u64,
    stats: bool,
    engine: &mut Engine,
    out: &mut Out<'_>,
) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir().context("cannot make a place for the recording")?;
    let directory = scratch.path().canonicalize().context("cannot make a place for the recording")?;
    // A signal ends the program, as far as it likes; what it did until then is still evaluated.
    let signals = record::signals()?;
    let handle = signals.handle();
    let began = Instant::now();
    let mut child = start(command, backlog, &directory)?;
    let forwarder = record::forward(signals, &child);
    let end = when_it_ends(&child, began);
    let _ = rustix::process::nice(NICER);
    let mut live = Live::default();
    let mut tail = Tail::new(&directory);
    // Made when there is something to name: the program has loaded its files by then.
    let mut feed: Option<Feed> = None;
    loop {
        let ended = child.try_wait().context("cannot wait for the program")?;
        tail.poll(&mut |thread, record| live.add(thread, record)).context("cannot read the recording")?;
        if feed.is_none() && live.has_any() {
            feed = Some(Feed::new(engine, Places::new(Recording::open(&directory)?.modules()))?);
        }
        let delivered = match &mut feed {
            Some(feed) => live.deliver(engine, feed, out)?,
            None => 0,
        };
        out.flush()?;
        if let Some(status) = ended {
            live.ran = end.join().unwrap_or_default();
            if !status.success() && !engine.stopped() {
                eprintln!("foretrace: the program ended with {status}");
            }
            break;
        }
        if engine.stopped() {
            let _ = child.kill();
        } else if delivered == 0 {
            std::thread::sleep(PAUSE);
        }
    }
    handle.close();
    let _ = forwarder.join();
    // Not everybody may; then the rest takes longer on a busy machine.
    let _ = rustix::process::nice(-NICER);
    let ran = live.ran;
    let delivered = finish(&directory, live, feed, engine, out)?;
    if stats {
        let late = began.elapsed().saturating_sub(ran).as_secs_f64();
        eprintln!(
            "foretrace: the program ran for {:.3} s; {delivered} records evaluated, the last {late:.3} s after its end",
            ran.as_secs_f64()
        );
    }
    Ok(())
}

/// How long the program ran, from a thread that only waits: the evaluation looks too rarely.
fn when_it_ends(child: &Child, began: Instant) -> JoinHandle<Duration> {
    let child = rustix::process::WaitId::Pid(rustix::process::Pid::from_child(child));
    std::thread::spawn(move || {
        let _ = rustix::process::waitid(child, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        began.elapsed()
    })
}

fn start(command: &[OsString], backlog: u64, directory: &Path) -> anyhow::Result<Child> {
    use std::os::unix::process::CommandExt;
    let program = find_program(&command[0])?;
    let way = way_into(&program)?;
    let mut settings = OsString::from(format!("record limit={backlog} locations=0 follow=0 dir="));
    settings.push(directory);
    let mut process = Command::new(&program);
    process.arg0(&command[0]).args(&command[1..]).env("FORETRACE_RUNTIME", settings).envs(way.environment()?);
    process.spawn().with_context(|| format!("cannot run {}", program.display()))
}

/// The rest: what was delivered already is passed over in the finished recording.
fn finish(
    directory: &Path,
    mut live: Live,
    feed: Option<Feed>,
    engine: &mut Engine,
    out: &mut Out<'_>,
) -> anyhow::Result<u64> {
    if !directory.join("events").exists() {
        eprintln!("foretrace: the program made no thread that could be recorded");
        return Ok(0);
    }
    foretrace_trace::fold(directory)?;
    let recording = Recording::open(directory)?;
    for (index, thread) in recording.threads().enumerate() {
        let state = live.threads.entry(thread.id).or_default();
        state.waiting.clear();
        for entry in recording.records(index).skip(state.delivered) {
            state.waiting.push_back(entry?.record);
        }
        state.complete = true;
    }
    live.limit = u64::MAX;
    let mut feed = match feed {
        Some(feed) => feed,
        None => Feed::new(engine, Places::new(recording.modules()))?,
    };
    live.deliver(engine, &mut feed, out)?;
    for note in recording.notes() {
        eprintln!("foretrace: {note}");
    }
    if live.late > 0 {
        eprintln!("foretrace: {} operations came late and were taken out of order", live.late);
    }
    if recording.header().lost > 0 {
        eprintln!("foretrace: {} events were lost; give more room with --backlog", recording.header().lost);
    }
    Ok(live.threads.values().map(|state| state.delivered as u64).sum())
}

/// Records on their way to the engine.
#[derive(Default)]
struct Live {
    threads: BTreeMap<u32, Waiting>,
    groups: Groups,
    /// Operations up to this stamp may be handed over.
    limit: u64,
    /// The latest stamp seen.
    latest: u64,
    /// The latest stamp handed over.
    passed: u64,
    late: u64,
    /// How long the program ran.
    ran: Duration,
}

/// The records of one thread that are not handed over yet.
#[derive(Default)]
struct Waiting {
    waiting: VecDeque<Record>,
    delivered: usize,
    /// The thread writes no more.
    complete: bool,
}

impl Live {
    fn add(&mut self, thread: u32, record: Record) {
        if let Record::Sync(sync) = &record {
            self.latest = self.latest.max(sync.stamp);
        }
        self.threads.entry(thread).or_default().add(record);
    }

    fn has_any(&self) -> bool {
        !self.threads.is_empty()
    }

    /// Hands over what is certain by now; says how many records that were.
    fn deliver(&mut self, engine: &mut Engine, feed: &mut Feed, out: &mut Out<'_>) -> anyhow::Result<usize> {
        let mut delivered = 0;
        while !engine.stopped() {
            let ready = self.threads.iter().filter_map(|(thread, state)| Some((state.next_stamp()?, *thread)));
            let Some((stamp, thread)) = ready.filter(|(stamp, _)| *stamp <= self.limit).min() else { break };
            self.late += u64::from(stamp < self.passed && stamp != 0);
            self.passed = self.passed.max(if stamp == u64::MAX { 0 } else { stamp });
            let state = self.threads.get_mut(&thread).expect("it was just found");
            while let Some(record) = state.waiting.pop_front() {
                state.delivered += 1;
                delivered += 1;
                match record {
                    Record::Sync(sync) => {
                        feed.sync(engine, u64::from(thread), &sync, out)?;
                        break;
                    }
                    Record::Access(access) => {
                        self.groups.refine(access.line, access.reads, feed.places());
                        self.groups.refine(access.line, access.writes, feed.places());
                        feed.access(engine, u64::from(thread), &access, self.groups.of_line(access.line), out)?;
                    }
                }
            }
        }
        self.limit = self.limit.max(self.latest);
        Ok(delivered)
    }
}

impl Waiting {
    /// An operation that failed takes back the record before it.
    fn add(&mut self, record: Record) {
        if matches!(record, Record::Sync(Sync { op: Op::Undo, .. })) {
            if let Some(at) = self.waiting.iter().rposition(|record| matches!(record, Record::Sync(_))) {
                self.waiting.remove(at);
            }
            return;
        }
        self.waiting.push_back(record);
    }

    /// The stamp of the next operation, if it cannot be taken back any more; accesses at the very end have none.
    fn next_stamp(&self) -> Option<u64> {
        let mut operations = self.waiting.iter().filter_map(|record| match record {
            Record::Sync(sync) => Some(sync),
            Record::Access(_) => None,
        });
        match operations.next() {
            Some(sync) if self.complete || is_certain(sync.op) || operations.next().is_some() => Some(sync.stamp),
            None if self.complete && !self.waiting.is_empty() => Some(u64::MAX),
            _ => None,
        }
    }
}

/// Whether an operation is written down when it has happened. Others are, before they are tried, and may be taken back.
fn is_certain(op: Op) -> bool {
    matches!(op, Op::Start | Op::End | Op::Join | Op::Lock | Op::RdLock | Op::Wait | Op::SemWait)
}
