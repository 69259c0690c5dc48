//! What other orders of a checked program show: an exploration, within what is left of the budget.

use super::check::known as known_races;
use super::check::subject::Subject;
use super::check::suppress::Suppressions;
use super::check::{Args, ErrorClass, examine};
use super::explore::{Confirming, for_check};
use super::symbolic::Following;
use foretrace_explore::regions::Regions;
use foretrace_predict::Predicted;
use foretrace_report::{Finding, Kind, Report};
use foretrace_symbolic::Asks;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The part of the time that the search itself takes; the rest is for minimising and confirming.
const SEARCH: f64 = 0.8;
/// The most that one execution may take.
const EXECUTION: Duration = Duration::from_secs(10);
/// The most time for what the values of a run predict.
const FOLLOWING: Duration = Duration::from_secs(20);
/// The bounds of the time that is spent without being asked for.
const SHORTEST: Duration = Duration::from_millis(125);
const LONGEST: Duration = Duration::from_secs(5);
/// With less time, one core is enough: to start the program on others takes a part of it.
const SEVERAL: Duration = Duration::from_secs(1);
/// With less time nothing is begun.
const LEAST: Duration = Duration::from_millis(100);

/// Explores, if that is asked for and possible, and adds what is found to the report.
pub fn add(
    args: &Args,
    subject: &Subject,
    (scratch, stop): (&Path, &'static AtomicBool),
    (suppressions, report): (&mut Suppressions, &mut Report),
) -> anyhow::Result<()> {
    if !is_possible(subject) {
        return Ok(());
    }
    let left = || examine::until(args, subject).saturating_duration_since(Instant::now());
    let asked = [ErrorClass::Crashes, ErrorClass::Atomicity].iter().any(|class| args.look_for.contains(class));
    if left() >= LEAST && asked {
        add_predicted(args, subject, (&scratch.join("followed"), stop), (suppressions, report), left())?;
    }
    let time = args.explore.unwrap_or_else(|| usual(args, subject, report)).min(left()).mul_f64(SEARCH);
    if time < LEAST || stop.load(Ordering::Relaxed) {
        return Ok(());
    }
    let scratch = &scratch.join("explored");
    let confirming = Confirming {
        program: (&subject.program, subject.compiled),
        findings: &args.reporting.findings,
        timeout: EXECUTION.min(time),
        scratch,
        stop,
    };
    let known: Vec<String> =
        report.findings.iter().filter(|finding| finding.is_confirmed()).map(|finding| finding.id.clone()).collect();
    let mut hide = |found: &mut Report| {
        found.findings.retain(|finding| is_wanted(args, finding) && !known.contains(&finding.id));
        known_races::hide(found);
        suppressions.apply(found);
        report.suppressed += found.suppressed;
        report.unused_suppressions.clone_from(&found.unused_suppressions);
    };
    let jobs = if args.explore.is_none() && time < SEVERAL { 1 } else { args.jobs };
    let (findings, notes) = for_check(&confirming, (time, jobs), args.view, &mut hide)?;
    // Nobody has asked how far it came.
    let notes = if args.explore.is_none() && findings.is_empty() { Vec::new() } else { notes };
    add_to(report, (findings, notes));
    Ok(())
}

/// How long to explore if the user has not said: about as long as the check has taken so far. If something was confirmed, that
/// comes first; and who wants no replays wants no executions either.
fn usual(args: &Args, subject: &Subject, report: &Report) -> Duration {
    match report.counts().confirmed {
        0 if args.replays > 0 => (subject.time + subject.began.elapsed()).clamp(SHORTEST, LONGEST),
        _ => Duration::ZERO,
    }
}

fn add_to(report: &mut Report, (findings, notes): (Vec<Finding>, Vec<String>)) {
    report.notes.extend(notes);
    // What was only predicted has now been seen.
    report.findings.retain(|finding| findings.iter().all(|found| found.id != finding.id));
    report.findings.splice(0..0, findings);
}

/// Adds what the values of a followed run predict.
fn add_predicted(
    args: &Args,
    subject: &Subject,
    (scratch, stop): (&Path, &'static AtomicBool),
    (suppressions, report): (&mut Suppressions, &mut Report),
    left: Duration,
) -> anyhow::Result<()> {
    let following = following(args, subject, (scratch, stop), left);
    let known: Vec<String> =
        report.findings.iter().filter(|finding| finding.is_confirmed()).map(|finding| finding.id.clone()).collect();
    let mut hide = |found: &mut Report| {
        found.findings.retain(|finding| is_wanted(args, finding) && !known.contains(&finding.id));
        known_races::hide(found);
        suppressions.apply(found);
        report.suppressed += found.suppressed;
        report.unused_suppressions.clone_from(&found.unused_suppressions);
    };
    let found = following.predict(&mut hide)?;
    add_to(report, found);
    Ok(())
}

fn following<'a>(
    args: &'a Args,
    subject: &'a Subject,
    (scratch, stop): (&'a Path, &'static AtomicBool),
    left: Duration,
) -> Following<'a> {
    Following {
        sources: &args.sources,
        like: &subject.program,
        findings: &args.reporting.findings,
        timeout: EXECUTION.min(left),
        until: Instant::now() + left.min(FOLLOWING),
        scratch,
        stop,
        asks: asks(args),
        atomic: &args.atomic,
    }
}

fn asks(args: &Args) -> Asks {
    let regions = if args.atomic_sections { Regions::Sections } else { Regions::Marked };
    Asks {
        no_checks: !args.look_for.contains(&ErrorClass::Crashes),
        regions: args.look_for.contains(&ErrorClass::Atomicity).then_some(regions),
    }
}

/// For each of these predicted races, whether the values of a followed run rule it out.
pub fn ruled_out(
    args: &Args,
    subject: &Subject,
    races: &[Predicted],
    (scratch, stop): (&Path, &'static AtomicBool),
) -> Vec<bool> {
    let left = examine::until(args, subject).saturating_duration_since(Instant::now()) / 4;
    if races.is_empty() || left < LEAST || !is_possible(subject) {
        return vec![false; races.len()];
    }
    following(args, subject, (&scratch.join("followed"), stop), left).ruled_out(subject, races)
}

/// Can the program be explored as it was recorded? A client, a run that had to be ended and accesses that nobody sees are beyond it.
fn is_possible(subject: &Subject) -> bool {
    let is_whole = !subject.cut_short && subject.death.is_none() && subject.trace.threads().len() > 1;
    is_whole && subject.blind.is_none() && subject.program.client.is_none()
}

/// Is it of a kind that is looked for?
fn is_wanted(args: &Args, finding: &Finding) -> bool {
    let look = match finding.kind {
        kind if kind == Kind::DEADLOCK => ErrorClass::Deadlocks,
        kind if kind == Kind::CRASH => ErrorClass::Crashes,
        kind if kind == Kind::ATOMICITY => ErrorClass::Atomicity,
        _ => ErrorClass::Races,
    };
    args.look_for.contains(&look)
}
