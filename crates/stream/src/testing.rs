//! Cases in files: a specification, its input and what must come out, in one text.
//!
//! ```text
//! in x: Events[Int]
//! out x + 1 as y
//! --- input
//! 1: x = 2
//! --- output
//! 1: y = 3
//! ```
//!
//! `--- csv` in place of `--- input` gives comma-separated values; `--- options` before it lists `json`, `csv`,
//! `until=NAME`, `end=TIME`, `base-time=UNIT`, `abort-at=COUNT`, `strict`, `lenient`, `quotes`, `no-quotes`,
//! `ignore-repeated`, `core`. Where the specification or the input is wrong, the output is the message.
use crate::engine::{Engine, Time};
use crate::input::{CsvReader, TextReader, Undeclared, time_unit};
use crate::output::{Failures, Format, Writer};
use crate::{Dialect, Options, TimeBase, compile};

/// A case, taken apart.
pub struct Case {
    pub spec: String,
    pub options: Vec<String>,
    pub input: String,
    pub csv: bool,
    pub expected: String,
}

impl Case {
    /// Takes a case apart; sections may be missing.
    pub fn parse(text: &str) -> Case {
        let mut case = Case {
            spec: String::new(),
            options: Vec::new(),
            input: String::new(),
            csv: false,
            expected: String::new(),
        };
        let mut section = "spec";
        for whole in text.lines() {
            match whole.trim_end() {
                "--- input" => section = "input",
                "--- csv" => {
                    section = "input";
                    case.csv = true;
                }
                "--- output" => section = "output",
                "--- options" => section = "options",
                line => match section {
                    "spec" => case.spec += &format!("{line}\n"),
                    "options" => case.options.extend(line.split_whitespace().map(str::to_owned)),
                    "input" => case.input += &format!("{line}\n"),
                    // Blanks at the end of a line of output count.
                    _ => case.expected += &format!("{whole}\n"),
                },
            }
        }
        case
    }

    fn has(&self, name: &str) -> bool {
        self.options.iter().any(|option| option == name)
    }

    fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }

    /// Runs the case and returns what came out.
    pub fn run(&self, name: &str) -> String {
        let mut options = Options::for_text(&self.spec);
        let unit = self.input.lines().next().and_then(time_unit);
        options.base_time = self.option("base-time").or(unit).and_then(TimeBase::parse);
        let spec = match compile(name, &self.spec, &options) {
            Ok(spec) => spec,
            Err(error) => return format!("{}\n", error.rendered),
        };
        let warnings: String = spec.warnings.iter().map(|warning| format!("{warning}\n")).collect();
        let format = match () {
            () if self.options.iter().any(|o| o == "json") => Format::Json,
            () if self.options.iter().any(|o| o == "csv") => Format::Csv,
            () => Format::Text,
        };
        let mut bytes = Vec::new();
        let mut engine = Engine::new(spec.plan);
        engine.ignore_repeated = self.has("ignore-repeated");
        let quotes = self.has("quotes") || (options.dialect == Dialect::Tessla2018 && !self.has("no-quotes"));
        let failures = if self.has("lenient") { Failures::Show } else { Failures::Stop };
        let limit = self.option("abort-at").and_then(|limit| limit.parse().ok());
        let mut writer =
            Writer::new(&mut bytes, format, self.option("until")).quotes(quotes).failures(failures).limit(limit);
        let result = self.feed(&mut engine, &mut writer);
        let failure = writer.failure.take();
        let mut text = warnings + &String::from_utf8(bytes).expect("output is text");
        if let Err(message) = result {
            text += &format!("{message}\n");
        }
        if let Some(failure) = failure {
            text += &format!("{failure}\n");
        }
        text
    }

    fn feed<W: std::io::Write>(&self, engine: &mut Engine, writer: &mut Writer<'_, W>) -> Result<(), String> {
        let strict = self.options.iter().any(|option| option == "strict");
        let old = Options::for_text(&self.spec).dialect == Dialect::Tessla2018;
        let undeclared = if strict || old { Undeclared::Reject } else { Undeclared::Ignore };
        let read = if self.csv {
            CsvReader { name: "input", undeclared }.run(self.input.as_bytes(), engine, writer)
        } else {
            TextReader { name: "input", undeclared }.run(self.input.as_bytes(), engine, writer)
        };
        read.map_err(|error| error.to_string())?;
        let end: Option<Time> = self.option("end").and_then(|end| end.parse().ok());
        engine.finish(end, writer).map_err(|error| error.to_string())
    }
}
