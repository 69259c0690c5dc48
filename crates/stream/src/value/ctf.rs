//! Events of the Common Trace Format as values: structures are records, an enumeration's value has a label and a number.
use super::Value;

/// The parts of an event that a path may begin with; without one it begins with the fields.
const PARTS: [&str; 5] = ["context", "eventcontext", "eventheader", "packetcontext", "fields"];

/// A field of a structure.
pub fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let Value::Fields(fields) = value else { return None };
    let at = fields.names.as_ref()?.iter().position(|known| &**known == name)?;
    fields.items.get(at)
}

/// An integer, or the number of an enumeration's value.
pub fn number(value: &Value) -> &Value {
    field(value, "value").unwrap_or(value)
}

/// An integer in an event, by its path, such as `length`, `header.id` or `context:cpu`.
pub fn get_int(event: &Value, path: &str) -> Value {
    match find(event, path).map(number) {
        Some(value @ (Value::Int(_) | Value::Big(_))) => value.clone(),
        Some(_) => Value::error(format!("field `{path}` of the event is not an integer")),
        None => missing(path),
    }
}

/// A text in an event, or the label of an enumeration's value, by its path.
pub fn get_string(event: &Value, path: &str) -> Value {
    match find(event, path).map(|value| field(value, "label").unwrap_or(value)) {
        Some(value @ Value::Str(_)) => value.clone(),
        Some(_) => Value::error(format!("field `{path}` of the event is not a string")),
        None => missing(path),
    }
}

fn missing(path: &str) -> Value {
    Value::error(format!("the event has no field `{path}`"))
}

fn find<'v>(event: &'v Value, path: &str) -> Option<&'v Value> {
    let (part, path) = match path.split_once(':') {
        Some((part, path)) if PARTS.contains(&part) => (part, path),
        _ => ("fields", path),
    };
    inside(field(event, part)?, path)
}

/// A value inside others. A name may have points in it: the longest that fits is taken.
fn inside<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    if let Some(found) = field(value, path) {
        return Some(found);
    }
    let (first, rest) = path.split_once('.')?;
    inside(field(value, first)?, rest)
}
