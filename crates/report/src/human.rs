//! For people, in the manner of rustc.

mod columns;
mod snippet;

use std::io::{self, Write};

use crate::model::{Counts, Finding, Origin, Report, Status, bytes};

/// How it is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Colours.
    pub colour: bool,
    /// Columns of the terminal.
    pub width: usize,
}

impl Style {
    /// Without colours, 100 columns wide.
    pub fn plain() -> Self {
        Self { colour: false, width: 100 }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn error(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    fn warning(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    fn frame(self, text: &str) -> String {
        self.paint("1;34", text)
    }
}

/// Writes a report.
pub(crate) fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for finding in report.shown() {
        write_finding(finding, style, out)?;
    }
    for open in report.undecided.iter().filter(|_| report.show_predicted) {
        writeln!(out, "{}: {}: {}", style.bold("undecided"), open.question, open.why)?;
    }
    for note in &report.notes {
        writeln!(out, "{}: {note}", style.bold("note"))?;
    }
    for line in &report.unused_suppressions {
        writeln!(out, "{}: the suppression `{line}` hid nothing", style.bold("note"))?;
    }
    write_summary(report, style, out)
}

fn write_finding(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let head = match &finding.status {
        Status::Confirmed => style.error("error"),
        Status::Predicted(_) => style.warning("predicted"),
    };
    writeln!(out, "{head}{}", style.bold(&format!(": {}", finding.title())))?;
    for (number, site) in finding.sites.iter().enumerate() {
        snippet::write(finding, site, number == 0, style, out)?;
    }
    write_memory(finding, style, out)?;
    write_threads(finding, style, out)?;
    if let Status::Predicted(why) = &finding.status {
        writeln!(out, "   {} not confirmed: {why}", style.frame("="))?;
    }
    columns::write(finding, style, out)?;
    if let Some((seen, of)) = finding.repeats {
        writeln!(out, "   {} it does not come every time: {seen} of {of} replays showed it", style.frame("="))?;
    }
    if let Some(command) = finding.replay() {
        writeln!(out, "   {} to see it again: {command}", style.frame("="))?;
    }
    writeln!(out)
}

fn write_memory(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(memory) = &finding.memory else { return Ok(()) };
    let Some(block) = memory.origin.block() else { return Ok(()) };
    let (what, verb) = match memory.origin {
        Origin::Mapped(_) => ("mapped memory", "mapped"),
        _ => ("the heap block", "allocated"),
    };
    let offset = memory.address.saturating_sub(block.address);
    let place = match block.place() {
        Some(frame) => format!(", {verb} at {} in {}", frame.short(), frame.name()),
        None => String::new(),
    };
    writeln!(out, "   {} byte {offset} of {what} of {}{place}", style.frame("="), bytes(block.size))
}

/// Where the threads come from.
fn write_threads(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for thread in &finding.threads {
        let (Some(parent), Some(frame)) = (&thread.parent, thread.place()) else { continue };
        let (name, place, function) = (&thread.name, frame.short(), frame.name());
        writeln!(out, "   {} {name} was created by {parent} at {place} in {function}", style.frame("="))?;
    }
    Ok(())
}

fn write_summary(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Counts { confirmed, predicted, undecided } = report.counts();
    let mut words = vec![match confirmed {
        0 if predicted == 0 && undecided == 0 => "nothing found".to_owned(),
        count => format!("{count} confirmed"),
    }];
    let hidden = if report.show_predicted { "" } else { " (shown with --all)" };
    words.extend((predicted > 0).then(|| format!("{predicted} predicted but not confirmed{hidden}")));
    words.extend((undecided > 0).then(|| format!("{undecided} undecided{hidden}")));
    words.extend((report.suppressed > 0).then(|| format!("{} suppressed", report.suppressed)));
    words.extend((!report.exit.is_empty()).then(|| report.exit.clone()));
    writeln!(out, "{}: {}", style.bold(&format!("foretrace: {}", report.program)), words.join("; "))
}
