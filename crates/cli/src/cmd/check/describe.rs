//! The report of a check: what was found, explained, and how the recorded run went.

use super::examine::Results;
use super::subject::Subject;
use foretrace_explain::{Explained, Failures, explain};
use foretrace_replay::Input;
use foretrace_report::{Finding, Report};
use foretrace_trace::{Note, Recording};
use std::io::IsTerminal;

/// The report, and the failures behind each confirmed finding.
pub fn report<'a>(subject: &Subject, results: &'a Results) -> (Report, Failures<'a>) {
    let explained = foretrace_explain::Subject {
        trace: &subject.trace,
        modules: &subject.modules,
        symbols: &subject.symbols,
        program: &subject.program.path,
        base: subject.base(),
        death: subject.death.as_deref(),
    };
    let Explained { findings, folded, undecided, notes: more, failures } =
        explain(&explained, &results.found, &results.prediction.undecided);
    let run = Recorded::of(subject);
    let unread = unread(subject, &findings);
    let report = Report {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program: subject.command_line(),
        exit: subject.exit.clone(),
        exit_code: run.code,
        signal: run.signal,
        pid: run.pid,
        findings,
        folded,
        undecided,
        notes: notes(subject, run.code).into_iter().chain(more).chain(unread).collect(),
        ..Report::default()
    };
    (report, failures)
}

/// How the recorded run went, in numbers.
#[derive(Default)]
struct Recorded {
    code: Option<i32>,
    signal: Option<String>,
    pid: Option<u64>,
}

impl Recorded {
    fn of(subject: &Subject) -> Self {
        let Ok(recording) = Recording::open(&subject.recording) else { return Self::default() };
        let number = |key: &str| recording.run().get(key)?.parse::<i32>().ok();
        // It was killed for the check, and the report says so.
        let signal = number("signal").filter(|_| !subject.cut_short);
        Self { code: number("exit"), signal: signal.and_then(signal_name), pid: Some(recording.header().pid) }
    }
}

fn signal_name(number: i32) -> Option<String> {
    signal_hook::low_level::signal_name(number).map(str::to_owned)
}

/// Replays get no input from a terminal. That may be why a prediction was not confirmed.
fn unread(subject: &Subject, findings: &[Finding]) -> Option<String> {
    let is_open = findings.iter().any(|finding| !finding.is_confirmed());
    let from_terminal = matches!(subject.program.input, Input::Nothing) && std::io::stdin().is_terminal();
    (is_open && from_terminal).then(|| UNREAD.to_owned())
}

const UNREAD: &str =
    "the standard input is a terminal, and replays read nothing from it: give the input as a file (< FILE)";

/// What the recording misses. If a run was ended for the check, the line about its end says so.
fn notes(subject: &Subject, code: Option<i32>) -> Vec<String> {
    let notes = subject.trace.notes().iter().filter(|note| !(subject.cut_short && **note == Note::NotClosed));
    let words = |note: &Note| match (note, code) {
        (Note::NotClosed, Some(_)) => LEFT.to_owned(),
        _ => note.to_string(),
    };
    let blind = subject.blind.map(|why| format!("{why}: only deadlocks were looked for"));
    let idle = subject.never_ran();
    let idle = (!idle.is_empty())
        .then(|| format!("created, and not run before the program ended, so not checked: {}", idle.join(", ")));
    let alone = match subject.trace.threads().len() {
        0 | 1 if subject.is_ended_early() => {
            Some("the program was ended before it had a second thread: nothing was checked")
        }
        0 | 1 => Some("the program has one thread only"),
        _ => None,
    };
    let alone = alone.map(str::to_owned);
    notes.map(words).chain(blind).chain(idle).chain(alone).chain(subject.left_out.clone()).collect()
}

/// The process ended, and nobody closed its recording.
const LEFT: &str = "the recording ends before the program does: it called exec, or went on in another process";
