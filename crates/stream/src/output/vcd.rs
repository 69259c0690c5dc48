//! Value change dumps (IEEE 1364, section 18), which viewers of waveforms read.
//!
//! Units are `event` variables, booleans `wire`s of one bit, integers words of 64 bits, floats `real`s and everything
//! else `string`s, which gtkwave shows. What is larger than a word is a string, too.
use crate::engine::Time;
use crate::flow::PlannedOutput;
use crate::value::{Shown, Value};
use std::io::{self, Write};

/// Writes a dump.
pub struct Vcd<W> {
    out: W,
    /// The nodes of the outputs: which variable is whose.
    names: Vec<std::rc::Rc<str>>,
    /// Changes before the first definition of every variable is known: a variable has one kind.
    kinds: Vec<Option<char>>,
    body: Vec<u8>,
    now: Option<Time>,
    failed: Option<io::Error>,
}

impl<W: Write> Vcd<W> {
    pub fn new(out: W, outputs: &[PlannedOutput]) -> io::Result<Self> {
        let names = outputs.iter().map(|output| output.name.clone()).collect();
        Ok(Vcd { out, names, kinds: vec![None; outputs.len()], body: Vec::new(), now: None, failed: None })
    }

    /// One event; times do not decrease.
    pub fn event(&mut self, time: Time, output: &PlannedOutput, value: &Value) {
        let Some(at) = self.names.iter().position(|name| *name == output.name) else { return };
        if self.now != Some(time) {
            self.now = Some(time);
            self.put(format_args!("#{time}\n"));
        }
        let kind = *self.kinds[at].get_or_insert(kind(value));
        let code = code(at);
        match (kind, value) {
            ('e', _) => self.put(format_args!("1{code}\n")),
            ('b', Value::Bool(value)) => self.put(format_args!("{}{code}\n", u8::from(*value))),
            ('i', Value::Int(word)) => self.put(format_args!("b{:b} {code}\n", word)),
            ('f', Value::Float(number)) => self.put(format_args!("r{number:e} {code}\n")),
            ('i', _) => self.put(format_args!("bx {code}\n")),
            ('b', _) => self.put(format_args!("x{code}\n")),
            ('f', _) => self.put(format_args!("rNaN {code}\n")),
            _ => {
                let text = Shown { value, quotes: false }.to_string();
                // A string ends at a blank.
                let text: String =
                    text.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
                self.put(format_args!("s{text} {code}\n"));
            }
        }
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        if let Err(error) = self.body.write_fmt(text) {
            self.failed = self.failed.take().or(Some(error));
        }
    }

    /// The header, now that the kinds are known, the changes, and the end of time.
    pub fn finish(&mut self, end: Time) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        writeln!(self.out, "$timescale 1 ns $end\n$scope module monitor $end")?;
        for (at, name) in self.names.iter().enumerate() {
            let (kind, width) = match self.kinds[at] {
                Some('e') => ("event", 1),
                Some('b') => ("wire", 1),
                Some('i') => ("integer", 64),
                Some('f') => ("real", 64),
                _ => ("string", 1),
            };
            let name: String = name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
            writeln!(self.out, "$var {kind} {width} {} {name} $end", code(at))?;
        }
        writeln!(self.out, "$upscope $end\n$enddefinitions $end")?;
        self.out.write_all(&self.body)?;
        writeln!(self.out, "#{}", end + 1)?;
        self.out.flush()
    }
}

fn kind(value: &Value) -> char {
    match value {
        Value::Unit => 'e',
        Value::Bool(_) => 'b',
        Value::Int(_) => 'i',
        Value::Float(_) => 'f',
        _ => 's',
    }
}

/// A short name of printable characters.
fn code(mut number: usize) -> String {
    let mut out = String::new();
    loop {
        out.push(char::from(b'!' + (number % 94) as u8));
        number /= 94;
        if number == 0 {
            return out;
        }
    }
}
