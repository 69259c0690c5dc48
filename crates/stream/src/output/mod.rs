//! Events of the outputs, written as TeSSLa text, JSON lines or CSV.
mod html;
mod json;
mod text;
mod vcd;

use crate::engine::{Sink, Time};
use crate::flow::PlannedOutput;
use crate::value::{Shown, Value};
use std::io::{self, Write};
use std::ops::ControlFlow;

pub use html::Page;
pub use vcd::Vcd;

/// A form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
    Csv,
}

/// What is done about an event that could not be computed, as after a division by zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    /// The run ends, as TeSSLa's does.
    Stop,
    /// It is shown as what it is, and the run goes on.
    Show,
}

/// What came out, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub events: u64,
    /// Events of streams marked as error streams.
    pub errors: u64,
    /// Events of streams that say that not everything can be checked.
    pub incomplete: u64,
    /// Events whose value, or whose existence, could not be computed.
    pub failures: u64,
}

/// Writes the events of the outputs.
pub struct Writer<'a, W> {
    out: W,
    format: Format,
    line: text::Line,
    /// End the run at the first event of this stream.
    until: Option<&'a str>,
    /// End the run after so many events.
    limit: Option<u64>,
    failures: Failures,
    /// What ended the run, if a failure did.
    pub failure: Option<String>,
    pub tally: Tally,
    /// The first failure to write.
    pub failed: Option<io::Error>,
}

impl<'a, W: Write> Writer<'a, W> {
    pub fn new(mut out: W, format: Format, until: Option<&'a str>) -> Self {
        let failed = match format {
            Format::Csv => out.write_all(b"ts,stream,value\n").err(),
            _ => None,
        };
        let (line, tally) = (text::Line::default(), Tally::default());
        Writer { out, format, line, until, limit: None, failures: Failures::Stop, failure: None, tally, failed }
    }

    /// Strings in quotes, or without.
    pub fn quotes(mut self, quotes: bool) -> Self {
        self.line.quotes = quotes;
        self
    }

    pub fn failures(mut self, failures: Failures) -> Self {
        self.failures = failures;
        self
    }

    /// Ends the run after so many events.
    pub fn limit(mut self, events: Option<u64>) -> Self {
        self.limit = events;
        self
    }

    pub fn flush(&mut self) -> io::Result<()> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn write(&mut self, time: Time, output: &PlannedOutput, value: &Value) -> io::Result<()> {
        match self.format {
            Format::Text if output.raw => writeln!(self.out, "{}", Shown { value, quotes: false }),
            Format::Text => self.out.write_all(self.line.of(time, &output.name, value)),
            Format::Json => json::line(&mut self.out, time, &output.name, value),
            Format::Csv => writeln!(self.out, "{time},{},{}", csv_cell(output.name.to_string()), csv_value(value)),
        }
    }
}

impl Writer<'_, Vec<u8>> {
    /// What was written.
    pub fn into_text(self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }
}

impl<W: Write> Sink for Writer<'_, W> {
    fn event(&mut self, time: Time, output: &PlannedOutput, value: &Value) -> ControlFlow<()> {
        if let (Value::Error(failure), Failures::Stop) = (value, self.failures) {
            self.failure = Some(format!("`{}` cannot be computed at time {time}: {}", output.name, failure.message));
            return ControlFlow::Break(());
        }
        self.tally.events += 1;
        self.tally.errors += u64::from(output.error);
        self.tally.incomplete += u64::from(output.incomplete);
        self.tally.failures += u64::from(matches!(value, Value::Error(_)));
        if let Err(error) = self.write(time, output, value) {
            self.failed = Some(error);
            return ControlFlow::Break(());
        }
        let enough = self.limit.is_some_and(|limit| self.tally.events >= limit);
        match self.until {
            Some(name) if *name == *output.name => ControlFlow::Break(()),
            _ if enough => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn csv_value(value: &Value) -> String {
    csv_cell(Shown { value, quotes: false }.to_string())
}

/// A cell, quoted where the form demands it.
fn csv_cell(text: String) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
