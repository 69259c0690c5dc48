//! How functions are applied to streams.
use super::bits::{clear, has};
use super::state::State;
use crate::flow::{Arg, Events, Lift, Pasts, Plan};
use crate::value::Value;

impl State {
    /// A function on options.
    pub(super) fn events(&mut self, plan: &Plan, node: u32, events: &Events) {
        let Some(pasts) = &events.pasts else { return self.on_events(plan, node, events) };
        if self.any_doubt || pasts.all.iter().any(|past| self.is_unsettled(past.value)) {
            return self.by_definition(plan, node, events, pasts);
        }
        let is_missing = |value: u32| self.slots[value as usize].is_absent();
        if !has(&self.fired, pasts.trigger) || pasts.all.iter().any(|past| past.required && is_missing(past.value)) {
            return;
        }
        let value = self.program.apply_to_pasts(node, self.count, &mut self.slots, &self.fired);
        self.clear_taken(&events.lift);
        self.result(plan, node, value);
    }

    /// Whether the value of a stream before now is not simply the one it has.
    #[inline(always)]
    fn is_unsettled(&self, node: u32) -> bool {
        has(&self.fired, node) || matches!(self.slots[node as usize], Value::Error(_))
    }

    /// Makes the events of `last` that the function mostly does without, and applies it to them.
    #[cold]
    fn by_definition(&mut self, plan: &Plan, node: u32, events: &Events, pasts: &Pasts) {
        for past in &pasts.all {
            if has(&self.fired, pasts.trigger) && !has(&self.fired, past.node) {
                self.last(plan, past.node, Arg { node: past.value, take: false }, pasts.trigger);
            }
        }
        // An event in doubt is news to its readers, of which this is the only one.
        clear(&mut self.dirty, node);
        self.on_events(plan, node, events);
    }

    /// A function on options. A stream in doubt counts as having an event: the answer is in doubt, too.
    fn on_events(&mut self, plan: &Plan, node: u32, Events { lift, required, .. }: &Events) {
        if self.any_doubt
            && let Some(arg) = lift.args.iter().find(|arg| has(&self.doubtful, arg.node))
        {
            let value = self.slots[arg.node as usize].clone();
            return self.emit_doubtful(plan, node, value);
        }
        if !required.iter().all(|source| has(&self.fired, *source)) {
            return;
        }
        let value = self.program.apply(node, self.count, &mut self.slots, &self.fired);
        self.clear_taken(lift);
        self.result(plan, node, value);
    }

    /// Values that a function on options may take are gone behind it, whether it has taken them or not.
    #[inline(always)]
    fn clear_taken(&mut self, lift: &Lift) {
        if lift.takes {
            let taken = lift.args.iter().filter(|arg| arg.take && has(&self.fired, arg.node));
            taken.for_each(|arg| self.slots[arg.node as usize].put(Value::Absent));
        }
    }

    /// A function on current values.
    pub(super) fn signal(&mut self, plan: &Plan, node: u32, lift: &Lift) {
        let mut doubt = false;
        for arg in &lift.args {
            match &self.slots[arg.node as usize] {
                Value::Absent => return,
                Value::Error(failure) => doubt |= failure.unknown,
                _ => {}
            }
        }
        if self.any_doubt {
            let certain = |arg: &Arg| has(&self.fired, arg.node) && !has(&self.doubtful, arg.node);
            doubt |= !lift.args.iter().any(certain);
        }
        let value = self.program.apply(node, self.count, &mut self.slots, &self.fired);
        if lift.takes {
            let taken = lift.args.iter().filter(|arg| arg.take);
            taken.for_each(|arg| self.slots[arg.node as usize].put(Value::Absent));
        }
        if doubt {
            return self.emit_doubtful(plan, node, value);
        }
        self.result(plan, node, value);
    }

    #[inline(always)]
    fn result(&mut self, plan: &Plan, node: u32, value: Value) {
        match value {
            Value::Absent => {}
            Value::Error(_) => {
                let doubt = value.is_unknown();
                self.emit_perhaps(plan, node, value.into_certain(), doubt);
            }
            value => self.emit(plan, node, value),
        }
    }
}
