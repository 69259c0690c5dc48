//! The list of findings.

use std::io::{self, Write};

use super::escape::{prose, text};
use crate::model::{Finding, Status};

/// What a finding is called in addresses within the page.
pub(super) fn anchor(number: usize) -> String {
    format!("f{number}")
}

/// How sure a finding is, in a word.
pub(super) fn status(finding: &Finding) -> &'static str {
    match finding.status {
        Status::Confirmed => "confirmed",
        Status::Predicted(_) => "predicted",
    }
}

/// How often it was seen.
pub(super) fn often(finding: &Finding) -> String {
    match (&finding.status, finding.repeats) {
        (Status::Confirmed, Some((seen, of))) => format!("in {seen} of {of} replays"),
        (Status::Confirmed, None) => "in a replay".to_owned(),
        (Status::Predicted(_), _) => "never".to_owned(),
    }
}

/// Writes the list.
pub(super) fn write(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section class=\"card\" id=\"findings\" aria-labelledby=\"all\"><h2 id=\"all\">Findings</h2>")?;
    if findings.is_empty() {
        return writeln!(out, "<p>Nothing is shown: see the counts above.</p></section>");
    }
    filters(findings, out)?;
    writeln!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table of findings\"><table id=\"list\"><thead><tr><th \
         scope=\"col\">Finding</th><th scope=\"col\">Kind</th><th scope=\"col\">Place</th><th scope=\"col\">Seen</th></tr></thead>\
         <tbody>"
    )?;
    findings.iter().enumerate().try_for_each(|(number, finding)| row(number, finding, out))?;
    writeln!(out, "</tbody></table></div></section>")
}

/// They need the script, and are hidden without it.
fn filters(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    let mut rules: Vec<&str> = findings.iter().map(|finding| finding.kind.rule()).collect();
    rules.sort_unstable();
    rules.dedup();
    let options: Vec<String> = rules.iter().map(|rule| format!("<option>{}</option>", text(rule))).collect();
    writeln!(
        out,
        "<div class=\"filters\" hidden><label>Search <input type=\"search\" id=\"search\"></label> <label>Kind <select \
         id=\"kind\"><option value=\"\">all</option>{}</select></label> <label>Status <select id=\"status\"><option \
         value=\"\">all</option><option>confirmed</option><option>predicted</option></select></label> <span id=\"count\" \
         role=\"status\"></span></div>",
        options.concat()
    )
}

fn row(number: usize, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let place = finding.place().map(|frame| format!("{} in {}", frame.short(), frame.name())).unwrap_or_default();
    let (status, rule) = (status(finding), finding.kind.rule());
    writeln!(
        out,
        "<tr data-finding=\"{}\" data-kind=\"{}\" data-status=\"{status}\"><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td><td>\
         {}</td></tr>",
        anchor(number),
        text(rule),
        anchor(number),
        prose(&finding.title()),
        text(rule),
        text(&place),
        text(&often(finding)),
    )
}
