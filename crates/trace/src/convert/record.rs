//! A trace as the records that a run would have left.
//!
//! Every object gets its own address, so that the recording reads back as the same trace up to names, addresses,
//! initial values of atomics, and intervals that cannot race. Blocks longer than a page become one page.

use std::convert::Infallible;
use std::io::{self, Seek, Write};
use std::path::Path;

use foretrace_event::wire::{ARG_NUMBER, ARG_TEXT, Access, Detail, LockArg, Op, Sync};
use foretrace_event::{
    ArgsId, AtomicId, Check, CustomId, Event, EventId, IntervalId, Object, Order, Patience, Sort, Value, Writer,
};

use crate::recording::RecordingWriter;
use crate::trace::Trace;

/// Where objects lie: each sort in its own region.
const REGION: u64 = 1 << 48;
/// Bytes from one object to the next, so that no two share a line.
const STRIDE: u64 = 64;
/// Longer intervals are cut to this.
const LONGEST: u64 = 4096;

/// The address of a thing.
fn at(sort: Sort, index: usize) -> u64 {
    (sort as u64) * REGION + STRIDE * (index as u64 + 1)
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

/// Writes the files beside `events` that name the custom events and hold the texts they carry.
pub(super) fn side_files(trace: &Trace, directory: &Path) -> io::Result<()> {
    let line_of = |(id, _): (CustomId, _)| format!("{:x} {}\n", at(Sort::Custom, id.index()), trace.name(id));
    let customs: String = trace.customs().map(line_of).collect();
    let strings = trace.value_texts().map(|(id, text)| {
        let text = text.replace('\\', "\\\\").replace('\n', "\\n");
        format!("{:x} {text}\n", id.0)
    });
    let strings: String = strings.collect();
    for (name, lines) in [("customs", customs), ("strings", strings)] {
        if !lines.is_empty() {
            std::fs::write(directory.join(name), lines)?;
        }
    }
    Ok(())
}

/// Address and length of each interval: one after the other with a line between, except that the intervals of an atomic
/// variable lie at its address.
fn blocks(trace: &Trace) -> Vec<(u64, u64)> {
    let mut next = at(Sort::Interval, 0);
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
            blocks[interval.index()] = (at(Sort::Atomic, atomic.index()) + each * index as u64, each);
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
        let barriers = counts.map(|(id, info)| (Op::BarrierInit, at(Sort::Barrier, id.index()), info.count.into()));
        let sems = self.trace.sems().map(|(id, info)| (Op::SemInit, at(Sort::Sem, id.index()), info.initial));
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
            Event::Custom(_, values) => self.custom(thread, pc, values, self.parts(event))?,
            _ => self.sync(thread, pc, self.parts(event))?,
        }
        match event {
            Event::Fork(child) if self.trace.thread(child).detached => {
                self.sync(thread, pc, Parts::new(Op::Detach, 0, child.0.into()))
            }
            _ => Ok(()),
        }
    }

    /// A custom event: one number is the argument of its record; other values are records before it.
    fn custom(&mut self, thread: u32, pc: u64, values: ArgsId, parts: Parts) -> io::Result<()> {
        let values = self.trace.values(values);
        if let [Value::Number(number)] = values {
            return self.sync(thread, pc, Parts { arg: number.cast_unsigned(), ..parts });
        }
        for value in values {
            let (object, arg) = match *value {
                Value::Number(number) => (ARG_NUMBER, number.cast_unsigned()),
                Value::Text(text) => (ARG_TEXT, u64::from(text.0)),
            };
            self.sync(thread, pc, Parts::new(Op::CustomArg, object, arg))?;
        }
        self.sync(thread, pc, Parts { op: Op::CustomList, ..parts })
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
        let op = event.kind().op().expect("accesses are no sync records");
        let mut fields = Fields { trace: self.trace, parts: Parts::new(op, 0, 0), values: 0 };
        let Ok(()) = event.write(&mut fields);
        fields.parts
    }
}

/// Writes what an event carries into the fields of its record.
struct Fields<'a> {
    trace: &'a Trace,
    parts: Parts,
    /// How many values it has written.
    values: usize,
}

impl Writer for Fields<'_> {
    type Error = Infallible;

    fn id(&mut self, object: Object) -> Result<(), Infallible> {
        let parts = &mut self.parts;
        let address = at(object.sort(), object.number() as usize);
        match object {
            Object::Thread(thread) => parts.arg = thread.0.into(),
            Object::Lock(_) if matches!(parts.op, Op::Wait | Op::FailedWait) => parts.arg = address,
            Object::Lock(lock) => {
                (parts.object, parts.arg) = (address, LockArg::blocking(self.trace.lock(lock).class).encode());
            }
            Object::Condition(id) => parts.object = at(Sort::Condition, self.trace.instance(id).condition.index()),
            Object::Atomic(atomic) => {
                (parts.object, parts.detail.size) = (address, size(self.trace, atomic));
            }
            Object::Args(_) => {}
            _ => parts.object = address,
        }
        Ok(())
    }

    fn patience(&mut self, patience: Patience) -> Result<(), Infallible> {
        self.parts.arg = match LockArg::decode(self.parts.arg) {
            Some(arg) if !matches!(self.parts.op, Op::SemWait | Op::FailedSemWait) => {
                LockArg { patience, ..arg }.encode()
            }
            _ => patience as u64,
        };
        Ok(())
    }

    fn check(&mut self, check: Check) -> Result<(), Infallible> {
        self.parts.arg |= check as u64;
        Ok(())
    }

    fn order(&mut self, order: Order) -> Result<(), Infallible> {
        if self.parts.op.has_detail() {
            self.parts.detail.order = order as u8;
        } else {
            self.parts.arg = order as u64;
        }
        Ok(())
    }

    fn number(&mut self, value: u64) -> Result<(), Infallible> {
        let field = if self.values == 0 { &mut self.parts.arg } else { &mut self.parts.detail.new };
        *field = value;
        self.values += 1;
        Ok(())
    }
}
