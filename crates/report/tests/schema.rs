//! Every JSON form against its schema, and the schemas against wrong documents.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

fn read(path: impl AsRef<Path>) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What is wrong with a document, and where.
fn objections(schema: &Value, document: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).expect("a schema");
    validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// The schema of the standard. Its patterns for languages have a bracket too many, which only JavaScript accepts.
fn schema_of_sarif() -> Value {
    let text = std::fs::read_to_string(file_of_sarif()).expect("the package has the file");
    serde_json::from_str(&text.replace("{2}]?$", "{2}$")).expect("JSON")
}

/// The schema file of the standard, as the package `serde-sarif` has it.
fn file_of_sarif() -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--offline", "--filter-platform", "x86_64-unknown-linux-gnu"]);
    let said = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&said.stdout).expect("metadata");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").expect("a dependency");
    Path::new(package["manifest_path"].as_str().expect("a path")).with_file_name("src").join("schema.json")
}

#[test]
fn the_report_is_as_its_schema_says() {
    let (schema, report) = (read("../../docs/schema/report-3.schema.json"), read("tests/golden/report.json"));
    assert_eq!(objections(&schema, &report), [] as [&str; 0]);
}

#[test]
fn sarif_is_as_the_standard_says() {
    let (schema, log) = (schema_of_sarif(), read("tests/golden/report.sarif"));
    assert!(schema["$id"].as_str().is_some_and(|id| id.ends_with("/sarif-schema-2.1.0.json")));
    assert_eq!(objections(&schema, &log), [] as [&str; 0]);
    let mut wrong = log;
    wrong["runs"][0]["results"][0]["level"] = json!("fatal");
    assert_eq!(objections(&schema, &wrong).len(), 1);
}

/// Nothing is lost when the log goes through types that were made from the schema.
#[test]
fn sarif_has_nothing_that_the_standard_does_not_name() {
    let log = read("tests/golden/report.sarif");
    let typed: serde_sarif::sarif::Sarif = serde_json::from_value(log.clone()).expect("a log");
    assert_eq!(serde_json::to_value(typed).expect("JSON"), log);
}

/// Each change of a good report is objected to.
#[test]
fn wrong_reports_are_objected_to() {
    let (schema, good) = (read("../../docs/schema/report-3.schema.json"), read("tests/golden/report.json"));
    let change = |pointer: &str, value: Value| {
        let mut report = good.clone();
        *report.pointer_mut(pointer).unwrap_or_else(|| panic!("there is no {pointer}")) = value;
        objections(&schema, &report)
    };
    for (pointer, value) in [
        ("/schema", json!(2)),
        ("/findings/0/status", json!("sure")),
        ("/findings/0/sites/0/thread", json!(-1)),
        ("/findings/0/sites/0/does/act", json!("dance")),
        ("/findings/0/sites/0/does/size", json!("4")),
        ("/findings/0/steps/0/place", json!({})),
        ("/findings/0/repeats", json!([1])),
        ("/counts", json!({ "confirmed": 1 })),
    ] {
        assert!(!change(pointer, value).is_empty(), "{pointer}");
    }
    let mut more = good.clone();
    more["findings"][0]["colour"] = json!("red");
    assert!(!objections(&schema, &more).is_empty());
}
