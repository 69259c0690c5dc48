//! What the reader can do about a finding.

use std::io::{self, Write};

use super::escape::{prose, text};
use crate::act::{Act, Wait};
use crate::model::Finding;

/// Writes what there is to do.
pub(super) fn write(anchor: &str, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<h3 id=\"{anchor}-do\">What you can do</h3>")?;
    let help = crate::human::help(finding);
    let advice: Vec<&String> = finding.fixes.iter().chain(&help).collect();
    if !advice.is_empty() {
        writeln!(out, "<ul>")?;
        advice.iter().try_for_each(|line| writeln!(out, "<li>{}</li>", prose(line)))?;
        writeln!(out, "</ul>")?;
    }
    writeln!(out, "<dl class=\"todo\">")?;
    if let Some(command) = finding.replay() {
        copied("See it again", &command, out)?;
        copied("Stop there in gdb", &format!("{command} --gdb"), out)?;
    }
    if let Some(command) = finding.death.as_ref().and_then(|death| death.replay()) {
        copied("See it die", &command, out)?;
    }
    if let Some(line) = suppression(finding) {
        copied("Hide it: a line for --suppressions", &line, out)?;
    }
    copied("Read about this kind of error", &format!("foretrace explain {}", finding.kind.rule()), out)?;
    if !finding.schedule.is_empty() {
        copied("Schedule", &finding.schedule, out)?;
    }
    writeln!(out, "</dl>")
}

fn copied(what: &str, value: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<dt>{what}</dt><dd><code tabindex=\"0\">{}</code> <button class=\"copy\" aria-label=\"copy: {what}\" hidden>copy</button></dd>",
        text(value)
    )
}

/// A line of a file of suppressions that hides the finding.
fn suppression(finding: &Finding) -> Option<String> {
    let kinds = ["race", "deadlock"];
    let hides = |kind: &str, pattern: &str| finding.kind.0.hides(kind, &|text| text == pattern, finding);
    let patterns = patterns(finding);
    let found = patterns.iter().find_map(|pattern| Some((kinds.iter().find(|kind| hides(kind, pattern))?, pattern)));
    found.map(|(kind, pattern)| format!("{kind}:^{pattern}$"))
}

/// What a suppression may name, the most particular first. A `*` would stand for any text.
fn patterns(finding: &Finding) -> Vec<String> {
    let variable = finding.memory.as_ref().and_then(|memory| memory.name.clone());
    let awaited = finding.sites.iter().filter_map(|site| match &site.does {
        Act::Wait(Wait::Lock { lock: thing, .. } | Wait::Signal { condition: thing, .. }) => thing.name.clone(),
        _ => None,
    });
    let functions = finding.sites.iter().filter_map(|site| site.top()?.function.clone());
    variable.into_iter().chain(awaited).chain(functions).filter(|name| !name.contains(['*', '\n'])).collect()
}

#[cfg(test)]
mod tests {
    use super::suppression;
    use crate::act::{Act, Sort, Thing, Wait};
    use crate::model::{Finding, Kind, Site};

    #[test]
    fn a_suppression_is_one_that_hides_the_finding() {
        let wait = Wait::Signal { condition: Thing::new(Sort::Condition, Some("full")), lost: false };
        let site = Site { thread: 0, does: Act::Wait(wait), stack: Vec::new(), locks: Vec::new() };
        let deadlock = Finding { sites: vec![site], ..Finding::new(Kind::DEADLOCK) };
        assert_eq!(suppression(&deadlock).as_deref(), Some("deadlock:^full$"));
        // No suppression hides a crash.
        assert_eq!(suppression(&Finding { sites: deadlock.sites, ..Finding::new(Kind::CRASH) }), None);
    }
}
