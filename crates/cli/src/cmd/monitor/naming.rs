//! Names for the places of instructions, made when a specification asks for them: most never are.

use super::places::{Part, Places};
use foretrace_stream::engine::{Sink, Time};
use foretrace_stream::flow::PlannedOutput;
use foretrace_stream::value::Value;
use std::ops::ControlFlow;

/// Passes the events of the outputs on, and names the inputs that were deferred.
pub struct Naming<'a, S> {
    pub sink: &'a mut S,
    pub places: &'a mut Places,
    /// These inputs, and what they are.
    pub deferred: &'a [(Part, usize)],
}

impl<S: Sink> Sink for Naming<'_, S> {
    fn event(&mut self, time: Time, output: &PlannedOutput, value: &Value) -> ControlFlow<()> {
        self.sink.event(time, output, value)
    }

    fn recover(&mut self, pc: u64, input: usize) -> Value {
        let (part, _) = self.deferred.iter().find(|(_, other)| *other == input).expect("only these are deferred");
        self.places.code(pc).part(*part).clone()
    }
}
