//! One finding of the page.

use std::io::{self, Write};

use super::escape::{prose, text};
use super::list::{anchor, often, status};
use super::{graph, parting, source, story, todo};
use crate::model::{Excerpt, Finding, Frame, Origin, Site, Status, bytes};
use crate::words;

/// Lines of source before and after a place.
const CONTEXT: u32 = 3;
/// Sites that are shown with their source.
const SITES: usize = 8;
/// Calls of a stack that are listed.
const CALLS: usize = 10;

/// Writes it.
pub(super) fn write(number: usize, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let anchor = anchor(number);
    let (status, rule) = (status(finding), text(finding.kind.rule()));
    writeln!(
        out,
        "<article class=\"card finding\" id=\"{anchor}\" aria-labelledby=\"{anchor}-title\" data-kind=\"{rule}\" \
         data-status=\"{status}\"><h2 id=\"{anchor}-title\">{}</h2><p class=\"facts\"><span class=\"tag {status}\">{status}</span> \
         <span class=\"tag\">{rule}</span> seen {} <code>{}</code></p>",
        prose(&finding.title()),
        text(&often(finding)),
        text(&finding.id)
    )?;
    if let Status::Predicted(why) = &finding.status {
        writeln!(out, "<p>Not confirmed: {}.</p>", prose(why))?;
    }
    needs(finding, out)?;
    sites(finding, out)?;
    facts(finding, out)?;
    story::write(&anchor, finding, out)?;
    graph::waits(&anchor, finding, out)?;
    if let Some(automaton) = finding.picture.as_ref().and_then(|picture| picture.automaton.as_ref()) {
        graph::automaton(&anchor, automaton, out)?;
    }
    parting::write(&anchor, finding, out)?;
    todo::write(&anchor, finding, out)?;
    sources(finding, out)?;
    writeln!(out, "</article>")
}

/// Why it fails.
fn needs(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let lines = crate::human::why(finding);
    if lines.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("<li>{}</li>", prose(line))).collect();
    writeln!(out, "<section class=\"why\"><h3>Why it fails</h3><ul>{}</ul></section>", lines.concat())
}

/// Where each thread is when it fails.
fn sites(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<div class=\"sites\">")?;
    finding.sites.iter().take(SITES).try_for_each(|site| one_site(finding, site, out))?;
    let rest = finding.sites.len().saturating_sub(SITES);
    if rest > 0 {
        writeln!(out, "<p>{rest} more {}.</p>", story::plural(rest, "thread"))?;
    }
    writeln!(out, "</div>")
}

fn one_site(finding: &Finding, site: &Site, out: &mut dyn Write) -> io::Result<()> {
    let unknown = Frame::default();
    let top = site.top().unwrap_or(&unknown);
    let held: Vec<String> = site.locks.iter().map(words::lock).collect();
    let held = if held.is_empty() { String::new() } else { format!(", holding {}", held.join(", ")) };
    writeln!(
        out,
        "<section class=\"site\"><p><b>{}</b> {}{}<br><small>{} in <code>{}</code></small></p>",
        text(finding.thread_of(site)),
        prose(&words::act(&site.does)),
        prose(&held),
        text(&top.short()),
        text(top.name())
    )?;
    let file = top.file.as_deref().unwrap_or_default();
    match source::around(finding.picture.as_deref(), file, top.line, CONTEXT) {
        code if !code.is_empty() => writeln!(out, "{code}")?,
        _ => one_line(top, out)?,
    }
    stack(site, top, out)?;
    writeln!(out, "</section>")
}

/// A place of which only the line is known.
fn one_line(frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
    let Some(line) = &frame.source else { return Ok(()) };
    let excerpt = Excerpt { file: String::new(), first: frame.line.max(1), lines: vec![line.clone()] };
    writeln!(out, "{}", source::whole(&excerpt))
}

fn stack(site: &Site, top: &Frame, out: &mut dyn Write) -> io::Result<()> {
    let calls: Vec<&Frame> = site.stack.iter().skip_while(|frame| *frame != top).skip(1).take(CALLS).collect();
    if calls.is_empty() {
        return Ok(());
    }
    let call = |frame: &&Frame| format!("<li><code>{}</code> {}</li>", text(frame.name()), text(&frame.short()));
    let calls: String = calls.iter().map(call).collect();
    writeln!(out, "<details><summary>called from</summary><ol>{calls}</ol></details>")
}

/// The memory, the threads, other places, and how the program dies.
fn facts(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let mut facts = Vec::new();
    facts.extend(block(finding));
    facts.extend(finding.threads.iter().filter_map(|thread| {
        let (parent, place) = (thread.parent.as_ref()?, thread.place()?);
        Some(format!("{} was created by {parent} at {} in {}", thread.name, place.short(), place.name()))
    }));
    facts.extend(finding.also.iter().map(|pair| {
        let places: Vec<String> = pair.accesses.iter().filter_map(|access| Some(access.top()?.short())).collect();
        format!("the same race shows at {}, too", places.join(" and "))
    }));
    if let Some(death) = &finding.death {
        let place = death.place.as_ref().map(|frame| format!(" at {} in {}", frame.short(), frame.name()));
        facts.push(format!("the program dies: {}{}", death.what, place.unwrap_or_default()));
        facts.extend((!death.message.is_empty()).then(|| format!("it printed: {}", death.message)));
    }
    if facts.is_empty() {
        return Ok(());
    }
    let facts: String = facts.iter().map(|fact| format!("<li>{}</li>", prose(fact))).collect();
    writeln!(
        out,
        "<details class=\"more\"><summary>Threads, memory and other places</summary><ul>{facts}</ul></details>"
    )
}

fn block(finding: &Finding) -> Option<String> {
    let memory = finding.memory.as_ref()?;
    let block = memory.origin.block()?;
    let what = if matches!(memory.origin, Origin::Mapped(_)) { "mapped memory" } else { "a heap block" };
    let place = block.place().map(|frame| format!(", from {} in {}", frame.short(), frame.name())).unwrap_or_default();
    let byte = memory.address.saturating_sub(block.address);
    Some(format!("byte {byte} of {what} of {}{place}", bytes(block.size)))
}

/// The lines around all steps, once; the script shows them beside the steps.
fn sources(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let Some(picture) = finding.picture.as_ref().filter(|picture| !picture.sources.is_empty()) else { return Ok(()) };
    writeln!(out, "<details class=\"sources\"><summary>Source</summary>")?;
    for excerpt in &picture.sources {
        let last = excerpt.first as usize + excerpt.lines.len().saturating_sub(1);
        writeln!(out, "<h4>{}, lines {} to {last}</h4>{}", text(&excerpt.file), excerpt.first, source::whole(excerpt))?;
    }
    writeln!(out, "</details>")
}
