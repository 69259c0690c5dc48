//! A compact binary trace: what the text form says, without the digits.
//!
//! The file begins with [`MAGIC`] and the names of the streams; an event is the time since the one before,
//! the number of its stream and its value, all numbers in groups of seven bits, lowest first. A string is
//! written out at its first use and named by number afterwards.
use super::error::{InputError, Problem};
use super::{Names, Undeclared};
use crate::engine::{Engine, Sink, Time};
use crate::types::ty::Ty;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::io::{self, Write};

/// The first bytes of a binary trace; the last one is the version.
pub const MAGIC: [u8; 8] = *b"ftevent\x01";

/// Writes a binary trace of streams of integers, booleans, units and strings.
pub struct BinaryWriter<W> {
    out: W,
    now: Time,
    strings: FxHashMap<String, u64>,
}

impl<W: Write> BinaryWriter<W> {
    pub fn new(mut out: W, streams: &[&str]) -> io::Result<Self> {
        out.write_all(&MAGIC)?;
        put(&mut out, streams.len() as u128)?;
        for stream in streams {
            put(&mut out, stream.len() as u128)?;
            out.write_all(stream.as_bytes())?;
        }
        Ok(BinaryWriter { out, now: 0, strings: FxHashMap::default() })
    }

    /// One event; times must not decrease.
    pub fn event(&mut self, time: Time, stream: usize, value: &Value) -> io::Result<()> {
        let passed = time.checked_sub(self.now).ok_or_else(|| io::Error::other("time goes backwards"))?;
        self.now = time;
        put(&mut self.out, passed)?;
        put(&mut self.out, stream as u128)?;
        match value {
            Value::Unit => Ok(()),
            Value::Bool(value) => put(&mut self.out, u128::from(*value)),
            Value::Int(word) => put(&mut self.out, u128::from(zigzag(*word))),
            Value::Str(text) => self.string(text),
            other => Err(io::Error::other(format!("{other} has no binary form"))),
        }
    }

    fn string(&mut self, text: &str) -> io::Result<()> {
        if let Some(number) = self.strings.get(text) {
            return put(&mut self.out, u128::from(*number) + 1);
        }
        self.strings.insert(text.to_owned(), self.strings.len() as u64);
        put(&mut self.out, 0)?;
        put(&mut self.out, text.len() as u128)?;
        self.out.write_all(text.as_bytes())
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Reads a binary trace into an engine.
pub struct BinaryReader<'a> {
    pub name: &'a str,
    pub undeclared: Undeclared,
}

impl BinaryReader<'_> {
    /// Reads everything; returns the number of events.
    pub fn run(&self, bytes: &[u8], engine: &mut Engine, sink: &mut impl Sink) -> Result<u64, InputError> {
        let mut cursor = Cursor { bytes, at: 0 };
        let mut events = 0;
        self.read(&mut cursor, engine, sink, &mut events).map_err(|problem| InputError {
            name: self.name.to_owned(),
            line: events + 1,
            column: cursor.at,
            problem: Box::new(problem),
        })?;
        Ok(events)
    }

    fn read(
        &self,
        cursor: &mut Cursor,
        engine: &mut Engine,
        sink: &mut impl Sink,
        events: &mut u64,
    ) -> Result<(), Problem> {
        let plan = engine.plan().clone();
        let names = Names::new(&plan.inputs);
        let mut inputs: Vec<(usize, &Ty)> = Vec::new();
        for stream in cursor.header()? {
            let input = names.find(&stream).ok_or(Problem::Undeclared(stream))?;
            inputs.push((input, &plan.inputs[input].ty));
        }
        let mut strings: Vec<Value> = Vec::new();
        let mut now: Time = 0;
        while cursor.at < cursor.bytes.len() && !engine.stopped() {
            now = now.checked_add(cursor.number()?).ok_or(Problem::CutOff)?;
            let stream = cursor.number()? as usize;
            let (input, ty) = *inputs.get(stream).ok_or(Problem::CutOff)?;
            let value = match ty {
                Ty::Unit => Value::Unit,
                Ty::Bool => Value::Bool(cursor.number()? != 0),
                Ty::Int => Value::Int(unzigzag(cursor.number()? as u64)),
                Ty::Str => cursor.string(&mut strings)?,
                _ => return Err(Problem::NotBinary),
            };
            *events += 1;
            engine.push(now, input, value, sink)?;
        }
        Ok(())
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn header(&mut self) -> Result<Vec<String>, Problem> {
        if !self.bytes.starts_with(&MAGIC) {
            return Err(Problem::NotBinary);
        }
        self.at = MAGIC.len();
        let count = self.number()?;
        let mut names = Vec::new();
        for _ in 0..count {
            names.push(self.text()?.to_owned());
        }
        Ok(names)
    }

    #[inline]
    fn number(&mut self) -> Result<u128, Problem> {
        let first = *self.bytes.get(self.at).ok_or(Problem::CutOff)?;
        self.at += 1;
        if first < 0x80 {
            return Ok(u128::from(first));
        }
        self.long_number(u64::from(first & 0x7f))
    }

    fn long_number(&mut self, first: u64) -> Result<u128, Problem> {
        let mut low = first;
        let mut shift = 7;
        while shift < 63 {
            let byte = *self.bytes.get(self.at).ok_or(Problem::CutOff)?;
            self.at += 1;
            low |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(u128::from(low));
            }
            shift += 7;
        }
        let mut value = u128::from(low);
        while shift < 128 {
            let byte = *self.bytes.get(self.at).ok_or(Problem::CutOff)?;
            self.at += 1;
            value |= u128::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
            shift += 7;
        }
        Err(Problem::CutOff)
    }

    fn text(&mut self) -> Result<&str, Problem> {
        let len = usize::try_from(self.number()?).map_err(|_| Problem::CutOff)?;
        let end = self.at.checked_add(len).filter(|end| *end <= self.bytes.len()).ok_or(Problem::CutOff)?;
        let text = std::str::from_utf8(&self.bytes[self.at..end]).map_err(|_| Problem::NotBinary)?;
        self.at = end;
        Ok(text)
    }

    fn string(&mut self, strings: &mut Vec<Value>) -> Result<Value, Problem> {
        match self.number()? {
            0 => {
                let value = Value::str(self.text()?);
                strings.push(value.clone());
                Ok(value)
            }
            number => strings.get(number as usize - 1).cloned().ok_or(Problem::CutOff),
        }
    }
}

fn put(out: &mut impl Write, mut value: u128) -> io::Result<()> {
    while value >= 0x80 {
        out.write_all(&[value as u8 | 0x80])?;
        value >>= 7;
    }
    out.write_all(&[value as u8])
}

/// Small numbers of either sign become small numbers.
fn zigzag(word: i64) -> u64 {
    (word << 1 ^ word >> 63) as u64
}

fn unzigzag(word: u64) -> i64 {
    (word >> 1) as i64 ^ -((word & 1) as i64)
}
