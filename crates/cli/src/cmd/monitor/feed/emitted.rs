//! Events that a program emits because annotations of inputs asked for them.

use super::super::naming::Naming;
use super::super::places::Places;
use super::Streams;
use crate::cmd::probes::{Form, Probes, Taker};
use foretrace_event::wire::{Op, Sync};
use foretrace_stream::engine::{Engine, RunError, Sink};
use foretrace_stream::value::Value;
use rustc_hash::FxHashMap;

/// Which inputs have events when the program emits one.
#[derive(Default)]
pub struct Emitted {
    /// By the name of the event.
    names: FxHashMap<String, usize>,
    joins: Vec<Vec<Taker>>,
    /// Inputs that tell the thread.
    threads: Vec<Taker>,
    /// By the address of the name; none if the event is not one of these.
    known: FxHashMap<u64, Option<usize>>,
    /// The values of the event that a thread emits next.
    values: FxHashMap<u64, Vec<u64>>,
}

impl Emitted {
    pub fn new(engine: &Engine, probes: &Probes) -> Self {
        let used = |takers: &[Taker]| -> Vec<Taker> {
            takers.iter().copied().filter(|taker| engine.plan().input_nodes[taker.input].is_some()).collect()
        };
        let names = probes.joins.iter().enumerate().map(|(number, join)| (join.order.event.clone(), number));
        Self {
            names: names.collect(),
            joins: probes.joins.iter().map(|join| used(&join.takers)).collect(),
            threads: used(&probes.threads),
            ..Self::default()
        }
    }

    /// The join-point and the values of an event that a record completes, if it is one of these.
    fn complete(&mut self, thread: u64, sync: &Sync, places: &Places) -> Option<(usize, Vec<u64>)> {
        if self.names.is_empty() {
            return None;
        }
        if sync.op == Op::CustomArg {
            self.values.entry(thread).or_default().push(sync.arg);
            return None;
        }
        let before = self.values.get_mut(&thread).map(std::mem::take).unwrap_or_default();
        let values = if sync.op == Op::Custom { vec![sync.arg] } else { before };
        let names = &self.names;
        let find = || places.event(sync.object).and_then(|name| names.get(&name).copied());
        let join = *self.known.entry(sync.object).or_insert_with(find);
        Some((join?, values))
    }
}

impl Streams {
    /// A record of an event of the program's own.
    pub(super) fn custom(
        &mut self,
        engine: &mut Engine,
        thread: u64,
        sync: &Sync,
        sink: &mut Naming<'_, impl Sink>,
    ) -> Result<(), RunError> {
        let Some((join, values)) = self.emitted.complete(thread, sync, sink.places) else { return Ok(()) };
        self.not_before(sync.stamp);
        self.begin(engine, thread, sync.pc, "event", sink)?;
        let Emitted { joins, threads, .. } = &self.emitted;
        for taker in &joins[join] {
            let bits = values.get(taker.field).copied().unwrap_or(0);
            engine.push(self.time, taker.input, value(taker.form, bits), sink)?;
        }
        for taker in threads {
            engine.push(self.time, taker.input, value(taker.form, thread), sink)?;
        }
        Ok(())
    }
}

fn value(form: Form, bits: u64) -> Value {
    match form {
        Form::Unit => Value::Unit,
        Form::Int => Value::Int(bits.cast_signed()),
        Form::Bool => Value::Bool(bits != 0),
        Form::Float => Value::Float(f64::from_bits(bits)),
    }
}
