//! Events of the user's own: their values and the event itself, in one step.

use crate::axes;
use crate::op::{adopt, part};
use crate::thread;
use crate::thread::Thread;
use crate::thread::tls::Section;
use foretrace_event::wire::{ARG_NUMBER, ARG_TEXT, Op};

/// One value of an event.
#[derive(Clone, Copy)]
pub enum Value {
    /// A number.
    Number(u64),
    /// A text, by its number in the file `strings`.
    Text(u64),
}

/// The current thread emits an event. It is recorded as a whole, and is one step of a schedule.
pub fn emit(name: usize, values: &[Value], pc: usize) {
    if axes::is_replaying() {
        return part::custom(name, pc, |thread| thread.record_custom(name, values, pc));
    }
    let Some(_section) = Section::enter() else { return };
    adopt();
    if let Some(thread) = thread::current() {
        thread.end_segment();
        thread.record_custom(name, values, pc);
    }
}

impl Thread {
    /// Records the values and the event. One number is part of the event's own record.
    fn record_custom(&self, name: usize, values: &[Value], pc: usize) {
        if let [Value::Number(only)] = values {
            return self.record(Op::Custom, name, *only, pc);
        }
        for value in values {
            let (kind, value) = match value {
                Value::Number(number) => (ARG_NUMBER, *number),
                Value::Text(text) => (ARG_TEXT, *text),
            };
            self.record(Op::CustomArg, kind as usize, value, pc);
        }
        self.record(Op::CustomList, name, 0, pc);
    }
}
