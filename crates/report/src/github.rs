//! Annotations of GitHub's actions: one line a finding, shown at its place.

use std::io::{self, Write};

use crate::model::{Finding, Report};
use crate::words;

/// Writes a report.
pub(crate) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    report.shown().try_for_each(|finding| annotation(finding, out))
}

fn annotation(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let level = if finding.is_confirmed() { "error" } else { "warning" };
    let mut properties = Vec::new();
    if let Some(place) = finding.place()
        && let Some(file) = &place.file
    {
        properties.push(format!("file={}", property(file)));
        properties.push(format!("line={}", place.line.max(1)));
    }
    properties.push(format!("title={}", property(&finding.title())));
    writeln!(out, "::{level} {}::{}", properties.join(","), data(&message(finding)))
}

/// The places, one a line.
fn message(finding: &Finding) -> String {
    let site = |site: &crate::model::Site| {
        let place = site.top().map(crate::model::Frame::short).unwrap_or_default();
        format!("{} {} at {place}", finding.thread_of(site), words::act(&site.does))
    };
    finding
        .sites
        .iter()
        .map(site)
        .chain(crate::human::advice(finding))
        .chain(finding.replay())
        .collect::<Vec<_>>()
        .join("\n")
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
