//! A running program as input: its recording is read while it is written.
//!
//! Operations are handed over in the order of their stamps, up to the latest stamp that was there one look before, so that
//! a thread that is slow to write down what it did is still in time; one that is slower than that is counted. Accesses
//! follow the operation that opens their segment as soon as they are there: between the operations around them any place
//! is as good.
//!
//! The program goes first: while it runs, the evaluation has a lower priority and rests while all processors are busy, and
//! what is left over is evaluated when it has ended.

use super::clock::Clock;
use super::coverage::Coverage;
use super::feed::{Feed, Step, touches};
use super::groups::Groups;
use super::pace::Pace;
use super::pipe::{Pipe, piped};
use super::places::Places;
use super::program::{Detail, Program};
use super::queue::Item;
use super::tail::Tail;
use super::{Out, Source};
use crate::cmd::probes::Probes;
use crate::scratch::Scratch;
use anyhow::Context;
use foretrace_event::layout::Flags;
use foretrace_event::wire::Op;
use foretrace_stream::engine::Engine;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// How long to wait when there is nothing new.
const PAUSE: Duration = Duration::from_millis(10);
/// After so many looks an operation is taken to have happened. One that failed is taken back right away.
const PATIENCE: u64 = 3;
/// So many records are handed over before it is looked at what else there is.
const BATCH: u64 = 1 << 14;

/// Runs the program and evaluates meanwhile; what could not be kept is said.
pub fn run(
    command: &[OsString],
    source: &Source<'_>,
    engine: &mut Engine,
    out: &mut Out<'_>,
) -> anyhow::Result<Coverage> {
    // What does not fit a recording is said before anything runs.
    let probes = &Probes::of(source.spec)?;
    Feed::new(engine, Places::new(&[]), None, probes)?;
    let detail = Detail {
        backlog: source.backlog,
        locations: source.locations || (Feed::wants_memory(engine) && Feed::wants_places(engine)),
        every: source.every_access,
        early: source.from_start || Feed::wants_beginning(engine) || !probes.is_empty(),
        clock: source.clock,
        memory: Feed::wants_memory(engine),
    };
    let scratch = Scratch::new("monitor-")?;
    let directory = scratch.path().canonicalize().context("cannot create a directory for the recording")?;
    let mut program = Program::start(command, &detail, &directory)?;
    let mut live = Live::new(&directory, source.backlog, program.id(), probes);
    loop {
        let ended = program.has_ended()?;
        live.reader.tail.poll().context("cannot read the recording")?;
        let delivered = live.hand_over(&directory, source, engine, out)?;
        out.flush()?;
        if ended {
            break;
        }
        if engine.stopped() {
            program.kill();
        }
        if engine.stopped() || delivered == 0 {
            std::thread::sleep(PAUSE);
        }
    }
    program.over(engine.stopped());
    let coverage = live.finish(&directory, source, &program, engine, out)?;
    if source.stats {
        let (ran, after) = program.times();
        let delivered = live.delivered;
        crate::output::say!(
            "the program ran for {:.3} s; {delivered} records evaluated, the last {:.3} s after its end",
            ran.as_secs_f64(),
            after.as_secs_f64()
        );
    }
    Ok(coverage)
}

/// Records on their way to the engine.
struct Live<'a> {
    probes: &'a Probes,
    reader: Reader,
    pace: Pace,
    /// Made when there is something to name: the program has loaded its files by then.
    feed: Option<Feed>,
    groups: Groups,
    delivered: u64,
}

/// The records of all threads in order.
struct Reader {
    tail: Tail,
    /// Operations up to this stamp may be handed over.
    limit: u64,
    /// The latest stamp handed over.
    passed: u64,
    late: u64,
    gaps: u64,
    /// The program has ended: all there will be is there.
    over: bool,
}

impl<'a> Live<'a> {
    fn new(directory: &Path, backlog: u64, program: u32, probes: &'a Probes) -> Live<'a> {
        let reader = Reader { tail: Tail::new(directory, backlog), limit: 0, passed: 0, late: 0, gaps: 0, over: false };
        let pace = Pace::new(program);
        Live { probes, reader, pace, feed: None, groups: Groups::default(), delivered: 0 }
    }

    /// Hands over what is certain by now; says how many records that were.
    fn hand_over(
        &mut self,
        directory: &Path,
        source: &Source<'_>,
        engine: &mut Engine,
        out: &mut Out<'_>,
    ) -> anyhow::Result<u64> {
        if !self.has_feed(directory, source, engine)? {
            return Ok(0);
        }
        let Live { reader, pace, feed: Some(feed), groups, delivered, .. } = self else { return Ok(0) };
        let before = *delivered;
        reader.deliver(&mut |thread, item| {
            *delivered += u64::from(!matches!(item, Item::Gap));
            let groups = match &item {
                Item::Access(access) => groups.with(access, feed.places().borders()),
                _ => &[],
            };
            for step in steps(&item, groups) {
                feed.step(engine, u64::from(thread), &step, out)?;
            }
            pace.step();
            Ok(!engine.stopped())
        })?;
        Ok(self.delivered - before)
    }

    /// Whether there is somebody to feed. There is as soon as the program has files to name things by.
    fn has_feed(&mut self, directory: &Path, source: &Source<'_>, engine: &mut Engine) -> anyhow::Result<bool> {
        if self.feed.is_some() {
            return Ok(true);
        }
        let mut places = Places::of_directory(directory)?;
        if !self.reader.tail.has_begun() || (places.is_empty() && !self.reader.over) {
            return Ok(false);
        }
        source.watch(&mut places)?;
        source.missing(self.probes, &places)?;
        let clock = if source.clock { Some(Clock::new(self.reader.tail.clock()?)?) } else { None };
        self.feed = Some(Feed::new(engine, places, clock, self.probes)?);
        Ok(true)
    }

    /// Hands over all that is left, read in a thread of its own: the processors are free.
    fn hand_over_rest(&mut self, program: &Program, engine: &mut Engine, out: &mut Out<'_>) -> anyhow::Result<()> {
        let Live { reader, feed: Some(feed), groups, delivered, .. } = self else { return Ok(()) };
        feed.places().look_again();
        let borders = feed.places().borders().clone();
        let mut give = |pipe: &mut Pipe<(u32, Step)>, thread, item: &Item| {
            *delivered += u64::from(!matches!(item, Item::Gap));
            let groups = match item {
                Item::Access(access) => groups.with(access, &borders),
                _ => &[],
            };
            steps(item, groups).all(|step| pipe.send((thread, step)))
        };
        let read = |pipe: &mut Pipe<(u32, Step)>| {
            while reader.deliver(&mut |thread, item| Ok(give(pipe, thread, &item)))? > 0 {}
            Ok(())
        };
        let mut taken = 0;
        piped(read, |(thread, step)| {
            feed.step(engine, u64::from(thread), &step, out)?;
            taken += 1;
            if taken % BATCH != 0 {
                return Ok(!engine.stopped());
            }
            out.flush()?;
            Ok(!engine.stopped() && !program.is_interrupted())
        })
    }

    /// The rest, and what there is to say about it.
    fn finish(
        &mut self,
        directory: &Path,
        source: &Source<'_>,
        program: &Program,
        engine: &mut Engine,
        out: &mut Out<'_>,
    ) -> anyhow::Result<Coverage> {
        let mut coverage = Coverage::Whole;
        self.reader.over = true;
        self.pace.run_free();
        self.reader.tail.poll_last().context("cannot read the recording")?;
        if !self.reader.tail.has_begun() {
            coverage.misses("the program made no thread that could be recorded");
            return Ok(coverage);
        }
        if self.has_feed(directory, source, engine)? && !program.is_interrupted() {
            self.hand_over_rest(program, engine, out)?;
            out.flush()?;
        }
        if let Some(feed) = &mut self.feed {
            feed.finish(engine, out);
            let missing = source.missing(self.probes, feed.places())?;
            missing.iter().for_each(|missing| coverage.misses(missing));
        }
        let (lost, flags) = self.reader.tail.losses()?;
        if program.is_interrupted() {
            coverage.misses("interrupted; what the program did last was not evaluated");
        }
        if flags.has(Flags::NO_SPACE) {
            coverage.misses("the disk was full; what came after is missing");
        }
        if self.reader.late > 0 {
            coverage.misses(&format!("{} operations were read too late and evaluated out of order", self.reader.late));
        }
        if lost > 0 {
            let gaps = self.reader.gaps;
            coverage.misses(&format!("{lost} events were lost, in {gaps} gaps; give more room with --backlog"));
        }
        if Feed::wants_memory(engine) && !flags.has(Flags::ACCESSES) {
            coverage.misses("the program made no memory access that was recorded; build it with `foretrace cc`");
        }
        Ok(coverage)
    }
}

/// What a record says, given the groups of its line if it is an access.
fn steps<'a>(item: &'a Item, groups: &'a [u64]) -> impl Iterator<Item = Step> + 'a {
    let (single, access) = match item {
        Item::Sync(sync) => (Some(Step::Sync(*sync)), None),
        Item::Gap => (Some(Step::Gap), None),
        Item::Access(access) => (None, Some(access)),
    };
    single.into_iter().chain(access.into_iter().flat_map(move |access| touches(access, groups).map(Step::Touch)))
}

/// Takes a record of a thread; false if no more are wanted.
type Give<'a> = dyn FnMut(u32, Item) -> anyhow::Result<bool> + 'a;

impl Reader {
    /// Gives away what is certain by now, but not all of it at once; says how many records that were.
    fn deliver(&mut self, give: &mut Give<'_>) -> anyhow::Result<u64> {
        let mut heads = BinaryHeap::new();
        for thread in self.tail.threads() {
            heads.extend(self.head(thread)?);
        }
        let (mut given, mut more) = (0, true);
        while let Some(Reverse((stamp, thread))) = heads.pop() {
            if stamp > self.limit || !more || given > BATCH || !self.is_sure(thread)? {
                break;
            }
            self.late += u64::from(stamp < self.passed && stamp != 0);
            self.passed = self.passed.max(stamp);
            more = self.segment(thread, &mut given, give)?;
            heads.extend(self.head(thread)?);
        }
        self.tail.release()?;
        Ok(if more { given } else { 0 })
    }

    /// When a thread goes on.
    fn head(&mut self, thread: u32) -> anyhow::Result<Option<Reverse<(u64, u32)>>> {
        let now = self.tail.look();
        let Some((look, item)) = self.tail.peek(thread)? else { return Ok(None) };
        let stamp = if let Item::Sync(sync) = item { sync.stamp } else { 0 };
        if look < now || self.over {
            self.limit = self.limit.max(stamp);
        }
        Ok(Some(Reverse((stamp, thread))))
    }

    /// Whether a thread's next operation cannot be taken back any more.
    fn is_sure(&mut self, thread: u32) -> anyhow::Result<bool> {
        let now = self.tail.look();
        let Some((look, Item::Sync(sync))) = self.tail.peek(thread)? else { return Ok(true) };
        let sure = self.over || is_certain(sync.op) || look + PATIENCE <= now;
        Ok(sure || self.tail.is_confirmed(thread)?)
    }

    /// Gives away a thread's next record, and the accesses behind it.
    fn segment(&mut self, thread: u32, given: &mut u64, give: &mut Give<'_>) -> anyhow::Result<bool> {
        let mut first = true;
        while let Some((_, item)) = self.tail.peek(thread)? {
            if !(first || matches!(item, Item::Access(_))) {
                return Ok(true);
            }
            first = false;
            let item = self.tail.take(thread).expect("it was just seen");
            if let Item::Sync(sync) = item
                && sync.op == Op::End
            {
                self.tail.forget(thread);
            }
            *given += 1;
            self.gaps += u64::from(matches!(item, Item::Gap));
            if !give(thread, item)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether an operation is written down when it has happened. Others are, before they are tried, and may be taken back.
fn is_certain(op: Op) -> bool {
    let custom = matches!(op, Op::Custom | Op::CustomArg | Op::CustomList);
    custom || matches!(op, Op::Start | Op::End | Op::Join | Op::Lock | Op::RdLock | Op::Wait | Op::SemWait)
}
