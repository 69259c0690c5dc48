//! Functions of lists.
use super::{Value, int};
use std::rc::Rc;

pub fn append(list: Rc<Vec<Value>>, item: Value) -> Value {
    let mut list = list;
    Rc::make_mut(&mut list).push(item);
    Value::List(list)
}

pub fn prepend(list: Rc<Vec<Value>>, item: Value) -> Value {
    let mut list = list;
    Rc::make_mut(&mut list).insert(0, item);
    Value::List(list)
}

pub fn get(list: &[Value], index: &Value) -> Value {
    match position(list, index) {
        Some(at) => list[at].clone(),
        None => missing(list, index),
    }
}

pub fn set(mut list: Rc<Vec<Value>>, index: &Value, value: Value) -> Value {
    match position(&list, index) {
        Some(at) => {
            Rc::make_mut(&mut list)[at] = value;
            Value::List(list)
        }
        None => missing(&list, index),
    }
}

/// All but the first, or of the empty list an error.
pub fn tail(mut list: Rc<Vec<Value>>) -> Value {
    if list.is_empty() {
        return Value::error("the tail of an empty list");
    }
    Rc::make_mut(&mut list).remove(0);
    Value::List(list)
}

/// All but the last; of the empty list the empty list.
pub fn init(mut list: Rc<Vec<Value>>) -> Value {
    Rc::make_mut(&mut list).pop();
    Value::List(list)
}

fn position(list: &[Value], index: &Value) -> Option<usize> {
    int::to_word(index).and_then(|i| usize::try_from(i).ok()).filter(|i| *i < list.len())
}

fn missing(list: &[Value], index: &Value) -> Value {
    Value::error(format!("index {index} is outside a list of {} elements", list.len()))
}
