//! A compact binary trace: what the text form says, without the digits.
//!
//! The file begins with [`MAGIC`] and the streams, each with the [form](Form) of its values and its name; an event is the
//! time since the one before, the number of its stream and its value, all numbers in groups of seven bits, lowest
//! first. A string is written out at its first use and named by number afterwards.
use super::error::{InputError, MAX_STREAMS, MAX_STRINGS, Problem, shown};
use super::{Names, Undeclared};
use crate::engine::{Engine, Sink, Time};
use crate::ty::Ty;
use crate::value::Value;
use foretrace_file::LONGEST_LINE;
use rustc_hash::FxHashMap;
use std::io::{self, Read, Write};

/// The first bytes of a binary trace; the last one is the version.
pub const MAGIC: [u8; 8] = *b"ftevent\x02";

/// What the values of a stream are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Unit,
    Bool,
    Int,
    Str,
}

impl Form {
    const ALL: [Form; 4] = [Form::Unit, Form::Bool, Form::Int, Form::Str];

    fn from_code(code: u128) -> Option<Form> {
        Form::ALL.get(usize::try_from(code).ok()?).copied()
    }

    fn ty(self) -> Ty {
        match self {
            Form::Unit => Ty::Unit,
            Form::Bool => Ty::Bool,
            Form::Int => Ty::Int,
            Form::Str => Ty::Str,
        }
    }
}

/// Writes a binary trace of streams of integers, booleans, units and strings.
pub struct BinaryWriter<W> {
    out: W,
    forms: Vec<Form>,
    now: Time,
    strings: FxHashMap<String, u64>,
}

impl<W: Write> BinaryWriter<W> {
    pub fn new(mut out: W, streams: &[(&str, Form)]) -> io::Result<Self> {
        out.write_all(&MAGIC)?;
        put(&mut out, streams.len() as u128)?;
        for (stream, form) in streams {
            put(&mut out, *form as u128)?;
            put(&mut out, stream.len() as u128)?;
            out.write_all(stream.as_bytes())?;
        }
        let forms = streams.iter().map(|(_, form)| *form).collect();
        Ok(BinaryWriter { out, forms, now: 0, strings: FxHashMap::default() })
    }

    /// One event; times must not decrease.
    pub fn event(&mut self, time: Time, stream: usize, value: &Value) -> io::Result<()> {
        let passed = time.checked_sub(self.now).ok_or_else(|| io::Error::other("time goes backwards"))?;
        self.now = time;
        put(&mut self.out, passed)?;
        put(&mut self.out, stream as u128)?;
        match (self.forms[stream], value) {
            (Form::Unit, Value::Unit) => Ok(()),
            (Form::Bool, Value::Bool(value)) => put(&mut self.out, u128::from(*value)),
            (Form::Int, Value::Int(word)) => put(&mut self.out, u128::from(zigzag(*word))),
            (Form::Str, Value::Str(text)) => self.string(text),
            (form, other) => Err(io::Error::other(format!("{other} is not of the form {form:?}"))),
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
    /// Reads everything, a piece at a time; returns the number of events.
    pub fn run(&self, input: impl Read, engine: &mut Engine, sink: &mut impl Sink) -> Result<u64, InputError> {
        let mut cursor = Cursor { input, buffer: Vec::new(), at: 0, passed: 0, ended: false };
        let mut events = 0;
        self.read(&mut cursor, engine, sink, &mut events).map_err(|problem| InputError {
            name: self.name.to_owned(),
            line: events + 1,
            column: cursor.passed + cursor.at,
            problem: Box::new(problem),
        })?;
        Ok(events)
    }

    fn read(
        &self,
        cursor: &mut Cursor<impl Read>,
        engine: &mut Engine,
        sink: &mut impl Sink,
        events: &mut u64,
    ) -> Result<(), Problem> {
        let plan = engine.plan().clone();
        let mut streams: Vec<(Option<usize>, Form)> = Vec::new();
        let names = Names::new(&plan.inputs);
        for (stream, form) in cursor.header()? {
            let input = names.find(&stream);
            if input.is_none() && self.undeclared == Undeclared::Reject {
                return Err(Problem::Undeclared(shown(&stream)));
            }
            if let Some(decl) = input.map(|input| &plan.inputs[input]).filter(|decl| form.ty() != decl.ty) {
                let (wanted, found) = (decl.ty.to_string(), form.ty().to_string());
                return Err(Problem::BadType { stream, wanted, found });
            }
            streams.push((input, form));
        }
        let mut strings = Strings::default();
        let mut now: Time = 0;
        while cursor.more()? && !engine.stopped() {
            let (passed, stream) = (cursor.number()?, cursor.number()?);
            if passed != 0 {
                now = now.checked_add(passed).ok_or(Problem::TimeTooLarge)?;
            }
            let Some((input, form)) = usize::try_from(stream).ok().and_then(|stream| streams.get(stream)) else {
                return Err(Problem::NoStream(stream));
            };
            let value = match form {
                Form::Int => Value::Int(unzigzag(cursor.number()? as u64)),
                Form::Str => cursor.string(&mut strings)?,
                Form::Unit => Value::Unit,
                Form::Bool => Value::Bool(cursor.number()? != 0),
            };
            *events += 1;
            match input {
                Some(input) => engine.push(now, *input, value, sink)?,
                None => engine.advance(now, sink)?,
            }
        }
        Ok(())
    }
}

/// The strings that a trace has written out so far.
#[derive(Default)]
struct Strings {
    all: Vec<Value>,
    bytes: usize,
}

impl Strings {
    fn add(&mut self, text: &str) -> Result<Value, Problem> {
        self.bytes += text.len() + STRING;
        if self.bytes > MAX_STRINGS {
            return Err(Problem::TooManyStrings);
        }
        let value = Value::str(text);
        self.all.push(value.clone());
        Ok(value)
    }
}

/// What a string takes beside its text, about.
const STRING: usize = 64;

/// How much is read at a time.
const PIECE: usize = 1 << 16;
/// More than the numbers of an event take: three of at most 19 bytes each.
const EVENT: usize = 64;

/// A place in the input, with the bytes around it.
struct Cursor<R> {
    input: R,
    buffer: Vec<u8>,
    at: usize,
    /// Bytes before the buffer.
    passed: usize,
    ended: bool,
}

impl<R: Read> Cursor<R> {
    fn header(&mut self) -> Result<Vec<(String, Form)>, Problem> {
        self.fill(MAGIC.len())?;
        if !self.buffer.starts_with(&MAGIC) {
            return Err(Problem::NotBinary);
        }
        self.at = MAGIC.len();
        self.more()?;
        let count = self.number()?;
        if count > MAX_STREAMS {
            return Err(Problem::TooManyStreams);
        }
        let mut streams = Vec::new();
        for _ in 0..count {
            self.more()?;
            let form = Form::from_code(self.number()?).ok_or(Problem::NotBinary)?;
            streams.push((self.text()?.to_owned(), form));
        }
        Ok(streams)
    }

    /// Whether anything is left; the numbers of an event are then in the buffer, if they are there at all.
    #[inline]
    fn more(&mut self) -> Result<bool, Problem> {
        if self.buffer.len() - self.at < EVENT && !self.ended {
            self.fill(EVENT)?;
        }
        Ok(self.at < self.buffer.len())
    }

    /// Brings at least `len` bytes into the buffer, unless the input ends before.
    #[cold]
    fn fill(&mut self, len: usize) -> Result<(), Problem> {
        self.buffer.drain(..self.at);
        self.passed += self.at;
        self.at = 0;
        while self.buffer.len() < len && !self.ended {
            // Memory is allocated only for bytes that are there, whatever length the input claims.
            let read = self.input.by_ref().take(PIECE as u64).read_to_end(&mut self.buffer)?;
            self.ended = read == 0;
        }
        Ok(())
    }

    #[inline(always)]
    fn number(&mut self) -> Result<u128, Problem> {
        let mut value = 0u64;
        for (index, byte) in self.buffer[self.at..].iter().take(9).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if *byte < 0x80 {
                self.at += index + 1;
                return Ok(u128::from(value));
            }
        }
        self.long_number()
    }

    #[cold]
    fn long_number(&mut self) -> Result<u128, Problem> {
        let mut value = 0;
        for shift in (0..128).step_by(7) {
            let Some(byte) = self.buffer.get(self.at) else { return Err(Problem::CutOff) };
            self.at += 1;
            value |= u128::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Problem::CutOff)
    }

    fn text(&mut self) -> Result<&str, Problem> {
        let len = self.number()?;
        let len = usize::try_from(len).ok().filter(|len| *len as u64 <= LONGEST_LINE).ok_or(Problem::LongString)?;
        if self.buffer.len() - self.at < len {
            self.fill(len)?;
        }
        let bytes = self.buffer[self.at..].get(..len).ok_or(Problem::CutOff)?;
        self.at += len;
        std::str::from_utf8(bytes).map_err(|_| Problem::NotBinary)
    }

    #[inline]
    fn string(&mut self, strings: &mut Strings) -> Result<Value, Problem> {
        match self.number()? {
            0 => strings.add(self.text()?),
            number => match usize::try_from(number - 1).ok().and_then(|index| strings.all.get(index)) {
                Some(value) => Ok(value.clone()),
                None => Err(Problem::NoString(number)),
            },
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
