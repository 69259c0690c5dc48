//! As ThreadSanitizer writes it, so that what reads its reports reads ours. Lines it does not have stand before the
//! summary: status, schedule, command to replay.

use std::io::{self, Write};

use crate::model::{Finding, Frame, Lock, Origin, Report, Status, Thread};
use crate::words;

/// The name of the main thread.
const MAIN: &str = "main";

/// Writes a report.
pub(crate) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let shown: Vec<&Finding> = report.shown().collect();
    shown.iter().try_for_each(|finding| warning(finding, report.pid.unwrap_or(0), out))?;
    if !shown.is_empty() {
        writeln!(out, "ThreadSanitizer: reported {} warnings", shown.len())?;
    }
    Ok(())
}

fn warning(finding: &Finding, pid: u64, out: &mut dyn Write) -> io::Result<()> {
    let kind = finding.kind.0.in_tsan();
    writeln!(out, "==================\nWARNING: ThreadSanitizer: {kind} (pid={pid})")?;
    sites(finding, out)?;
    memory(finding, out)?;
    finding.threads.iter().filter(|thread| thread.number > 0).try_for_each(|thread| created(thread, out))?;
    own_lines(finding, out)?;
    let place = finding.place().cloned().unwrap_or_default();
    writeln!(out, "SUMMARY: ThreadSanitizer: {kind} {} in {}\n==================", place.short(), place.name())
}

fn sites(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    for (number, site) in finding.sites.iter().enumerate() {
        let previous = number > 0 && finding.kind.0.has_earlier_sites();
        let access = words::tsan(&site.does);
        let access = if previous { format!("Previous {}", lower(&access)) } else { access };
        let thread = finding.threads.get(site.thread).map_or_else(|| "thread".to_owned(), in_words);
        let lock = |lock: &Lock| format!("{} {}", if lock.shared { "read" } else { "write" }, name(lock));
        let locks: Vec<String> = site.locks.iter().map(lock).collect();
        let locks = if locks.is_empty() { String::new() } else { format!(" (mutexes: {})", locks.join(", ")) };
        writeln!(out, "  {access} by {thread}{locks}:")?;
        stack(&site.stack, out)?;
        for lock in site.locks.iter().filter(|lock| !lock.taken.is_empty()) {
            writeln!(out, "  Mutex {} acquired by {thread} at:", name(lock))?;
            stack(&lock.taken, out)?;
        }
    }
    Ok(())
}

fn name(lock: &Lock) -> String {
    lock.lock.name.clone().unwrap_or_else(|| words::thing(&lock.lock))
}

fn memory(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let Some(memory) = &finding.memory else { return Ok(()) };
    let of = |name: &str| match finding.threads.iter().find(|thread| thread.name == name) {
        _ if name == MAIN => "main thread".to_owned(),
        Some(thread) => in_words(thread),
        None => format!("thread {name}"),
    };
    match (&memory.origin, &memory.name) {
        (Origin::Heap(block), _) => {
            let (size, at) = (block.size, block.address);
            writeln!(out, "  Location is heap block of size {size} at {at:#x} allocated by {}:", of(&block.thread))?;
            stack(&block.allocated, out)
        }
        (Origin::Mapped(block), _) => {
            let (size, at) = (block.size, block.address);
            writeln!(out, "  Location is mapped block of size {size} at {at:#x} mapped by {}:", of(&block.thread))?;
            stack(&block.allocated, out)
        }
        (Origin::Stack(thread), _) => writeln!(out, "  Location is stack of {}.\n", of(thread)),
        (Origin::ThreadLocal(thread), _) => writeln!(out, "  Location is TLS of {}.\n", of(thread)),
        (_, Some(name)) => {
            writeln!(out, "  Location is global '{name}' of size {} at {:#x}\n", memory.size, memory.address)
        }
        (_, None) => Ok(()),
    }
}

fn created(thread: &Thread, out: &mut dyn Write) -> io::Result<()> {
    let parent = thread.parent.as_deref().unwrap_or(MAIN);
    let parent = if parent == MAIN { "main thread".to_owned() } else { format!("thread {parent}") };
    writeln!(out, "  Thread T{} '{}' (running) created by {parent} at:", thread.number, thread.name)?;
    stack(&thread.created, out)
}

fn own_lines(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    match &finding.status {
        Status::Confirmed => writeln!(out, "  Status: confirmed")?,
        Status::Predicted(why) => writeln!(out, "  Status: predicted ({why})")?,
    }
    if let Some((seen, of)) = finding.repeats {
        writeln!(out, "  Repeats: {seen} of {of} times")?;
    }
    crate::human::advice(finding).iter().try_for_each(|line| writeln!(out, "  Note: {line}"))?;
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
