//! Lines of trace text as TeSSLa itself writes them, `12: name = value`, taken apart where they lie in the buffer.
//!
//! A trace repeats itself: the timestamp of the line before, the stream that came behind the last one, the string that a
//! stream had last. What is as expected is compared, not read. Whatever is not as simple is left to the general reader.
use super::Names;
use crate::engine::Time;
use crate::flow::Plan;
use crate::types::ty::Ty;
use crate::value::Value;

/// An event, and how many bytes its line takes.
pub struct Event {
    pub time: Time,
    pub input: usize,
    pub value: Value,
    pub len: usize,
}

/// What is expected of the next line.
pub struct Quick {
    /// The last timestamp, and how it was written, with what stands between it and the name.
    time: u64,
    stamp: Vec<u8>,
    streams: Vec<Stream>,
}

struct Stream {
    /// Its name, and what stands between it and the value.
    mark: Vec<u8>,
    form: Form,
}

enum Form {
    Int,
    /// With the last string, as it was written, with the end of its line.
    Str(Vec<u8>, Value),
    Other,
}

impl Quick {
    pub fn new(plan: &Plan) -> Quick {
        let stream = |(name, ty): (&str, &Ty)| Stream {
            mark: [name.as_bytes(), b" = "].concat(),
            form: match ty {
                Ty::Int => Form::Int,
                Ty::Str => Form::Str(Vec::new(), Value::Absent),
                _ => Form::Other,
            },
        };
        let streams = plan.inputs.iter().map(|input| stream((&input.name, &input.ty))).collect();
        Quick { time: 0, stamp: Vec::new(), streams }
    }

    /// The event of the first line of the buffer, if it is simple and whole.
    #[inline]
    pub fn event(&mut self, buffer: &[u8], names: &mut Names) -> Option<Event> {
        if self.stamp.is_empty() || !buffer.starts_with(&self.stamp) {
            self.stamp(buffer)?;
        }
        let line = &buffer[self.stamp.len()..];
        let mut input = names.guess()?;
        if !line.starts_with(&self.streams[input].mark) {
            input = names.find_next(name(line)?)?;
            if !line.starts_with(&self.streams[input].mark) {
                return None;
            }
        }
        let stream = &self.streams[input];
        let text = &line[stream.mark.len()..];
        let (value, len) = match &stream.form {
            Form::Int => number(text)?,
            Form::Str(last, value) if !last.is_empty() && text.starts_with(last) => (value.clone(), last.len()),
            _ => return None,
        };
        names.came(input);
        Some(Event { time: self.time.into(), input, value, len: self.stamp.len() + stream.mark.len() + len })
    }

    /// Reads a timestamp.
    fn stamp(&mut self, buffer: &[u8]) -> Option<()> {
        let digits = buffer.iter().position(|byte| !byte.is_ascii_digit()).filter(|digits| (1..20).contains(digits))?;
        buffer[digits..].starts_with(b": ").then_some(())?;
        self.time = buffer[..digits].iter().fold(0, |time, digit| time * 10 + u64::from(digit - b'0'));
        self.stamp.clear();
        self.stamp.extend_from_slice(&buffer[..digits + 2]);
        Some(())
    }

    /// The general reader found this string on the line of a stream.
    pub fn remember(&mut self, input: usize, text: &str, value: &Value) {
        if let Form::Str(last, known) = &mut self.streams[input].form {
            last.clear();
            last.extend_from_slice(text.as_bytes());
            last.push(b'\n');
            *known = value.clone();
        }
    }
}

fn name(line: &[u8]) -> Option<&str> {
    let len = line.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')?;
    std::str::from_utf8(&line[..len]).ok()
}

/// A number up to the end of the line.
#[inline]
fn number(text: &[u8]) -> Option<(Value, usize)> {
    let mut word = 0;
    for (index, byte) in text.iter().take(19).enumerate() {
        match byte {
            b'0'..=b'9' => word = word * 10 + i64::from(byte - b'0'),
            b'\n' if index > 0 => return Some((Value::Int(word), index + 1)),
            _ => return None,
        }
    }
    None
}
