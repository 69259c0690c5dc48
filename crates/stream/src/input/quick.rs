//! Lines of trace text as TeSSLa itself writes them, `12: name = value`, taken apart where they lie in the buffer.
//!
//! A trace repeats itself: the timestamp of the line before, the stream that came behind the last one, the string that a
//! stream had last. What is as expected is compared, not read. Whatever is not as simple is left to the general reader.
use super::Names;
use crate::engine::Time;
use crate::flow::Plan;
use crate::ty::Ty;
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
    /// The first bytes of the mark, and which bits of them there are.
    head: u64,
    mask: u64,
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
        let streams = plan.inputs.iter().map(|input| Stream::new(&input.name, &input.ty)).collect();
        Quick { time: 0, stamp: Vec::new(), streams }
    }

    /// The event of the first line of the buffer, if it is simple and whole.
    #[inline]
    pub fn event(&mut self, buffer: &[u8], names: &mut Names) -> Option<Event> {
        if self.stamp.is_empty() || !buffer.starts_with(&self.stamp) {
            self.stamp(buffer)?;
        }
        let line = &buffer[self.stamp.len()..];
        // Shorter lines, and those at the end of the buffer, take their time.
        let head = u64::from_le_bytes(*line.first_chunk()?);
        let guess = names.guess()?;
        let (input, stream) = match &self.streams[guess] {
            stream if stream.begins(head, line) => (guess, stream),
            _ => self.streams.iter().enumerate().find(|(_, stream)| stream.begins(head, line))?,
        };
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

impl Stream {
    fn new(name: &str, ty: &Ty) -> Stream {
        let mark = [name.as_bytes(), b" = "].concat();
        let (mut head, mut mask) = ([0; 8], [0; 8]);
        for (at, byte) in mark.iter().take(8).enumerate() {
            (head[at], mask[at]) = (*byte, u8::MAX);
        }
        let form = match ty {
            Ty::Int => Form::Int,
            Ty::Str => Form::Str(Vec::new(), Value::Absent),
            _ => Form::Other,
        };
        Stream { head: u64::from_le_bytes(head), mask: u64::from_le_bytes(mask), mark, form }
    }

    /// Whether a line, of which these are the first bytes, begins with the name.
    #[inline]
    fn begins(&self, head: u64, line: &[u8]) -> bool {
        head & self.mask == self.head && line.starts_with(&self.mark)
    }
}

/// So many digits always fit a word.
const DIGITS: usize = 18;

/// A number up to the end of the line.
#[inline]
fn number(text: &[u8]) -> Option<(Value, usize)> {
    let mut word = 0;
    for (index, byte) in text.iter().take(DIGITS + 1).enumerate() {
        match byte {
            b'0'..=b'9' if index < DIGITS => word = word * 10 + i64::from(byte - b'0'),
            b'\n' if index > 0 => return Some((Value::Int(word), index + 1)),
            _ => return None,
        }
    }
    None
}
