//! The recorded run beside the failing one, and where they part.

use std::io::{self, Write};

use super::escape::{prose, text};
use crate::act::{Act, What};
use crate::model::{Finding, Moment, Order, Picture};
use crate::words;

/// Steps that are shown before the two runs part, and in all.
const BEFORE: usize = 3;
const MOST: usize = 14;

/// Writes both, if they part.
pub(super) fn write(anchor: &str, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let Some(picture) = finding.picture.as_deref() else { return Ok(()) };
    let recorded: Vec<usize> = picture.recorded.iter().copied().filter(|step| is_act(picture, *step)).collect();
    let mut failing = recorded.clone();
    failing.sort_unstable();
    let Some(part) = failing.iter().zip(&recorded).position(|(one, other)| one != other) else {
        return same(anchor, finding, picture, out);
    };
    let differs = part..last_difference(&failing, &recorded) + 1;
    let from = part.saturating_sub(BEFORE);
    let shown = from..differs.end.min(from + MOST);
    let [went, goes] = [recorded[part], failing[part]].map(|step| told(picture, step));
    writeln!(
        out,
        "<h3 id=\"{anchor}-part\">Where it parts from the recorded run</h3><p>Where the recorded run went on with {went}, the \
         failing run goes on with {goes}.</p>"
    )?;
    fine(finding, out)?;
    writeln!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{anchor}: the two runs\"><table class=\"runs\"><thead><tr><th \
         scope=\"col\">Recorded run</th><th scope=\"col\">Failing run</th></tr></thead><tbody>"
    )?;
    for at in shown.clone() {
        let class = if at == part { " class=\"part\"" } else { "" };
        let [one, other] = [recorded[at], failing[at]].map(|step| told(picture, step));
        writeln!(out, "<tr{class}><td>{one}</td><td>{other}</td></tr>")?;
    }
    let rest = differs.end.saturating_sub(shown.end);
    if rest > 0 {
        writeln!(out, "<tr><td colspan=\"2\">… {rest} more rows differ</td></tr>")?;
    }
    writeln!(out, "</tbody></table></div>")
}

/// Beginnings and ends of threads stand nowhere in the program, and their order says nothing.
fn is_act(picture: &Picture, step: usize) -> bool {
    let does = &picture.steps[step].step.does;
    !matches!(does, Act::Operation(done) if matches!(done.what, What::Begin | What::End))
}

fn last_difference(one: &[usize], other: &[usize]) -> usize {
    one.iter().zip(other).rposition(|(one, other)| one != other).unwrap_or(0)
}

/// No step of a schedule came earlier or later.
fn same(anchor: &str, finding: &Finding, picture: &Picture, out: &mut dyn Write) -> io::Result<()> {
    if picture.recorded.is_empty() || !finding.is_confirmed() {
        return Ok(());
    }
    writeln!(
        out,
        "<h3 id=\"{anchor}-part\">Beside the recorded run</h3><p>The failing run takes these steps in the order of the recorded run. \
         What differs is what comes between them, such as plain accesses, or where the threads are stopped.</p>"
    )
}

/// Why the recorded run did not fail, if the orders that matter were found and it had another one.
fn fine(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let Some(needs) = &finding.needs else { return Ok(()) };
    let turned: Vec<String> = needs.orders.iter().filter(|order| order.turned_in_recorded).map(other_way).collect();
    if turned.is_empty() {
        return Ok(());
    }
    writeln!(out, "<p class=\"why\">The recorded run was fine because {}.</p>", turned.join(", and "))
}

fn other_way(order: &Order) -> String {
    let moment = |moment: &Moment| prose(&crate::human::moment(moment));
    format!("{} came before {}", moment(&order.second), moment(&order.first))
}

fn told(picture: &Picture, number: usize) -> String {
    let step = &picture.steps[number].step;
    let line =
        step.place.as_ref().filter(|place| place.line > 0).map(|place| format!(" <small>:{}</small>", place.line));
    let does = prose(&words::step(&step.does));
    format!("<b>{}</b> {does}{}", text(&picture.threads[step.thread]), line.unwrap_or_default())
}
