//! Where a value that a function reads already is, so that it is looked at without being copied.
use super::{Ctx, Eval};
use crate::engine::bits::has;
use crate::value::Value;

#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// The current value of a stream.
    Stream(usize),
    /// The value of a stream if it has an event now.
    Event(u32),
    /// A local of the running function.
    Local(usize),
    Captured(usize),
    Const(Value),
    /// A field of the record at a place that is not itself a field.
    Field(Box<Place>, usize),
}

impl Ctx<'_> {
    /// The value at a place.
    #[inline(always)]
    pub fn get<'c>(&'c self, place: &'c Place) -> &'c Value {
        match place {
            Place::Field(base, index) => field(self.root(base), *index),
            place => self.root(place),
        }
    }

    #[inline(always)]
    fn root<'c>(&'c self, place: &'c Place) -> &'c Value {
        match place {
            Place::Stream(node) => &self.cells[*node],
            Place::Local(slot) => &self.cells[self.base + slot],
            Place::Const(value) => value,
            Place::Event(node) if has(self.fired, *node) => &self.cells[*node as usize],
            Place::Event(_) => &Value::Absent,
            Place::Captured(index) => &self.captures[*index],
            Place::Field(..) => unreachable!("fields of fields are computed"),
        }
    }

    /// Moves a value out of its place.
    #[inline(always)]
    pub fn take(&mut self, place: &Place) -> Value {
        match place {
            Place::Stream(node) => std::mem::take(&mut self.cells[*node]),
            Place::Local(slot) => std::mem::take(&mut self.cells[self.base + slot]),
            Place::Event(node) if has(self.fired, *node) => std::mem::take(&mut self.cells[*node as usize]),
            Place::Event(_) => Value::Absent,
            other => self.get(other).clone(),
        }
    }

    /// Runs a body with a local, which is gone afterwards.
    #[inline(always)]
    pub fn with(&mut self, slot: usize, value: Value, body: &Eval) -> Value {
        let at = self.base + slot;
        self.cells[at].put(value);
        let result = body(self);
        self.cells[at].put(Value::Absent);
        result
    }
}

/// A field of a record; a failure in the place of the record is the failure of the field.
#[inline(always)]
fn field(base: &Value, index: usize) -> &Value {
    match base {
        Value::Fields(fields) => &fields.items[index],
        failed => failed,
    }
}
