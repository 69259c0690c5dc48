//! Integers without bounds: machine words while they fit, big numbers when they do not.
use super::Value;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;
use std::rc::Rc;

/// The value of a big integer, as a word if it fits.
pub fn from_big(big: BigInt) -> Value {
    match i64::try_from(&big) {
        Ok(word) => Value::Int(word),
        Err(_) => Value::Big(Rc::new(big)),
    }
}

/// A timestamp as a value.
pub fn from_time(time: u128) -> Value {
    match i64::try_from(time) {
        Ok(word) => Value::Int(word),
        Err(_) => Value::Big(Rc::new(BigInt::from(time))),
    }
}

/// An integer as a span of time; `None` if it is negative or beyond what a timestamp can hold.
pub fn to_time(value: &Value) -> Option<u128> {
    match value {
        Value::Int(word) => u128::try_from(*word).ok(),
        Value::Big(big) => u128::try_from(&**big).ok(),
        _ => None,
    }
}

pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        // A big number lies outside the range of words, so its sign decides.
        (Value::Int(_), Value::Big(b)) => {
            Ordering::Equal.then(if b.sign() == Sign::Minus { Ordering::Greater } else { Ordering::Less })
        }
        (Value::Big(_), Value::Int(_)) => compare(b, a).reverse(),
        (Value::Big(a), Value::Big(b)) => a.cmp(b),
        _ => unreachable!("integers are checked by type"),
    }
}

pub fn to_big(value: &Value) -> BigInt {
    match value {
        Value::Int(word) => BigInt::from(*word),
        Value::Big(big) => (**big).clone(),
        _ => unreachable!("integers are checked by type"),
    }
}

/// The word, or `None` for anything larger.
pub fn to_word(value: &Value) -> Option<i64> {
    match value {
        Value::Int(word) => Some(*word),
        _ => None,
    }
}

pub fn add(a: &Value, b: &Value) -> Value {
    both(a, b, i64::checked_add, |a, b| a + b)
}

pub fn sub(a: &Value, b: &Value) -> Value {
    both(a, b, i64::checked_sub, |a, b| a - b)
}

pub fn mul(a: &Value, b: &Value) -> Value {
    both(a, b, i64::checked_mul, |a, b| a * b)
}

pub fn div(a: &Value, b: &Value) -> Value {
    if matches!(b, Value::Int(0)) {
        return Value::error("division by zero");
    }
    both(a, b, i64::checked_div, |a, b| a / b)
}

pub fn rem(a: &Value, b: &Value) -> Value {
    if matches!(b, Value::Int(0)) {
        return Value::error("division by zero");
    }
    both(a, b, i64::checked_rem, |a, b| a % b)
}

pub fn and(a: &Value, b: &Value) -> Value {
    both(a, b, |a, b| Some(a & b), |a, b| a & b)
}

pub fn or(a: &Value, b: &Value) -> Value {
    both(a, b, |a, b| Some(a | b), |a, b| a | b)
}

pub fn xor(a: &Value, b: &Value) -> Value {
    both(a, b, |a, b| Some(a ^ b), |a, b| a ^ b)
}

pub fn negate(a: &Value) -> Value {
    sub(&Value::Int(0), a)
}

pub fn flip(a: &Value) -> Value {
    match a {
        Value::Int(word) => Value::Int(!word),
        other => from_big(!to_big(other)),
    }
}

/// Bits a shift may add: enough for any real use, too few to exhaust memory.
const MAX_SHIFT: i64 = 1 << 20;

pub fn shift_left(a: &Value, by: &Value) -> Value {
    match to_word(by) {
        Some(by) if (-MAX_SHIFT..=MAX_SHIFT).contains(&by) => shift(a, by),
        _ => Value::error("the shift is too large"),
    }
}

pub fn shift_right(a: &Value, by: &Value) -> Value {
    shift_left(a, &negate(by))
}

fn shift(a: &Value, by: i64) -> Value {
    let big = to_big(a);
    from_big(if by >= 0 { big << by } else { big >> -by })
}

fn both(a: &Value, b: &Value, word: fn(i64, i64) -> Option<i64>, big: fn(BigInt, BigInt) -> BigInt) -> Value {
    if let (Value::Int(a), Value::Int(b)) = (a, b)
        && let Some(result) = word(*a, *b)
    {
        return Value::Int(result);
    }
    from_big(big(to_big(a), to_big(b)))
}
