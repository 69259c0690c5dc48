//! The current values of all streams, and how the event of each is computed.
use super::Time;
use super::bits::{has, set};
use super::compiled::Program;
use crate::flow::{Arg, Filter, Operand, Plan, Step};
use crate::value::{Failure, Value, int};
use std::borrow::Cow;
use std::rc::Rc;

/// Makes the value of an input that was deferred: what stands for it, and the number of the input.
pub type Recover<'a> = dyn FnMut(u64, usize) -> Value + 'a;

pub struct State {
    pub(super) program: Program,
    /// The current value of every stream, or nothing before its first event; behind them the locals of running functions.
    pub slots: Vec<Value>,
    /// How many streams there are.
    pub(super) count: usize,
    /// The value before the current one, of streams that someone asks for it.
    previous: Vec<Value>,
    /// Streams to look at in this step.
    pub dirty: Vec<u64>,
    /// Streams that had an event in this step.
    pub fired: Vec<u64>,
    /// Among those, streams of which it is unknown whether they had one.
    pub(super) doubtful: Vec<u64>,
    pub(super) any_doubt: bool,
    /// Streams that had an event for certain in an earlier step; their value may have been moved away.
    begun: Vec<u64>,
    pub now: Time,
    pub deferred: Deferred,
}

/// Inputs whose values are made when they are needed.
#[derive(Default)]
pub struct Deferred {
    /// The inputs and their streams.
    inputs: Vec<(usize, u32)>,
    /// The streams, as bits.
    nodes: Vec<u64>,
    /// What stands for their current values, if these are not there yet.
    pending: Option<u64>,
}

impl Deferred {
    pub fn new(plan: &Plan, inputs: &[usize]) -> Deferred {
        let mut nodes = vec![0; plan.steps.len().div_ceil(64)];
        let found = inputs.iter().filter_map(|input| Some((*input, plan.input_nodes[*input]?)));
        let inputs: Vec<(usize, u32)> = found.collect();
        inputs.iter().for_each(|(_, node)| set(&mut nodes, *node));
        Deferred { inputs, nodes, pending: None }
    }

    #[inline(always)]
    pub fn put(&mut self, tag: u64) {
        self.pending = Some(tag);
    }
}

impl State {
    pub fn new(plan: &Plan) -> State {
        let (count, program) = (plan.steps.len(), Program::of(plan));
        let words = count.div_ceil(64);
        State {
            slots: vec![Value::Absent; count + program.room()],
            program,
            count,
            previous: vec![Value::Absent; count],
            dirty: vec![0; words],
            fired: vec![0; words],
            doubtful: vec![0; words],
            any_doubt: false,
            begun: vec![0; words],
            now: 0,
            deferred: Deferred::default(),
        }
    }

    /// Looks at the streams with news, each behind those it depends on.
    pub fn compute(&mut self, plan: &Plan, recover: &mut Recover<'_>) {
        for word in 0..self.dirty.len() {
            while self.dirty[word] != 0 {
                let bit = self.dirty[word].trailing_zeros();
                self.dirty[word] &= self.dirty[word] - 1;
                self.evaluate(plan, word as u32 * 64 + bit, recover);
            }
        }
    }

    /// Makes the values of deferred inputs.
    #[cold]
    pub fn recover(&mut self, recover: &mut Recover<'_>) {
        let Some(tag) = self.deferred.pending.take() else { return };
        for (input, node) in &self.deferred.inputs {
            self.slots[*node as usize].put(recover(tag, *input));
        }
    }

    /// Ends a step.
    pub fn close(&mut self) {
        for word in 0..self.fired.len() {
            self.begun[word] |= self.fired[word] & !self.doubtful[word];
            self.fired[word] = 0;
        }
        if self.any_doubt {
            self.doubtful.fill(0);
            self.any_doubt = false;
        }
    }

    /// The value of an event as the world sees it: doubt about the event itself is part of it.
    pub fn shown(&self, node: u32) -> Cow<'_, Value> {
        let value = &self.slots[node as usize];
        if self.doubts(node) {
            return Cow::Owned(value.clone().into_unknown());
        }
        Cow::Borrowed(value)
    }

    /// An event of a stream; those that depend on it are to be looked at.
    #[inline(always)]
    pub fn emit(&mut self, plan: &Plan, node: u32, value: Value) {
        set(&mut self.fired, node);
        let index = node as usize;
        let links = &plan.links[index];
        if links.keeps_previous {
            let old = std::mem::replace(&mut self.slots[index], value);
            self.previous[index].put(old);
        } else {
            self.slots[index].put(value);
        }
        self.dirty[links.first.0 as usize] |= links.first.1;
        for (word, bits) in &links.more {
            self.dirty[*word as usize] |= bits;
        }
    }

    #[inline(always)]
    pub(super) fn emit_perhaps(&mut self, plan: &Plan, node: u32, value: Value, doubtful: bool) {
        if doubtful { self.emit_doubtful(plan, node, value) } else { self.emit(plan, node, value) }
    }

    /// An event that may not exist: afterwards the current value is unknown, and if there was none
    /// before, it is unknown whether there is one.
    #[cold]
    #[inline(never)]
    pub(super) fn emit_doubtful(&mut self, plan: &Plan, node: u32, value: Value) {
        set(&mut self.fired, node);
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
        for reader in &plan.readers[index] {
            set(&mut self.dirty, *reader);
        }
    }

    #[inline(always)]
    fn doubts(&self, node: u32) -> bool {
        self.any_doubt && has(&self.doubtful, node)
    }

    #[inline(always)]
    fn read(&mut self, arg: Arg) -> Value {
        let slot = &mut self.slots[arg.node as usize];
        if arg.take { std::mem::take(slot) } else { slot.clone() }
    }

    fn evaluate(&mut self, plan: &Plan, node: u32, recover: &mut Recover<'_>) {
        match &plan.steps[node as usize] {
            Step::Filter(filter) => self.filter(plan, node, filter),
            Step::Signal(lift) => self.signal(plan, node, lift),
            Step::Always(source, value) => self.always(plan, node, *source, value),
            Step::On(trigger, value) => self.on(plan, node, *trigger, *value),
            Step::Sample { trigger, source } => {
                if self.deferred.pending.is_some() && has(&self.deferred.nodes, *source) {
                    self.recover(recover);
                }
                self.sample(plan, node, *trigger, *source);
            }
            Step::Events(events) => self.events(plan, node, events),
            Step::Merge(args) => self.merge(plan, node, args),
            Step::Last(value, trigger) => self.last(plan, node, *value, *trigger),
            Step::Default(source, value) => {
                if !has(&self.fired, source.node) {
                    return self.emit(plan, node, value.clone());
                }
                let doubt = self.doubts(source.node) && self.now > 0;
                let value = self.read(*source);
                if doubt {
                    return self.emit_doubtful(plan, node, value);
                }
                let value = if value.is_unknown() { value.into_certain() } else { value };
                self.emit(plan, node, value);
            }
            Step::DefaultFrom(source, other) => {
                let fired = has(&self.fired, source.node);
                if fired || self.slots[node as usize].is_absent() {
                    let from = if fired { *source } else { *other };
                    let doubt = self.doubts(from.node);
                    let value = self.read(from);
                    self.emit_perhaps(plan, node, value, doubt);
                }
            }
            Step::Time(source) => {
                let doubt = self.doubts(*source);
                self.emit_perhaps(plan, node, int::from_time(self.now), doubt);
            }
            Step::Const(value) => self.emit(plan, node, value.clone()),
            Step::Delay(_) => self.emit(plan, node, Value::Unit),
            Step::Source => {}
        }
    }

    #[inline(always)]
    fn operand<'a>(&'a self, operand: &'a Operand) -> &'a Value {
        match operand {
            Operand::Stream(node) => &self.slots[*node as usize],
            Operand::Const(value) => value,
        }
    }

    /// A value where two others are equal, or where they are not.
    fn filter(&mut self, plan: &Plan, node: u32, filter: &Filter) {
        let (a, b) = (self.operand(&filter.sides[0]), self.operand(&filter.sides[1]));
        let equal = match (a, b) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            _ => return self.signal(plan, node, &filter.lift),
        };
        if self.any_doubt {
            return self.signal(plan, node, &filter.lift);
        }
        if equal == filter.equal {
            let value = match self.operand(&filter.result) {
                Value::Absent => return,
                Value::Error(_) => return self.signal(plan, node, &filter.lift),
                value => value.clone(),
            };
            self.emit(plan, node, value);
        }
    }

    /// The same value at every event of a stream.
    #[inline(always)]
    fn always(&mut self, plan: &Plan, node: u32, source: u32, value: &Value) {
        let doubt = self.doubts(source) || self.slots[source as usize].is_unknown();
        self.emit_perhaps(plan, node, value.clone(), doubt);
    }

    /// The events of one stream at which another has one, too.
    fn on(&mut self, plan: &Plan, node: u32, trigger: u32, value: Arg) {
        if self.any_doubt {
            let doubtful = [trigger, value.node].into_iter().find(|arg| has(&self.doubtful, *arg));
            if let Some(arg) = doubtful {
                let value = self.slots[arg as usize].clone();
                return self.emit_doubtful(plan, node, value);
            }
        }
        if has(&self.fired, trigger) && has(&self.fired, value.node) {
            let value = self.read(value);
            self.emit(plan, node, value);
        }
    }

    /// The current value of a stream at the events of another.
    fn sample(&mut self, plan: &Plan, node: u32, trigger: u32, source: u32) {
        match &self.slots[source as usize] {
            Value::Absent if !self.any_doubt => {}
            Value::Error(_) => self.sample_in_doubt(plan, node, trigger, source),
            _ if self.any_doubt => self.sample_in_doubt(plan, node, trigger, source),
            value => {
                let value = value.clone();
                self.emit(plan, node, value);
            }
        }
    }

    /// The same by its definition: the event of `merge(source, last(source, trigger))` where the trigger has one.
    #[cold]
    fn sample_in_doubt(&mut self, plan: &Plan, node: u32, trigger: u32, source: u32) {
        if self.doubts(trigger) {
            let value = self.slots[trigger as usize].clone();
            return self.emit_doubtful(plan, node, value);
        }
        let triggered = has(&self.fired, trigger);
        let (fired, doubtful) = (has(&self.fired, source), self.doubts(source));
        let value = self.slots[source as usize].clone();
        let past = if fired { &self.previous[source as usize] } else { &value };
        let remembered = triggered && !past.is_absent();
        let certain = if fired { !doubtful || (remembered && !past.is_unknown()) } else { !past.is_unknown() };
        match (fired || remembered, certain) {
            (true, true) if triggered => self.emit(plan, node, value.into_certain()),
            (true, false) => self.emit_doubtful(plan, node, value),
            _ => {}
        }
    }

    /// `last(value, trigger)`: the value strictly before now.
    pub(super) fn last(&mut self, plan: &Plan, node: u32, value: Arg, trigger: u32) {
        let index = value.node as usize;
        let cell = if has(&self.fired, value.node) { &mut self.previous[index] } else { &mut self.slots[index] };
        if cell.is_absent() {
            return;
        }
        let unknown = cell.is_unknown();
        let value = if value.take { std::mem::take(cell) } else { cell.clone() };
        let doubt = unknown || self.doubts(trigger);
        self.emit_perhaps(plan, node, value, doubt);
    }

    fn merge(&mut self, plan: &Plan, node: u32, args: &[Arg]) {
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
            let mut value = self.read(doubtful.unwrap_or(*arg));
            if value.is_unknown() {
                value = value.into_certain();
            }
            return self.emit(plan, node, value);
        }
        if let Some(arg) = doubtful {
            let value = self.read(arg);
            self.emit_doubtful(plan, node, value);
        }
    }
}
