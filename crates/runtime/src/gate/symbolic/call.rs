//! How expressions pass from a call to the function that is called, and back.
//!
//! The caller leaves the expressions of its arguments with the address of the function. The function takes them if that
//! address is its own: what libc calls, for example a thread's first function, finds nothing. What nobody has taken when
//! the call returns went to code that is not instrumented.

use super::{Expression, fact};
use core::cell::Cell;
use foretrace_event::symbolic::{Moment, Why};

/// Arguments after these are not followed.
const MOST: usize = 16;

struct Frame {
    /// The function that is about to be called; 0: the arguments have been taken.
    callee: Cell<u64>,
    arguments: [Cell<(Expression, u64)>; MOST],
    /// The arguments of the function that has just begun.
    taken: [Cell<Expression>; MOST],
    /// The function that returned last, and the expression of its result.
    returned: Cell<(u64, Expression)>,
}

// SAFETY: only the thread that has the turn comes here.
unsafe impl Sync for Frame {}

static FRAME: Frame = Frame {
    callee: Cell::new(0),
    arguments: [const { Cell::new((0, 0)) }; MOST],
    taken: [const { Cell::new(0) }; MOST],
    returned: Cell::new((0, 0)),
};

/// An argument of the next call, and its value.
pub fn argument(index: u32, expression: Expression, value: u64) {
    if let Some(slot) = FRAME.arguments.get(index as usize) {
        slot.set((expression, value));
    }
}

/// A function is about to be called, with so many arguments that were left.
pub fn begin(callee: u64) {
    FRAME.callee.set(callee);
    FRAME.returned.set((0, 0));
}

/// A function begins: it takes the arguments that were left for it.
pub fn enter(own: u64) {
    let is_own = FRAME.callee.replace(0) == own;
    for (argument, taken) in FRAME.arguments.iter().zip(&FRAME.taken) {
        let (expression, _) = argument.replace((0, 0));
        taken.set(if is_own { expression } else { 0 });
    }
}

/// An argument of the function that has just begun.
pub fn parameter(index: u32) -> Expression {
    FRAME.taken.get(index as usize).map_or(0, Cell::get)
}

/// A function returns a value with this expression.
pub fn leave(own: u64, expression: Expression) {
    FRAME.returned.set((own, expression));
}

/// A call has returned: the expression of its result.
pub fn end(moment: Moment, callee: u64, place: u64) -> Expression {
    if FRAME.callee.replace(0) == callee {
        FRAME.arguments.iter().map(|argument| argument.replace((0, 0))).for_each(|(expression, value)| {
            fact(moment, Why::Call, expression, value, place);
        });
        return 0;
    }
    let (function, expression) = FRAME.returned.replace((0, 0));
    if function == callee { expression } else { 0 }
}
