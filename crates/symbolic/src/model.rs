//! The model of a run.

use crate::expressions::Nodes;
use crate::log::{Followed, Malformed};
use crate::objects::Objects;
use foretrace_ctp::{Action, Binary, Ctp, Event, EventId, ExprId, Link, Place, Thread, ThreadId, Var};
use foretrace_event::symbolic::{Bytes, Moment, NodeOp, Record, Why};
use foretrace_event::visible::OpKind;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A model, and what belongs to it.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The concurrent trace program. The link of an event is the step of the run that it belongs to.
    pub ctp: Ctp,
    /// What must hold.
    pub checks: Vec<Check>,
    /// Which way each branch went that depends on a read; the other way leads to another path.
    pub branches: Vec<Check>,
    /// What could not be followed, by its place in the program.
    pub losses: Vec<Loss>,
    /// The end of the run is missing.
    pub is_cut: bool,
    /// Conditions that values which are not followed further are as they were; addresses are not among them.
    lost: Vec<EventId>,
}

impl Model {
    /// The program without the conditions that values are as they were only because they are not followed further.
    pub fn without_losses(&self) -> Ctp {
        let mut ctp = self.ctp.clone();
        if let Ok(holds) = ctp.exprs.number(1, 1) {
            for id in &self.lost {
                ctp.threads[id.thread.index()].events[id.index as usize].action = Action::Assume(holds);
            }
        }
        ctp
    }
}

/// A condition that must hold, or did hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check {
    /// The event.
    pub event: EventId,
    /// What it is.
    pub why: Why,
    /// Where in the program.
    pub place: u64,
    /// The value that it is about, as it was in the run.
    pub value: u64,
}

/// Values that could not be followed at one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loss {
    /// Why.
    pub why: Why,
    /// Where in the program.
    pub place: u64,
    /// How many.
    pub count: usize,
}

/// The model of a run.
///
/// # Errors
/// If the records contradict each other.
pub fn model(run: &Followed) -> Result<Model, Malformed> {
    let mut builder = Builder::new(run);
    for (at, record) in run.records.iter().enumerate() {
        if !builder.done.contains(&at) {
            builder.record(at, record)?;
        }
    }
    builder.sync(run.steps.len());
    Ok(builder.finish())
}

struct Builder<'a> {
    run: &'a Followed,
    model: Model,
    nodes: Nodes,
    objects: Objects,
    /// The reads whose value is used.
    used: FxHashSet<u32>,
    /// Records that were taken together with an earlier one.
    done: FxHashSet<usize>,
    /// Steps that are in the model.
    taken: usize,
    /// What bytes held at the beginning.
    memory: BTreeMap<u64, u8>,
    /// Bytes that were accessed.
    accessed: BTreeMap<u64, u8>,
    losses: BTreeMap<(Why, u64), usize>,
}

impl<'a> Builder<'a> {
    fn new(run: &'a Followed) -> Self {
        let named = |record: &Record| match record {
            Record::Read(moment, ..) | Record::Written(moment, ..) | Record::Fact(moment, ..) => {
                Some(moment.thread.into())
            }
            _ => None,
        };
        let steps = run.steps.iter().flat_map(|step| [Some(step.thread), step.operation.target()]).flatten();
        let threads = steps.map(|thread| thread.0).chain(run.records.iter().filter_map(named)).max();
        let thread = |number: u32| Thread { name: format!("t{number}"), events: Vec::new() };
        let used = run.records.iter().filter_map(|record| match record {
            Record::Node(node) if node.op == NodeOp::Read => Some(node.operands[0]),
            _ => None,
        });
        let ctp = Ctp { threads: (0..=threads.unwrap_or(0).min(0xffff)).map(thread).collect(), ..Ctp::default() };
        Self {
            run,
            model: Model { ctp, is_cut: run.is_cut, ..Model::default() },
            nodes: Nodes::default(),
            objects: Objects::of(&run.steps),
            used: used.collect(),
            done: FxHashSet::default(),
            taken: 0,
            memory: BTreeMap::new(),
            accessed: BTreeMap::new(),
            losses: BTreeMap::new(),
        }
    }

    fn record(&mut self, at: usize, record: &Record) -> Result<(), Malformed> {
        let number = at as u32 + 1;
        match record {
            Record::Node(node) => self.nodes.add(&mut self.model.ctp.exprs, number, node)?,
            Record::Initial(_, bytes) | Record::Write(_, bytes, _) => self.note(bytes),
            Record::Read(moment, bytes, place) => {
                self.note(bytes);
                self.sync(moment.step as usize);
                match self.written_with(at, moment, bytes) {
                    Some(write) => self.update(at, write)?,
                    None => self.read(number, *moment, bytes, *place),
                }
            }
            Record::Written(moment, bytes, node) => {
                self.note_accessed(bytes);
                self.sync(moment.step as usize);
                let value = self.value(*moment, bytes, *node)?;
                self.push(*moment, Action::Write { place: place(bytes), value });
            }
            Record::Fact(moment, why, node, value, at) => {
                self.sync(moment.step as usize);
                self.fact((*moment, *why), *node, *value, *at)?;
            }
        }
        Ok(())
    }

    /// The steps before this one are in the model.
    fn sync(&mut self, before: usize) {
        while self.taken < before.min(self.run.steps.len()) {
            let step = &self.run.steps[self.taken];
            let moment = Moment { thread: step.thread.0 as u16, step: self.taken as u32 + 1 };
            if let Some(action) = self.objects.action(&mut self.model.ctp, self.taken, &step.operation) {
                self.push(moment, action);
            }
            self.taken += 1;
        }
    }

    /// Adds an event of the last step before a moment.
    fn push(&mut self, moment: Moment, action: Action) -> EventId {
        let thread = ThreadId(u32::from(moment.thread));
        let link = moment.step.checked_sub(1).map(|index| Link { thread: thread.0, index });
        self.model.ctp.push(thread, Event { link, ..Event::from(action) })
    }

    /// What memory held when it was first accessed.
    fn note(&mut self, bytes: &Bytes) {
        for (offset, value) in (0..bytes.size).zip(bytes.value.to_le_bytes()) {
            self.memory.entry(bytes.address.wrapping_add(offset.into())).or_insert(value);
        }
        self.note_accessed(bytes);
    }

    fn note_accessed(&mut self, bytes: &Bytes) {
        for offset in 0..bytes.size {
            let longest = self.accessed.entry(bytes.address.wrapping_add(offset.into())).or_insert(0);
            *longest = (*longest).max(bytes.size - offset);
        }
    }

    fn read(&mut self, number: u32, moment: Moment, bytes: &Bytes, at: u64) {
        let thread = ThreadId(u32::from(moment.thread));
        let read = self.model.ctp.new_read(thread);
        self.push(moment, Action::Read { place: place(bytes), read });
        self.nodes.add_read(number, read, moment.thread);
        if self.used.contains(&number) {
            return;
        }
        // The instrumented code did not take the value over: it goes where it is not followed.
        *self.losses.entry((Why::Instruction, at)).or_insert(0) += 1;
        let exprs = &mut self.model.ctp.exprs;
        let seen = exprs.read(read, 8 * bytes.size).and_then(|seen| {
            let value = exprs.number(8 * bytes.size, bytes.value)?;
            exprs.binary(Binary::Eq, seen, value)
        });
        if let Ok(seen) = seen {
            let event = self.push(moment, Action::Assume(seen));
            self.model.lost.push(event);
        }
    }

    /// The write of the same atomic operation.
    fn written_with(&self, at: usize, moment: &Moment, bytes: &Bytes) -> Option<usize> {
        /// Records that an atomic operation may have in between.
        const NEAR: usize = 10;
        let step = self.run.steps.get((moment.step as usize).checked_sub(1)?)?;
        if !matches!(step.operation.kind, OpKind::Update | OpKind::UpdateFailed) {
            return None;
        }
        let is_it = |record: &Record| match record {
            Record::Written(other, written, _) => other == moment && written.address == bytes.address,
            _ => false,
        };
        let near = self.run.records.iter().enumerate().skip(at + 1).take(NEAR);
        near.into_iter().find(|(_, record)| is_it(record)).map(|(at, _)| at)
    }

    /// An atomic operation that reads and writes: one event, before the conditions that follow from it.
    fn update(&mut self, at: usize, write: usize) -> Result<(), Malformed> {
        let (Record::Read(moment, bytes, _), Record::Written(_, new, node)) =
            (self.run.records[at], self.run.records[write])
        else {
            return Err(Malformed::Record(at + 1));
        };
        let read = self.model.ctp.new_read(ThreadId(u32::from(moment.thread)));
        self.nodes.add_read(at as u32 + 1, read, moment.thread);
        for between in at + 1..write {
            if let Record::Node(inner) = &self.run.records[between] {
                self.nodes.add(&mut self.model.ctp.exprs, between as u32 + 1, inner)?;
                self.done.insert(between);
            }
        }
        let value = self.value(moment, &new, node)?;
        self.push(moment, Action::Update { place: place(&bytes), read, guard: None, value });
        self.done.insert(write);
        Ok(())
    }

    /// The expression of what is written.
    fn value(&mut self, moment: Moment, bytes: &Bytes, node: u32) -> Result<ExprId, Malformed> {
        let width = 8 * bytes.size;
        let known = self.nodes.get(node, moment.thread);
        if let Some(known) = known.filter(|known| self.model.ctp.exprs.width(*known) == width) {
            return Ok(known);
        }
        self.model.ctp.exprs.number(width, bytes.value).map_err(|_| Malformed::Record(node as usize))
    }

    fn fact(&mut self, about: (Moment, Why), node: u32, value: u64, at: u64) -> Result<(), Malformed> {
        let (moment, why) = about;
        if why.is_loss() {
            *self.losses.entry((why, at)).or_insert(0) += 1;
        }
        let Some(expression) = self.nodes.get(node, moment.thread) else { return Ok(()) };
        let exprs = &mut self.model.ctp.exprs;
        if why.is_check() {
            if exprs.width(expression) == 1 && exprs.constant(expression).is_none() {
                let event = self.push(moment, Action::Assert(expression));
                self.model.checks.push(Check { event, why, place: at, value });
            }
            return Ok(());
        }
        let wanted = exprs.number(exprs.width(expression), value);
        let holds = wanted.and_then(|wanted| exprs.binary(Binary::Eq, expression, wanted));
        let holds = holds.map_err(|_| Malformed::Record(node as usize))?;
        if exprs.constant(holds).is_none() {
            let event = self.push(moment, Action::Assume(holds));
            if why.is_loss() {
                self.model.lost.extend((why != Why::Address).then_some(event));
            } else {
                self.model.branches.push(Check { event, why, place: at, value });
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Model {
        self.model.ctp.vars = self.vars();
        let loss = |((why, place), count)| Loss { why, place, count };
        self.model.losses = self.losses.into_iter().map(loss).collect();
        self.model
    }

    /// Variables: bytes that are accessed together, at most eight.
    fn vars(&self) -> Vec<Var> {
        let mut vars: Vec<Var> = Vec::new();
        let mut together = 0;
        for (address, longest) in &self.accessed {
            let value = u64::from(self.memory.get(address).copied().unwrap_or(0));
            let last = vars.last_mut().filter(|var| var.place.end() == *address && together > 0 && var.place.size < 8);
            match last {
                Some(var) => {
                    var.initial |= value << (8 * var.place.size);
                    var.place.size += 1;
                }
                None => vars.push(Var {
                    name: format!("m{address:x}"),
                    place: Place { address: *address, size: 1 },
                    initial: value,
                }),
            }
            together = (*longest).max(together).saturating_sub(1);
        }
        vars
    }
}

fn place(bytes: &Bytes) -> Place {
    Place { address: bytes.address, size: bytes.size }
}
