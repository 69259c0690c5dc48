//! The engine: the current values of all streams, and the step from one timestamp to the next.
use super::{Machine, RunError};
use crate::flow::{Arg, Plan, PlannedOutput, Step};
use crate::graph::LiftKind;
use crate::value::{Failure, Value, int};
use std::ops::ControlFlow;
use std::rc::Rc;

/// A timestamp. Seconds followed by twenty digits of nanoseconds, as some tracers write, exceed 64 bits.
pub type Time = u128;

/// Receives the events of the outputs, in order of time.
pub trait Sink {
    /// One event; breaking ends the run.
    fn event(&mut self, time: Time, output: &PlannedOutput, value: &Value) -> ControlFlow<()>;
}

/// A running specification.
pub struct Engine {
    plan: Rc<Plan>,
    machine: Machine,
    /// The current value of every stream, or nothing before its first event.
    slots: Vec<Value>,
    /// The value before the current one, of streams that someone asks for it.
    previous: Vec<Value>,
    /// Streams to look at in this step.
    dirty: Vec<u64>,
    /// Streams that had an event in this step.
    fired: Vec<u64>,
    /// Among those, streams of which it is unknown whether they had one.
    doubtful: Vec<u64>,
    any_doubt: bool,
    /// Streams that had an event for certain; their value may have been moved away.
    begun: Vec<u64>,
    /// When each delay ends.
    ends: Vec<Option<Time>>,
    now: Time,
    /// Whether the outputs of `now` are still to come.
    open: bool,
    stopped: bool,
}

impl Engine {
    pub fn new(plan: impl Into<Rc<Plan>>) -> Engine {
        let plan = plan.into();
        let count = plan.steps.len();
        let words = count.div_ceil(64);
        let mut engine = Engine {
            machine: Machine::default(),
            slots: vec![Value::Absent; count],
            previous: vec![Value::Absent; count],
            dirty: vec![0; words],
            fired: vec![0; words],
            doubtful: vec![0; words],
            any_doubt: false,
            begun: vec![0; words],
            ends: vec![None; plan.delays.len()],
            now: 0,
            open: true,
            stopped: false,
            plan,
        };
        for node in engine.plan.clone().at_zero.iter() {
            set(&mut engine.dirty, *node);
        }
        engine
    }

    pub fn plan(&self) -> &Rc<Plan> {
        &self.plan
    }

    /// The time of the last event.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Whether the sink has asked to stop.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// Hands in an event. The outputs of a timestamp come when a later one is handed in.
    #[inline]
    pub fn push(&mut self, time: Time, input: usize, value: Value, sink: &mut impl Sink) -> Result<(), RunError> {
        if time != self.now {
            self.advance(time, sink)?;
        }
        let Some(node) = self.plan.input_nodes[input] else { return Ok(()) };
        if !has(&self.fired, node) && !self.stopped {
            self.open = true;
            self.emit(node, value, false);
        }
        Ok(())
    }

    /// Lets time pass up to `time`: what happened before is now certain.
    pub fn advance(&mut self, time: Time, sink: &mut impl Sink) -> Result<(), RunError> {
        if time < self.now {
            return Err(RunError::Backwards { now: self.now, found: time });
        }
        if time == self.now {
            return Ok(());
        }
        self.step(sink)?;
        while let Some(end) = self.next_end().filter(|end| *end < time) {
            self.start(end);
            self.step(sink)?;
        }
        self.start(time);
        Ok(())
    }

    /// The end of the input: the outputs of the last timestamp come, and delays up to `until`.
    pub fn finish(&mut self, until: Option<Time>, sink: &mut impl Sink) -> Result<(), RunError> {
        self.step(sink)?;
        let until = until.unwrap_or(self.now);
        while let Some(end) = self.next_end().filter(|end| *end <= until && !self.stopped) {
            self.start(end);
            self.step(sink)?;
        }
        Ok(())
    }

    fn next_end(&self) -> Option<Time> {
        self.ends.iter().flatten().min().copied()
    }

    /// Begins a timestamp: delays that end now are woken.
    fn start(&mut self, time: Time) {
        self.now = time;
        for index in 0..self.ends.len() {
            if self.ends[index] == Some(time) {
                set(&mut self.dirty, self.plan.delays[index].node);
                self.open = true;
            }
        }
    }

    /// Computes the current timestamp and hands its outputs over.
    fn step(&mut self, sink: &mut impl Sink) -> Result<(), RunError> {
        if !self.open || self.stopped {
            return Ok(());
        }
        self.open = false;
        let plan = self.plan.clone();
        for word in 0..self.dirty.len() {
            while self.dirty[word] != 0 {
                let bit = self.dirty[word].trailing_zeros();
                self.dirty[word] &= self.dirty[word] - 1;
                self.evaluate(&plan, word as u32 * 64 + bit);
            }
        }
        for output in &plan.outputs {
            if has(&self.fired, output.node) && sink.event(self.now, output, &self.shown(output.node)).is_break() {
                self.stopped = true;
                break;
            }
        }
        self.set_delays(&plan)?;
        self.fired.fill(0);
        if self.any_doubt {
            self.doubtful.fill(0);
            self.any_doubt = false;
        }
        Ok(())
    }

    /// The value of an event as the world sees it: doubt about the event itself is part of it.
    fn shown(&self, node: u32) -> std::borrow::Cow<'_, Value> {
        let value = &self.slots[node as usize];
        if self.any_doubt && has(&self.doubtful, node) {
            return std::borrow::Cow::Owned(value.clone().into_unknown());
        }
        std::borrow::Cow::Borrowed(value)
    }

    fn set_delays(&mut self, plan: &Plan) -> Result<(), RunError> {
        for (index, delay) in plan.delays.iter().enumerate() {
            if !has(&self.fired, delay.reset) && !has(&self.fired, delay.node) {
                continue;
            }
            self.ends[index] = None;
            let amount = &self.slots[delay.amount as usize];
            // A delay that could not be computed is none.
            if has(&self.fired, delay.amount) && !matches!(amount, Value::Error(_)) {
                let end =
                    int::to_time(amount).filter(|amount| *amount > 0).and_then(|amount| self.now.checked_add(amount));
                if end.is_none() {
                    let stream = plan.names[delay.node as usize].as_deref().unwrap_or("delay").to_owned();
                    return Err(RunError::Delay { stream, amount: amount.to_string(), time: self.now });
                }
                self.ends[index] = end;
            }
        }
        Ok(())
    }

    #[inline]
    fn emit(&mut self, node: u32, value: Value, doubtful: bool) {
        set(&mut self.fired, node);
        let index = node as usize;
        if doubtful {
            self.emit_doubtful(node, value);
        } else {
            set(&mut self.begun, node);
            let old = std::mem::replace(&mut self.slots[index], value);
            if self.plan.keeps[index] {
                self.previous[index] = old;
            }
        }
        for (word, bits) in self.plan.wakes[index].iter() {
            self.dirty[*word as usize] |= bits;
        }
    }

    /// An event that may not exist: afterwards the current value is unknown, and if there was none
    /// before, it is unknown whether there is one.
    #[cold]
    fn emit_doubtful(&mut self, node: u32, value: Value) {
        set(&mut self.doubtful, node);
        self.any_doubt = true;
        let index = node as usize;
        let certain = has(&self.begun, node);
        let failure = match value {
            Value::Error(failure) => failure.message.clone(),
            _ => "it is unknown whether there is an event".to_owned(),
        };
        let value = Value::Error(Rc::new(Failure { message: failure, unknown: !certain }));
        let old = std::mem::replace(&mut self.slots[index], value);
        self.previous[index] = old;
    }

    #[inline]
    fn doubts(&self, node: u32) -> bool {
        self.any_doubt && has(&self.doubtful, node)
    }

    #[inline]
    fn read(&mut self, arg: Arg) -> Value {
        let slot = &mut self.slots[arg.node as usize];
        if arg.take { std::mem::take(slot) } else { slot.clone() }
    }

    fn evaluate(&mut self, plan: &Plan, node: u32) {
        match &plan.steps[node as usize] {
            Step::Lift(kind, func, args) => match kind {
                LiftKind::Events => self.lift(plan, node, *func, args),
                _ => self.signal(plan, node, *func, args),
            },
            Step::LiftIf(func, args, required) => {
                // A stream in doubt counts as having an event: the answer is in doubt, too.
                if self.any_doubt || required.iter().all(|source| has(&self.fired, *source)) {
                    self.lift(plan, node, *func, args);
                }
            }
            Step::Merge(args) => self.merge(node, args),
            Step::Last(value, trigger) => self.last(node, *value, *trigger),
            Step::Default(source, value) => {
                if !has(&self.fired, source.node) {
                    return self.emit(node, value.clone(), false);
                }
                let doubt = self.doubts(source.node) && self.now > 0;
                let value = self.read(*source);
                self.emit(node, if doubt { value } else { value.into_certain() }, doubt);
            }
            Step::DefaultFrom(source, other) => {
                let fired = has(&self.fired, source.node);
                if fired || self.slots[node as usize].is_absent() {
                    let from = if fired { *source } else { *other };
                    let doubt = self.doubts(from.node);
                    let value = self.read(from);
                    self.emit(node, value, doubt);
                }
            }
            Step::Time(source) => {
                let doubt = self.doubts(*source);
                self.emit(node, int::from_time(self.now), doubt);
            }
            Step::Const(value) => self.emit(node, value.clone(), false),
            Step::Delay(_) => self.emit(node, Value::Unit, false),
            Step::Source => {}
        }
    }

    /// `last(value, trigger)`: the value strictly before now.
    fn last(&mut self, node: u32, value: Arg, trigger: u32) {
        let index = value.node as usize;
        let cell = if has(&self.fired, value.node) { &mut self.previous[index] } else { &mut self.slots[index] };
        if cell.is_absent() {
            return;
        }
        let unknown = cell.is_unknown();
        let value = if value.take { std::mem::take(cell) } else { cell.clone() };
        let doubt = unknown || self.doubts(trigger);
        self.emit(node, value, doubt);
    }

    fn merge(&mut self, node: u32, args: &[Arg]) {
        let mut doubtful = None;
        for arg in args {
            if !has(&self.fired, arg.node) {
                continue;
            }
            if self.doubts(arg.node) {
                doubtful = doubtful.or(Some(*arg));
                continue;
            }
            // A certain event behind a doubtful one makes the event certain, but not its value.
            let value = self.read(doubtful.unwrap_or(*arg)).into_certain();
            return self.emit(node, value, false);
        }
        if let Some(arg) = doubtful {
            let value = self.read(arg);
            self.emit(node, value, true);
        }
    }

    /// A function on options.
    fn lift(&mut self, plan: &Plan, node: u32, func: u32, args: &[Arg]) {
        if self.any_doubt
            && let Some(arg) = args.iter().find(|arg| has(&self.doubtful, arg.node))
        {
            let value = self.slots[arg.node as usize].clone();
            return self.emit(node, value, true);
        }
        let (slots, fired) = (&mut self.slots, &self.fired);
        let values = args.iter().map(|arg| match has(fired, arg.node) {
            false => Value::Absent,
            true if arg.take => std::mem::take(&mut slots[arg.node as usize]),
            true => slots[arg.node as usize].clone(),
        });
        let value = self.machine.run(&plan.funcs, func, values);
        self.result(node, value);
    }

    /// A function on current values.
    fn signal(&mut self, plan: &Plan, node: u32, func: u32, args: &[Arg]) {
        let slots = &mut self.slots;
        if args.iter().any(|arg| slots[arg.node as usize].is_absent()) {
            return;
        }
        let mut doubt = args.iter().any(|arg| slots[arg.node as usize].is_unknown());
        if self.any_doubt {
            let certain = |arg: &Arg| has(&self.fired, arg.node) && !has(&self.doubtful, arg.node);
            doubt |= !args.iter().any(certain);
        }
        let values = args.iter().map(|arg| {
            let slot = &mut slots[arg.node as usize];
            if arg.take { std::mem::take(slot) } else { slot.clone() }
        });
        let value = self.machine.run(&plan.funcs, func, values);
        if doubt {
            return self.emit(node, value, true);
        }
        self.result(node, value);
    }

    #[inline]
    fn result(&mut self, node: u32, value: Value) {
        match value {
            Value::Absent => {}
            Value::Error(_) => {
                let doubt = value.is_unknown();
                self.emit(node, value.into_certain(), doubt);
            }
            value => self.emit(node, value, false),
        }
    }
}

#[inline]
fn has(bits: &[u64], node: u32) -> bool {
    bits[node as usize / 64] >> (node % 64) & 1 == 1
}

#[inline]
fn set(bits: &mut [u64], node: u32) {
    bits[node as usize / 64] |= 1 << (node % 64);
}
