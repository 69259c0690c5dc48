//! One page that needs nothing else: opens from disk, makes no request, and can be read without scripts.
//!
//! | part | file |
//! | --- | --- |
//! | findings as a list, with what filters and searches need | `list` |
//! | the interleaving: a column a thread, time downwards, locks as bars, who made whose step possible as arrows | `story` |
//! | the recorded run beside the failing one | `parting` |
//! | who waits for whom; the automaton of a property | `graph` |
//! | lines of source in colours | `source` |
//! | what the reader can do | `todo` |
//!
//! Everything is drawn here, in rows of one height, so that arrows and bars are where they belong without a script. The
//! script adds stepping, filters and the choice of colours.

mod escape;
mod finding;
mod graph;
mod list;
mod parting;
mod source;
mod story;
mod todo;

use std::io::{self, Write};

use crate::model::{Exploration, Report};
use escape::text;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// Nothing may be loaded, and nothing but what is in the page may run.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Writes a report.
pub(crate) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let title = format!("Foretrace: {}", report.program);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{POLICY}\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<link rel=\"icon\" \
         href=\"data:,\">\n<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#findings\">to the \
         findings</a>\n",
        text(&title)
    )?;
    header(report, out)?;
    writeln!(out, "<main>")?;
    let shown: Vec<_> = report.shown().map(crate::human::readable_finding).collect();
    list::write(&shown, out)?;
    for (number, finding) in shown.iter().enumerate() {
        finding::write(number, finding, out)?;
    }
    if let Some(exploration) = &report.exploration {
        explored(exploration, out)?;
    }
    remarks(report, out)?;
    writeln!(
        out,
        "</main>\n<footer>Foretrace {}</footer>\n<script>{SCRIPT}</script>\n</body>\n</html>",
        text(&report.version)
    )
}

fn header(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let counts = report.counts();
    let predicted = if report.show_predicted { "" } else { " (not shown)" };
    let mut facts = vec![format!("{} confirmed", counts.confirmed)];
    facts
        .extend((counts.predicted > 0).then(|| format!("{} predicted but not confirmed{predicted}", counts.predicted)));
    facts.extend((counts.undecided > 0).then(|| format!("{} undecided", counts.undecided)));
    facts.extend((counts.suppressed > 0).then(|| format!("{} suppressed", counts.suppressed)));
    facts.extend(report.incomplete.then(|| "not everything could be checked".to_owned()));
    facts.extend((!report.exit.is_empty()).then(|| report.exit.clone()));
    let facts: Vec<String> = facts.iter().map(|fact| format!("<li>{}</li>", text(fact))).collect();
    write!(
        out,
        "<header>\n<h1><code>{}</code></h1>\n<ul class=\"facts\">{}</ul>\n<div class=\"theme\" role=\"group\" \
         aria-label=\"colours\" hidden><button data-theme=\"light\" aria-pressed=\"false\">light</button><button \
         data-theme=\"dark\" aria-pressed=\"false\">dark</button></div>\n</header>\n",
        text(&report.program),
        facts.concat()
    )
}

fn explored(exploration: &Exploration, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![("Executions", exploration.executions.to_string())];
    rows.extend(exploration.classes.map(|classes| ("Orders that differ", classes.to_string())));
    rows.extend(exploration.within.clone().map(|within| ("Limits", within)));
    rows.push(("Time", format!("{:.1} s", exploration.milliseconds as f64 / 1000.0)));
    let left = if exploration.complete { "no order is left" } else { "there are more orders" };
    rows.push(("Complete", left.to_owned()));
    writeln!(out, "<section class=\"card\" aria-labelledby=\"explored\"><h2 id=\"explored\">Exploration</h2><table>")?;
    for (name, value) in rows {
        writeln!(out, "<tr><th scope=\"row\">{name}</th><td>{}</td></tr>", text(&value))?;
    }
    writeln!(out, "</table></section>")
}

/// Notes and questions without an answer.
fn remarks(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let unused = report.unused_suppressions.iter().map(|line| format!("the suppression `{line}` hid nothing"));
    let open = report.undecided.iter().filter(|_| report.show_predicted);
    let open = open.map(|open| format!("undecided ({}): {}: {}", open.count, open.question, open.why));
    let notes: Vec<String> = report.notes.iter().cloned().chain(unused).chain(open).collect();
    if notes.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section class=\"card\" aria-labelledby=\"notes\"><h2 id=\"notes\">Notes</h2><ul>")?;
    notes.iter().try_for_each(|note| writeln!(out, "<li>{}</li>", escape::prose(note)))?;
    writeln!(out, "</ul></section>")
}
