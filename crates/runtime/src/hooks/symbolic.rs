//! Values that are followed: what the pass `FollowValues` of `foretrace-llvm` inserts calls of. In all other runs than
//! followed ones they do nothing.
//!
//! An expression is passed as its number, 0 for none, beside the value itself, widened to 64 bits.

use crate::gate::symbolic::{self, Expression, Value, call};
use crate::op::symbolic::now;
use foretrace_event::symbolic::{Bytes, NodeOp, Why};

fn why(number: u32) -> Why {
    Why::from_number(number as u8).unwrap_or(Why::Instruction)
}

exported! {
    /// Is this a followed run? Functions that are optimised ask once, when they begin.
    fn __foretrace_symbolic_is_on() -> u32 {
        u32::from(symbolic::is_on())
    }

    /// Memory has just been read.
    fn __foretrace_symbolic_load(at: u64, size: u64) -> Expression {
        now(|_| symbolic::load(at, size))
    }

    /// Memory has just been written.
    fn __foretrace_symbolic_store(at: u64, size: u64, value: Expression) {
        now(|_| symbolic::store(at, size, value));
    }

    /// Memory has just been copied.
    fn __foretrace_symbolic_copy(to: u64, from: u64, size: u64) {
        now(|_| symbolic::copied(to, from, size));
    }

    /// Memory has just been filled.
    fn __foretrace_symbolic_clear(at: u64, size: u64) {
        now(|_| symbolic::filled(at, size));
    }

    /// An operation on two values. Bits 0 to 7 of `what` are the operation, the next ones the width.
    fn __foretrace_symbolic_binary(what: u32, a: Expression, first: u64, b: Expression, second: u64) -> Expression {
        let Some(op) = NodeOp::from_number(what as u8) else { return 0 };
        if a == 0 && b == 0 { 0 } else { now(|_| symbolic::binary(op, (what >> 8) as u8, a, first, b, second)) }
    }

    /// A cast; `what` as above.
    fn __foretrace_symbolic_cast(what: u32, value: Expression) -> Expression {
        let Some(op) = NodeOp::from_number(what as u8) else { return 0 };
        if value == 0 { 0 } else { now(|_| symbolic::cast(op, (what >> 8) as u8, 0, value)) }
    }

    /// An address in an object: how far it is from the beginning does not depend on what is followed.
    fn __foretrace_symbolic_offset(base: Expression, from: u64, result: u64) -> Expression {
        now(|_| symbolic::binary(NodeOp::Add, 64, base, from, 0, result.wrapping_sub(from)))
    }

    /// One of two values.
    fn __foretrace_symbolic_select(
        width: u32, condition: Expression, bit: u64, a: Expression, first: u64, b: Expression, second: u64,
    ) -> Expression {
        let [condition, a, b] = [(condition, bit), (a, first), (b, second)].map(|(expression, value)| Value { expression, value });
        now(|_| symbolic::select(width as u8, condition, a, b))
    }

    /// An expression must have this value, because of a branch, an assertion, or because it is not followed further.
    fn __foretrace_symbolic_fact(number: u32, expression: Expression, value: u64) |pc| {
        if expression != 0 {
            now(|moment| symbolic::fact(moment, why(number), expression, value, pc as u64));
        }
    }

    /// A switch compares an expression with a number.
    fn __foretrace_symbolic_case(width: u32, expression: Expression, value: u64, number: u64) |pc| {
        if expression != 0 {
            now(|moment| {
                let equal = symbolic::binary(NodeOp::Equal, width as u8, expression, value, 0, number);
                symbolic::fact(moment, Why::Case, equal, u64::from(value == number), pc as u64);
            });
        }
    }

    /// An expression is about to be used as an address.
    fn __foretrace_symbolic_address(expression: Expression, value: u64) |pc| {
        if expression != 0 {
            now(|moment| symbolic::address(moment, expression, value, pc as u64));
        }
    }

    /// An expression is about to be used as a divisor.
    fn __foretrace_symbolic_divisor(width: u32, expression: Expression, value: u64) |pc| {
        if expression != 0 {
            now(|moment| {
                let holds = symbolic::binary(NodeOp::NotEqual, width as u8, expression, value, 0, 0);
                symbolic::fact(moment, Why::NotZero, holds, 1, pc as u64);
            });
        }
    }

    /// An argument of the next call.
    fn __foretrace_symbolic_argument(index: u32, expression: Expression, value: u64) {
        if expression != 0 {
            now(|_| call::argument(index, expression, value));
        }
    }

    /// A function is about to be called.
    fn __foretrace_symbolic_call(callee: u64) {
        now(|_| call::begin(callee));
    }

    /// It has returned.
    fn __foretrace_symbolic_result(callee: u64) -> Expression |pc| {
        now(|moment| call::end(moment, callee, pc as u64))
    }

    /// A function begins.
    fn __foretrace_symbolic_enter(own: u64) {
        now(|_| call::enter(own));
    }

    /// One of its parameters.
    fn __foretrace_symbolic_parameter(index: u32) -> Expression {
        now(|_| call::parameter(index))
    }

    /// It returns.
    fn __foretrace_symbolic_return(own: u64, expression: Expression) {
        now(|_| call::leave(own, expression));
    }

    /// An atomic operation is about to happen.
    fn __foretrace_symbolic_before_atomic(at: u64, size: u64) {
        now(|moment| symbolic::before_atomic(moment, at, size));
    }

    /// An atomic operation has read this value.
    fn __foretrace_symbolic_atomic_read(at: u64, size: u64, value: u64) -> Expression |pc| {
        now(|moment| symbolic::atomic_read(moment, Bytes { address: at, size: size as u8, value }, pc as u64))
    }

    /// An atomic operation has written this value.
    fn __foretrace_symbolic_atomic_write(at: u64, size: u64, value: u64, expression: Expression) {
        now(|moment| symbolic::atomic_write(moment, Bytes { address: at, size: size as u8, value }, expression));
    }
}
