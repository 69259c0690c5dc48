//! Failing plans become findings: each is run once more from the beginning, recorded and watched, and explained.

use super::failure::Kind;
use super::hunt::Found as Failing;
use super::needs;
use crate::cmd::check::describe;
use crate::cmd::check::examine::Results;
use crate::cmd::check::saved;
use crate::cmd::check::subject::Subject;
use crate::cmd::reporting::ELSEWHERE;
use crate::recording;
use crate::run::Run;
use crate::way::way_into;
use anyhow::Context;
use foretrace_predict::Prediction;
use foretrace_replay::{PlanText, Program, TimeLimit};
use foretrace_report::{Finding, Report, Seen, Written};
use foretrace_run::{Evidence, Modules};
use foretrace_search::{Confirmed, Found};
use foretrace_symbolic::Value;
use foretrace_trace::Recording;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

/// What was confirmed.
#[derive(Default)]
pub struct Findings {
    /// Each finding once.
    pub findings: Vec<Finding>,
    /// What the reader should know besides.
    pub notes: Vec<String>,
    /// Failing plans that did not fail again.
    pub unconfirmed: usize,
}

/// What was run, as a shell reads it.
pub fn command_line(program: &Program, compiled: bool) -> String {
    let mut words: Vec<_> = program.command.clone();
    if let Some(first) = words.first_mut().filter(|_| compiled) {
        *first = Path::new(&*first).file_name().unwrap_or_default().to_owned();
    }
    crate::quote::quoted_all(words)
}

/// How findings are confirmed and kept.
pub struct Confirming<'a> {
    /// The program, and whether it was compiled for this.
    pub program: (&'a Program, bool),
    /// Where findings are kept.
    pub findings: &'a Path,
    /// How long a run may take.
    pub timeout: Duration,
    /// A directory for the runs.
    pub scratch: &'a Path,
    /// Ends the runs.
    pub stop: &'static AtomicBool,
}

/// Confirms all failures, and keeps those that `hide` leaves in a report.
pub fn all(
    confirming: &Confirming<'_>,
    (failures, interrupted): (&[Failing], bool),
    hide: &mut dyn FnMut(&mut Report),
) -> anyhow::Result<Findings> {
    let Confirming { program, findings, timeout, scratch, stop } = *confirming;
    let mut all = Findings::default();
    let mut known = BTreeSet::new();
    // If the search was interrupted, what it has found is still confirmed; who interrupts again ends the tool.
    let stop = (!interrupted).then_some(stop);
    let limit = TimeLimit { stop, ..timeout.into() };
    for (number, Failing { kind, plan, minimised, values }) in failures.iter().enumerate() {
        let directory = scratch.join(format!("confirmed-{number}"));
        let (subject, results) = confirm(program, (*kind, plan), &directory, limit)?;
        if results.found.confirmed.is_empty() {
            all.unconfirmed += 1;
            continue;
        }
        let (mut report, failures) = describe::report(&subject, &results);
        let modules = &results.found.confirmed[0].run.modules;
        let needs = minimised.as_ref().and_then(|minimised| needs::of(minimised, plan, &subject, modules));
        for finding in &mut report.findings {
            (finding.schedule, finding.needs) = (plan.to_string(), needs.clone());
            finding.seen = values.iter().map(|value| seen(value, &subject, modules)).collect();
        }
        report.findings.retain(|finding| !known.contains(&finding.id));
        hide(&mut report);
        let kept = saved::all(findings, &subject, &failures, &mut report);
        kept.unwrap_or_else(|error| crate::output::say!("warning: not all findings are kept: {error:#}; {ELSEWHERE}"));
        known.extend(report.findings.iter().map(|finding| finding.id.clone()));
        all.findings.extend(report.findings);
    }
    if all.unconfirmed > 0 {
        all.notes.push(format!(
            "{} of {} failing orders did not fail when they were run again from the beginning, and are not reported",
            all.unconfirmed,
            failures.len()
        ));
    }
    Ok(all)
}

/// A value by the names of what it is about.
fn seen(value: &Value, subject: &Subject, modules: &Modules) -> Seen {
    let thread = |number: u32| if number == 0 { "main".to_owned() } else { format!("t{number}") };
    let place = |pc: u64| foretrace_explain::place(&subject.symbols, modules, &subject.base(), pc);
    let written = value.written.map(|(writer, at)| Written { thread: thread(writer), place: place(at) });
    Seen {
        thread: thread(value.thread),
        name: subject.symbols.name_of(value.bytes.address),
        address: value.bytes.address,
        value: value.bytes.value,
        place: place(value.place),
        written,
    }
}

/// Is it the failure that the plan was kept for? What a race leads to is a finding of its own.
fn is_of(kind: Kind, evidence: &Evidence) -> bool {
    match evidence {
        Evidence::Race(_) => kind == Kind::Race,
        Evidence::Deadlock(_) => kind == Kind::Stuck,
        Evidence::Death(_) => kind == Kind::Death,
        Evidence::Region(_) => kind == Kind::Region,
        Evidence::Violation(_) => false,
    }
}

/// Runs a plan, and looks what failed.
fn confirm(
    (program, compiled): (&Program, bool),
    (kind, plan): (Kind, &PlanText),
    directory: &Path,
    limit: TimeLimit,
) -> anyhow::Result<(Subject, Results)> {
    let (run, subject) = rerun((program, compiled), plan, directory, limit)?;
    let schedule = subject.trace.observed().collect();
    let mut confirmed = Confirmed::all(&schedule, &Arc::new(run));
    confirmed.retain(|confirmed| is_of(kind, &confirmed.evidence));
    let found = Found { confirmed, open: Vec::new(), spent: None };
    Ok((subject, Results { found, prediction: Prediction::default() }))
}

/// Runs a plan once from the beginning of the program, recorded and watched.
pub fn rerun(
    (program, compiled): (&Program, bool),
    plan: &PlanText,
    directory: &Path,
    limit: TimeLimit,
) -> anyhow::Result<(foretrace_run::Run, Subject)> {
    let directory = recording::prepare(directory)?;
    let started = SystemTime::now();
    let run = program.run_plan(plan, &directory, true, limit)?;
    for name in ["control", "numbers"] {
        let _ = std::fs::remove_file(directory.join(name));
    }
    let ended = run.ended;
    let told = Run {
        program: &program.path,
        command: &program.command,
        way: way_into(&program.path)?.name(),
        started,
        input: program.input.clone(),
        client: None,
        process: Some(ended.process),
        ended: Some((ended.status, ended.time)),
    };
    told.write(&directory)?;
    foretrace_trace::fold(&directory)?;
    let recorded = Recording::open(&directory).context("cannot read the recording of a failing order")?;
    let subject = Subject::of(program.clone(), recorded, directory, Some(ended))?;
    let subject = Subject { compiled, death: None, plan: Some(plan.clone()), ..subject };
    Ok((run, subject))
}
