//! The engine: events in, events out, one timestamp after the other.
use super::bits::{has, set};
use super::error::{RunError, Time};
use super::state::{Deferred, State};
use crate::flow::{Plan, PlannedOutput};
use crate::value::{Value, int};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Receives the events of the outputs, in order of time.
pub trait Sink {
    /// One event; breaking ends the run.
    fn event(&mut self, time: Time, output: &PlannedOutput, value: &Value) -> ControlFlow<()>;

    /// Makes the value of an input from what stands for it. Asked for only if inputs are deferred ([`Engine::defer`]).
    fn recover(&mut self, _tag: u64, _input: usize) -> Value {
        unreachable!("no input was deferred")
    }
}

/// A running specification.
pub struct Engine {
    plan: Rc<Plan>,
    state: State,
    /// When each delay ends.
    ends: Vec<Option<Time>>,
    /// Whether the outputs of the current timestamp are still to come.
    open: bool,
    stopped: bool,
    /// Of several events of an input at one time the first counts, instead of being refused.
    pub ignore_repeated: bool,
}

impl Engine {
    pub fn new(plan: impl Into<Rc<Plan>>) -> Engine {
        let plan = plan.into();
        let mut state = State::new(&plan);
        for node in &plan.at_zero {
            set(&mut state.dirty, *node);
        }
        Engine { state, ends: vec![None; plan.delays.len()], open: true, stopped: false, ignore_repeated: false, plan }
    }

    pub fn plan(&self) -> &Rc<Plan> {
        &self.plan
    }

    /// The time of the last event.
    pub fn now(&self) -> Time {
        self.state.now
    }

    /// Whether the sink has asked to stop.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// Hands in an event. The outputs of a timestamp come when a later one is handed in.
    #[inline]
    pub fn push(&mut self, time: Time, input: usize, value: Value, sink: &mut impl Sink) -> Result<(), RunError> {
        if time != self.state.now {
            self.advance(time, sink)?;
        }
        let Some(node) = self.plan.input_nodes[input] else { return Ok(()) };
        if has(&self.state.fired, node) {
            return self.repeated(input);
        }
        if !self.stopped {
            self.open = true;
            self.state.emit(&self.plan, node, value);
        }
        Ok(())
    }

    /// From now on these inputs, of which only the current values matter ([`Plan::only_sampled`]), are handed in by
    /// [`Engine::defer`].
    pub fn set_deferred(&mut self, inputs: &[usize]) {
        assert!(inputs.iter().all(|input| self.plan.only_sampled[*input]), "an event of a deferred input is not seen");
        self.state.deferred = Deferred::new(&self.plan, inputs);
    }

    /// Hands in an event of each deferred input, without its value: the tag stands for it until the value is needed, which
    /// is mostly never.
    #[inline]
    pub fn defer(&mut self, time: Time, tag: u64, sink: &mut impl Sink) -> Result<(), RunError> {
        if time != self.state.now {
            self.advance(time, sink)?;
        }
        self.state.deferred.put(tag);
        Ok(())
    }

    /// Makes the current values of deferred inputs: whoever can make them goes away.
    pub fn recover(&mut self, sink: &mut impl Sink) {
        self.state.recover(&mut |tag, input| sink.recover(tag, input));
    }

    #[cold]
    fn repeated(&self, input: usize) -> Result<(), RunError> {
        if self.ignore_repeated || self.stopped {
            return Ok(());
        }
        Err(RunError::Twice { stream: self.plan.inputs[input].name.to_string(), time: self.state.now })
    }

    /// Lets time pass up to `time`: what happened before is now certain.
    pub fn advance(&mut self, time: Time, sink: &mut impl Sink) -> Result<(), RunError> {
        let now = self.state.now;
        if time < now {
            return Err(RunError::Backwards { now, found: time });
        }
        if time == now {
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
        let until = until.unwrap_or(self.state.now);
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
        self.state.now = time;
        for index in 0..self.ends.len() {
            if self.ends[index] == Some(time) {
                set(&mut self.state.dirty, self.plan.delays[index].node);
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
        let (plan, state) = (&*self.plan, &mut self.state);
        state.compute(plan, &mut |tag, input| sink.recover(tag, input));
        if state.fired.iter().zip(&plan.shown).any(|(fired, shown)| fired & shown != 0) {
            for output in plan.outputs.iter().filter(|output| has(&state.fired, output.node)) {
                if sink.event(state.now, output, &state.shown(output.node)).is_break() {
                    self.stopped = true;
                    break;
                }
            }
        }
        self.set_delays()?;
        self.state.close();
        Ok(())
    }

    fn set_delays(&mut self) -> Result<(), RunError> {
        let state = &self.state;
        for (index, delay) in self.plan.delays.iter().enumerate() {
            if !has(&state.fired, delay.reset) && !has(&state.fired, delay.node) {
                continue;
            }
            self.ends[index] = None;
            let amount = &state.slots[delay.amount as usize];
            // A delay that could not be computed is none.
            if has(&state.fired, delay.amount) && !matches!(amount, Value::Error(_)) {
                let end =
                    int::to_time(amount).filter(|amount| *amount > 0).and_then(|amount| state.now.checked_add(amount));
                if end.is_none() {
                    let stream = self.plan.names[delay.node as usize].as_deref().unwrap_or("delay").to_owned();
                    return Err(RunError::Delay { stream, amount: amount.to_string(), time: state.now });
                }
                self.ends[index] = end;
            }
        }
        Ok(())
    }
}
