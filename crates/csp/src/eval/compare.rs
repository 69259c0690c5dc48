//! Arithmetic, logic and the orders: subsets for sets, prefixes for sequences, fields from left to right for tuples.

use super::*;
use crate::syntax::*;
use std::cmp::Ordering;

impl Evaluator {
    pub(super) fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, env: &Env, span: Span) -> Eval<Value> {
        match op {
            BinOp::And => Ok(Value::Bool(self.eval_bool(a, env)? && self.eval_bool(b, env)?)),
            BinOp::Or => Ok(Value::Bool(self.eval_bool(a, env)? || self.eval_bool(b, env)?)),
            BinOp::Concat => {
                let left = self.eval(a, env)?;
                let right = self.eval(b, env)?;
                self.append(left, right, span)
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => {
                let (x, y) = (self.eval_int(a, env)?, self.eval_int(b, env)?);
                arithmetic(op, x, y, span)
            }
            _ => {
                let (x, y) = (self.eval(a, env)?, self.eval(b, env)?);
                self.comparison(op, x, y, span)
            }
        }
    }

    fn comparison(&mut self, op: BinOp, a: Value, b: Value, span: Span) -> Eval<Value> {
        let (a, b) = (self.finite(a, span)?, self.finite(b, span)?);
        let answer = match op {
            BinOp::Eq => a == b,
            BinOp::Ne => a != b,
            BinOp::Lt => order(&a, &b) == Some(Ordering::Less),
            BinOp::Le => matches!(order(&a, &b), Some(Ordering::Less | Ordering::Equal)),
            BinOp::Gt => order(&a, &b) == Some(Ordering::Greater),
            _ => matches!(order(&a, &b), Some(Ordering::Greater | Ordering::Equal)),
        };
        Ok(Value::Bool(answer))
    }

    /// A sequence with all its elements known.
    pub(super) fn finite(&mut self, value: Value, span: Span) -> Eval<Value> {
        match value {
            Value::Seq(Seq::Known(..)) => Ok(value),
            Value::Seq(_) => Ok(Seq::of(self.elements(&value, span)?)),
            other => Ok(other),
        }
    }
}

fn arithmetic(op: BinOp, x: i64, y: i64, span: Span) -> Eval<Value> {
    if y == 0 && matches!(op, BinOp::Div | BinOp::Mod) {
        return error_hint(span, "division by zero", "guard it with if");
    }
    let result = match op {
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mul => x.checked_mul(y),
        // Division rounds down, so that the remainder has the divisor's sign.
        BinOp::Div => x.checked_div_euclid(y).map(|q| if y < 0 && x.rem_euclid(y) != 0 { q - 1 } else { q }),
        _ => x.checked_rem_euclid(y).map(|r| if y < 0 && r != 0 { r + y } else { r }),
    };
    match result {
        Some(n) => Ok(Value::Int(n)),
        None => error(span, "the result does not fit 64 bits"),
    }
}

/// How two values compare, or nothing if neither comes before the other.
fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Set(x), Value::Set(y)) => subset_order(x, y),
        (Value::Seq(Seq::Known(x, i)), Value::Seq(Seq::Known(y, j))) => prefix_order(&x[*i..], &y[*j..]),
        (Value::Tuple(x), Value::Tuple(y)) | (Value::Dot(x), Value::Dot(y)) => fields_order(x, y),
        (Value::Map(x), Value::Map(y)) => {
            let inside = |p: &std::collections::BTreeMap<_, _>, q: &std::collections::BTreeMap<_, _>| {
                p.iter().all(|(k, v)| q.get(k) == Some(v))
            };
            both_ways(inside(x, y), inside(y, x))
        }
        _ => Some(a.cmp(b)),
    }
}

fn both_ways(forward: bool, backward: bool) -> Option<Ordering> {
    match (forward, backward) {
        (true, true) => Some(Ordering::Equal),
        (true, false) => Some(Ordering::Less),
        (false, true) => Some(Ordering::Greater),
        (false, false) => None,
    }
}

fn subset_order(x: &Set, y: &Set) -> Option<Ordering> {
    let inside = |p: &Set, q: &Set| match p {
        Set::Finite(items) => items.iter().all(|v| q.contains(v)),
        _ => Value::Set(p.clone()) == Value::Set(q.clone()),
    };
    both_ways(inside(x, y), inside(y, x))
}

fn prefix_order(x: &[Value], y: &[Value]) -> Option<Ordering> {
    both_ways(y.starts_with(x), x.starts_with(y))
}

fn fields_order(x: &[Value], y: &[Value]) -> Option<Ordering> {
    for (a, b) in x.iter().zip(y) {
        match order(a, b) {
            Some(Ordering::Equal) => {}
            other => return other,
        }
    }
    Some(x.len().cmp(&y.len()))
}
