//! What operations mean, on numbers; constants are folded when an expression is made.

use super::{Binary, Expr, Exprs};
use crate::ids::ExprId;

/// The bits of a value of this width.
pub fn mask(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The value of the bits as a signed number.
pub fn signed(width: u8, value: u64) -> i64 {
    let unused = 64 - u32::from(width);
    ((value << unused) as i64) >> unused
}

/// The node as a number, if its operands are numbers.
pub(crate) fn constant(exprs: &Exprs, node: Expr, width: u8) -> Option<Expr> {
    if matches!(node, Expr::Const(_) | Expr::Read(_)) || !node.operands().all(|o| exprs.constant(o).is_some()) {
        return None;
    }
    Some(Expr::Const(apply(exprs, node, width, &|id| exprs.constant(id).unwrap_or(0))))
}

/// What an operation with a neutral or an equal operand gives.
pub(crate) fn trivial(exprs: &mut Exprs, op: Binary, a: ExprId, b: ExprId) -> Option<ExprId> {
    let (left, right) = (exprs.constant(a), exprs.constant(b));
    let ones = mask(exprs.width(a));
    match (op, left, right) {
        (Binary::Add | Binary::Or | Binary::Xor, Some(0), _) => Some(b),
        (Binary::And, Some(all), _) if all == ones => Some(b),
        (
            Binary::Add | Binary::Or | Binary::Xor | Binary::Sub | Binary::Shl | Binary::Lshr | Binary::Ashr,
            _,
            Some(0),
        ) => Some(a),
        (Binary::And, _, Some(all)) if all == ones => Some(a),
        (Binary::Eq | Binary::Ule | Binary::Sle, ..) if a == b => exprs.number(1, 1).ok(),
        (Binary::Ne | Binary::Ult | Binary::Slt, ..) if a == b => exprs.number(1, 0).ok(),
        _ => None,
    }
}

/// The value of a node other than a read, given those of its operands.
pub(crate) fn apply(exprs: &Exprs, node: Expr, width: u8, value: &dyn Fn(ExprId) -> u64) -> u64 {
    let result = match node {
        Expr::Const(number) => number,
        Expr::Read(_) => 0,
        Expr::Binary(op, a, b) => binary(op, exprs.width(a), value(a), value(b)),
        Expr::Select(c, a, b) => value(if value(c) == 1 { a } else { b }),
        Expr::Zext(a) => value(a),
        Expr::Sext(a) => signed(exprs.width(a), value(a)) as u64,
        Expr::Extract(a, low) => value(a) >> low,
        Expr::Concat(a, b) => value(b) | value(a).checked_shl(u32::from(exprs.width(b))).unwrap_or(0),
    };
    result & mask(width)
}

/// The result of an operation on values of this width, not yet cut to its width.
pub fn binary(op: Binary, width: u8, a: u64, b: u64) -> u64 {
    let (x, y) = (signed(width, a), signed(width, b));
    match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Udiv => a.checked_div(b).unwrap_or(u64::MAX),
        Binary::Urem => a.checked_rem(b).unwrap_or(a),
        Binary::Sdiv if y == 0 => {
            if x < 0 {
                1
            } else {
                u64::MAX
            }
        }
        Binary::Sdiv => x.wrapping_div(y) as u64,
        Binary::Srem if y == 0 => a,
        Binary::Srem => x.wrapping_rem(y) as u64,
        Binary::Shl if b >= u64::from(width) => 0,
        Binary::Shl => a << b,
        Binary::Lshr if b >= u64::from(width) => 0,
        Binary::Lshr => a >> b,
        Binary::Ashr => (x >> b.min(u64::from(width) - 1)) as u64,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Eq => u64::from(a == b),
        Binary::Ne => u64::from(a != b),
        Binary::Ult => u64::from(a < b),
        Binary::Ule => u64::from(a <= b),
        Binary::Slt => u64::from(x < y),
        Binary::Sle => u64::from(x <= y),
    }
}
