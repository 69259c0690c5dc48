//! A trace as the records that a run would have left.
//!
//! Every object gets its own address, so that the recording reads back as the same trace up to names, addresses,
//! initial values of atomics, and intervals that cannot race. Blocks longer than a page become one page.

use std::io::{self, Seek, Write};

use foretrace_event::wire::{Access, Detail, LockArg, Op, Sync};
use foretrace_event::{AtomicId, CondInstance, Event, EventId, IntervalId, LockId, Order, Patience};

use crate::recording::RecordingWriter;
use crate::trace::Trace;

/// Where objects lie: each kind in its own region.
const REGION: u64 = 1 << 48;
/// Bytes from one object to the next, so that no two share a line.
const STRIDE: u64 = 64;
/// Longer intervals are cut to this.
const LONGEST: u64 = 4096;

/// Kinds of addresses.
#[derive(Clone, Copy)]
enum Region {
    Lock = 1,
    Condition,
    Barrier,
    Sem,
    Once,
    Channel,
    Atomic,
    Custom,
    Interval,
}

/// The address of a thing.
fn at(region: Region, index: usize) -> u64 {
    (region as u64) * REGION + STRIDE * (index as u64 + 1)
}

/// Writes a trace as the `events` file of a recording.
///
/// # Errors
/// If writing fails.
pub fn record<W: Write + Seek>(trace: &Trace, out: W) -> io::Result<W> {
    let mut recorder = Recorder { trace, writer: RecordingWriter::new(out, 64 << 10)?, blocks: blocks(trace) };
    recorder.declare()?;
    for id in trace.observed() {
        recorder.event(id)?;
    }
    recorder.writer.finish()
}

/// Address and length of each interval: one after the other with a line between, except that the intervals of an atomic
/// variable lie at its address.
fn blocks(trace: &Trace) -> Vec<(u64, u64)> {
    let mut next = at(Region::Interval, 0);
    let place = |length: u64| {
        let address = next;
        next += length.next_multiple_of(STRIDE) + STRIDE;
        (address, length)
    };
    let lengths = trace.intervals().map(|(_, info)| info.length.clamp(1, LONGEST));
    let mut blocks: Vec<_> = lengths.map(place).collect();
    for (atomic, info) in trace.atomics() {
        let each = (u64::from(size(trace, atomic)) / info.intervals.len().max(1) as u64).max(1);
        for (index, interval) in info.intervals.iter().enumerate() {
            blocks[interval.index()] = (at(Region::Atomic, atomic.index()) + each * index as u64, each);
        }
    }
    blocks
}

fn size(trace: &Trace, atomic: AtomicId) -> u8 {
    let size = trace.atomic(atomic).size;
    if matches!(size, 1 | 2 | 4 | 8 | 16) { size } else { 8 }
}

struct Recorder<'a, W> {
    trace: &'a Trace,
    writer: RecordingWriter<W>,
    blocks: Vec<(u64, u64)>,
}

/// The parts of a sync record that are not its stamp and place.
struct Parts {
    op: Op,
    object: u64,
    arg: u64,
    detail: Detail,
}

impl Parts {
    fn new(op: Op, object: u64, arg: u64) -> Self {
        Self { op, object, arg, detail: Detail::default() }
    }
}

impl<W: Write + Seek> Recorder<'_, W> {
    /// The objects that the main thread initialises before all else.
    fn declare(&mut self) -> io::Result<()> {
        let counts = self.trace.barriers().filter(|(_, info)| info.count > 0);
        let barriers = counts.map(|(id, info)| (Op::BarrierInit, at(Region::Barrier, id.index()), info.count.into()));
        let sems = self.trace.sems().map(|(id, info)| (Op::SemInit, at(Region::Sem, id.index()), info.initial));
        for (op, object, arg) in barriers.chain(sems) {
            self.sync(0, 0, Parts::new(op, object, arg))?;
        }
        Ok(())
    }

    fn sync(&mut self, thread: u32, pc: u64, parts: Parts) -> io::Result<()> {
        let Parts { op, object, arg, detail } = parts;
        let stamp = self.writer.stamp();
        self.writer.sync(thread, &Sync { op, stamp, pc, object, arg, detail })
    }

    fn event(&mut self, id: EventId) -> io::Result<()> {
        let (thread, pc, event) = (id.thread.0, self.trace.pc(id), self.trace.event(id));
        match event {
            Event::Read(interval) => return self.access(thread, pc, interval, false),
            Event::Write(interval) => return self.access(thread, pc, interval, true),
            _ => self.sync(thread, pc, self.parts(event))?,
        }
        match event {
            Event::Fork(child) if self.trace.thread(child).detached => {
                self.sync(thread, pc, Parts::new(Op::Detach, 0, child.0.into()))
            }
            _ => Ok(()),
        }
    }

    fn access(&mut self, thread: u32, pc: u64, interval: IntervalId, write: bool) -> io::Result<()> {
        let (start, length) = self.blocks[interval.index()];
        let end = start + length;
        for line in start / 64..=(end - 1) / 64 {
            let (from, to) = (start.max(line * 64) - line * 64, end.min(line * 64 + 64) - line * 64);
            let mask = (u64::MAX >> (64 - (to - from))) << from;
            let (reads, writes) = if write { (0, mask) } else { (mask, 0) };
            self.writer.access(thread, &Access { line, reads, writes, pc })?;
        }
        Ok(())
    }

    fn parts(&self, event: Event) -> Parts {
        let simple = |op, region, index: u32| Parts::new(op, at(region, index as usize), 0);
        match event {
            Event::Start => Parts::new(Op::Start, 0, 0),
            Event::End => Parts::new(Op::End, 0, 0),
            Event::Fork(t) => Parts::new(Op::Fork, 0, t.0.into()),
            Event::Join(t) => Parts::new(Op::Join, 0, t.0.into()),
            Event::Lock(m, p) => self.lock(Op::Lock, m, p),
            Event::FailedLock(m, p) => self.lock(Op::LockFailed, m, p),
            Event::RdLock(m, p) => self.lock(Op::RdLock, m, p),
            Event::FailedRdLock(m, p) => self.lock(Op::RdLockFailed, m, p),
            Event::Unlock(m) | Event::StrayUnlock(m) => self.lock(Op::Unlock, m, Patience::Blocking),
            Event::Signal(c) => Parts::new(Op::Signal, self.condition(c), 0),
            Event::Broadcast(c) => Parts::new(Op::Broadcast, self.condition(c), 0),
            Event::Wait(c, m) => Parts::new(Op::Wait, self.condition(c), at(Region::Lock, m.index())),
            Event::FailedWait(m) => Parts::new(Op::WaitFailed, 0, at(Region::Lock, m.index())),
            Event::BarrierEnter(b) => simple(Op::BarrierEnter, Region::Barrier, b.0),
            Event::BarrierExit(b) => simple(Op::BarrierExit, Region::Barrier, b.0),
            Event::SemWait(s, p) => Parts::new(Op::SemWait, at(Region::Sem, s.index()), p as u64),
            Event::FailedSemWait(s, p) => Parts::new(Op::SemWaitFailed, at(Region::Sem, s.index()), p as u64),
            Event::SemPost(s) => simple(Op::SemPost, Region::Sem, s.0),
            Event::OnceRun(o) => simple(Op::OnceRun, Region::Once, o.0),
            Event::OnceDone(o) => simple(Op::OnceDone, Region::Once, o.0),
            Event::OnceAbort(o) => simple(Op::OnceAbort, Region::Once, o.0),
            Event::OncePass(o) => simple(Op::OncePass, Region::Once, o.0),
            Event::Release(h) => simple(Op::Release, Region::Channel, h.0),
            Event::Acquire(h) => simple(Op::Acquire, Region::Channel, h.0),
            Event::AtomicLoad(a, o, v) => self.atomic(Op::AtomicLoad, a, o.into(), v, 0),
            Event::AtomicStore(a, o, v) => self.atomic(Op::AtomicStore, a, o.into(), v, 0),
            Event::AtomicRmw(a, o, v, w) => self.atomic(Op::AtomicRmw, a, o, v, w),
            Event::Fence(o) => Parts::new(Op::Fence, 0, o as u64),
            Event::Custom(e, v) => Parts::new(Op::Custom, at(Region::Custom, e.index()), v),
            Event::Read(_) | Event::Write(_) => unreachable!("accesses are no sync records"),
        }
    }

    fn lock(&self, op: Op, lock: LockId, patience: Patience) -> Parts {
        let arg = LockArg { patience, ..LockArg::blocking(self.trace.lock(lock).class) };
        Parts::new(op, at(Region::Lock, lock.index()), arg.encode())
    }

    fn condition(&self, instance: CondInstance) -> u64 {
        at(Region::Condition, self.trace.instance(instance).condition.index())
    }

    fn atomic(&self, op: Op, atomic: AtomicId, order: Order, value: u64, new: u64) -> Parts {
        let detail = Detail { size: size(self.trace, atomic), order: order as u8, new, high: [0; 2] };
        Parts { op, object: at(Region::Atomic, atomic.index()), arg: value, detail }
    }
}
