//! The text form of values, as TeSSLa writes them and reads them back.
use super::{Fields, Value, float};
use std::fmt::{self, Display, Formatter};

/// Writes a value; strings without quotes if `raw`, at the outermost level only.
pub struct Shown<'a> {
    pub value: &'a Value,
    pub raw: bool,
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.value {
            Value::Str(text) if self.raw => f.write_str(text),
            value => value.fmt(f),
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Absent => f.write_str("nothing"),
            Value::Unit => f.write_str("()"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Big(value) => write!(f, "{value}"),
            Value::Float(value) => f.write_str(&float::show(*value)),
            Value::Str(text) => quoted(f, text),
            Value::Fields(fields) => show_fields(f, fields),
            Value::None => f.write_str("None"),
            Value::Some(value) => write!(f, "Some({value})"),
            Value::List(items) => listed(f, "List(", items.iter()),
            Value::Set(set) => listed(f, "Set(", set.keys()),
            Value::Map(map) => listed(f, "Map(", map.iter().map(|(key, value)| Arrow(key, value))),
            Value::Fun(_) => f.write_str("<function>"),
            Value::Stream(_) => f.write_str("<stream>"),
            Value::Error(failure) if failure.unknown => write!(f, "unknown({:?})", failure.message),
            Value::Error(failure) => write!(f, "error({:?})", failure.message),
        }
    }
}

struct Arrow<'a>(&'a Value, &'a Value);

impl Display for Arrow<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.0, self.1)
    }
}

struct Named<'a>(&'a str, &'a Value);

impl Display for Named<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.0, self.1)
    }
}

fn show_fields(f: &mut Formatter<'_>, fields: &Fields) -> fmt::Result {
    match &fields.names {
        None => listed(f, "(", fields.items.iter()),
        Some(names) => {
            f.write_str("{")?;
            separated(f, names.iter().zip(fields.items.iter()).map(|(name, value)| Named(name, value)))?;
            f.write_str("}")
        }
    }
}

fn listed(f: &mut Formatter<'_>, open: &str, items: impl Iterator<Item = impl Display>) -> fmt::Result {
    f.write_str(open)?;
    separated(f, items)?;
    f.write_str(")")
}

fn separated(f: &mut Formatter<'_>, items: impl Iterator<Item = impl Display>) -> fmt::Result {
    for (index, item) in items.enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

fn quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}
