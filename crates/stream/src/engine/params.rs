//! Where the parameters of a running function are: for a lifted function the streams themselves, so that nothing is
//! copied to be looked at.
use super::state::has;
use crate::flow::Arg;
use crate::value::Value;

/// The parameters of a running function.
pub trait Params {
    /// How many there are; higher slots are locals.
    fn count(&self) -> usize;
    fn peek(&self, slot: usize) -> &Value;
    /// Whether the value may be moved out.
    fn owned(&self, slot: usize) -> bool;
    fn cell(&mut self, slot: usize) -> &mut Value;
}

/// Nothing: the parameters are locals like any other.
pub struct OnStack;

impl Params for OnStack {
    #[inline(always)]
    fn count(&self) -> usize {
        0
    }

    fn peek(&self, _: usize) -> &Value {
        unreachable!("all slots are locals")
    }

    fn owned(&self, _: usize) -> bool {
        unreachable!("all slots are locals")
    }

    fn cell(&mut self, _: usize) -> &mut Value {
        unreachable!("all slots are locals")
    }
}

/// The current values of streams, all of which have one.
pub struct Current<'a> {
    pub slots: &'a mut [Value],
    pub args: &'a [Arg],
}

impl Params for Current<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.args.len()
    }

    #[inline(always)]
    fn peek(&self, slot: usize) -> &Value {
        &self.slots[self.args[slot].node as usize]
    }

    #[inline(always)]
    fn owned(&self, slot: usize) -> bool {
        self.args[slot].take
    }

    #[inline(always)]
    fn cell(&mut self, slot: usize) -> &mut Value {
        &mut self.slots[self.args[slot].node as usize]
    }
}

/// The events of streams, where they have one now.
pub struct Events<'a> {
    pub slots: &'a mut [Value],
    pub args: &'a [Arg],
    pub fired: &'a [u64],
    /// What a stream without an event has.
    pub absent: &'a mut Value,
}

impl Params for Events<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.args.len()
    }

    #[inline(always)]
    fn peek(&self, slot: usize) -> &Value {
        let node = self.args[slot].node;
        if has(self.fired, node) { &self.slots[node as usize] } else { &Value::Absent }
    }

    #[inline(always)]
    fn owned(&self, slot: usize) -> bool {
        self.args[slot].take
    }

    #[inline(always)]
    fn cell(&mut self, slot: usize) -> &mut Value {
        let node = self.args[slot].node;
        if has(self.fired, node) { &mut self.slots[node as usize] } else { self.absent }
    }
}
