//! TeSSLa's trace text: one event a line, `timestamp: stream = value`, or `timestamp: stream` for unit.
use super::error::{InputError, Problem, shown};
use super::quick::Quick;
use super::value::{is_comment, parse_value};
use super::{Names, Undeclared};
use crate::engine::{Engine, Sink, Time};
use crate::time::TimeUnit;
use crate::ty::Ty;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::io::BufRead;

/// Reads trace text into an engine.
pub struct TextReader<'a> {
    /// What the text is called in messages.
    pub name: &'a str,
    pub undeclared: Undeclared,
}

/// Strings seen so far: the same text is the same value, without a new allocation.
type Interned = FxHashMap<Box<str>, Value>;

/// More distinct strings than this are not remembered, and no longer ones.
const MAX_INTERNED: usize = 1 << 16;
const LONGEST_INTERNED: usize = 1 << 10;

impl TextReader<'_> {
    /// Reads everything; returns the number of events, those of undeclared streams included.
    pub fn run(&self, mut input: impl BufRead, engine: &mut Engine, sink: &mut impl Sink) -> Result<u64, InputError> {
        let plan = engine.plan().clone();
        let mut names = Names::new(&plan.inputs);
        let mut interned = Interned::default();
        let mut quick = Quick::new(&plan);
        let (mut buffer, mut line, mut events) = (Vec::new(), 0u64, 0u64);
        loop {
            let simple = self.simple_lines(&mut input, &mut quick, &mut names, line, engine, sink)?;
            (line, events) = (line + simple + 1, events + simple);
            let at = |problem: Problem, column: usize| self.error(line, column, problem);
            if !foretrace_file::line(&mut input, &mut buffer).map_err(|e| at(e.into(), 1))? || engine.stopped() {
                return Ok(events);
            }
            let text = std::str::from_utf8(&buffer).map_err(|_| at(not_an_event(&buffer), 1))?.trim_ascii();
            let start = buffer.as_ptr() as usize;
            let event = match plain(text, start) {
                Some(event) => event,
                None if is_remark(text.trim()) => continue,
                None if events == 0 && time_unit(text).is_some_and(|unit| TimeUnit::by_name(unit).is_some()) => {
                    continue;
                }
                None => split(text.trim(), start).map_err(|(problem, column)| at(problem, column))?,
            };
            events += 1;
            let Some(input) = names.find_next(event.stream) else {
                if self.undeclared == Undeclared::Reject {
                    return Err(at(Problem::Undeclared(shown(event.stream)), event.stream_column));
                }
                engine.advance(event.time, sink).map_err(|e| at(e.into(), 1))?;
                continue;
            };
            let decl = &plan.inputs[input];
            let value = value(event.value, &decl.ty, &mut interned).ok_or_else(|| {
                let (stream, wanted) = (decl.name.to_string(), decl.ty.to_string());
                at(Problem::BadValue { stream, wanted, found: shown(event.value.unwrap_or("()")) }, event.value_column)
            })?;
            if let Some(text) = event.value {
                quick.remember(input, text, &value);
            }
            engine.push(event.time, input, value, sink).map_err(|e| at(e.into(), 1))?;
        }
    }

    /// Reads simple lines, as far as they are in the buffer, and answers how many there were.
    fn simple_lines(
        &self,
        input: &mut impl BufRead,
        quick: &mut Quick,
        names: &mut Names,
        line: u64,
        engine: &mut Engine,
        sink: &mut impl Sink,
    ) -> Result<u64, InputError> {
        let (mut count, mut at) = (0, 0);
        // An error of reading is reported when the reader continues.
        let Ok(buffer) = input.fill_buf() else { return Ok(0) };
        while !engine.stopped()
            && let Some(event) = quick.event(&buffer[at..], names)
        {
            count += 1;
            at += event.len;
            let pushed = engine.push(event.time, event.input, event.value, sink);
            pushed.map_err(|error| self.error(line + count, 1, error.into()))?;
        }
        input.consume(at);
        Ok(count)
    }

    fn error(&self, line: u64, column: usize, problem: Problem) -> InputError {
        InputError { name: self.name.to_owned(), line, column, problem: Box::new(problem) }
    }
}

struct Event<'a> {
    time: Time,
    stream: &'a str,
    stream_column: usize,
    value: Option<&'a str>,
    value_column: usize,
}

fn is_remark(text: &str) -> bool {
    text.is_empty() || is_comment(text)
}

/// The unit that `$timeunit = "ns"` names, if a line is that.
pub fn time_unit(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix("$timeunit")?.trim_start().strip_prefix('=')?.trim();
    rest.strip_prefix('"')?.strip_suffix('"')
}

/// Takes a line apart that is written as TeSSLa writes it, `12: name = value`; others are left to [`split`].
#[inline]
fn plain(text: &str, start: usize) -> Option<Event<'_>> {
    let bytes = text.as_bytes();
    let digits = bytes.iter().position(|byte| !byte.is_ascii_digit()).filter(|digits| (1..20).contains(digits))?;
    let time = bytes[..digits].iter().fold(0u64, |time, digit| time * 10 + u64::from(digit - b'0'));
    let name = text.get(digits..)?.strip_prefix(": ")?;
    let len = name.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_').filter(|len| *len > 0)?;
    let (stream, rest) = name.split_at(len);
    let value = rest.strip_prefix(" = ")?.trim_ascii_start();
    let column = |part: &str| part.as_ptr() as usize - start + 1;
    Some(Event {
        time: time.into(),
        stream,
        stream_column: column(stream),
        value: Some(value),
        value_column: column(value),
    })
}

/// Takes a line apart; an error comes with its column. The line starts at the address `start`.
fn split(text: &str, start: usize) -> Result<Event<'_>, (Problem, usize)> {
    let column = |part: &str| part.as_ptr() as usize - start + 1;
    let Some((time, rest)) = text.split_once(':') else { return Err((not_an_event(text.as_bytes()), column(text))) };
    let time = time.trim();
    let time = parse_time(time).ok_or_else(|| (Problem::BadTime(shown(time)), column(text)))?;
    let rest = without_comment(rest);
    let (stream, value) = match rest.split_once('=') {
        Some((stream, value)) => (stream.trim(), Some(value.trim())),
        None => (rest.trim(), None),
    };
    if stream.is_empty()
        || !stream.chars().all(|c| c.is_alphanumeric() || c == '_' || !c.is_ascii() && !c.is_whitespace())
    {
        return Err((not_an_event(text.as_bytes()), column(rest)));
    }
    Ok(Event { time, stream, stream_column: column(stream), value, value_column: value.map_or(1, column) })
}

/// An event without a value, without its comment. After a value, the value's parser handles the comment.
fn without_comment(rest: &str) -> &str {
    let comment = rest.find(['#', '=']).filter(|at| rest[*at..].starts_with('#'));
    let dashes = rest.find("--").filter(|at| !rest[..*at].contains('='));
    let end = comment.into_iter().chain(dashes).min().unwrap_or(rest.len());
    &rest[..end]
}

fn parse_time(text: &str) -> Option<Time> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    if text.len() < 20 {
        return text.parse::<u64>().ok().map(Time::from);
    }
    text.parse().ok()
}

#[inline]
fn value(text: Option<&str>, ty: &Ty, interned: &mut Interned) -> Option<Value> {
    let Some(text) = text else { return (*ty == Ty::Unit).then_some(Value::Unit) };
    match ty {
        Ty::Str => {}
        Ty::Int if (1..19).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            return Some(Value::Int(text.bytes().fold(0, |word, digit| word * 10 + i64::from(digit - b'0'))));
        }
        _ => return parse_value(text, ty),
    }
    if let Some(value) = interned.get(text) {
        return Some(value.clone());
    }
    let value = parse_value(text, ty)?;
    if interned.len() < MAX_INTERNED && text.len() <= LONGEST_INTERNED {
        interned.insert(text.into(), value.clone());
    }
    Some(value)
}

fn not_an_event(line: &[u8]) -> Problem {
    Problem::NotAnEvent(shown(String::from_utf8_lossy(line).trim()))
}
