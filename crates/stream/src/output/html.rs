//! A page that shows the events of the outputs on an axis of time. It needs nothing but a browser.
use super::json;
use crate::engine::Time;
use crate::flow::PlannedOutput;
use crate::value::{Shown, Value};
use std::io::{self, Write};
use std::rc::Rc;

const TEMPLATE: &str = include_str!("page.html");
/// Where the data go.
const PLACE: &str = "/*DATA*/null";
/// More events are counted and not drawn: a page that no browser can open is of no use.
const MOST: usize = 300_000;

/// The events of a run.
pub struct Page {
    rows: Vec<Row>,
    kept: usize,
    left_out: u64,
    first: Option<Time>,
}

struct Row {
    name: Rc<str>,
    style: Option<Rc<str>>,
    error: bool,
    events: Vec<(Time, Mark)>,
}

/// How the value of an event is shown.
enum Mark {
    Unit,
    Number(f64, String),
    Text(String),
    Failed(String),
}

impl Page {
    pub fn new(outputs: &[PlannedOutput]) -> Page {
        let row = |output: &PlannedOutput| Row {
            name: output.name.clone(),
            style: output.style.clone(),
            error: output.error,
            events: Vec::new(),
        };
        Page { rows: outputs.iter().map(row).collect(), kept: 0, left_out: 0, first: None }
    }

    pub fn event(&mut self, time: Time, output: &PlannedOutput, value: &Value) {
        if self.kept >= MOST {
            self.left_out += 1;
            return;
        }
        self.kept += 1;
        self.first.get_or_insert(time);
        if let Some(row) = self.rows.iter_mut().find(|row| row.name == output.name) {
            row.events.push((time, mark(value)));
        }
    }

    /// Writes the page; the last event was at `end`.
    pub fn write(&self, out: &mut impl Write, title: &str, end: Time) -> io::Result<()> {
        let (before, after) = TEMPLATE.split_once(PLACE).unwrap_or((TEMPLATE, ""));
        out.write_all(before.as_bytes())?;
        let first = self.first.unwrap_or(0);
        write!(
            out,
            "{{\"first\":\"{first}\",\"end\":{},\"leftOut\":{},\"title\":",
            end.saturating_sub(first),
            self.left_out
        )?;
        script(out, title)?;
        out.write_all(b",\"rows\":[")?;
        for (index, row) in self.rows.iter().enumerate() {
            out.write_all(if index > 0 { b"," } else { b"" })?;
            row.write(out, first)?;
        }
        out.write_all(b"]}")?;
        out.write_all(after.as_bytes())?;
        out.flush()
    }
}

impl Row {
    fn write(&self, out: &mut impl Write, first: Time) -> io::Result<()> {
        out.write_all(b"{\"name\":")?;
        script(out, &self.name)?;
        out.write_all(b",\"style\":")?;
        script(out, self.style.as_deref().unwrap_or(""))?;
        write!(out, ",\"error\":{},\"events\":[", self.error)?;
        for (index, (time, mark)) in self.events.iter().enumerate() {
            out.write_all(if index > 0 { b"," } else { b"" })?;
            write!(out, "[{},", time - first)?;
            match mark {
                Mark::Unit => out.write_all(b"0]")?,
                Mark::Number(number, text) => {
                    out.write_all(b"1,")?;
                    script(out, text)?;
                    write!(out, ",{}]", if number.is_finite() { number.to_string() } else { "null".to_owned() })?;
                }
                Mark::Text(text) => {
                    out.write_all(b"2,")?;
                    script(out, text)?;
                    out.write_all(b"]")?;
                }
                Mark::Failed(text) => {
                    out.write_all(b"3,")?;
                    script(out, text)?;
                    out.write_all(b"]")?;
                }
            }
        }
        out.write_all(b"]}")
    }
}

fn mark(value: &Value) -> Mark {
    let text = || Shown { value, quotes: false }.to_string();
    match value {
        Value::Unit => Mark::Unit,
        Value::Int(word) => Mark::Number(*word as f64, text()),
        Value::Float(number) => Mark::Number(*number, text()),
        Value::Error(_) => Mark::Failed(text()),
        _ => Mark::Text(text()),
    }
}

/// A string inside a script: no text may end the script.
fn script(out: &mut impl Write, text: &str) -> io::Result<()> {
    let mut bytes = Vec::new();
    json::string(&mut bytes, text)?;
    let safe = String::from_utf8_lossy(&bytes).replace('<', "\\u003c").replace('\u{2028}', "\\u2028");
    out.write_all(safe.as_bytes())
}
