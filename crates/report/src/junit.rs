//! JUnit's XML: one test case a finding, and one that passed if there is none.

use std::io::{self, Write};

use crate::model::{Finding, Report, Status};
use crate::words;

/// Writes a report.
pub(crate) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let shown: Vec<&Finding> = report.shown().collect();
    let failures = shown.iter().filter(|finding| report.fails(finding)).count();
    let skipped = shown.len() - failures;
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuite name="foretrace {}" tests="{}" failures="{failures}" errors="0" skipped="{skipped}">"#,
        escaped(&report.program),
        shown.len().max(1)
    )?;
    if shown.is_empty() {
        writeln!(out, r#"  <testcase classname="foretrace" name="nothing found"/>"#)?;
    }
    shown.iter().try_for_each(|finding| case(finding, report.fails(finding), out))?;
    writeln!(out, "</testsuite>")
}

fn case(finding: &Finding, fails: bool, out: &mut dyn Write) -> io::Result<()> {
    let title = escaped(&finding.title());
    let place = finding.place().map(crate::model::Frame::short).unwrap_or_default();
    writeln!(out, r#"  <testcase classname="{}" name="{title} at {}">"#, finding.kind.rule(), escaped(&place))?;
    if let Status::Predicted(why) = &finding.status
        && !fails
    {
        writeln!(out, r#"    <skipped message="{}"/>"#, escaped(why))?;
    } else {
        writeln!(out, r#"    <failure type="{}" message="{title}">"#, finding.kind.rule())?;
        write!(out, "{}", escaped(&body(finding)))?;
        writeln!(out, "    </failure>")?;
    }
    writeln!(out, "  </testcase>")
}

fn body(finding: &Finding) -> String {
    let mut text = String::new();
    for site in &finding.sites {
        text += &format!("{} {}\n", finding.thread_of(site), words::act(&site.does));
        for frame in &site.stack {
            text += &format!("    {} in {}\n", frame.short(), frame.name());
        }
    }
    if let Some(death) = finding.death.as_ref().filter(|death| !death.message.is_empty()) {
        text += &format!("it printed: {}\n", death.message);
    }
    if let Status::Predicted(why) = &finding.status {
        text += &format!("not confirmed: {why}\n");
    }
    for line in crate::human::advice(finding) {
        text += &format!("{line}\n");
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
