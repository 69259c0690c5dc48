//! Results for people.

use foretrace_csp::counterexample::Counterexample;
use foretrace_csp::script::{Report, Script, Verdict};
use std::io::Write;

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails(_) => "FAILS",
        Verdict::Unknown(_) => "undecided",
        Verdict::Error(_) => "error",
    }
}

/// One line: the place, the answer, the assertion.
pub fn brief(out: &mut dyn Write, report: &Report) -> anyhow::Result<()> {
    Ok(writeln!(out, "{}: {}: {}", report.at, word(&report.verdict), report.text)?)
}

pub fn report(out: &mut dyn Write, report: &Report, script: &Script) -> anyhow::Result<()> {
    brief(out, report)?;
    let s = &report.statistics;
    let rate = s.states as f64 / s.time.as_secs_f64().max(1e-9);
    writeln!(
        out,
        "  {} states, {} transitions, depth {}, {:.3} s, {rate:.0} states/s",
        s.states,
        s.transitions,
        s.depth,
        s.time.as_secs_f64()
    )?;
    match &report.verdict {
        Verdict::Fails(Some(shown)) => counterexample(out, shown)?,
        Verdict::Fails(None) => writeln!(out, "  the claim holds, and it should not")?,
        Verdict::Unknown(why) => writeln!(out, "  gave up: {why}")?,
        Verdict::Error(diagnostic) => write!(out, "{}", diagnostic.render(&script.sources))?,
        Verdict::Holds => {}
    }
    report.witness.iter().chain(&report.more).try_for_each(|shown| counterexample(out, shown))
}

fn counterexample(out: &mut dyn Write, shown: &Counterexample) -> anyhow::Result<()> {
    if shown.kind != "unexplained" {
        writeln!(out, "  after <{}>", shown.trace.join(", "))?;
    }
    writeln!(out, "  {}", shown.summary())?;
    if shown.components.len() > 1 {
        writeln!(out, "  what each part did:")?;
    }
    for part in shown.components.iter().filter(|_| shown.components.len() > 1) {
        writeln!(out, "    {}{}: <{}>", "  ".repeat(part.depth), part.label, part.trace.join(", "))?;
    }
    Ok(())
}
