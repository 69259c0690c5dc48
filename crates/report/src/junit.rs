//! JUnit's XML: one test case a finding, and one that passed if there is none.

use std::io::{self, Write};

use crate::model::{Finding, Report, Status};

/// Writes a report.
pub(crate) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let shown: Vec<&Finding> = report.shown().collect();
    let counts = report.counts();
    let skipped = shown.len() - counts.confirmed;
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuite name="foretrace {}" tests="{}" failures="{}" errors="0" skipped="{skipped}">"#,
        escaped(&report.program),
        shown.len().max(1),
        counts.confirmed
    )?;
    if shown.is_empty() {
        writeln!(out, r#"  <testcase classname="foretrace" name="nothing found"/>"#)?;
    }
    shown.iter().try_for_each(|finding| case(finding, out))?;
    writeln!(out, "</testsuite>")
}

fn case(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let title = escaped(&finding.title());
    let place = finding.place().map(crate::model::Frame::short).unwrap_or_default();
    writeln!(out, r#"  <testcase classname="{}" name="{title} at {}">"#, finding.kind.rule(), escaped(&place))?;
    match &finding.status {
        Status::Confirmed => {
            writeln!(out, r#"    <failure type="{}" message="{title}">"#, finding.kind.rule())?;
            write!(out, "{}", escaped(&body(finding)))?;
            writeln!(out, "    </failure>")?;
        }
        Status::Predicted(why) => writeln!(out, r#"    <skipped message="{}"/>"#, escaped(why))?,
    }
    writeln!(out, "  </testcase>")
}

fn body(finding: &Finding) -> String {
    let mut text = String::new();
    for site in &finding.sites {
        text += &format!("{} {}\n", finding.thread_of(site), site.doing);
        for frame in &site.stack {
            text += &format!("    {} in {}\n", frame.short(), frame.name());
        }
    }
    text + &finding.replay().map(|command| format!("{command}\n")).unwrap_or_default()
}

/// What XML allows, and nothing that it reads as markup.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\n' | '\t' => safe.push(c),
            c if c.is_control() || c == '\u{fffe}' || c == '\u{ffff}' => safe.push('?'),
            c => safe.push(c),
        }
    }
    safe
}
