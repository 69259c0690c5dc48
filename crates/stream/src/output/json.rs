//! JSON lines. Integers beyond what doubles can hold are written as they are; readers decide.
use crate::engine::Time;
use crate::value::Value;
use std::io::{self, Write};

pub fn line(out: &mut impl Write, time: Time, stream: &str, value: &Value) -> io::Result<()> {
    write!(out, "{{\"time\":{time},\"stream\":")?;
    string(out, stream)?;
    out.write_all(b",\"value\":")?;
    json(out, value)?;
    out.write_all(b"}\n")
}

fn json(out: &mut impl Write, value: &Value) -> io::Result<()> {
    match value {
        Value::Unit | Value::None | Value::Absent => out.write_all(b"null"),
        Value::Bool(_) | Value::Int(_) | Value::Big(_) => write!(out, "{value}"),
        Value::Float(float) if float.is_finite() => write!(out, "{value}"),
        Value::Str(text) => string(out, text),
        Value::Some(inner) => array(out, std::iter::once(&**inner)),
        Value::List(items) => array(out, items.iter()),
        Value::Set(set) => array(out, set.keys()),
        Value::Map(map) => {
            out.write_all(b"[")?;
            for (index, (key, value)) in map.iter().enumerate() {
                separator(out, index)?;
                array(out, [key, value].into_iter())?;
            }
            out.write_all(b"]")
        }
        Value::Fields(fields) => match &fields.names {
            None => array(out, fields.items.iter()),
            Some(names) => {
                out.write_all(b"{")?;
                for (index, (name, item)) in names.iter().zip(fields.items.iter()).enumerate() {
                    separator(out, index)?;
                    string(out, name)?;
                    out.write_all(b":")?;
                    json(out, item)?;
                }
                out.write_all(b"}")
            }
        },
        Value::Error(failure) => {
            out.write_all(b"{\"error\":")?;
            string(out, &failure.message)?;
            write!(out, ",\"unknown\":{}}}", failure.unknown)
        }
        Value::Float(_) | Value::Fun(_) | Value::Stream(_) => string(out, &value.to_string()),
    }
}

fn array<'a>(out: &mut impl Write, items: impl Iterator<Item = &'a Value>) -> io::Result<()> {
    out.write_all(b"[")?;
    for (index, item) in items.enumerate() {
        separator(out, index)?;
        json(out, item)?;
    }
    out.write_all(b"]")
}

fn separator(out: &mut impl Write, index: usize) -> io::Result<()> {
    if index > 0 { out.write_all(b",") } else { Ok(()) }
}

pub fn string(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    for c in text.chars() {
        match c {
            '"' => out.write_all(b"\\\"")?,
            '\\' => out.write_all(b"\\\\")?,
            '\n' => out.write_all(b"\\n")?,
            c if (c as u32) < 0x20 => write!(out, "\\u{:04x}", c as u32)?,
            c => write!(out, "{c}")?,
        }
    }
    out.write_all(b"\"")
}
