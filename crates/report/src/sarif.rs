//! SARIF 2.1.0: one rule a kind of error, one result a finding, one thread flow a thread with the order of execution.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::kinds::ALL;
use crate::model::Kind;
use crate::model::{Finding, Frame, Report, Site, Status, Step};
use crate::words;

/// Writes a report.
pub(crate) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut kinds = ALL.to_vec();
    for finding in report.shown() {
        if !kinds.contains(&finding.kind) {
            kinds.push(finding.kind);
        }
    }
    let rules: Vec<Value> = kinds.into_iter().map(rule).collect();
    let results: Vec<Value> = report.shown().map(result).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Foretrace",
                "version": report.version,
                "informationUri": "https://github.com/foretrace/foretrace",
                "rules": rules,
            }},
            "invocations": [{ "executionSuccessful": true, "commandLine": report.program }],
            "originalUriBaseIds": { "%SRCROOT%": { "description": { "text": "where the check was run" } } },
            "results": results,
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn rule(kind: Kind) -> Value {
    json!({
        "id": kind.rule(),
        "shortDescription": { "text": kind.0.about() },
        "defaultConfiguration": { "level": "error" },
    })
}

fn result(finding: &Finding) -> Value {
    let (level, status) = match &finding.status {
        Status::Confirmed => ("error", "confirmed".to_owned()),
        Status::Predicted(why) => ("warning", format!("predicted: {why}")),
    };
    let place = finding.sites.first().and_then(Site::top);
    let others = finding.sites.iter().skip(1).enumerate().filter_map(|(id, site)| related(finding, id, site));
    let flows = thread_flows(finding);
    let mut value = json!({
        "ruleId": finding.kind.rule(),
        "level": level,
        "message": { "text": message(finding) },
        "locations": place.map(location).into_iter().collect::<Vec<_>>(),
        "relatedLocations": others.collect::<Vec<_>>(),
        "partialFingerprints": { "foretrace/v1": finding.id },
        "properties": {
            "status": status,
            "schedule": finding.schedule,
            "replay": finding.replay(),
            "repeats": finding.repeats,
            "why": crate::human::advice(finding),
        },
    });
    // The standard wants one flow at least.
    if !flows.is_empty() {
        value["codeFlows"] = json!([{ "threadFlows": flows }]);
    }
    value
}

fn message(finding: &Finding) -> String {
    let sites: Vec<String> =
        finding.sites.iter().map(|site| format!("{} {}", finding.thread_of(site), words::act(&site.does))).collect();
    format!("{}: {}", finding.title(), sites.join("; "))
}

fn related(finding: &Finding, id: usize, site: &Site) -> Option<Value> {
    let mut value = location(site.top()?);
    value["id"] = json!(id + 1);
    value["message"] = json!({ "text": format!("{} {}", finding.thread_of(site), words::act(&site.does)) });
    Some(value)
}

/// One flow a thread; the order of execution is that of the whole interleaving.
fn thread_flows(finding: &Finding) -> Vec<Value> {
    let numbered: Vec<(usize, &Step)> = finding.steps.iter().enumerate().collect();
    let flow = |(index, thread): (usize, &crate::model::Thread)| {
        let steps = numbered.iter().filter(|(_, step)| step.thread == index);
        let locations: Vec<Value> = steps.map(|(order, step)| flow_location(*order, step)).collect();
        (!locations.is_empty()).then(|| json!({ "id": thread.name, "locations": locations }))
    };
    finding.threads.iter().enumerate().filter_map(flow).collect()
}

fn flow_location(order: usize, step: &Step) -> Value {
    let mut place = step.place.as_ref().map_or_else(|| json!({}), location);
    place["message"] = json!({ "text": words::step(&step.does) });
    let importance = if step.fails { "essential" } else { "important" };
    json!({ "location": place, "executionOrder": order + 1, "importance": importance })
}

fn location(frame: &Frame) -> Value {
    let Some(file) = &frame.file else {
        return json!({ "logicalLocations": [{ "fullyQualifiedName": format!("{}!{}", frame.module, frame.name()) }] });
    };
    let artifact = if file.starts_with('/') {
        json!({ "uri": format!("file://{}", uri(file)) })
    } else {
        json!({ "uri": uri(file), "uriBaseId": "%SRCROOT%" })
    };
    let mut region = json!({ "startLine": frame.line.max(1) });
    if frame.column > 0 {
        region["startColumn"] = json!(frame.column);
    }
    json!({
        "physicalLocation": { "artifactLocation": artifact, "region": region },
        "logicalLocations": [{ "name": frame.name(), "kind": "function" }],
    })
}

/// A path as a URI spells it.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
