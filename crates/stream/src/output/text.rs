//! Lines of trace text, made without the detours of general formatting where values are simple.
use crate::engine::Time;
use crate::value::{Shown, Value};
use std::io::Write;

/// A line, in a buffer that is used again.
#[derive(Default)]
pub struct Line {
    bytes: Vec<u8>,
    /// The time that the buffer begins with, and how many bytes that takes.
    time: Option<Time>,
    stamp: usize,
    /// Whether strings are in quotes.
    pub quotes: bool,
}

impl Line {
    /// The line of an event.
    pub fn of(&mut self, time: Time, stream: &str, value: &Value) -> &[u8] {
        if self.time != Some(time) {
            self.bytes.clear();
            match u64::try_from(time) {
                Ok(time) => decimal(&mut self.bytes, time),
                Err(_) => general(&mut self.bytes, &time),
            }
            self.bytes.extend_from_slice(b": ");
            self.time = Some(time);
            self.stamp = self.bytes.len();
        }
        self.bytes.truncate(self.stamp);
        self.bytes.extend_from_slice(stream.as_bytes());
        self.bytes.extend_from_slice(b" = ");
        shown(&mut self.bytes, value, self.quotes);
        self.bytes.push(b'\n');
        &self.bytes
    }
}

fn shown(out: &mut Vec<u8>, value: &Value, quotes: bool) {
    match value {
        Value::Unit => out.extend_from_slice(b"()"),
        Value::Int(word) => {
            if *word < 0 {
                out.push(b'-');
            }
            decimal(out, word.unsigned_abs());
        }
        Value::Set(set) => {
            out.extend_from_slice(b"Set(");
            for (index, item) in set.keys().enumerate() {
                if index > 0 {
                    out.extend_from_slice(b", ");
                }
                shown(out, item, quotes);
            }
            out.push(b')');
        }
        other => general(out, &Shown { value: other, quotes }),
    }
}

fn general(out: &mut Vec<u8>, shown: &dyn std::fmt::Display) {
    write!(out, "{shown}").expect("a vector takes any text");
}

fn decimal(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    while number >= 100 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&pair(number % 100));
        number /= 100;
    }
    at -= 2;
    digits[at..at + 2].copy_from_slice(&pair(number));
    at += usize::from(number < 10);
    out.extend_from_slice(&digits[at..]);
}

/// The two digits of a number below a hundred.
fn pair(number: u64) -> [u8; 2] {
    [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]
}
