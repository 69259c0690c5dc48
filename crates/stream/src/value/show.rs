//! The text form of values, as TeSSLa writes them and reads them back.
use super::{Fields, Value, float};
use std::fmt::{self, Display, Formatter};

/// A value with strings in quotes, as TeSSLa wrote them up to 1.1, or without, as it does since.
pub struct Shown<'a> {
    pub value: &'a Value,
    pub quotes: bool,
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Shown { value: self, quotes: true }.fmt(f)
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.value {
            Value::Absent => f.write_str("nothing"),
            Value::Unit => f.write_str("()"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Big(value) => write!(f, "{value}"),
            Value::Float(value) => f.write_str(&float::show(*value)),
            Value::Str(text) if self.quotes => quoted(f, text),
            Value::Str(text) => f.write_str(text),
            Value::Fields(fields) => self.fields(f, fields),
            Value::None => f.write_str("None"),
            Value::Some(value) => write!(f, "Some({})", self.of(value)),
            Value::List(items) => listed(f, "List(", items.iter().map(|item| self.of(item))),
            Value::Set(set) => listed(f, "Set(", set.keys().map(|key| self.of(key))),
            Value::Map(map) => {
                listed(f, "Map(", map.iter().map(|(key, value)| Pair(self.of(key), " -> ", self.of(value))))
            }
            Value::Fun(_) => f.write_str("<function>"),
            Value::Stream(_) => f.write_str("<stream>"),
            Value::Error(failure) if failure.unknown => write!(f, "unknown({:?})", failure.message),
            Value::Error(failure) => write!(f, "error({:?})", failure.message),
        }
    }
}

impl<'a> Shown<'a> {
    fn of(&self, value: &'a Value) -> Shown<'a> {
        Shown { value, quotes: self.quotes }
    }

    fn fields(&self, f: &mut Formatter<'_>, fields: &'a Fields) -> fmt::Result {
        match &fields.names {
            None => listed(f, "(", fields.items.iter().map(|item| self.of(item))),
            Some(names) => {
                f.write_str("{")?;
                let named = names.iter().zip(fields.items.iter());
                separated(f, named.map(|(name, value)| Pair(name, " = ", self.of(value))))?;
                f.write_str("}")
            }
        }
    }
}

struct Pair<A, B>(A, &'static str, B);

impl<A: Display, B: Display> Display for Pair<A, B> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.0, self.1, self.2)
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
