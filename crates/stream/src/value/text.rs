//! Functions of strings and of numbers as strings.
use super::{Shown, Value};

pub fn concat(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => Value::str(&format!("{a}{b}")),
        _ => unreachable!("strings are checked by type"),
    }
}

/// The text of a value; strings stay as they are.
pub fn to_string(value: &Value) -> Value {
    match value {
        Value::Str(_) => value.clone(),
        value => Value::str(&Shown { value, quotes: false }.to_string()),
    }
}
