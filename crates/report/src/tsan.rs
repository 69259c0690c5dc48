//! As ThreadSanitizer writes it, so that what reads its reports reads ours. Lines it does not have stand before the
//! summary: status, schedule, command to replay.

use std::io::{self, Write};

use crate::model::{Finding, Frame, Kind, Report, Status, Thread};

/// Writes a report.
pub(crate) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let shown: Vec<&Finding> = report.shown().collect();
    shown.iter().try_for_each(|finding| warning(finding, out))?;
    if !shown.is_empty() {
        writeln!(out, "ThreadSanitizer: reported {} warnings", shown.len())?;
    }
    Ok(())
}

fn warning(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let kind = match finding.kind {
        Kind::DataRace => "data race",
        Kind::Deadlock => "lock-order-inversion (potential deadlock)",
    };
    writeln!(out, "==================\nWARNING: ThreadSanitizer: {kind} (pid=0)")?;
    sites(finding, out)?;
    memory(finding, out)?;
    finding.threads.iter().filter(|thread| thread.number > 0).try_for_each(|thread| created(thread, out))?;
    own_lines(finding, out)?;
    let place = finding.place().cloned().unwrap_or_default();
    writeln!(out, "SUMMARY: ThreadSanitizer: {kind} {} in {}\n==================", place.short(), place.name())
}

fn sites(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    for (number, site) in finding.sites.iter().enumerate() {
        let previous = number > 0 && finding.kind == Kind::DataRace;
        let access = if previous { format!("Previous {}", lower(&site.access)) } else { site.access.clone() };
        let thread = finding.threads.get(site.thread).map_or_else(|| "thread".to_owned(), in_words);
        let locks: Vec<String> = site.locks.iter().map(|lock| format!("write {lock}")).collect();
        let locks = if locks.is_empty() { String::new() } else { format!(" (mutexes: {})", locks.join(", ")) };
        writeln!(out, "  {access} by {thread}{locks}:")?;
        stack(&site.stack, out)?;
    }
    Ok(())
}

fn memory(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let Some(memory) = &finding.memory else { return Ok(()) };
    match &memory.name {
        Some(name) => {
            writeln!(out, "  Location is global '{name}' of size {} at {:#x}\n", memory.size, memory.address)
        }
        None => {
            writeln!(out, "  Location is {}{}", memory.what, if memory.allocated.is_empty() { "" } else { ":" })?;
            stack(&memory.allocated, out)
        }
    }
}

fn created(thread: &Thread, out: &mut dyn Write) -> io::Result<()> {
    let parent = thread.parent.as_deref().unwrap_or("main");
    let parent = if parent == "main" { "main thread".to_owned() } else { format!("thread {parent}") };
    writeln!(out, "  Thread T{} '{}' (running) created by {parent} at:", thread.number, thread.name)?;
    stack(&thread.created, out)
}

fn own_lines(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    match &finding.status {
        Status::Confirmed => writeln!(out, "  Status: confirmed")?,
        Status::Predicted(why) => writeln!(out, "  Status: predicted ({why})")?,
    }
    if let Some(command) = finding.replay() {
        writeln!(out, "  Replay: {command}")?;
    }
    writeln!(out, "  Schedule: {}\n", finding.schedule)
}

fn stack(frames: &[Frame], out: &mut dyn Write) -> io::Result<()> {
    for (number, frame) in frames.iter().enumerate() {
        let column =
            if frame.column > 0 && frame.file.is_some() { format!(":{}", frame.column) } else { String::new() };
        let file = frame.file.as_ref().map_or_else(|| "<null>".to_owned(), |_| frame.short());
        writeln!(out, "    #{number} {} {file}{column} ({}+{:#x})", frame.name(), frame.module, frame.offset)?;
    }
    writeln!(out)
}

fn in_words(thread: &Thread) -> String {
    if thread.number == 0 { "main thread".to_owned() } else { format!("thread T{}", thread.number) }
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}
