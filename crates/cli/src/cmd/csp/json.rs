//! Results for programs.

use super::{Args, Format};
use crate::output;
use foretrace_csp::counterexample::{Behaviour, Counterexample};
use foretrace_csp::diagnostic::Diagnostic;
use foretrace_csp::script::{LoadError, Report, Verdict};
use serde_json::{Value, json};

/// Writes and flushes one line, so that it is not lost if the check is interrupted later.
pub fn line(args: &Args, value: &Value) -> anyhow::Result<()> {
    if args.format != Format::Jsonl {
        return Ok(());
    }
    output::write(|out| Ok(writeln!(out, "{value}")?))
}

pub fn load_error(file: &str, error: &LoadError) -> Value {
    let one = |d: &Diagnostic| {
        let at = d.position(&error.sources);
        json!({ "stage": d.stage.name(), "file": at.file, "line": at.line, "column": at.column,
                "message": d.message, "hint": d.hint })
    };
    json!({ "file": file, "errors": error.diagnostics.iter().map(one).collect::<Vec<_>>() })
}

pub fn report(report: &Report) -> Value {
    let s = &report.statistics;
    let (result, why) = match &report.verdict {
        Verdict::Holds => ("holds", None),
        Verdict::Fails(_) => ("fails", None),
        Verdict::Unknown(why) => ("unknown", Some(why.clone())),
        Verdict::Error(d) => ("error", Some(d.message.clone())),
    };
    let shown = match &report.verdict {
        Verdict::Fails(shown) => shown.as_ref(),
        _ => report.witness.as_ref(),
    };
    json!({
        "assertion": report.text, "file": report.at.file, "line": report.at.line, "result": result, "why": why,
        "counterexample": shown.map(counterexample),
        "further": report.more.iter().map(counterexample).collect::<Vec<_>>(),
        "statistics": { "states": s.states, "transitions": s.transitions, "depth": s.depth, "bytes": s.bytes,
                        "seconds": s.time.as_secs_f64() },
    })
}

fn counterexample(shown: &Counterexample) -> Value {
    let part = |b: &Behaviour| json!({ "depth": b.depth, "label": b.label, "trace": b.trace });
    json!({
        "kind": shown.kind, "trace": shown.trace, "steps": shown.steps, "event": shown.event,
        "offered": shown.offered, "demanded": shown.demanded, "allowed": shown.allowed, "cycle": shown.cycle,
        "summary": shown.summary(),
        "components": shown.components.iter().map(part).collect::<Vec<_>>(),
    })
}
