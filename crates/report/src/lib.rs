//! A report of findings as data, and the forms it is written in.
//!
//! [`Report`] holds what was found with every address already resolved to a file, a line and a function, and the text of
//! the lines that are shown. Each form is a function from it to an [`io::Write`](std::io::Write): nothing here reads a
//! file, runs a program or looks at a terminal, so the same report gives the same bytes.
//!
//! | form | for |
//! | --- | --- |
//! | [`Format::Html`] | people: a page that needs nothing else, with the interleaving drawn |
//! | [`Format::Human`] | people: what can go wrong, the places, the interleaving, how to replay it |
//! | [`Format::Json`] | scripts: the report as it is |
//! | [`Format::Sarif`] | code scanning: SARIF 2.1.0, one thread flow a thread |
//! | [`Format::Tsan`] | what already reads ThreadSanitizer's reports |
//! | [`Format::Junit`] | test dashboards |
//! | [`Format::Github`] | annotations of a pull request |
//!
//! A finding that replay confirmed is an error. One that was only predicted is hidden unless asked for, and counted.
//!
//! The columns of threads are those of the counterexamples in the thesis (4.7, Figure 4.17), with only the steps that
//! matter.
//!
//! **Deviations.** ThreadSanitizer's form names the status, the schedule and the command to replay in lines of their own.
//!
//! **What it misses.** A SARIF baseline: which results are new is left to who compares two reports.
//!
//! ```
//! use foretrace_report::{Format, Report, Style};
//! let mut text = Vec::new();
//! let report = Report { program: "./transfer".into(), ..Report::default() };
//! foretrace_report::write(&report, Format::Human, Style::plain(), &mut text).unwrap();
//! assert!(String::from_utf8(text).unwrap().contains("nothing found"));
//! ```
#![forbid(unsafe_code)]

mod act;
mod github;
mod html;
mod human;
mod json;
mod junit;
pub mod kinds;
mod model;
mod sarif;
mod statement;
mod tsan;
mod visible;
mod words;

use std::io::{self, BufWriter, Write};

pub use act::{Act, Fault, Holder, Manner, Operation, Sort, Thing, Touch, Verb, Wait, What};
pub use human::Style;
pub use kinds::ALL as KINDS;
pub use model::{
    Access, Automaton, Bar, Block, Broken, Counts, Death, Delayed, Drawn, Edge, ErrorKind, Excerpt, Experiments,
    Exploration, Finding, Frame, How, Kind, Link, Lock, Memory, Moment, Needs, Order, Origin, Pair, Picture, Report,
    Seen, Site, Status, Step, Thread, Undecided, Written, bytes, top,
};
pub use visible::{Visible, visible};

/// The forms of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// One page, which needs nothing else.
    Html,
    /// The report as it is.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// As ThreadSanitizer writes it.
    Tsan,
    /// JUnit's XML.
    Junit,
    /// Annotations of GitHub's actions.
    Github,
}

/// Writes a report.
///
/// # Errors
/// If it cannot be written.
pub fn write(report: &Report, format: Format, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let out = &mut BufWriter::new(out);
    match format {
        Format::Human => human::write(report, style, out),
        Format::Html => html::write(report, out),
        Format::Json => json::write(report, out),
        Format::Sarif => sarif::write(report, out),
        Format::Tsan => tsan::write(report, &mut Visible::new(&mut *out)),
        Format::Junit => junit::write(report, out),
        Format::Github => github::write(report, &mut Visible::new(&mut *out)),
    }?;
    out.flush()
}
