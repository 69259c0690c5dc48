//! The interleaving: a column a thread, a row a step, locks as bars, and arrows from who made a step possible.
//!
//! All rows have one height and all columns one width, so bars and arrows have known places. A story is drawn twice if it
//! has steps that do not matter: folded, with the number of steps that are left out, and whole.

mod lines;
mod view;

use std::io::{self, Write};

use super::escape::{prose, text};
use crate::model::{Drawn, Finding, How, Picture, Step};
use crate::words;
use view::{Row, View};

/// Writes the interleaving of the finding with this name in the page.
pub(super) fn write(anchor: &str, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let picture = match &finding.picture {
        Some(picture) => (**picture).clone(),
        None => of_steps(finding),
    };
    if picture.steps.is_empty() {
        return Ok(());
    }
    let happens = if finding.is_confirmed() { "How it happens" } else { "How it would happen" };
    writeln!(
        out,
        "<h3 id=\"{anchor}-how\">{happens}</h3><p class=\"now\" role=\"status\" hidden></p><div class=\"panes\" hidden></div>"
    )?;
    let folded = View::new(&picture, true);
    draw((anchor, "s", finding), &picture, &folded, out)?;
    let hidden = picture.steps.len() - picture.steps.iter().filter(|drawn| drawn.matters).count();
    if hidden > 0 {
        let all = picture.steps.len();
        writeln!(out, "<details class=\"all\"><summary>All {all} steps</summary>")?;
        draw((anchor, "a", finding), &picture, &View::new(&picture, false), out)?;
        writeln!(out, "</details>")?;
    }
    if picture.left_out > 0 {
        writeln!(out, "<p>{} more steps are not in this page.</p>", picture.left_out)?;
    }
    Ok(())
}

/// What can be drawn of a finding that has no picture.
fn of_steps(finding: &Finding) -> Picture {
    Picture {
        threads: finding.threads.iter().map(|thread| thread.name.clone()).collect(),
        steps: finding.steps.iter().map(|step| Drawn { step: step.clone(), matters: true }).collect(),
        ..Picture::default()
    }
}

fn draw(
    (anchor, kind, finding): (&str, &str, &Finding),
    picture: &Picture,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    let names: Vec<String> = view.columns.iter().map(|thread| text(&picture.threads[*thread])).collect();
    writeln!(
        out,
        "<div class=\"scroll story\" tabindex=\"0\" role=\"region\" aria-label=\"finding {}, {}: interleaving of {}; arrow keys step through it\">\
         <div class=\"heads\" aria-hidden=\"true\" style=\"--n:{}\">{}</div><div class=\"body\">{}<ol class=\"steps\" \
         style=\"--n:{}\">",
        anchor.trim_start_matches('f').parse::<usize>().map_or(0, |number| number + 1),
        if kind == "a" { "all steps" } else { "steps that matter" },
        names.join(", "),
        names.len(),
        names.iter().map(|name| format!("<b>{name}</b>")).collect::<String>(),
        lines::svg(picture, view),
        names.len()
    )?;
    for row in &view.rows {
        match row {
            Row::Gap(count) => writeln!(out, "<li class=\"gap\">… {count} more {}</li>", plural(*count, "step"))?,
            Row::Step(number) => step((anchor, kind, finding), picture, view, *number, out)?,
        }
    }
    writeln!(out, "</ol></div></div>")?;
    legend(picture, view, out)
}

/// A count with its noun.
pub(super) fn plural(count: usize, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

fn step(
    (anchor, kind, finding): (&str, &str, &Finding),
    picture: &Picture,
    view: &View,
    number: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let step = &picture.steps[number].step;
    let fails = if step.fails { " fail" } else { "" };
    let (data, shown) = at(finding, step);
    let state = state(picture, number).unwrap_or_default();
    writeln!(
        out,
        "<li id=\"{anchor}-{kind}{number}\" class=\"st{fails}\" style=\"--c:{}\" data-t=\"{}\"{data}><span \
         class=\"no\">{}</span><span class=\"ch\"><span class=\"does\"><span class=\"vh\">{}: </span>{}<span class=\"vh\">{}</span> \
         </span><small>{shown}</small>{state}</span></li>",
        view.column(step.thread),
        step.thread,
        number + 1,
        text(&picture.threads[step.thread]),
        prose(&words::step(&step.does)),
        reasons(picture, number),
    )
}

/// Where a step is, as data and for people: in which file only if it is not the one that the finding is shown in.
fn at(finding: &Finding, step: &Step) -> (String, String) {
    let place = step.place.as_ref().filter(|place| place.line > 0);
    let Some((place, file)) = place.and_then(|place| Some((place, place.file.as_deref()?))) else {
        return Default::default();
    };
    let is_here = finding.place().and_then(|frame| frame.file.as_deref()) == Some(file);
    let name = if is_here { "" } else { file.rsplit('/').next().unwrap_or(file) };
    let data = format!(" data-p=\"{}\" data-l=\"{}\"", text(file), place.line);
    (data, format!("{}:{}", text(name), place.line))
}

/// What the arrows say, for those who do not see them.
fn reasons(picture: &Picture, number: usize) -> String {
    let to_here = picture.links.iter().filter(|link| link.to == number);
    to_here.map(|link| format!(", after step {} {}", link.from + 1, said(link.how))).collect()
}

fn said(how: How) -> &'static str {
    match how {
        How::Creates => "created the thread",
        How::Ends => "was the last of that thread",
        How::Releases => "released the lock",
        How::Wakes => "woke it",
        How::Gives => "gave it",
        How::Writes => "wrote the value",
    }
}

/// The state of a property's automaton after a step.
fn state(picture: &Picture, number: usize) -> Option<String> {
    let automaton = picture.automaton.as_ref()?;
    let (_, state) = automaton.after.iter().find(|(step, _)| *step == number)?;
    let bad = if automaton.bad.contains(state) { " bad" } else { "" };
    Some(format!(
        " <em class=\"state{bad}\"><span class=\"vh\">; then the state is </span>{}</em>",
        text(&automaton.states[*state])
    ))
}

fn legend(picture: &Picture, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut hows: Vec<How> = view.links(picture).map(|(link, ..)| link.how).collect();
    hows.sort_unstable();
    hows.dedup();
    let mut parts: Vec<String> =
        hows.iter().map(|how| format!("<span class=\"key {}\">{}</span>", lines::class(*how), called(*how))).collect();
    if view.bars(picture).next().is_some() {
        parts.insert(0, "<span class=\"key bar\">a lock is held</span>".to_owned());
    }
    if parts.is_empty() {
        return Ok(());
    }
    writeln!(out, "<p class=\"legend\" aria-hidden=\"true\">{}</p>", parts.join(" "))
}

fn called(how: How) -> &'static str {
    match how {
        How::Creates => "creates",
        How::Ends => "ends",
        How::Releases => "releases",
        How::Wakes => "wakes",
        How::Gives => "gives",
        How::Writes => "its value is read",
    }
}
