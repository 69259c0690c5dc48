//! Records of a run as events of streams, under the names the COEMS tools use.
//!
//! Every operation and every access is a timestamp of its own; its streams (`threadid`, `function`, `line`, and what
//! it did) have their events there. Timestamps count.

mod emitted;

use super::clock::Clock;
use super::naming::Naming;
use super::places::{Code, Part, Places};
use super::streams::{STREAMS, Stream, Wanted, connect};
use crate::cmd::probes::Probes;
use emitted::Emitted;
use foretrace_event::LockClass;
use foretrace_event::wire::{Access, LockArg, Op, Sync};
use foretrace_stream::engine::{Engine, RunError, Sink, Time};
use foretrace_stream::value::{Value, int};
use rustc_hash::FxHashMap;

/// What one event says of memory: a group of bytes was accessed.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pc: u64,
    address: u64,
    size: u32,
    is_write: bool,
}

/// What is handed to an engine at one time.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Sync(Sync),
    Touch(Touch),
    /// Records are missing here.
    Gap,
}

/// The accesses of a segment to a line, one for each group of bytes; reads before writes.
pub fn touches<'a>(access: &'a Access, groups: &'a [u64]) -> impl Iterator<Item = Touch> + 'a {
    [(access.reads, false), (access.writes, true)].into_iter().flat_map(move |(mask, is_write)| {
        groups.iter().filter(move |group| **group & mask != 0).map(move |group| Touch {
            pc: access.pc,
            address: access.line * 64 + u64::from(group.trailing_zeros()),
            size: group.count_ones(),
            is_write,
        })
    })
}

/// Hands the records of a run to an engine.
pub struct Feed {
    streams: Streams,
    places: Places,
    /// The inputs of a place that are named when somebody asks for them.
    deferred: Vec<(Part, usize)>,
}

/// What is handed over, and when.
struct Streams {
    inputs: [Option<Wanted>; STREAMS.len()],
    /// The inputs of a place that are always named.
    named: Vec<(Part, Wanted)>,
    /// The instruction that was named last.
    here: Option<(u64, Code)>,
    time: Time,
    /// How often each thread holds each lock it may lock again.
    depths: FxHashMap<(u64, u64), u32>,
    instructions: FxHashMap<&'static str, Value>,
    emitted: Emitted,
    clock: Option<Clock>,
}

impl Feed {
    /// Connects the inputs of a specification; one whose type does not fit is an error.
    pub fn new(engine: &mut Engine, places: Places, clock: Option<Clock>, probes: &Probes) -> anyhow::Result<Self> {
        let mut inputs = [None; STREAMS.len()];
        let inputs_of_recordings = engine.plan().inputs.iter().enumerate().filter(|(_, decl)| decl.probes.is_empty());
        for (index, decl) in inputs_of_recordings {
            let (stream, wanted) = connect(index, decl)?;
            if engine.plan().input_nodes[index].is_some() {
                inputs[stream] = Some(wanted);
            }
        }
        let of_place = Part::ALL.into_iter().filter_map(|part| Some((part, inputs[part.stream() as usize]?)));
        let (deferred, named): (Vec<_>, Vec<_>) =
            of_place.partition(|(_, wanted): &(Part, Wanted)| !wanted.unit && engine.plan().only_sampled[wanted.input]);
        let deferred: Vec<(Part, usize)> = deferred.into_iter().map(|(part, wanted)| (part, wanted.input)).collect();
        engine.set_deferred(&deferred.iter().map(|(_, input)| *input).collect::<Vec<usize>>());
        let streams = Streams {
            inputs,
            named,
            here: None,
            time: 0,
            depths: FxHashMap::default(),
            instructions: FxHashMap::default(),
            emitted: Emitted::new(engine, probes),
            clock,
        };
        Ok(Feed { streams, places, deferred })
    }

    /// Whether the specification looks at accesses of memory.
    pub fn wants_memory(engine: &Engine) -> bool {
        const MEMORY: [&str; 7] = ["readaddr", "writeaddr", "readvar", "writevar", "varaddr", "varsize", "varoffset"];
        is_used(engine, &MEMORY)
    }

    /// Whether the specification looks at the place of an event in the source.
    pub fn wants_places(engine: &Engine) -> bool {
        is_used(engine, &["function", "line", "column", "file"])
    }

    /// Whether the specification can tell what happens before the first thread from what happens later.
    pub fn wants_beginning(engine: &Engine) -> bool {
        is_used(engine, &["pcreate", "pcreateid", "mutexlockini"])
    }

    pub fn places(&mut self) -> &mut Places {
        &mut self.places
    }

    /// What a thread did next.
    #[inline]
    pub fn step(
        &mut self,
        engine: &mut Engine,
        thread: u64,
        step: &Step,
        sink: &mut impl Sink,
    ) -> Result<(), RunError> {
        let Feed { streams, places, deferred } = self;
        let mut sink = Naming { sink, places, deferred };
        match step {
            Step::Sync(sync) => streams.sync(engine, thread, sync, &mut sink),
            Step::Touch(touch) => streams.touch(engine, thread, touch, &mut sink),
            Step::Gap => streams.gap(engine, thread, &mut sink),
        }
    }

    /// Everything has been handed over: what has not been named yet is named now.
    pub fn finish(&mut self, engine: &mut Engine, sink: &mut impl Sink) {
        engine.recover(&mut Naming { sink, places: &mut self.places, deferred: &self.deferred });
    }
}

impl Streams {
    #[inline]
    fn wants(&self, stream: Stream) -> bool {
        self.inputs[stream as usize].is_some()
    }

    #[inline]
    fn push(
        &mut self,
        engine: &mut Engine,
        stream: Stream,
        value: Value,
        sink: &mut Naming<'_, impl Sink>,
    ) -> Result<(), RunError> {
        match self.inputs[stream as usize] {
            Some(Wanted { input, unit: false }) => engine.push(self.time, input, value, sink),
            Some(Wanted { input, unit: true }) => engine.push(self.time, input, Value::Unit, sink),
            None => Ok(()),
        }
    }

    #[inline]
    fn address(
        &mut self,
        engine: &mut Engine,
        stream: Stream,
        address: u64,
        sink: &mut Naming<'_, impl Sink>,
    ) -> Result<(), RunError> {
        match self.inputs[stream as usize] {
            Some(Wanted { unit: true, .. }) => self.push(engine, stream, Value::Unit, sink),
            Some(Wanted { input, .. }) => engine.push(self.time, input, int::from_time(u128::from(address)), sink),
            None => Ok(()),
        }
    }

    /// Begins a timestamp: who does it, and where.
    fn begin(
        &mut self,
        engine: &mut Engine,
        thread: u64,
        pc: u64,
        name: &'static str,
        sink: &mut Naming<'_, impl Sink>,
    ) -> Result<(), RunError> {
        self.time += 1;
        self.address(engine, Stream::ThreadId, thread, sink)?;
        if !sink.deferred.is_empty() {
            engine.defer(self.time, pc, sink)?;
        }
        self.place(engine, pc, sink)?;
        if !self.wants(Stream::Instruction) {
            return Ok(());
        }
        let instruction = self.instructions.entry(name).or_insert_with(|| Value::str(name)).clone();
        self.push(engine, Stream::Instruction, instruction, sink)
    }

    /// Names the place of an instruction.
    #[inline]
    fn place(&mut self, engine: &mut Engine, pc: u64, sink: &mut Naming<'_, impl Sink>) -> Result<(), RunError> {
        if self.named.is_empty() {
            return Ok(());
        }
        // Reads and writes of a line, and many lines, are of one instruction.
        if self.here.as_ref().is_none_or(|(known, _)| *known != pc) {
            self.here = Some((pc, sink.places.code(pc).clone()));
        }
        let (_, place) = self.here.as_ref().expect("it was just looked up");
        for (part, Wanted { input, unit }) in &self.named {
            let value = if *unit { Value::Unit } else { place.part(*part).clone() };
            engine.push(self.time, *input, value, sink)?;
        }
        Ok(())
    }

    /// If timestamps are time, the next one is that of a stamp, or later.
    fn not_before(&mut self, stamp: u64) {
        if let Some(clock) = &self.clock {
            self.time = self.time.max(clock.time(stamp).saturating_sub(1));
        }
    }

    /// An operation.
    fn sync(
        &mut self,
        engine: &mut Engine,
        thread: u64,
        sync: &Sync,
        sink: &mut Naming<'_, impl Sink>,
    ) -> Result<(), RunError> {
        let stream = match sync.op {
            Op::Lock | Op::RdLock if !self.outermost(thread, sync, 1) => return Ok(()),
            Op::Unlock if !self.outermost(thread, sync, -1) => return Ok(()),
            Op::Lock | Op::RdLock => Stream::MutexLockAddr,
            Op::Unlock => Stream::MutexUnlockAddr,
            Op::LockInit => Stream::MutexLockIni,
            Op::Fork => Stream::PCreateId,
            Op::Join => Stream::PJoinId,
            Op::Signal | Op::Broadcast => Stream::CondSignalAddr,
            Op::Wait => Stream::CondWaitAddr,
            Op::BarrierEnter => Stream::BarrierAddr,
            Op::SemPost => Stream::SemPostAddr,
            Op::SemWait => Stream::SemWaitAddr,
            Op::Custom | Op::CustomArg | Op::CustomList => return self.custom(engine, thread, sync, sink),
            _ => return Ok(()),
        };
        self.not_before(sync.stamp);
        self.begin(engine, thread, sync.pc, sync.op.name(), sink)?;
        let value = if matches!(sync.op, Op::Fork | Op::Join) { sync.arg } else { sync.object };
        self.address(engine, stream, value, sink)?;
        let named = match sync.op {
            Op::Fork => return self.push(engine, Stream::PCreate, Value::Unit, sink),
            Op::Lock | Op::RdLock => Stream::MutexLock,
            Op::Unlock => Stream::MutexUnlock,
            _ => return Ok(()),
        };
        if !self.wants(named) {
            return Ok(());
        }
        match sink.places.variable(sync.object) {
            Some(variable) => self.push(engine, named, variable.name, sink),
            None => Ok(()),
        }
    }

    /// Records of a thread are missing: what it holds is not known any more.
    fn gap(&mut self, engine: &mut Engine, thread: u64, sink: &mut Naming<'_, impl Sink>) -> Result<(), RunError> {
        self.depths.retain(|(holder, _), _| *holder != thread);
        self.time += 1;
        self.address(engine, Stream::Gap, thread, sink)
    }

    /// Whether a lock operation takes or gives up the lock, rather than counting how often it is held.
    fn outermost(&mut self, thread: u64, sync: &Sync, step: i32) -> bool {
        let class = LockArg::decode(sync.arg).map_or(LockClass::Mutex, |arg| arg.class);
        if !class.is_recursive() && !class.may_be_shared() {
            return true;
        }
        let depth = self.depths.entry((thread, sync.object)).or_insert(0);
        let before = *depth;
        *depth = depth.saturating_add_signed(step);
        if step > 0 { before == 0 } else { *depth == 0 }
    }

    /// An access to a group of bytes.
    fn touch(
        &mut self,
        engine: &mut Engine,
        thread: u64,
        touch: &Touch,
        sink: &mut Naming<'_, impl Sink>,
    ) -> Result<(), RunError> {
        self.begin(engine, thread, touch.pc, if touch.is_write { "store" } else { "load" }, sink)?;
        self.variable(engine, touch.address, touch.size, touch.is_write, sink)
    }

    fn variable(
        &mut self,
        engine: &mut Engine,
        address: u64,
        size: u32,
        is_write: bool,
        sink: &mut Naming<'_, impl Sink>,
    ) -> Result<(), RunError> {
        let (by_address, by_name) = match is_write {
            true => (Stream::WriteAddr, Stream::WriteVar),
            false => (Stream::ReadAddr, Stream::ReadVar),
        };
        self.address(engine, by_address, address, sink)?;
        self.address(engine, Stream::VarAddr, address, sink)?;
        self.address(engine, Stream::VarSize, u64::from(size), sink)?;
        if (self.wants(by_name) || self.wants(Stream::VarOffset))
            && let Some(variable) = sink.places.variable(address)
        {
            let name = sink.places.part(address).unwrap_or(variable.name);
            self.push(engine, by_name, name, sink)?;
            self.address(engine, Stream::VarOffset, address - variable.start, sink)?;
        }
        Ok(())
    }
}

/// Whether an input of one of these names is used.
fn is_used(engine: &Engine, names: &[&str]) -> bool {
    let plan = engine.plan();
    let used = plan.inputs.iter().zip(&plan.input_nodes).filter(|(_, node)| node.is_some());
    used.into_iter().any(|(input, _)| names.contains(&&*input.name))
}
