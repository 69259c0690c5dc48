//! For people, in the manner of rustc.

mod columns;
mod groups;
mod names;
mod needs;
mod readable;
mod seen;
mod snippet;

use std::io::{self, Write};

use crate::visible::visible;

use crate::model::Kind;
pub(crate) use needs::words as moment;

use crate::model::{Access, Counts, Finding, Frame, Origin, Report, Status, bytes};
use crate::words;

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
        write_finding(&readable::finding(finding), style, out)?;
    }
    for open in report.undecided.iter().filter(|_| report.show_predicted) {
        let alike = if open.count > 1 { format!(" ({} questions)", open.count) } else { String::new() };
        let (question, why) = (visible(&open.question), visible(&open.why));
        writeln!(out, "{}: {question}{alike}: {why}", style.bold("undecided"))?;
    }
    for note in &report.notes {
        writeln!(out, "{}: {}", style.bold("note"), visible(note))?;
    }
    for line in &report.unused_suppressions {
        writeln!(out, "{}: the suppression `{}` hid nothing", style.bold("note"), visible(line))?;
    }
    write_summary(report, style, out)
}

fn write_finding(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let head = match &finding.status {
        Status::Confirmed => style.error("error"),
        Status::Predicted(_) => style.warning("predicted"),
    };
    writeln!(out, "{head}{}", style.bold(&format!(": {}", finding.title())))?;
    for (number, (site, others)) in groups::of(finding).into_iter().enumerate() {
        snippet::write(finding, site, number == 0, style, out)?;
        snippet::write_others(finding, &others, style, out)?;
    }
    write_pairs(finding, style, out)?;
    write_memory(finding, style, out)?;
    write_threads(finding, style, out)?;
    if let Status::Predicted(why) = &finding.status {
        note(&format!("not confirmed: {}", visible(why)), style, out)?;
    }
    columns::write(finding, style, out)?;
    write_death(finding, style, out)?;
    why(finding).iter().try_for_each(|line| note(line, style, out))?;
    if let Some((seen, of)) = finding.repeats {
        note(&format!("it does not come every time: {seen} of {of} replays showed it"), style, out)?;
    }
    let help = help(finding);
    for help in finding.fixes.iter().chain(&help) {
        note(&visible(&format!("help: {help}")), style, out)?;
    }
    // On one line, however long, to be copied.
    if let Some(command) = finding.replay() {
        writeln!(out, "   {} to see it again: {}", style.frame("="), visible(&command))?;
    }
    writeln!(out)
}

/// Why it fails: the values, and what an order needs.
pub(crate) fn why(finding: &Finding) -> Vec<String> {
    seen::lines(finding).into_iter().chain(needs::lines(finding)).collect()
}

/// Why it fails and what would mend it, for forms that are lines of text.
pub(crate) fn advice(finding: &Finding) -> Vec<String> {
    let fixes = finding.fixes.iter().map(|fix| visible(&format!("help: {fix}")));
    why(finding).into_iter().chain(fixes).collect()
}

/// A finding with names that people can read.
pub(crate) fn readable_finding(finding: &Finding) -> Finding {
    readable::finding(finding)
}

/// What may help.
pub(crate) fn help(finding: &Finding) -> Option<String> {
    if finding.place().is_some_and(|place| place.file.is_none()) {
        return Some("build with -g to see files, lines and variables".to_owned());
    }
    finding.kind.0.help(finding)
}

/// What a program that dies has printed, and of another error than a crash that it dies at all.
fn write_death(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(death) = &finding.death else { return Ok(()) };
    if finding.kind != Kind::CRASH {
        let place = death.place.as_ref().map(|frame| format!(" at {} in {}", frame.short(), frame.name()));
        let text = format!("the program can die of it: {}{}", death.what, place.unwrap_or_default());
        note(&visible(&text), style, out)?;
        if let Some(command) = death.replay() {
            writeln!(out, "   {} to see it die: {}", style.frame("="), visible(&command))?;
        }
    }
    if death.message.is_empty() {
        Ok(())
    } else {
        note(&visible(&format!("it printed: {}", death.message)), style, out)
    }
}

/// A line that begins with `=`, and as many more as it takes.
fn note(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut sign = style.frame("=");
    for line in columns::filled(text, style.width.saturating_sub(NOTE)) {
        writeln!(out, "   {sign} {line}")?;
        " ".clone_into(&mut sign);
    }
    Ok(())
}

/// Columns before the text of a note.
const NOTE: usize = 5;

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
    note(&format!("byte {offset} of {what} of {}{place}", bytes(block.size)), style, out)
}

/// Pairs of places that are listed.
const PAIRS: usize = 8;

/// Where else the same functions race for the same variable.
fn write_pairs(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if finding.also.is_empty() {
        return Ok(());
    }
    note("the same race shows at these lines, too:", style, out)?;
    for pair in finding.also.iter().take(PAIRS) {
        let place = |access: &Access| access.top().map(Frame::short).unwrap_or_default();
        let text = |access: &Access| format!("{} {}", place(access), words::act(&access.does));
        let accesses: Vec<String> = pair.accesses.iter().map(text).collect();
        writeln!(out, "      {}", accesses.join("; "))?;
    }
    match finding.also.len().saturating_sub(PAIRS) {
        0 => Ok(()),
        more => writeln!(out, "      and at {more} more pairs of lines"),
    }
}

/// Where the threads come from; those of one place together.
fn write_threads(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut places: Vec<(String, Vec<&str>)> = Vec::new();
    for thread in &finding.threads {
        let (Some(parent), Some(frame)) = (&thread.parent, thread.place()) else { continue };
        let place = format!("created by {parent} at {} in {}", frame.short(), frame.name());
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, names)) => names.push(&thread.name),
            None => places.push((place, vec![&thread.name])),
        }
    }
    places.iter().try_for_each(|(place, names)| {
        let were = if names.len() == 1 { "was" } else { "were" };
        note(&format!("{} {were} {place}", words::listed(names)), style, out)
    })
}

fn write_summary(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Counts { confirmed, predicted, undecided, suppressed } = report.counts();
    let mut parts = vec![match confirmed {
        0 if report.incomplete => "not everything could be checked; nothing found in the rest".to_owned(),
        0 if predicted == 0 && undecided == 0 => "nothing found".to_owned(),
        count => format!("{count} confirmed"),
    }];
    let hidden = if report.show_predicted { "" } else { " (shown with --all)" };
    parts.extend((predicted > 0).then(|| format!("{predicted} predicted but not confirmed{hidden}")));
    parts.extend((undecided > 0).then(|| format!("{undecided} undecided{hidden}")));
    parts.extend((suppressed > 0).then(|| format!("{suppressed} suppressed")));
    let signal = report.signal.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    parts.extend((!report.exit.is_empty()).then(|| format!("{}{signal}", report.exit)));
    writeln!(out, "{}: {}", style.bold(&format!("foretrace: {}", visible(&report.program))), parts.join("; "))
}
