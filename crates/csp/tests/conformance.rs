//! The language case by case: tables of small scripts and of expressions with their values, each with a name.
//!
//! `tests/csp/cases/*.txt` holds scripts, each after a line `## accept name` or `## reject name: line:column message`;
//! a part of the message is enough. `tests/csp/evaluation/*.txt` holds a script, a line `----`, and then lines
//! `name | expression | value`.

mod common;

use foretrace_csp::budget::Budget;
use foretrace_csp::script::{Script, Verdict, with_stack};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn tables(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/csp").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder is there").map(|e| e.expect("it can be read").path()).collect();
    files.sort();
    let named = |path: &PathBuf| {
        let theme = path.file_stem().expect("a file").to_string_lossy().into_owned();
        (theme, std::fs::read_to_string(path).expect("it can be read"))
    };
    files.iter().filter(|p| p.extension().is_some_and(|e| e == "txt")).map(named).collect()
}

fn budget() -> Budget {
    Budget { max_states: 20_000, timeout: Some(Duration::from_secs(20)), ..Budget::default() }
}

/// What is wrong with a script: its first error with its place, or the first assertion that does not hold.
fn complaint(name: &str, text: &str) -> Option<String> {
    let script = match Script::load(name, text, Vec::new()) {
        Ok(script) => script,
        Err(error) => {
            let first = error.diagnostics.first().expect("an error has a reason");
            let at = first.position(&error.sources);
            return Some(format!("{}:{} {}", at.line, at.column, first.message));
        }
    };
    for (_, value) in script.prints(&budget()) {
        if let Err(d) = value {
            let at = d.position(&script.sources);
            return Some(format!("{}:{} {}", at.line, at.column, d.message));
        }
    }
    for assertion in script.assertions() {
        let report = script.check(&assertion, &budget(), &|_| {});
        match report.verdict {
            Verdict::Holds => {}
            Verdict::Error(d) => {
                let at = d.position(&script.sources);
                return Some(format!("{}:{} {}", at.line, at.column, d.message));
            }
            other => return Some(format!("{}: {other:?}", report.text)),
        }
    }
    None
}

struct Case {
    name: String,
    /// The place and the message, for a script that must be refused.
    refused: Option<String>,
    text: String,
}

fn cases(theme: &str, table: &str) -> Vec<Case> {
    let mut out: Vec<Case> = Vec::new();
    for line in table.lines() {
        if let Some(head) = line.strip_prefix("## accept ") {
            out.push(Case { name: format!("{theme}/{head}"), refused: None, text: String::new() });
        } else if let Some(head) = line.strip_prefix("## reject ") {
            let (name, message) = head.split_once(": ").expect("a name, a place and a message");
            out.push(Case { name: format!("{theme}/{name}"), refused: Some(message.to_owned()), text: String::new() });
        } else if let Some(case) = out.last_mut() {
            case.text += line;
            case.text.push('\n');
        }
    }
    out
}

fn outcome(case: &Case) -> Option<String> {
    let said = complaint(&case.name, &case.text);
    match (&case.refused, said) {
        (None, None) => None,
        (None, Some(said)) => Some(format!("{}: should be accepted: {said}", case.name)),
        (Some(wanted), Some(said)) => {
            let (place, message) = wanted.split_once(' ').expect("a place and a message");
            let fits = said.starts_with(&format!("{place} ")) && said.contains(message);
            (!fits).then(|| format!("{}: wanted {wanted}\n   found {said}", case.name))
        }
        (Some(wanted), None) => Some(format!("{}: should be refused: {wanted}", case.name)),
    }
}

#[test]
fn every_script_of_the_tables() {
    let all: Vec<Case> = tables("cases").iter().flat_map(|(theme, table)| cases(theme, table)).collect();
    let names: BTreeSet<&str> = all.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names.len(), all.len(), "every case has a name of its own");
    let wrong: Vec<String> = with_stack(|| all.iter().filter_map(outcome).collect());
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    let refused = all.iter().filter(|c| c.refused.is_some()).count();
    let scripts = |folder: &str| common::files(folder).len();
    let (accepted, refused) = (all.len() - refused + scripts("accept"), refused + scripts("reject"));
    assert!(accepted >= 400 && refused >= 300, "{accepted} scripts are accepted, {refused} are refused");
}

#[test]
fn every_value_of_the_tables() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (theme, table) in tables("evaluation") {
        let (script, values) = table.split_once("\n----\n").expect("a script and values");
        let loaded = with_stack(|| {
            let script = Script::load(&theme, &format!("{script}\n"), Vec::new()).unwrap_or_else(|e| panic!("{e}"));
            let mut out = Vec::new();
            for line in values.lines().filter(|l| !l.trim().is_empty()) {
                let parts: Vec<&str> = line.split(" | ").collect();
                let (name, value) = (parts[0], parts[parts.len() - 1]);
                let expression = parts[1..parts.len() - 1].join(" | ");
                let found = script.evaluate(&expression, &budget()).unwrap_or_else(|e| e.render());
                out.push((found != value).then(|| format!("{theme}/{name}: {expression}\n  {value}\n  {found}")));
            }
            out
        });
        count += loaded.len();
        wrong.extend(loaded.into_iter().flatten());
    }
    assert!(wrong.is_empty(), "{} of {count} values:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 300, "{count} values");
}
